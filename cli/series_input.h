/* Where analyse takes its samples from. */
#ifndef ST_CLI_SERIES_INPUT_H
#define ST_CLI_SERIES_INPUT_H

#include "cli/series_options.h"
#include "cli/series_result.h"

/**
 * Reads a recording, the JSON of bench series or simulate, or text (lib/series_text); recognised by how it
 * begins.
 * @param path "-": standard input. @param options the period for text that has none.
 * @return an st_exit, after a message. Free the result with st_series_result_finish, also after a failure.
 */
ST_NODISCARD int st_series_input(const char *command, const char *path,
                                 const struct st_series_options *options, struct st_series_result *ret);

/** The same of a document that is read already. */
ST_NODISCARD int st_series_from_json(const char *command, const char *name, const json_t *document,
                                     struct st_series_result *ret);

#endif
