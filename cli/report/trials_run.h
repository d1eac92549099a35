/* Trying what can be tried on this machine, with a progress line. */
#ifndef ST_CLI_REPORT_TRIALS_RUN_H
#define ST_CLI_REPORT_TRIALS_RUN_H

#include "evidence/trial.h"

/**
 * Says on stderr how long it takes, then tries (measure/experiments.h). Ctrl-C ends it and keeps what was
 * measured.
 * @return an st_exit, after a message. Free with st_trials_finish. Once a process.
 */
ST_NODISCARD int st_trials_run(const char *command, uint32_t frames, uint32_t rate_hz, int64_t budget_ns,
                               struct st_trials *ret);

#endif
