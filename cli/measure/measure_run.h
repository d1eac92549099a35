/* A measurement from start to end: signals, waiting, result. */
#pragma once

#include "measure/session.h"

/** Called once a second, from 2 s on, with the result so far. @return false: end the loop. */
typedef bool (*st_measure_look_fn)(void *ctx, const struct st_result *so_far, bool first);

/** Runs until the loop has ended; Ctrl-C, SIGTERM and SIGHUP end the loop early, SIGXCPU takes the
 * loop's real-time policy away. @param look may be NULL. @param ret on success the caller frees it
 * with st_result_finish. @return an st_exit, after a message. */
ST_NODISCARD int st_measure_run(const struct st_session_config *config, st_measure_look_fn look,
                                void *ctx, struct st_result *ret);

/** ST_EXIT_BOOKS, ST_EXIT_FAILURE (the loop ended with an error, or measured nothing) or
 * ST_EXIT_DONE. */
int st_measure_run_status(const struct st_result *result);
