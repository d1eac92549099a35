/* sleeptune-lab sleep --exec: whole programs. */
#ifndef ST_LAB_EXEC_CMD_EXEC_H
#define ST_LAB_EXEC_CMD_EXEC_H

#include <stdbool.h>

#include "lib/base.h"

/** What `sleep` was asked for. */
struct st_bench_exec_arguments {
    const char *commands[16];
    size_t commands_n;
    const char *start; /* a command that only starts and ends; NULL: each told to sleep for 0 s, or `true` */
    const int64_t *durations_ns;
    size_t durations_n; /* what "{}" stands for; 0: no "{}" may be there */
    int64_t runs_n, warm_up_n, budget_ns;
    uint64_t seed;
    bool json, quiet;
    const char *plot; /* NULL: nothing is drawn */
};

/** @return an st_exit, after a message. */
int st_bench_exec_run(const struct st_bench_exec_arguments *arguments);

#endif
