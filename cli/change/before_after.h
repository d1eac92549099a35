/* Did it help? `apply` records the loop before the first change; `verify` runs it again and compares. */
#pragma once

#include <jansson.h>

#include "cli/change/change_target.h"
#include "evidence/counts.h"
#include "platform/threads.h"

#define ST_BEFORE_AFTER_DEFAULT_NS (30 * INT64_C(1000000000))

/** --measure TIME, a row for st_options_read. */
#define ST_BEFORE_AFTER_OPTION(ret_ns)                                                                       \
    {                                                                                                        \
        "measure", .time_ns = (ret_ns), .min = INT64_C(1000000000), .max = 600 * INT64_C(1000000000)         \
    }

/**
 * Runs the loop at the target's period and keeps what it counted beside the journal, unless a run of a state
 * before earlier changes is there already. Says what it does. A run that fails is said, and no reason not to
 * go on. Ctrl-C ends it early. The caller holds the journal's lock. Once a process (signals).
 * @param plan  what is going to be applied: if it gives the right to real-time priority to a user who has
 * none, also not by rtkit, the loop runs without, as the user's programs do now */
void st_before_after_keep(const struct st_change_target *target, const struct st_journal *journal,
                          const struct st_plan *plan, int64_t duration_ns);
/** Is there a run from before the changes, or one that cannot be looked at? */
bool st_before_after_is_kept(const struct st_change_target *target);
/** Removes that run when nothing is applied any more. The caller holds the lock. @return whether there
 * was one. */
bool st_before_after_forget(const struct st_change_target *target, const struct st_journal *journal);

#define ST_BEFORE_AFTER_SLOTS   6200 /* of 10 min, and what Ctrl-C takes */
#define ST_BEFORE_AFTER_SLOT_NS INT64_C(100000000)

/** What is known of a run: numbers of the document sleeptune-before/1, which has "measured" (as in
 * sleeptune-measure/1) with its conditions. */
struct st_before_after_run {
    json_t *document; /* NULL: there is none */
    struct st_period period;
    uint32_t frames, rate_hz;
    int64_t started_wall_ns, periods_n, missed_n, events_n, late_n;
    bool interrupted;
    int64_t late[ST_BEFORE_AFTER_SLOTS]; /* wake-ups later than the share of a period that tune looks at */
    size_t slots_n;
};

struct st_before_after {
    bool compared; /* false: `why` says why not */
    char why[600];
    bool right;            /* to real-time priority: applied after the first run, which was without it */
    enum st_policy policy; /* these of both runs, but for that */
    int priority;
    int cpu; /* -1: not pinned */
    struct st_before_after_run before, now;
    struct st_counts_difference late; /* wake-ups: now against before */
    json_t *differs; /* array: test conditions of either run, "key", "before", "now"; "": unknown */
};

/**
 * Reads the run from before, runs the loop again as it ran then, and compares. duration_ns: 0 for as long as
 * then. What keeps it from comparing is in ret->why, never an error. Once a process (signals). Free with
 * st_before_after_finish. @return an st_exit: DONE, or BOOKS. */
ST_NODISCARD int st_before_after_make(const struct st_change_target *target, const struct st_journal *journal,
                                      int64_t duration_ns, struct st_before_after *ret);
void st_before_after_finish(struct st_before_after *done);

/** How long a run took. */
int64_t st_before_after_ns(const struct st_before_after_run *run);
/* --- before_after_text.c --- */

/** For people, on stdout. */
void st_before_after_print(const struct st_before_after *done);
/** The member "proof" of sleeptune-verify/1. New reference; NULL when out of memory. */
json_t *st_before_after_json(const struct st_before_after *done);
