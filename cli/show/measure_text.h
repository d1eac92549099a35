/* Results of `sleeptune measure` for people. */
#ifndef ST_CLI_SHOW_MEASURE_TEXT_H
#define ST_CLI_SHOW_MEASURE_TEXT_H

#include <stdio.h>

#include "measure/result.h"

/** The whole result, at most `width` columns (60 or more) where the words allow it. */
void st_measure_print(const struct st_result *result, FILE *out, int width);

/** One line for a run that goes on, without newline. @return buf. */
const char *st_measure_progress(const struct st_result *result, char *buf, size_t buf_bytes);
/** Writes it over the one before, on the terminal that is standard error: a st_measure_look_fn. ctx: not
 * used. */
void st_measure_show_progress(void *ctx, const struct st_result *worst, bool first);

#endif
