/* sleeptune-lab wake: its text. */
#ifndef ST_LAB_WAKE_BENCH_WAKE_TEXT_H
#define ST_LAB_WAKE_BENCH_WAKE_TEXT_H

#include <stdio.h>

#include "lab/wake/bench_wake.h"

/** One line a way; missing ones with the reason. */
void st_bench_wake_list(struct st_lab *lab, FILE *out, int width);

/** The result: a table for each slice, kind and peers, and sentences. */
void st_bench_wake_print(const struct st_bench_wake *bench, struct st_lab *lab, FILE *out, int width);

#endif
