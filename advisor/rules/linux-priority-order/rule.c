/* Programs that play must not run above the server that they play through. */
#include <inttypes.h>

#include "advisor/rules/rule.h"
#include "advisor/rules/threads.h"

#define COMPLETE "linux.threads.complete"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t processes, complete;
    (void)wish;
    if (st_finding_need_int(finding, facts, ST_THREADS_N, &processes) != 0)
        return;
    const struct st_top_thread server = st_threads_top(facts, st_threads_is_server);
    const struct st_top_thread client = st_threads_top(facts, st_threads_is_client);
    if (server.priority == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no sound server with a real-time thread runs");
        return;
    }
    st_finding_quote(finding, facts, server.process_fact->key);
    st_finding_quote(finding, facts, server.priority_fact->key);
    if (client.priority > server.priority) {
        st_finding_quote(finding, facts, client.process_fact->key);
        st_finding_quote(finding, facts, client.priority_fact->key);
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "%.40s runs at priority %" PRId64 ", above the sound server's %" PRId64
                       ", and can keep it from the CPU",
                       client.process_fact->text, client.priority, server.priority);
        st_finding_fix_usual(finding);
        return;
    }
    if (st_finding_need_int(finding, facts, COMPLETE, &complete) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK, "no program runs above the sound server's priority %" PRId64 "%s",
                   server.priority, complete != 0 ? "" : " (not all threads were looked at)");
    st_finding_effect(finding, 0, "the server's %" PRId64 " is the highest%s", server.priority,
                      complete != 0 ? "" : " of those looked at");
}

const struct st_rule st_rule_linux_priority_order = {
    .id = "linux-priority-order",
    .os = ST_OS_LINUX,
    .title = "Programs below the sound server",
    .mechanism =
        "A program at a higher real-time priority than the server keeps it from the CPU while it computes. "
        "The server then misses its own deadline, for all programs.",
    .privilege = "none",
    .cost = "none",
    .when_not = "a program that is meant to come first and uses little of a CPU",
    .sources = "sched(7); field report: client above the server's priority starved it (pipeasio issue 4)\n"
               "jackd gives its clients 5 less than itself (jackd(1) -P)",
    .guide =
        {
            .persistent =
                "# lower the real-time priority in that program's own settings, below the server's; or "
                "raise the\n# server: /etc/pipewire/pipewire.conf.d/90-sleeptune.conf, module-rt, rt.prio "
                "(default 88); 'jackd -P'",
            .needs = ST_NEEDS_REOPEN,
            .check =
                "ps -eLo cls,rtprio,comm --sort=-rtprio | head -20   # sound interrupt, server, programs",
            .undo = "set the old priority in that program again",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ST_THREADS_N, ST_THREADS_PROCESS, ST_THREADS_PRIO, ST_THREADS_NAME,
                                   COMPLETE, NULL},
    .judge = judge,
};
