/* Detects that the timing test gets no CPU at all. Such a test counts nothing, so its figures look
 * as good as before. */
#pragma once

#include "core/base.h"

/* a delay longer than this plus two periods is logged */
#define ST_OVERDUE_AFTER_NS INT64_C(2000000000)
/* a check finds the loop overdue if it is late by more than this plus two periods */
#define ST_OVERDUE_CHECK_NS INT64_C(1000000000)
/* a delay is reported after this number of consecutive checks that find the loop overdue */
#define ST_OVERDUE_CHECKS 2

/** Judges the loop by its heartbeat, a counter. Counts checks as well as time: after a SIGSTOP of
 * the daemon or a pause of the machine, of any length, the loop runs again before the second check.
 * Pure. When a loop starts, set period_ns, heard_ns and checked_ns, and the rest to 0. */
struct st_overdue {
    int64_t period_ns;
    uint64_t heartbeat; /* the loop's heartbeat at the last check */
    /* the loop ran at some time after this one: time of the last check before the heartbeat
     * changed */
    int64_t heard_ns;
    int64_t checked_ns; /* time of the last check */
    unsigned checks;    /* consecutive checks that found the loop overdue */
    int64_t since_ns;   /* start of the delay that was reported; 0: the loop runs */
};

/** Checks the loop; call once a second. @param due_ns when the first period that was not seen yet
 * (st_session_due_ns) was due; INT64_MIN: the loop does not count yet. */
void st_overdue_check(struct st_overdue *stall, uint64_t heartbeat, int64_t due_ns, int64_t now_ns);

/** How long (ns) the loop's next cycle is overdue; 0: the loop runs, or too few checks found it
 * overdue. Callable at any time. The parameters are those of st_overdue_check. */
int64_t st_overdue_ns(const struct st_overdue *stall, uint64_t heartbeat, int64_t due_ns,
                      int64_t now_ns);
