/* sleeptune-lab sleep: its text. */
#ifndef ST_LAB_SLEEP_BENCH_SLEEP_TEXT_H
#define ST_LAB_SLEEP_BENCH_SLEEP_TEXT_H

#include "lab/lab.h"
#include "lab/sleep/bench_sleep_result.h"

/** One line a method: what it is, its clock, what the kernel stretches; missing ones with the reason. */
void st_bench_sleep_list(struct st_lab *lab, FILE *out, int width);

/** What will be measured and how long that takes, before it starts. */
void st_bench_sleep_announce(const struct st_bench_sleep *bench, FILE *out, int width);

/** The result: a table a setting and duration (not when brief), medians and ranks side by side, sentences. */
void st_bench_sleep_print(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                          struct st_platform *p, bool brief, FILE *out, int width);

/** What the dashes in it stand for, where there are some: what was refused and why (when brief; else it
 * stands in the tables), how many samples the figures take, and how long that is. */
void st_bench_sleep_dashes(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                           bool brief, FILE *out, int width);

#endif
