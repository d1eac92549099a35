#include "lab/exec/bench_exec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/stats/random.h"

int st_bench_exec_init(struct st_bench_exec *bench, const struct st_bench_exec_config *config)
{
    const struct st_exec_command *commands = config->commands;
    if (config->commands_n < 2)
        return -EINVAL;
    for (size_t i = 0; i < config->commands_n; i++) {
        if (commands[i].start >= config->commands_n || commands[commands[i].start].start != commands[i].start)
            return -EINVAL;
    }
    *bench = (struct st_bench_exec){.config = *config};
    bench->arms = calloc(config->commands_n, sizeof(*bench->arms));
    if (bench->arms == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < config->commands_n; i++)
        bench->arms[i].command = &config->commands[i];
    return 0;
}

void st_bench_exec_finish(struct st_bench_exec *bench)
{
    for (size_t i = 0; i < bench->config.commands_n; i++)
        free(bench->arms[i].wall_ns);
    free(bench->arms);
    *bench = (struct st_bench_exec){0};
}

/* A program inherits the timer slack of the thread that starts it. */
static int time_program(struct st_lab *lab, const struct st_exec_command *command,
                        struct st_program_time *ret)
{
    int64_t slack_ns;
    const bool slack = command->idle && lab->platform->timer_slack_ns(lab->platform, &slack_ns) == 0;
    if (slack)
        (void)lab->platform->set_timer_slack_ns(lab->platform, 1);
    const int r = lab->time_program(lab, command->argv, ret);
    if (slack)
        (void)lab->platform->set_timer_slack_ns(lab->platform, slack_ns);
    return r;
}

static int run_once(struct st_bench_exec *bench, struct st_lab *lab, size_t i, bool counted)
{
    struct st_exec_arm *arm = &bench->arms[i];
    struct st_program_time run;
    if (arm->n == arm->room_n) {
        const size_t room_n = 2 * arm->room_n + 16;
        int64_t *wall_ns = realloc(arm->wall_ns, room_n * sizeof(*wall_ns));
        if (wall_ns == NULL)
            return -ENOMEM;
        arm->wall_ns = wall_ns;
        arm->room_n = room_n;
    }
    int r = time_program(lab, arm->command, &run);
    if (bench->config.go_on != NULL && !bench->config.go_on(bench->config.ctx, bench)) {
        bench->stopped = true; /* Ctrl-C ended the program too: no sample */
        return 0;
    }
    if (r == 0 && run.status != 0)
        r = -ECHILD;
    if (r != 0) {
        bench->failed = i;
        bench->failed_status = r == -ECHILD ? run.status : 0;
        return r;
    }
    if (counted) {
        arm->wall_ns[arm->n++] = run.wall_ns;
        arm->cpu_ns += run.cpu_ns;
    }
    return 0;
}

/* Each command once, in random order. A round that is not finished is taken back: runs are compared in pairs.
 */
static int run_round(struct st_bench_exec *bench, struct st_lab *lab, size_t *order, bool counted,
                     struct st_random *random)
{
    const size_t n = bench->config.commands_n, before_n = bench->arms[0].n;
    int r = 0;
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)st_random_below(random, i), swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
    for (size_t i = 0; i < n && r == 0 && !bench->stopped; i++)
        r = run_once(bench, lab, order[i], counted);
    for (size_t i = 0; i < n && (r != 0 || bench->stopped); i++) {
        struct st_exec_arm *arm = &bench->arms[i];
        if (arm->n > before_n) { /* its CPU time leaves with it, by the mean */
            arm->cpu_ns -= arm->cpu_ns / (int64_t)arm->n;
            arm->n = before_n;
        }
    }
    return r;
}

int st_bench_exec_measure(struct st_bench_exec *bench, struct st_lab *lab)
{
    const struct st_bench_exec_config *config = &bench->config;
    struct st_random random = {.state = config->seed};
    size_t *order = calloc(config->commands_n, sizeof(*order));
    if (order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < config->commands_n; i++)
        order[i] = i;
    const int64_t begin_ns = lab->platform->now_ns(lab->platform);
    int64_t round_ns = 0;
    int r = 0;
    bool counted = false;
    for (unsigned i = 0; r == 0 && !bench->stopped; i++) {
        const int64_t now_ns = lab->platform->now_ns(lab->platform),
                      left_ns = st_ns_sub(begin_ns, now_ns) + config->budget_ns;
        if (!counted && (i == config->warm_up_n || (i > 0 && left_ns < 2 * round_ns))) {
            counted = true; /* warmed up, or so far that the next round is the last one */
            bench->warm_up_n = i;
        }
        if (counted && (left_ns < round_ns || (config->runs_n > 0 && i - bench->warm_up_n == config->runs_n)))
            break;
        r = run_round(bench, lab, order, counted, &random);
        round_ns = lab->platform->now_ns(lab->platform) - now_ns;
        bench->elapsed_ns = lab->platform->now_ns(lab->platform) - begin_ns;
        if (round_ns == 0) /* a clock that stands still */
            break;
    }
    free(order);
    return r;
}
