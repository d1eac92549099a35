#include "lab/exec/bench_exec.h"
#include "lab/bench_text.h"

#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/json.h"
#include "lab/summary.h"

#define ODD_DEVIATIONS 14.826

int st_bench_exec_init(struct st_bench_exec *bench, const struct st_bench_exec_config *config)
{
    const struct st_exec_command *commands = config->commands;
    if (config->commands_n < 2)
        return -EINVAL;
    ST_EACH_OF (command, commands, config->commands_n) {
        if (command->start >= config->commands_n ||
            commands[command->start].start != command->start)
            return -EINVAL;
    }
    *bench = (struct st_bench_exec){.config = *config, .failed = commands};
    bench->arms = calloc(config->commands_n, sizeof(*bench->arms));
    if (bench->arms == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < config->commands_n; i++)
        bench->arms[i].command = &config->commands[i];
    return 0;
}

void st_bench_exec_finish(struct st_bench_exec *bench)
{
    ST_EACH_OF (arm, bench->arms, bench->config.commands_n)
        free(arm->wall_ns);
    free(bench->arms);
    *bench = (struct st_bench_exec){0};
}

/* Times one command, and checks its status. An idle command only sleeps for 0 s, which takes as
 * long as the timer slack. A program inherits the slack of the thread that starts it, so the least
 * slack is set here for idle commands. */
static int time_program(struct st_bench_exec *bench, struct st_lab *lab,
                        const struct st_exec_command *command, struct st_program_time *ret)
{
    int64_t slack_ns;
    const bool slack =
        command->idle && lab->platform->timer_slack_ns(lab->platform, &slack_ns) == 0;
    if (slack)
        (void)lab->platform->set_timer_slack_ns(lab->platform, 1);
    int r = lab->time_program(lab, command->argv, ret);
    if (slack)
        (void)lab->platform->set_timer_slack_ns(lab->platform, slack_ns);
    bench->failed = command;
    bench->failed_status = r == 0 ? ret->status : 0;
    if (bench->failed_status != 0 && !bench->config.ignore_failure)
        r = -ECHILD;
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
    int r = 0;
    if (bench->config.prepare != NULL)
        r = time_program(bench, lab, bench->config.prepare, &run);
    if (r == 0)
        r = time_program(bench, lab, arm->command, &run);
    if (bench->config.go_on != NULL && !bench->config.go_on(bench->config.ctx, bench)) {
        bench->stopped = true; /* the signal of Ctrl-C also ended the program: no sample */
        return 0;
    }
    if (counted && r == 0) {
        arm->wall_ns[arm->n++] = run.wall_ns;
        arm->user_ns += run.user_ns;
        arm->system_ns += run.system_ns;
    }
    return r;
}

/* Runs each command once, in random order. If the round does not finish, its samples are removed,
 * because runs of the same round are compared in pairs. */
