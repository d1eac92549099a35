/* Whole programs that sleep, timed from outside: the start of a process is in every figure, and shown
 * apart. */
#pragma once

#include <jansson.h>

#include "lab/lab.h"
#include "lab/summary.h"

/** One program with its arguments. */
struct st_exec_command {
    const char *text; /* as it was given */
    char *const *argv;
    int64_t requested_ns; /* how long it is to sleep; 0: not known */
    size_t start; /* index of the command whose runs are taken off from this one's: what starting and ending
                     it takes; its own index: it is such a one itself */
    bool idle;    /* a start that is the same program, told to sleep for 0 s: run with a timer slack of 1 ns,
                     so that sleeping for nothing takes next to nothing */
};

struct st_exec_arm {
    const struct st_exec_command *command;
    int64_t *wall_ns; /* run by run; run k of all arms was made in round k */
    size_t n, room_n;
    int64_t user_ns, system_ns; /* CPU time of n runs */
};

struct st_bench_exec;

struct st_bench_exec_config {
    const struct st_exec_command *commands;
    size_t commands_n;  /* >= 2 */
    unsigned warm_up_n; /* runs of each that are not counted, at most: fewer when the budget is short */
    unsigned runs_n;    /* of each at most; 0: until the budget is used up */
    int64_t budget_ns;
    uint64_t seed;        /* of the order within a round */
    char *const *prepare; /* runs before each run, not timed; NULL: nothing does */
    bool ignore_failure;  /* a status other than 0 counts, too */
    bool (*go_on)(void *ctx,
                  const struct st_bench_exec *bench); /* before each run; false: stop; NULL: go on */
    void *ctx;
};

struct st_bench_exec {
    struct st_bench_exec_config config;
    struct st_exec_arm *arms;
    size_t failed; /* the command that could not be run or ended with an error, when measure failed */
    int failed_status;
    bool stopped;
    unsigned warm_up_n; /* rounds before the first that was counted */
    int64_t elapsed_ns;
};

/** What is said of one command. */
struct st_exec_figures {
    const struct st_exec_command *command;
    bool start; /* it only starts and ends */
    struct st_summary wall;
    double user_ns, system_ns; /* CPU time per run; < 0: none */
    struct st_quantile net;    /* less the start, round by round: median of the differences, from 2 runs on */
    double net_confidence;     /* of its interval: 0.95; below 6 runs, least to greatest, less */
    bool overshoot_known;      /* with net, where the request is known */
    double overshoot_ns, percent;          /* net - requested */
    struct st_summary overshoots;          /* of single runs, where the request is known: n > 0 */
    bool impossible;                       /* the whole interval is less than what was requested */
    const struct st_exec_figures *fastest; /* of those that are to sleep as long; NULL: it is that itself */
    double sd_ratio, range_ratio;          /* to that one's, of whole runs; 0: unknown */
    struct st_quantile difference; /* from that one's whole runs, round by round: median with its interval */
    size_t odd_n;                  /* runs whose time is 14.826 median absolute deviations or more from the
                                      median: what hyperfine warns of */
};

/** @return 0, -EINVAL (fewer than two commands, a start that is none), -ENOMEM. The config's arrays must
 * stay. */
ST_NODISCARD int st_bench_exec_init(struct st_bench_exec *bench, const struct st_bench_exec_config *config);
void st_bench_exec_finish(struct st_bench_exec *bench);

/** Runs round by round, each command once a round in random order.
 * @return 0, -ENOMEM, -ECHILD (a program ended with failed_status), or why one cannot be started; what was
 * measured is there. */
ST_NODISCARD int st_bench_exec_measure(struct st_bench_exec *bench, struct st_lab *lab);

/** @param ret  one a command: the starts, then by what was requested; free with free(). @return 0, -ENOMEM.
 */
ST_NODISCARD int st_bench_exec_figures(const struct st_bench_exec *bench, struct st_exec_figures **ret);

/** sleeptune-bench-exec/1. New reference. */
json_t *st_bench_exec_json(const struct st_bench_exec *bench, const struct st_exec_figures *figures,
                           struct st_lab *lab);
