/* sleeptune bench: finds the bench and runs it. */
#include <string.h>

#include "cli/bench.h"
#include "cli/command.h"

#define NAME "bench"

static const struct st_command benches[] = {
    {"sleep", "which way of sleeping is most exact, and what it costs", st_bench_sleep, NULL},
    {"syscall", "what a system call costs, and which clocks need one", st_bench_syscall, NULL},
    {"wake", "how fast a sleeper is woken early, and what that costs the sender", st_bench_wake, NULL},
    {"series", "lateness over time: clock ticks, drift, steps, sizes of outliers", st_bench_series, NULL},
};

static void help(void)
{
    fputs("Usage: sleeptune bench BENCH [OPTION...]\n"
          "Measures on this machine what a program that must be on time is built from.\n\nBenches:\n",
          stdout);
    for (size_t i = 0; i < ST_ARRAY_LEN(benches); i++)
        printf("  %-9s %s\n", benches[i].name, benches[i].summary);
    fputs("\n'sleeptune bench BENCH --help' tells the options of one.\n", stdout);
}

int st_cmd_bench(int argc, char **argv)
{
    if (argc < 2)
        return st_usage_error(NAME, "which one? sleep, syscall, wake, series");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help();
        return ST_EXIT_DONE;
    }
    for (size_t i = 0; i < ST_ARRAY_LEN(benches); i++) {
        if (strcmp(argv[1], benches[i].name) == 0)
            return benches[i].run(argc - 1, argv + 1);
    }
    return st_usage_error(NAME, "no such bench: %s", argv[1]);
}
