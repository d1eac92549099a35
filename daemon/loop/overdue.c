/* Compares the loop's heartbeat with the time at which its next period is due. */
#include "daemon/loop/overdue.h"

#include "core/ns.h"

/* How long the loop is overdue, ns; negative: not yet. due_ns is as old as the last drain. If the
 * drain thread itself gets no CPU, due_ns is in the past although the loop runs; so the heartbeat
 * counts, too. */
static int64_t overdue_ns(const struct st_overdue *stall, int64_t due_ns, int64_t now_ns)
{
    if (due_ns == INT64_MIN) /* the loop warms up and does not count periods yet */
        due_ns = st_ns_add(stall->heard_ns, stall->period_ns);
    return st_ns_sub(now_ns, ST_MAX(due_ns, stall->heard_ns));
}

static bool is_above(const struct st_overdue *stall, int64_t ns, int64_t least_ns)
{
    return ns > least_ns && ns / 2 > stall->period_ns;
}

void st_overdue_check(struct st_overdue *stall, uint64_t heartbeat, int64_t due_ns, int64_t now_ns)
{
    if (heartbeat != stall->heartbeat) {
        stall->heartbeat = heartbeat;
        stall->heard_ns = stall->checked_ns;
        stall->checks = 0;
    }
    stall->checked_ns = now_ns;
    const bool found = is_above(stall, overdue_ns(stall, due_ns, now_ns), ST_OVERDUE_CHECK_NS);
    stall->checks = found ? stall->checks + 1 : 0;
}

int64_t st_overdue_ns(const struct st_overdue *stall, uint64_t heartbeat, int64_t due_ns,
                      int64_t now_ns)
{
    if (stall->checks < ST_OVERDUE_CHECKS)
        return 0;
    /* The loop runs again, but due_ns is not known yet: the next drain counts what the loop missed
     * and sets it. */
    if (due_ns == INT64_MIN && heartbeat != stall->heartbeat)
        return 0;
    const int64_t ns = overdue_ns(stall, due_ns, now_ns);
    return is_above(stall, ns, ST_OVERDUE_AFTER_NS) ? ns : 0;
}
