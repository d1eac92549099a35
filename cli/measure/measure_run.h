/* A measurement from start to end: signals, waiting, results. */
#pragma once

#include "measure/session.h"

/** Called once a second from 2 s on with the worst loop so far. @return false: the loops are to end. */
typedef bool (*st_measure_look_fn)(void *ctx, const struct st_result *worst, bool first);

/** Runs until the loops have ended; Ctrl-C, SIGTERM and SIGHUP end them early, SIGXCPU takes their real-time
 * policy away. @param look may be NULL. @param results config->cpus_n results, in the order of the loops; on
 * success the caller frees them with st_result_finish. @return an st_exit, after a message.*/
ST_NODISCARD int st_measure_run(const struct st_session_config *config, st_measure_look_fn look, void *ctx,
                                struct st_result *results);

/** ST_EXIT_BOOKS, ST_EXIT_FAILURE (a loop ended with an error, or measured nothing) or ST_EXIT_DONE. */
int st_measure_run_status(const struct st_result *results, size_t n);
