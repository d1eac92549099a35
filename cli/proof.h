/* Did it help? `apply` records the loop before the first change; `verify` runs it again and compares. */
#ifndef ST_CLI_PROOF_H
#define ST_CLI_PROOF_H

#include <jansson.h>

#include "cli/change/change_target.h"
#include "cli/differences.h"
#include "lib/pass.h"
#include "platform/platform.h"

#define ST_PROOF_DEFAULT_NS (30 * INT64_C(1000000000))

/** Reads the time of --measure, 1 s .. 10 min. @return 0, or ST_EXIT_USAGE after a message. */
ST_NODISCARD int st_proof_time(const char *command, const char *text, int64_t *ret_ns);

/**
 * Runs the loop and keeps the recording beside the journal, unless one of a state before earlier changes is
 * there already. Says what it does. A recording that fails is removed, said, and no reason not to go on.
 * Ctrl-C ends it early. The caller holds the journal's lock. Once a process (signals).
 */
void st_proof_record(const char *command, const struct st_change_target *target,
                     const struct st_journal *journal, uint32_t frames, uint32_t rate_hz,
                     int64_t duration_ns);
/** Removes the recording when nothing is applied any more. The caller holds the lock. @return whether there
 * was one. */
bool st_proof_forget(const char *command, const struct st_change_target *target,
                     const struct st_journal *journal);

struct st_proof_run {
    struct st_pass pass;
    int64_t started_wall_ns; /* INT64_MIN: not known */
    bool interrupted;
    char *circumstances; /* "key: value" lines */
};

struct st_proof {
    bool compared; /* false: `why` says why not */
    char why[600];
    uint32_t frames, rate_hz;
    enum st_policy policy; /* these of both runs */
    int priority;
    int cpu; /* -1: not pinned */
    struct st_proof_run before, now;
    struct st_pass_difference difference;
    struct st_circumstance_pair *changes;
    size_t changes_n;
};

/**
 * Reads the recording, runs the loop again as it ran then, and compares. duration_ns: 0 for as long as then.
 * What keeps it from comparing is in ret->why, never an error. Once a process (signals). Free with
 * st_proof_finish. @return an st_exit: DONE, or BOOKS.
 */
ST_NODISCARD int st_proof_make(const char *command, const struct st_change_target *target,
                               const struct st_journal *journal, int64_t duration_ns, struct st_proof *ret);
/** Why there is none. */
void st_proof_none(struct st_proof *ret, const char *why);
void st_proof_finish(struct st_proof *proof);

/** Is a figure shown to be worse? */
bool st_proof_is_worse(const struct st_proof *proof);

/* --- proof_text.c ----------------------------------------------------------------------------------------
 */

/** For people, on stdout. */
void st_proof_print(const struct st_proof *proof);
/** The member "proof" of sleeptune-verify/1. New reference; NULL when out of memory. */
json_t *st_proof_json(const struct st_proof *proof);

#endif