static int run_round(struct st_bench_exec *bench, struct st_lab *lab, size_t *order, bool counted,
                     struct st_random *random)
{
    const size_t n = bench->config.commands_n, before_n = bench->arms[0].n;
    int r = 0;
    st_sample_shuffle(random, order, n);
    for (size_t i = 0; i < n && r == 0 && !bench->stopped; i++)
        r = run_once(bench, lab, order[i], counted);
    for (size_t i = 0; i < n && (r != 0 || bench->stopped); i++) {
        struct st_exec_arm *arm = &bench->arms[i];
        if (arm->n > before_n) { /* the CPU time of the removed run is unknown: subtract the mean */
            arm->user_ns -= arm->user_ns / (int64_t)arm->n;
            arm->system_ns -= arm->system_ns / (int64_t)arm->n;
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
    const int64_t begin_ns = st_lab_now_ns(lab);
    int64_t round_ns = 0;
    int r = 0;
    bool counted = false;
    for (unsigned i = 0; r == 0 && !bench->stopped; i++) {
        const int64_t now_ns = st_lab_now_ns(lab),
                      left_ns = st_ns_sub(begin_ns, now_ns) + config->budget_ns;
        if (!counted && (i == config->warm_up_n || (i > 0 && left_ns < 2 * round_ns))) {
            counted = true; /* count from this round on: the warm-up is done, or the budget allows
                               only one more round */
            bench->warm_up_n = i;
        }
        if (counted &&
            (left_ns < round_ns || (config->runs_n > 0 && i - bench->warm_up_n == config->runs_n)))
            break;
        r = run_round(bench, lab, order, counted, &random);
        round_ns = st_lab_now_ns(lab) - now_ns;
        bench->elapsed_ns = st_lab_now_ns(lab) - begin_ns;
        if (round_ns == 0) /* the clock does not advance: the loop would never end */
            break;
    }
    free(order);
    return r;
}

/* The rest of the file computes the figures of whole programs and their JSON. */

static bool is_start(const struct st_bench_exec *bench, size_t i)
{
    return bench->arms[i].command->start == i;
}

/* Duration of run k of command i minus that of its start command in the same round, ns. */
static int64_t net_ns(const struct st_bench_exec *bench, size_t i, size_t k)
{
    return bench->arms[i].wall_ns[k] - bench->arms[bench->arms[i].command->start].wall_ns[k];
}

/* Computes ret->net, the median of the values with its 95 % interval. Fewer than 6 values have no
 * such interval: it then goes from the least to the greatest value, and its confidence is 1 - 2^(1
 * - n). */
static void net_of(int64_t *values, size_t n, struct st_exec_figures *ret)
{
    ret->net = st_summary_median_interval(values, n, 0.95);
    ret->net_confidence = 0.95;
    if (ret->net.known || n < 2)
        return;
    const struct st_sample sample = st_sample_of(values, n);
    ret->net = (struct st_quantile){.p = 0.5,
                                    .n = n,
                                    .known = true,
                                    .value_ns = st_sample_quantile(&sample, 0.5),
                                    .low_ns = sample.values_ns[0],
                                    .high_ns = sample.values_ns[n - 1]};
    ret->net_confidence = 1 - exp2(1 - (double)n);
}

/* Counts the outliers of sorted values, which it overwrites. Source: hyperfine's outlier_detection
 * (Iglewicz and Hoaglin 1993). */
static size_t count_odd(int64_t *sorted, size_t n)
{
    size_t odd_n = 0;
    if (n == 0)
        return 0;
    const int64_t median_ns = sorted[n / 2];
    ST_EACH_OF (value, sorted, n)
        *value = *value < median_ns ? median_ns - *value : *value - median_ns;
    st_sample_sort(sorted, n);
    ST_EACH_OF (value, sorted, n)
        odd_n += (double)*value >= ODD_DEVIATIONS * (double)sorted[n / 2] && sorted[n / 2] > 0;
    return odd_n;
}

static int figures_of(const struct st_bench_exec *bench, size_t i, struct st_exec_figures *ret)
{
    const struct st_exec_arm *arm = &bench->arms[i];
    ret->command = arm->command;
    ret->start = is_start(bench, i);
    ret->user_ns = arm->n > 0 ? (double)arm->user_ns / (double)arm->n : -1;
    ret->system_ns = arm->n > 0 ? (double)arm->system_ns / (double)arm->n : -1;
    int64_t *values = calloc(arm->n + 1, sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    if (!is_start(bench, i)) {
        for (size_t k = 0; k < arm->n; k++)
            values[k] = net_ns(bench, i, k);
        net_of(values, arm->n, ret);
        for (size_t k = 0; k < arm->n && ret->net.known; k++)
            values[k] -= arm->command->requested_ns;
        const struct st_sample late = st_sample_of(values, arm->n);
        if (ret->net.known && arm->command->requested_ns > 0)
            st_summary_of(&late, &ret->overshoots);
    }
    if (arm->n > 0)
        memcpy(values, arm->wall_ns, arm->n * sizeof(*values));
    const struct st_sample sample = st_sample_of(values, arm->n);
    st_summary_of(&sample, &ret->wall);
    ret->odd_n = count_odd(values, arm->n);
    free(values);
    const int64_t requested_ns = arm->command->requested_ns;
    ret->overshoot_known = ret->net.known && requested_ns > 0;
    if (ret->overshoot_known) {
        ret->overshoot_ns = (double)(ret->net.value_ns - requested_ns);
        ret->percent = 100.0 * ret->overshoot_ns / (double)requested_ns;
        ret->impossible = ret->net.interval_known && 2 * ret->net.high_ns < requested_ns;
    }
    return 0;
}

static int by_request(const void *a, const void *b)
{
    const struct st_exec_figures *x = a, *y = b;
    const int64_t apart_ns = x->command->requested_ns - y->command->requested_ns;
    if (x->start != y->start)
        return x->start ? -1 : 1;
    if (apart_ns != 0)
        return apart_ns < 0 ? -1 : 1;
    return x->command < y->command ? -1 : 1;
}

/* Compares a program with the fastest one that should sleep equally long: the difference, and how
 * much more it scatters. */
static int compare(const struct st_bench_exec *bench, const struct st_exec_figures *best,
                   struct st_exec_figures *f)
{
    const int64_t *wall_ns = bench->arms[f->command - bench->config.commands].wall_ns,
                  *best_ns = bench->arms[best->command - bench->config.commands].wall_ns;
    const size_t n = (size_t)f->wall.n;
    f->fastest = best;
    if (n < 2)
        return 0;
    int64_t *apart = calloc(n, sizeof(*apart));
    if (apart == NULL)
        return -ENOMEM;
    for (size_t k = 0; k < n; k++)
        apart[k] = wall_ns[k] - best_ns[k];
    f->difference = st_summary_median_interval(apart, n, 0.95);
    free(apart);
    const struct st_summary *a = &best->wall, *b = &f->wall;
    f->sd_ratio = a->sd_ns > 0 ? b->sd_ns / a->sd_ns : 0;
    f->range_ratio = a->max_ns > a->min_ns
                         ? (double)(b->max_ns - b->min_ns) / (double)(a->max_ns - a->min_ns)
                         : 0;
    return 0;
}

int st_bench_exec_figures(const struct st_bench_exec *bench, struct st_exec_figures **ret)
{
    const size_t n = bench->config.commands_n;
    struct st_exec_figures *figures = calloc(n, sizeof(*figures));
    int r = figures != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && r == 0; i++)
        r = figures_of(bench, i, &figures[i]);
    if (r == 0)
        qsort(figures, n, sizeof(*figures), by_request);
    for (size_t i = 0; i < n && r == 0; i++) {
        struct st_exec_figures *f = &figures[i], *best = f;
        ST_EACH_OF (other, figures, n) {
            if (!other->start && other->command->requested_ns == f->command->requested_ns &&
                other->wall.mean_ns < best->wall.mean_ns)
                best = other;
        }
        if (!f->start && best != f)
            r = compare(bench, best, f);
    }
    if (r == 0)
        *ret = figures;
    else
        free(figures);
    return r;
}

static json_t *arm_json(const struct st_bench_exec *bench, const struct st_exec_figures *f)
{
    const struct st_exec_command *command = f->command;
    const struct st_summary *s = &f->wall;
    const char *start = f->start ? NULL : bench->arms[command->start].command->text;
    json_t *interval = NULL, *overshoots = NULL;
    if (f->net.known)
        interval = json_pack("[I,I]", (json_int_t)f->net.low_ns, (json_int_t)f->net.high_ns);
    if (f->overshoots.n > 0)
        overshoots = st_summary_json(&f->overshoots);
    /* a command that is not UTF-8, which JSON cannot hold, is null */
    return st_json_object(
        "command:t start:t requested_ns:p n:i wall_ns:o median_ci95_ns:o cpu_ns_per_run:o "
        "user_ns_per_run:o system_ns_per_run:o net_ns:o net_interval_ns:o net_confidence:o "
        "overshoot_ns:o overshoot_percent:o impossible:b overshoot_of_runs_ns:o odd_runs:i "
        "difference_ns:o difference_ci95_ns:o sd_ratio:o range_ratio:o",
        command->text, start, command->requested_ns, s->n, st_summary_json(s),
        st_summary_interval_json(&s->median),
        st_json_real_or_null(f->user_ns >= 0, f->user_ns + f->system_ns),
        st_json_real_or_null(f->user_ns >= 0, f->user_ns),
        st_json_real_or_null(f->system_ns >= 0, f->system_ns),
        st_json_integer_or_null(f->net.known, f->net.value_ns), interval,
        st_json_real_or_null(f->net.known, f->net_confidence),
        st_json_real_or_null(f->overshoot_known, f->overshoot_ns),
        st_json_real_or_null(f->overshoot_known, f->percent), f->impossible, overshoots,
        (int64_t)f->odd_n, st_json_integer_or_null(f->difference.known, f->difference.value_ns),
        st_summary_interval_json(&f->difference),
        st_json_real_or_null(f->sd_ratio > 0, f->sd_ratio),
        st_json_real_or_null(f->range_ratio > 0, f->range_ratio));
}

json_t *st_bench_exec_json(const struct st_bench_exec *bench, const struct st_exec_figures *figures,
                           struct st_lab *lab)
{
    json_t *starts = json_array(), *results = json_array();
    ST_EACH_OF (f, figures, bench->config.commands_n)
        (void)json_array_append_new(f->start ? starts : results, arm_json(bench, f));
    return st_json_object(
        "schema:t seed:t warm_up:i elapsed_ns:i interrupted:b starts:o results:o conditions:o",
        "sleeptune-bench-exec/1", st_text("%ju", bench->config.seed), (int64_t)bench->warm_up_n,
        bench->elapsed_ns, bench->stopped, starts, results,
        st_bench_text_conditions_json(lab->platform));
}
