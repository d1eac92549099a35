/* RLIMIT_MEMLOCK: may a program keep its memory out of reach of paging? */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define MEMLOCK  "linux.rt.memlock_limit_bytes"
#define IPC_LOCK "linux.rt.ipc_lock"
#define UID      "user.uid"

#define UNLIMITED (-1)
#define MIB       (1024 * 1024)

/** Enough for a synthesizer or a client of a sound server. A choice of this rule; a DAW with samples wants
 * more. */
#define ENOUGH_BYTES (INT64_C(256) * MIB)

/** CAP_IPC_LOCK makes the limit void; root has it unless a container took it away. */
static bool is_privileged(const struct st_facts *facts)
{
    const bool usual = st_machine_int_or(facts, UID, -1) == 0 && !st_machine_in_container(facts);
    return st_machine_int_or(facts, IPC_LOCK, usual) != 0;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t limit;
    (void)wish;
    if (st_finding_need_int(finding, facts, MEMLOCK, &limit) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(
                finding, ST_STATUS_UNKNOWN,
                "a limit belongs to a user, and this capture has none; run the report as the user who plays");
        return;
    }
    st_finding_quote(finding, facts, IPC_LOCK);
    st_finding_quote(finding, facts, UID);
    st_finding_quote(finding, facts, ST_MACHINE_CONTAINER);
    const double mib = (double)limit / MIB;
    const bool small = limit < MIB;
    const double shown = small ? (double)limit / 1024 : mib;
    const char *unit = small ? "KiB" : "MiB";
    if (limit < UNLIMITED) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "a limit of %" PRId64 " bytes cannot be", limit);
    } else if (limit == UNLIMITED) {
        st_finding_set(finding, ST_STATUS_OK, "memory may be locked without limit");
        st_finding_effect(finding, 0, "locked memory is not paged out");
    } else if (limit >= ENOUGH_BYTES) {
        st_finding_set(finding, ST_STATUS_OK, "up to %.0f MiB may be locked", mib);
        st_finding_effect(finding, 0, "locked memory is not paged out; a program of up to %.0f MiB fits",
                          mib);
    } else if (is_privileged(facts)) {
        st_finding_set(finding, ST_STATUS_OK,
                       "this process may lock memory beyond its limit of %.4g %s; other users may differ",
                       shown, unit);
        st_finding_effect(finding, 0, "locked memory is not paged out");
    } else {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "only %.4g %s may be locked, so an audio program may wait for a page in the middle of a cycle",
            shown, unit);
        if (st_machine_in_container(facts)) {
            st_finding_fix(finding, NULL,
                           "# start the container with\n--cap-add=IPC_LOCK --ulimit memlock=-1",
                           ST_NEEDS_RELOGIN);
            return;
        }
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_LIMITS, "@audio - memlock", "4194304");
    }
}

const struct st_rule st_rule_linux_memlock = {
    .id = "linux-memlock",
    .os = ST_OS_LINUX,
    .title = "Limit of locked memory",
    .mechanism = "Memory that is not locked can be paged out or not yet be there, and the thread that "
                 "touches it waits for "
                 "the disk; there is no upper bound for that. A limit below the size of the program makes "
                 "mlockall fail.",
    .privilege = "root",
    .cost = "memory: what is locked is not available to others",
    .when_not = "shared machines: give a size rather than 'unlimited'",
    .sources = "mlock(2), getrlimit(2), limits.conf(5), systemd.exec(5) LimitMEMLOCK=\n"
               "PipeWire's package gives 4194304 KiB (4 GiB), jackd2's 'unlimited'; the line of 256 MiB is "
               "sleeptune's "
               "own",
    .history = "2.6.9: the limit holds for normal users, no longer for root (getrlimit(2))\n"
               "5.16: the kernel's default is 8 MiB instead of 64 KiB (commit 9dcc38e2813e)",
    .guide =
        {
            .now =
                "# for this shell and what it starts:\nsudo prlimit --pid $$ --memlock=4294967296:4294967296",
            .persistent =
                "# /etc/security/limits.d/90-sleeptune.conf (KiB: 4 GiB)\n@audio - memlock 4194304\n# "
                "then\nsudo "
                "usermod -aG audio $USER\n# services started by systemd, in the unit: LimitMEMLOCK=4G",
            .needs = ST_NEEDS_RELOGIN,
            .check = "ulimit -l   # after a new login: 4194304, in KiB",
            .undo = ST_MACHINE_UNDO_LIMITS,
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){MEMLOCK, IPC_LOCK, UID, ST_MACHINE_CONTAINER, NULL},
    .judge = judge,
};
