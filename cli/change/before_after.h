/* Did it help? `apply` runs the loop before the first change; `verify` runs it again and compares. */
#pragma once

#include <jansson.h>

#include "cli/change/change_target.h"
#include "evidence/counts.h"

/**
 * Runs the loop at the target's period and keeps what it counted beside the journal, unless a run of a state
 * before earlier changes is there already. Says what it does. A run that fails is said, and no reason not to
 * go on. Ctrl-C ends it early. The caller holds the journal's lock. Once a process (signals).
 * @param plan  what is going to be applied: if it gives the right to real-time priority to a user who has
 * none, also not by rtkit, the loop runs without, as the user's programs do now */
void st_before_after_keep(const struct st_change_target *target, const struct st_journal *journal,
                          const struct st_journal *plan, int64_t duration_ns);
/** Removes that run when nothing is applied any more. The caller holds the lock. @return whether there
 * was one. */
bool st_before_after_forget(const struct st_change_target *target, const struct st_journal *journal);

#define ST_BEFORE_AFTER_SLOTS 6200 /* of 100 ms: 10 min, and what Ctrl-C takes */

struct st_before_after {
    const char *why; /* it is not compared; NULL: it is */
    bool right;      /* to real-time priority: applied after the first run, which was without it */
    /** Documents sleeptune-before/1: the keys of sleeptune-measure/1, and "late": of each slot the wake-ups
     * that were later than the share of a period that tune looks at. NULL: there is none. */
    json_t *before, *now;
    struct st_counts_difference late; /* wake-ups: now against before */
};

/**
 * Reads the run from before, runs the loop again as it ran then, and compares. What keeps it from comparing
 * is in ret->why, never an error. Once a process (signals). Free with st_before_after_finish. @return an
 * st_exit: DONE, or BOOKS. */
ST_NODISCARD int st_before_after_make(const struct st_change_target *target, struct st_before_after *ret);
void st_before_after_finish(struct st_before_after *done);
/** For people, on stdout. */
void st_before_after_print(const struct st_before_after *done);
/** The member "proof" of sleeptune-verify/1. New reference; NULL when out of memory. */
json_t *st_before_after_json(const struct st_before_after *done);
