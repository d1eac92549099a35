/* sleeptune-lab syscall: its text. */
#ifndef ST_LAB_SYSCALL_BENCH_SYSCALL_TEXT_H
#define ST_LAB_SYSCALL_BENCH_SYSCALL_TEXT_H

#include <stdio.h>

#include "lab/syscall/bench_syscall.h"

/** One line a call; missing ones with the reason. */
void st_bench_syscall_list(struct st_lab *lab, FILE *out, int width);

/** The result: a table a mode, what goes with each row (not when brief), sentences. */
void st_bench_syscall_print(const struct st_bench_syscall *bench, struct st_lab *lab, bool brief, FILE *out,
                            int width);

#endif
