/* Whether the loop gets no CPU at all: then it counts nothing, and its figures are as good as before. */
#pragma once

#include "core/base.h"

#define ST_OVERDUE_AFTER_NS INT64_C(2000000000) /* and two periods: a longer delay is logged */
#define ST_OVERDUE_CHECK_NS INT64_C(1000000000) /* and two periods: a check finds the loop overdue */
#define ST_OVERDUE_CHECKS   2                   /* checks in a row that must find it so */

/** Judges by the loop's heartbeat. Counts checks, not only time: after a SIGSTOP of the daemon or a pause of
 * the machine the loop runs before the second check finds it overdue, however long it was. Pure. A loop that
 * starts now has only its period, heard_ns and checked_ns. */
struct st_overdue {
    int64_t period_ns;
    uint64_t heartbeat; /* at the last check */
    int64_t heard_ns;   /* the loop ran after this time: of the check before the latest one that found another
                           heartbeat */
    int64_t checked_ns; /* the last check */
    unsigned checks;    /* in a row that found it overdue */
    int64_t since_ns;   /* as the latest event said; 0: it runs */
};

/** A check, once a second. @param due_ns  when the first period was due of which nothing is known (struct
 * st_live); INT64_MIN: the loop does not count yet. */
void st_overdue_check(struct st_overdue *stall, uint64_t heartbeat, int64_t due_ns, int64_t now_ns);

/** How long the loop's next cycle is overdue; 0: it runs, or it is too early to tell. Parameters as those of
 * st_overdue_check, at any time. */
int64_t st_overdue_ns(const struct st_overdue *stall, uint64_t heartbeat, int64_t due_ns, int64_t now_ns);
