/* Did the changes help? `apply` runs the loop before the first change; `verify` runs it again and
 * compares. */
#pragma once

#include <jansson.h>

#include "cli/change/change_target.h"
#include "evidence/counts.h"

/** Runs the loop at the target's period and stores its counts beside the journal of changes, unless
 * a run from before earlier changes is stored there. Prints what it does. A failed run is reported,
 * but is no reason to stop. A signal ends it early (st_stop_asked). The caller holds the journal's
 * lock. Call it once in a process, since it installs signal handlers. @param plan what will be
 * applied: if that gives the right to real-time priority to a user who has none, not even by rtkit,
 * the loop runs without it, as the user's programs do now. */
void st_before_after_keep(const struct st_change_target *target, const struct st_journal *journal,
                          const struct st_journal *plan, int64_t duration_ns);
/** Removes the run that st_before_after_keep kept, if nothing is applied any more. The caller holds
 * the lock. @return true: there was a run. */
bool st_before_after_forget(const struct st_change_target *target,
                            const struct st_journal *journal);

/* slots of 100 ms: 600 s, the longest run that --measure allows, and 20 s in reserve */
#define ST_BEFORE_AFTER_SLOTS 6200

struct st_before_after {
    const char *why; /* why the runs are not compared; NULL: they are */
    bool right; /* the right to real-time priority was applied after the first run, which did not
                   have it */
    /** Documents sleeptune-before/1: the keys of sleeptune-measure/1, and "late": for each slot the
     * number of wake-ups later than the share of a period that `tune` uses. NULL: none. */
    json_t *before, *now;
    struct st_counts_difference late; /* late wake-ups: the second run compared with the first */
};

/** Reads the run that st_before_after_keep stored, runs the loop again in the same way, and
 * compares. If the runs cannot be compared, ret->why has the reason, and that is no error. Call it
 * once in a process, since it installs signal handlers. Free with st_before_after_finish. @return
 * an st_exit: DONE, or BOOKS. */
ST_NODISCARD int st_before_after_make(const struct st_change_target *target,
                                      struct st_before_after *ret);
void st_before_after_finish(struct st_before_after *done);
/** Prints the comparison for people, on stdout. */
void st_before_after_print(const struct st_before_after *done);
/** The member "proof" of sleeptune-verify/1. New reference; NULL: out of memory. */
json_t *st_before_after_json(const struct st_before_after *done);
