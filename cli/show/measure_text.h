/* Results of `sleeptune measure` as text. */
#pragma once

#include "measure/result.h"

/** Prints a result: verdict, missed periods, dropouts, lateness, causes. @param all also print
 * figures about the loop itself: quantiles of the response time, counters, CPU time, test
 * conditions. @param buffer a further row; "": none. @param width columns, 60 or more; only a
 * longer word exceeds it. */
void st_measure_text_print(const struct st_result *result, const char *buffer, bool all, FILE *out,
                           int width);

/** An st_measure_look_fn: writes one line for a running measurement over the previous line, on the
 * terminal of standard error. @param ctx not used. @return true. */
bool st_measure_text_show(void *ctx, const struct st_result *so_far, bool first);
