/* Does the loop get no CPU at all? It then counts nothing, and its figures look as good as before. */
#pragma once

#include "core/base.h"

#define ST_OVERDUE_AFTER_NS INT64_C(2000000000) /* plus two periods: a longer delay is logged */
#define ST_OVERDUE_CHECK_NS INT64_C(1000000000) /* plus two periods: a check then finds the loop overdue */
#define ST_OVERDUE_CHECKS   2                   /* consecutive checks that must find the loop overdue */

/** Judges by the loop's heartbeat. Counts checks as well as time: after a SIGSTOP of the daemon or a pause
 * of the machine, of any length, the loop runs again before the second check. Pure. For a loop that
 * starts now, only period_ns, heard_ns and checked_ns are set. */
struct st_overdue {
    int64_t period_ns;
    uint64_t heartbeat; /* at the last check */
    int64_t heard_ns; /* the loop ran after this time: that of the last check before the heartbeat changed */
    int64_t checked_ns; /* time of the last check */
    unsigned checks;    /* consecutive checks that found the loop overdue */
    int64_t since_ns;   /* start of the delay, as in the latest event; 0: the loop runs */
};

/** A check, once a second. @param due_ns when the first period that was not seen yet (struct st_live) was
 * due; INT64_MIN: the loop does not count yet. */
void st_overdue_check(struct st_overdue *stall, uint64_t heartbeat, int64_t due_ns, int64_t now_ns);

/** How long the loop's next cycle is overdue; 0: the loop runs, or it is too early to tell. Callable at
 * any time. Parameters as of st_overdue_check. */
int64_t st_overdue_ns(const struct st_overdue *stall, uint64_t heartbeat, int64_t due_ns, int64_t now_ns);
