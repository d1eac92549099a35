#include "lab/exec/bench_exec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "core/text/json.h"
#include "lab/rank.h"
#include "lab/summary.h"
#include "measure/result.h"

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

/* Prints figures, ranks and JSON of whole programs. */

static bool is_start(const struct st_bench_exec *bench, size_t i)
{
    return bench->arms[i].command->start == i;
}

/* Run k of arm i, less the start of the same round. */
static int64_t net_ns(const struct st_bench_exec *bench, size_t i, size_t k)
{
    return bench->arms[i].wall_ns[k] - bench->arms[bench->arms[i].command->start].wall_ns[k];
}

static int figures_of(const struct st_bench_exec *bench, size_t i, struct st_exec_figures *ret)
{
    const struct st_exec_arm *arm = &bench->arms[i];
    ret->cpu_ns = arm->n > 0 ? (double)arm->cpu_ns / (double)arm->n : -1;
    int64_t *values = calloc(arm->n + 1, sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    if (!is_start(bench, i)) {
        for (size_t k = 0; k < arm->n; k++)
            values[k] = net_ns(bench, i, k);
        ret->net = st_summary_median_interval(values, arm->n);
    }
    if (arm->n > 0)
        memcpy(values, arm->wall_ns, arm->n * sizeof(*values));
    const struct st_sample sample = st_sample_of(values, arm->n);
    st_summary_of(&sample, &ret->wall);
    free(values);
    const int64_t requested_ns = arm->command->requested_ns;
    ret->overshoot_known = ret->net.known && requested_ns > 0;
    if (ret->overshoot_known) {
        ret->overshoot_ns = (double)(ret->net.value_ns - requested_ns);
        ret->percent = 100.0 * ret->overshoot_ns / (double)requested_ns;
    }
    return 0;
}

static int difference(const void *ctx, size_t a, size_t b, double confidence, struct st_quantile *ret)
{
    const struct st_bench_exec *bench = ctx;
    const size_t n = bench->arms[a].n;
    int64_t *values = calloc(n + 1, sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    for (size_t k = 0; k < n; k++)
        values[k] = net_ns(bench, b, k) - net_ns(bench, a, k);
    *ret = st_summary_median_interval_at(values, n, confidence);
    free(values);
    return 0;
}

/* Ranks of those that are to sleep as long as arm `first`, when it is the first of them. order: room for all.
 */
static int rank(const struct st_bench_exec *bench, size_t first, struct st_ranked *order,
                struct st_exec_figures *figures)
{
    size_t n = 0;
    for (size_t i = 0; i < bench->config.commands_n; i++) {
        if (is_start(bench, i) || !figures[i].net.known ||
            bench->arms[i].command->requested_ns != bench->arms[first].command->requested_ns)
            continue;
        if (i < first)
            return 0;
        order[n++] = (struct st_ranked){.id = i, .median_ns = figures[i].net.value_ns};
    }
    if (n < 2)
        return 0;
    double confidence;
    const int r = st_rank(order, n, difference, bench, &confidence);
    for (size_t i = 0; i < n && r == 0; i++) {
        figures[order[i].id].rank = order[i].rank;
        figures[order[i].id].beaten_by_n = order[i].better_n;
    }
    return r;
}

int st_bench_exec_figures(const struct st_bench_exec *bench, struct st_exec_figures **ret)
{
    const size_t n = bench->config.commands_n;
    struct st_exec_figures *figures = calloc(n, sizeof(*figures));
    struct st_ranked *order = calloc(n, sizeof(*order));
    int r = figures != NULL && order != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && r == 0; i++)
        r = figures_of(bench, i, &figures[i]);
    for (size_t i = 0; i < n && r == 0; i++)
        r = is_start(bench, i) ? 0 : rank(bench, i, order, figures);
    free(order);
    if (r == 0)
        *ret = figures;
    else
        free(figures);
    return r;
}

static json_t *quantile(const struct st_quantile *q)
{
    return st_json_integer_or_null(q->known, q->value_ns);
}

static json_t *words(const char *text)
{
    json_t *string = json_string(text);
    return string != NULL ? string : json_null(); /* not UTF-8 */
}

static json_t *arm_json(const struct st_bench_exec *bench, size_t i, const struct st_exec_figures *f)
{
    const struct st_exec_command *command = bench->arms[i].command;
    const struct st_summary *s = &f->wall;
    json_t *o = json_object();
    st_json_set(o, "command", words(command->text));
    st_json_set(o, "start",
                is_start(bench, i) ? json_null() : words(bench->arms[command->start].command->text));
    st_json_set(o, "requested_ns", st_json_integer_or_null(command->requested_ns > 0, command->requested_ns));
    st_json_set(o, "n", ST_JSON(s->n));
    json_t *wall = json_object();
    st_json_set(wall, "mean", st_json_real_or_null(s->n > 0, s->mean_ns));
    st_json_set(wall, "sd", st_json_real_or_null(s->sd_known, s->sd_ns));
    st_json_set(wall, "min", st_json_integer_or_null(s->n > 0, s->min_ns));
    st_json_set(wall, "q1", quantile(&s->q1));
    st_json_set(wall, "median", quantile(&s->median));
    st_json_set(wall, "q3", quantile(&s->q3));
    st_json_set(wall, "max", st_json_integer_or_null(s->n > 0, s->max_ns));
    st_json_set(o, "wall_ns", wall);
    st_json_set(o, "median_ci95_ns", st_summary_median_interval_json(s));
    st_json_set(o, "cpu_ns_per_run", st_json_real_or_null(f->cpu_ns >= 0, f->cpu_ns));
    st_json_set(o, "net_ns", quantile(&f->net));
    st_json_set(o, "net_ci95_ns",
                f->net.known ? json_pack("[I,I]", (json_int_t)f->net.low_ns, (json_int_t)f->net.high_ns)
                             : json_null());
    st_json_set(o, "overshoot_ns", st_json_real_or_null(f->overshoot_known, f->overshoot_ns));
    st_json_set(o, "overshoot_percent", st_json_real_or_null(f->overshoot_known, f->percent));
    st_json_set(o, "rank", st_json_integer_or_null(f->rank > 0, f->rank));
    st_json_set(o, "beaten_by", st_json_integer_or_null(f->rank > 0, (json_int_t)f->beaten_by_n));
    return o;
}

json_t *st_bench_exec_json(const struct st_bench_exec *bench, const struct st_exec_figures *figures,
                           struct st_lab *lab)
{
    json_t *o = json_object(), *starts = json_array(), *results = json_array();
    for (size_t i = 0; i < bench->config.commands_n; i++)
        (void)json_array_append_new(is_start(bench, i) ? starts : results, arm_json(bench, i, &figures[i]));
    st_json_set(o, "schema", json_string("sleeptune-bench-exec/1"));
    st_json_set(o, "seed", json_sprintf("%llu", (unsigned long long)bench->config.seed));
    st_json_set(o, "warm_up", ST_JSON(bench->warm_up_n));
    st_json_set(o, "elapsed_ns", ST_JSON(bench->elapsed_ns));
    st_json_set(o, "interrupted", json_boolean(bench->stopped));
    st_json_set(o, "starts", starts);
    st_json_set(o, "results", results);
    st_json_set(o, "circumstances", st_result_conditions_json(lab->platform));
    return o;
}
