/* Results of `sleeptune measure` as text. */
#pragma once

#include "measure/result.h"

/** Prints a result: verdict, missed periods, dropouts, lateness, causes. @param all also what concerns the
 * loop itself: quantiles of the response time, books, its own cost, test conditions. @param buffer a row of
 * its own; "": none.
 * @param width columns, 60 or more; only a longer word
 * goes beyond. */
void st_measure_text_print(const struct st_result *result, const char *buffer, bool all, FILE *out,
                           int width);

/** Writes one line for a running measurement over the line before, on the terminal that is standard error: a
 * st_measure_look_fn. @param ctx not used. @return true. */
bool st_measure_text_show(void *ctx, const struct st_result *so_far, bool first);
