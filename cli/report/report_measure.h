/* What a measurement adds to a report. */
#ifndef ST_CLI_REPORT_REPORT_MEASURE_H
#define ST_CLI_REPORT_REPORT_MEASURE_H

#include "advisor/facts/measured.h"
#include "evidence/trial.h"

/**
 * The worst loop of a sleeptune-measure document.
 * @param source what the report calls the measurement
 * @return 0, -ENOMEM, -EBADMSG (no such document; why in message), -EPROTONOSUPPORT (newer version).
 */
ST_NODISCARD int st_report_measure_put(struct st_facts *facts, const json_t *document, const char *source,
                                       char *message, size_t message_bytes);

/** The same from a file ("-": standard input), after a message. @return an st_exit. */
ST_NODISCARD int st_report_measure_load(const char *command, const char *path, struct st_facts *facts);

/**
 * Says on stderr how long it takes, then tries (measure/experiments.h). Ctrl-C ends it and keeps what was
 * measured.
 * @return an st_exit, after a message. Free with st_trials_finish. Once a process.
 */
ST_NODISCARD int st_report_measure_try(const char *command, const struct st_wish *wish, int64_t budget_ns,
                                       struct st_trials *ret);

#endif
