/* Timer slack: how late the kernel may let a normal thread's sleep end. */
#include <errno.h>
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define SLACK "linux.timer_slack_ns"
#define FIFO  "linux.rt.fifo_errno"

/** Up to here it is lost in the noise of a wake-up. A choice of this rule. */
#define ENOUGH_NS 5000

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t slack_ns, fifo_errno;
    if (st_finding_need_int(finding, facts, SLACK, &slack_ns) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(
                finding, ST_STATUS_UNKNOWN,
                "timer slack belongs to a running program, and this capture has none; the default is 50 µs");
        return;
    }
    if (slack_ns < 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "a slack of %" PRId64 " ns cannot be", slack_ns);
        return;
    }
    if (slack_ns == 0) { /* prctl takes 0 for the default, so only a real-time thread reads it */
        st_finding_set(finding, ST_STATUS_OK,
                       "the thread that was asked is a real-time one: it has no slack");
        st_finding_effect(finding, 0, "0 under SCHED_FIFO and SCHED_RR");
        return;
    }
    const double slack_us = (double)slack_ns / 1e3;
    st_finding_quote(finding, facts, FIFO);
    const int fifo = st_facts_int(facts, FIFO, &fifo_errno);
    if (fifo == 0 && fifo_errno == 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "real-time threads have no slack; a normal thread's sleep ends up to %.1f µs late",
                       slack_us);
        st_finding_effect(finding, 0, "0 under SCHED_FIFO and SCHED_RR; %.1f µs for SCHED_OTHER", slack_us);
        return;
    }
    if (slack_ns <= ENOUGH_NS) {
        st_finding_set(finding, ST_STATUS_OK, "the slack is %.1f µs, small enough also for a normal thread",
                       slack_us);
        st_finding_effect(finding, slack_us, "the slack itself: %.1f µs", slack_us);
        return;
    }
    if (fifo != 0)
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "a normal thread's sleep ends up to %.1f µs late, a real-time thread's does not; which one "
            "yours would be is not known",
            slack_us);
    else
        st_finding_set(finding, slack_ns >= wish->period_ns ? ST_STATUS_PROBLEM : ST_STATUS_ADVICE,
                       "without real-time priority each sleep ends up to %.1f µs late", slack_us);
    st_finding_effect(finding, slack_us, "SCHED_OTHER: the slack itself, %.1f µs, whatever the period",
                      slack_us);
    st_finding_fix_usual(finding);
}

const struct st_rule st_rule_linux_timer_slack = {
    .id = "linux-timer-slack",
    .os = ST_OS_LINUX,
    .title = "Timer slack of normal threads",
    .mechanism =
        "The kernel may end a normal thread's sleep anywhere between its time and its time plus the slack "
        "(50 µs by default), and on an idle CPU it is close to the latest. Threads under SCHED_FIFO, "
        "SCHED_RR "
        "and SCHED_DEADLINE have no slack.",
    .privilege = "CAP_SYS_NICE for another user's program; none for the own one",
    .cost = "power: fewer wake-ups are shared",
    .when_not = "the audio threads run under SCHED_FIFO or SCHED_RR: then it changes nothing. On battery.",
    .sources =
        "prctl(2) PR_SET_TIMERSLACK; systemd.exec(5) TimerSlackNSec=\n"
        "Linux kernel/time/hrtimer.c, init/init_task.c; commit ed4fb6d7ef68 (reads 0 for real-time threads)\n"
        "measured on 6.18 at 1333 µs: median 66 µs with 50 µs slack, 16 µs with 1 ns or under SCHED_FIFO\n"
        "that up to 5 µs need no word: sleeptune's own line",
    .history = "2.6.28: timer slack, 50 µs unless set; clock_nanosleep of real-time threads has none "
               "(PR_SET_TIMERSLACK(2const), kernel/time/hrtimer.c)\n"
               "2025: from March in 6.1.y and 6.6.y, and in newer kernels, timerslack_ns reads 0 for "
               "real-time threads, where it read 50000 before although nanosleep did not use it; their timed "
               "futex waits are exact now, too (commit ed4fb6d7ef68)",
    .guide =
        {
            .now = "# get real-time priority (sleeptune report linux-rt-permission), or for one "
                   "thread:\necho 1000 | sudo tee /proc/TID/timerslack_ns",
            .persistent = "# services started by systemd, in the unit\n[Service]\nTimerSlackNSec=1us",
            .needs = ST_NEEDS_NOTHING,
            .check = "cat /proc/TID/timerslack_ns   # 1000; for a real-time thread 0, or on older kernels "
                     "50000 that does not count",
            .undo = "echo 50000 | sudo tee /proc/TID/timerslack_ns, or TimerSlackNSec= out of the unit",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){SLACK, FIFO, NULL},
    .judge = judge,
};
