/* Settings that are tried beside the present ones. */
#ifndef ST_CLI_REPORT_REPORT_MEASURE_H
#define ST_CLI_REPORT_REPORT_MEASURE_H

#include "advisor/rules/rule.h"
#include "evidence/trial.h"

/**
 * Says on stderr how long it takes, then tries (measure/experiments.h). Ctrl-C ends it and keeps what was
 * measured.
 * @return an st_exit, after a message. Free with st_trials_finish. Once a process.
 */
ST_NODISCARD int st_report_measure_try(const char *command, const struct st_wish *wish, int64_t budget_ns,
                                       struct st_trials *ret);

#endif
