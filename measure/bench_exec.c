#include "measure/bench_exec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ns.h"
#include "lib/random.h"
#include "measure/json.h"

int st_bench_exec_init(struct st_bench_exec *bench, const struct st_bench_exec_config *config)
{
    if (config->commands_n < 2)
        return -EINVAL;
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

static int run_once(struct st_bench_exec *bench, struct st_platform *p, size_t i, bool counted)
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
    int r = p->time_program(p, arm->command->argv, &run);
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
static int run_round(struct st_bench_exec *bench, struct st_platform *p, size_t *order, bool counted,
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
        r = run_once(bench, p, order[i], counted);
    for (size_t i = 0; i < n && (r != 0 || bench->stopped); i++) {
        struct st_exec_arm *arm = &bench->arms[i];
        if (arm->n > before_n) { /* its CPU time leaves with it, by the mean */
            arm->cpu_ns -= arm->cpu_ns / (int64_t)arm->n;
            arm->n = before_n;
        }
    }
    return r;
}

int st_bench_exec_measure(struct st_bench_exec *bench, struct st_platform *p)
{
    const struct st_bench_exec_config *config = &bench->config;
    struct st_random random = {.state = config->seed};
    size_t *order = calloc(config->commands_n, sizeof(*order));
    if (order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < config->commands_n; i++)
        order[i] = i;
    const int64_t begin_ns = p->now_ns(p);
    int64_t round_ns = 0;
    int r = 0;
    for (unsigned i = 0; r == 0 && !bench->stopped; i++) {
        const bool counted = i >= config->warm_up_n;
        const int64_t now_ns = p->now_ns(p);
        const bool used_up = now_ns + round_ns > st_ns_add(begin_ns, config->budget_ns);
        if (counted && (used_up || (config->runs_n > 0 && i - config->warm_up_n == config->runs_n)))
            break;
        r = run_round(bench, p, order, counted, &random);
        round_ns = p->now_ns(p) - now_ns;
        bench->elapsed_ns = p->now_ns(p) - begin_ns;
        if (round_ns == 0) /* a clock that stands still */
            break;
    }
    free(order);
    return r;
}

int st_bench_exec_figures(const struct st_bench_exec *bench, size_t i, struct st_exec_figures *ret)
{
    const struct st_exec_arm *arm = &bench->arms[i], *start = &bench->arms[0];
    memset(ret, 0, sizeof(*ret));
    ret->cpu_ns = arm->n > 0 ? (double)arm->cpu_ns / (double)arm->n : -1;
    int64_t *values = calloc(arm->n + 1, sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    for (size_t k = 0; k < arm->n && i > 0; k++)
        values[k] = arm->wall_ns[k] - start->wall_ns[k];
    if (i > 0)
        ret->net = st_median_interval(values, arm->n);
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

static json_t *quantile(const struct st_quantile *q)
{
    return st_json_integer_or_null(q->known, q->value_ns);
}

static json_t *arm_json(const struct st_bench_exec *bench, size_t i)
{
    const struct st_exec_command *command = bench->arms[i].command;
    struct st_exec_figures f;
    json_t *o = json_object();
    if (st_bench_exec_figures(bench, i, &f) != 0) {
        json_decref(o);
        return NULL;
    }
    const struct st_summary *s = &f.wall;
    json_t *text = json_string(command->text);
    st_json_set(o, "command", text != NULL ? text : json_null()); /* not UTF-8 */
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
    st_json_set(o, "cpu_ns_per_run", st_json_real_or_null(f.cpu_ns >= 0, f.cpu_ns));
    st_json_set(o, "net_ns", quantile(&f.net));
    st_json_set(o, "net_ci95_ns",
                f.net.known ? json_pack("[I,I]", (json_int_t)f.net.low_ns, (json_int_t)f.net.high_ns)
                            : json_null());
    st_json_set(o, "overshoot_ns", st_json_real_or_null(f.overshoot_known, f.overshoot_ns));
    st_json_set(o, "overshoot_percent", st_json_real_or_null(f.overshoot_known, f.percent));
    return o;
}

static void circumstance(void *ctx, const char *key, const char *value)
{
    json_t *text = json_string(value);
    st_json_set(ctx, key, text != NULL ? text : json_null());
}

json_t *st_bench_exec_json(const struct st_bench_exec *bench, struct st_platform *p)
{
    json_t *o = json_object(), *results = json_array(), *circumstances = json_object();
    for (size_t i = 1; i < bench->config.commands_n; i++)
        (void)json_array_append_new(results, arm_json(bench, i));
    p->circumstances(p, -1, circumstance, circumstances);
    st_json_set(o, "schema", json_string("sleeptune-bench-exec/1"));
    st_json_set(o, "seed", json_sprintf("%llu", (unsigned long long)bench->config.seed));
    st_json_set(o, "warm_up", ST_JSON(bench->config.warm_up_n));
    st_json_set(o, "elapsed_ns", ST_JSON(bench->elapsed_ns));
    st_json_set(o, "interrupted", json_boolean(bench->stopped));
    st_json_set(o, "start", arm_json(bench, 0));
    st_json_set(o, "results", results);
    st_json_set(o, "circumstances", circumstances);
    return o;
}
