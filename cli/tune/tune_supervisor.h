/* Switches settings for `tune`, beside a process that sets everything back whatever becomes of the tuner: it
 * ended (kill -9, too), was stopped, lost its session. */
#pragma once

#include "advisor/change/applied.h"
#include "advisor/change/candidate.h"

struct st_tune_supervisor {
    const struct st_candidates *candidates;
    struct st_applied applied;
    bool open;                    /* the journal is */
    uint32_t on, begun, given_up; /* bit i: candidate i is on, is in the journal, is not touched again */
    int latency;                  /* handle; -1: not held */
    pid_t pid;
    int fd; /* to the other process; -1: it has ended */
};

/** Undoes what an interrupted run left, and forks; call it before any thread is started. folder: of the
 * journal, borrowed.
 * @return 0, or an error after a message. */
ST_NODISCARD int st_tune_supervisor_start(struct st_tune_supervisor *ret, struct st_platform *p,
                                          const char *folder, const struct st_candidates *candidates);

/** Bit i of `on`: candidate i is on; the others are as found. @return 0; -EBUSY: another program wrote
 * candidate *ret_row, which stays as that program left it; -EIO: *ret_row could not be switched; -EPIPE: the
 * other process has ended. why: ST_TUNING_WHY_BYTES. */
ST_NODISCARD int st_tune_supervisor_set(struct st_tune_supervisor *supervisor, uint32_t on, size_t *ret_row,
                                        char *why);

/** Everything is set back, and the other process ends. @return 0; or, after a message, -EIO: something is
 * not set back; or what writing the journal said: it still lists what is set back. */
int st_tune_supervisor_end(struct st_tune_supervisor *supervisor);
