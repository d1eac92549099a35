/* A measurement becomes facts "measured.*" for the advisor. */
#ifndef ST_CLI_REPORT_MEASURED_FACTS_H
#define ST_CLI_REPORT_MEASURED_FACTS_H

#include "advisor/facts/measured.h"

/**
 * The worst loop of a sleeptune-measure document.
 * @param source what the report calls the measurement
 * @return 0, -ENOMEM, -EBADMSG (no such document; why in message), -EPROTONOSUPPORT (newer version).
 */
ST_NODISCARD int st_measured_facts_put(struct st_facts *facts, const json_t *document, const char *source,
                                       char *message, size_t message_bytes);

/** The same from a file ("-": standard input), after a message. @return an st_exit. */
ST_NODISCARD int st_measured_facts_load(const char *command, const char *path, struct st_facts *facts);

#endif
