/* Switches settings for `tune`. A second process, the supervisor, restores everything if the
 * process of `tune` ends (even by kill -9), is stopped, or loses its session. */
#pragma once

#include "advisor/change/applied.h"
#include "advisor/change/candidate.h"

struct st_tune_supervisor {
    const struct st_candidates *candidates;
    struct st_applied applied;
    bool open;                    /* the journal is open */
    uint32_t on, begun, given_up; /* bit i for setting i. on: switched on; begun: listed in the
                                     journal; given_up: not switched any more, after an error */
    int latency; /* handle of a request for short wake-up latency; -1: none is held */
    pid_t pid;
    int fd; /* connection to the supervisor; -1: it has ended */
};

/** Undoes what an interrupted run left, and forks the supervisor; call before any thread is
 * started. @param folder of the journal, borrowed. @return 0, or an error after a message. */
ST_NODISCARD int st_tune_supervisor_start(struct st_tune_supervisor *ret, struct st_platform *p,
                                          const char *folder,
                                          const struct st_candidates *candidates);

/** Switches settings: bit i of `on`: candidate i is on; other settings have their previous values.
 * @param why room for ST_TUNING_WHY_BYTES. @return 0; -EBUSY: another program wrote candidate
 * *ret_row, which keeps that value; -EIO: *ret_row could not be switched; -EPIPE: the supervisor
 * has ended. */
ST_NODISCARD int st_tune_supervisor_set(struct st_tune_supervisor *supervisor, uint32_t on,
                                        size_t *ret_row, char *why);

/** Restores everything and ends the supervisor. @return 0; or, after a message, -EIO: something was
 * not restored; or the error of writing the journal, which still lists what was restored. */
int st_tune_supervisor_end(struct st_tune_supervisor *supervisor);
