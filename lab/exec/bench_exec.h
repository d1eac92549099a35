/* Times whole programs that sleep, from outside: each time includes the start of a process, whose
 * share is also shown separately. */
#pragma once

#include <jansson.h>

#include "lab/lab.h"
#include "lab/summary.h"

/** One program with its arguments. */
struct st_exec_command {
    const char *text; /* command line as the user gave it, or its name from --command-name */
    char *const *argv;
    int64_t requested_ns; /* how long the program should sleep; 0: unknown */
    size_t start; /* index of the start command: it only starts and ends, and its time is subtracted
                     from that of this command. A start command has its own index here */
    bool idle;    /* the command is the same program as another, but asked to sleep for 0 s, to time
                     its start: it runs with a timer slack of 1 ns, so that the sleep itself takes
                     almost no time */
};

struct st_exec_arm {
    const struct st_exec_command *command;
    int64_t *wall_ns; /* time of each run; run k of all commands was made in round k */
    size_t n, room_n;
    int64_t user_ns, system_ns; /* CPU time of n runs */
};

struct st_bench_exec;

struct st_bench_exec_config {
    const struct st_exec_command *commands;
    size_t commands_n;  /* >= 2 */
    unsigned warm_up_n; /* first runs of each command, which are not counted; fewer if the budget is
                           short */
    unsigned runs_n;    /* counted runs of each command, at most; 0: until the budget is used up */
    int64_t budget_ns;
    uint64_t seed; /* seed of the random order of the commands within a round */
    /* runs before each run and is not timed; NULL: none */
    const struct st_exec_command *prepare;
    bool ignore_failure; /* a run with an exit status other than 0 counts, too */
    /* called after each run; if it returns false, the measurement stops and this run is not
     * counted; NULL: no function */
    bool (*go_on)(void *ctx, const struct st_bench_exec *bench);
    void *ctx;
};

struct st_bench_exec {
    struct st_bench_exec_config config;
    struct st_exec_arm *arms;
    /* command that could not be run or ended with an error, if st_bench_exec_measure failed */
    const struct st_exec_command *failed;
    int failed_status;
    bool stopped;
    unsigned warm_up_n; /* rounds that were run before the first counted one */
    int64_t elapsed_ns;
};

/** The figures of one command. */
struct st_exec_figures {
    const struct st_exec_command *command;
    bool start; /* the command only starts and ends */
    struct st_summary wall;
    double user_ns, system_ns; /* CPU time per run; < 0: no run was counted */
    struct st_quantile net;    /* time minus that of the start command in the same round: median of
                                  these differences, known from 2 runs on */
    double net_confidence; /* confidence of the interval of `net`: 0.95; with fewer than 6 runs the
                              interval goes from the least to the greatest value, and its confidence
                              is lower */
    bool overshoot_known;  /* net and requested_ns are known */
    double overshoot_ns, percent; /* net - requested */
    struct st_summary overshoots; /* net - requested of single runs; n > 0 if overshoot_known */
    bool impossible;              /* the 95 % interval of `net` is below half of the request */
    /* fastest command with the same requested_ns; NULL: this command is the fastest, or a start
     * command */
    const struct st_exec_figures *fastest;
    double sd_ratio, range_ratio;  /* standard deviation and max - min of whole runs, divided by
                                      those of `fastest`; 0: unknown */
    struct st_quantile difference; /* time of whole runs minus that of `fastest` in the same round:
                                      median with its interval */
    size_t odd_n; /* runs whose time is 14.826 median absolute deviations or more from the
                     median: what hyperfine warns of */
};

/** Checks the commands, without running them. @return 0, -EINVAL (fewer than two commands, or a
 * `start` that is not a start command), -ENOMEM. The arrays of config must stay valid until
 * st_bench_exec_finish. */
ST_NODISCARD int st_bench_exec_init(struct st_bench_exec *bench,
                                    const struct st_bench_exec_config *config);
void st_bench_exec_finish(struct st_bench_exec *bench);

/** Runs the commands round by round: in each round each command once, in random order.
 * @return 0, -ENOMEM, -ECHILD (a program ended with failed_status), or why a program could not be
 * started; complete rounds stay valid. */
ST_NODISCARD int st_bench_exec_measure(struct st_bench_exec *bench, struct st_lab *lab);

/** Computes the figures of all commands. @param ret one element for each command: first the start
 * commands, then the others by requested_ns; free with free(). @return 0, -ENOMEM. */
ST_NODISCARD int st_bench_exec_figures(const struct st_bench_exec *bench,
                                       struct st_exec_figures **ret);

/** Makes the document sleeptune-bench-exec/1. @return a new reference. */
json_t *st_bench_exec_json(const struct st_bench_exec *bench, const struct st_exec_figures *figures,
                           struct st_lab *lab);
