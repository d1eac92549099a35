/* sleeptune bench wake: its text. */
#ifndef ST_CLI_BENCH_WAKE_H
#define ST_CLI_BENCH_WAKE_H

#include <stdio.h>

#include "measure/bench_wake.h"

/** One line a way; missing ones with the reason. */
void st_bench_wake_list(struct st_platform *p, FILE *out, int width);

/** The result: a table for each slice, kind and peers, and sentences. */
void st_bench_wake_print(const struct st_bench_wake *bench, struct st_platform *p, FILE *out, int width);

#endif
