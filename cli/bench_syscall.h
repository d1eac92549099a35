/* sleeptune bench syscall: its text. */
#ifndef ST_CLI_BENCH_SYSCALL_H
#define ST_CLI_BENCH_SYSCALL_H

#include <stdio.h>

#include "measure/bench_syscall.h"

/** One line a call; missing ones with the reason. */
void st_bench_syscall_list(struct st_platform *p, FILE *out, int width);

/** The result: a table a mode, what goes with each row (not when brief), sentences. */
void st_bench_syscall_print(const struct st_bench_syscall *bench, struct st_platform *p, bool brief,
                            FILE *out, int width);

#endif
