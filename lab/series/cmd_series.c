/* sleeptune-lab series: lateness over time. */
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/analyse/series_set.h"
#include "lab/bench_command.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"
#include "lab/input/series_input.h"
#include "lab/lab.h"
#include "lab/posix/sleep_lab.h"
#include "lab/series/sleepers.h"
#include "lab/word_list.h"
#include "measure/result.h"
#include "platform/program/options.h"
#include "platform/program/stop.h"

#define METHODS_MAX 16
#define COUNT_MAX   INT64_C(1000000000)

struct arguments {
    struct st_series_options common;
    const struct st_sleep_method *methods[METHODS_MAX]; /* one series each, one after the other */
    size_t methods_n;
    struct missing {
        const struct st_sleep_method *method;
        char why[96];
    } missing[METHODS_MAX]; /* asked for, but not available here */
    size_t missing_n;
    const char *methods_text, *policy_text;
    bool clocks, relative;
    enum st_policy policy; /* where policy_text is given */
    int64_t count, priority, sleepers_n;
    struct st_bench_command shown;
};

static const char help[] = "Usage: sleeptune-lab series [OPTION...]\n"
                           "Sleep again and again, record how late each wake-up is, and find patterns in\n"
                           "these times: clock ticks, drift, steps.\n\n"
                           "      --every TIME        time from one due time to the next (1s)\n"
                           "      --frames N, --rate HZ   the same time, as N audio frames at HZ\n"
                           "      --count N           number of samples (900)\n"
                           "      --sleepers N        N threads at the same time: are all woken alike?\n"
                           "      --full-second       start at a full second of the wall clock\n"
                           "      --relative          sleep for a duration instead of until a due time\n"
                           "      --method LIST       other methods; 'sleeptune-lab sleep --list' shows\n"
                           "                          all (clock_nanosleep-abs-monotonic)\n"
                           "      --clocks            clock_nanosleep on each clock that this system has\n"
                           "      --policy other|fifo|rr   scheduling policy (unchanged)\n"
                           "  -p, --priority N        priority for fifo and rr, 1 .. 99 (70)\n"
                           "      --plot FILE.svg     draw the result\n"
                           "      --json, --format json|csv|markdown|text   JSON has every sample\n"
                           "  -q, --quiet             nothing on standard error\n"
                           "  -h, --help              this text\n\n"
                           "Examples:\n"
                           "  sleeptune-lab series --every 1s --count 900\n"
                           "  sleeptune-lab series --frames 64 --count 7500 --policy fifo\n"
                           "  sleeptune-lab series --every 997us --count 10000 --json >series.json\n"
                           "  sleeptune-lab series --clocks --every 10ms --count 1000\n\n"
                           "Several series are measured one after the other, each analysed by itself.\n"
                           "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
                           "4 failure.\n";

/* @return false: this way of sleeping is not available here; missing->why has the reason. */
static bool is_here(const struct st_sleep_method *method, struct missing *missing)
{
    struct st_sleep sleep;
    *missing = (struct missing){.method = method};
    const int r = st_sleep_open(&sleep, st_platform_native(), method);
    if (r == 0)
        st_sleep_close(&sleep);
    else
        ST_PRINT(missing->why, "%s", strerror(-r));
    return r == 0;
}

static int add_method(struct arguments *a, const struct st_sleep_method *method)
{
    struct missing missing;
    return is_here(method, &missing) ? ST_WORD_LIST_ADD("--method", a->methods, &a->methods_n, &method)
                                     : ST_WORD_LIST_ADD("--method", a->missing, &a->missing_n, &missing);
}

static int put_method(void *ctx, const char *name)
{
    const struct st_sleep_method *method = st_lab_find(st_lab_native(), st_lab_native()->sleep_method, name);
    if (method == NULL)
        return st_failure_usage("--method: unknown method %s ('sleeptune-lab sleep --list' names all)", name);
    return add_method(ctx, method);
}

static int put_clocks(struct arguments *a, struct st_lab *lab)
{
    const char *prefix = a->relative ? "clock_nanosleep-rel-" : "clock_nanosleep-abs-";
    const struct st_sleep_method *method;
    int r = 0;
    for (size_t i = 0; (method = lab->sleep_method(lab, i)) != NULL && r == 0; i++) {
        if (st_text_begins(method->name, prefix))
            r = add_method(a, method);
    }
    return r;
}

static int choose_methods(struct arguments *a)
{
    if ((a->methods_text != NULL) + a->clocks + (a->relative && !a->clocks) > 1)
        return st_failure_usage(a->clocks ? "--clocks and --method cannot be used together"
                                          : "--relative and --method cannot be used together");
    const int r = a->clocks ? put_clocks(a, st_lab_native())
                            : st_word_list_each("--method",
                                                a->methods_text != NULL ? a->methods_text
                                                : a->relative           ? "clock_nanosleep-rel-monotonic"
                                                                        : "clock_nanosleep-abs-monotonic",
                                                put_method, a);
    for (size_t i = 0; i < a->missing_n && r == 0 && (!a->shown.quiet || a->methods_n == 0); i++)
        fprintf(stderr, "%s: not available: %s\n", a->missing[i].method->name, a->missing[i].why);
    return r != 0 || a->methods_n > 0 ? r : st_failure("none of these methods is available on this system");
}

/* @return whether the policy is what was asked for; else a note says what it is. */
static void set_policy(const struct arguments *a, struct st_threads *threads, struct st_series_result *result)
{
    if (a->policy_text == NULL)
        return;
    const int r = threads->set_policy(threads, a->policy, (int)a->priority);
    if (r != 0)
        ST_PRINT(result->input.note,
                 "No permission for the policy %s (%s): measured with the current policy instead.",
                 st_platform_policy_name(a->policy), strerror(-r));
}

static bool go_on(void *ctx, uint64_t n, int64_t latest_ns)
{
    struct arguments *a = ctx;
    return st_bench_command_go_on(&a->shown, "%" PRIu64 " of %" PRId64 " samples taken, the last one %s late",
                                  n, a->count, ST_NS(latest_ns));
}

/* @return the kernel's tick rate, 0: unknown. */
static int conditions(struct st_platform *p, const struct st_sleep_method *method,
                      struct st_series_result *result)
{
    enum st_policy policy;
    int priority;
    char text[32];
    struct st_lab *lab = st_lab_native();
    result->conditions = json_object();
    st_result_condition_json(result->conditions, "method", method->name);
    if (p->threads.get_policy(&p->threads, &policy, &priority) == 0) {
        ST_PRINT(text, "%d", priority);
        st_result_condition_json(result->conditions, "policy", st_platform_policy_name(policy));
        st_result_condition_json(result->conditions, "priority", text);
    }
    result->correction_known = lab->clock_correction_ppm(lab, &result->correction_ppm) == 0;
    if (result->correction_known) {
        ST_PRINT(text, "%+.2f", result->correction_ppm);
        st_result_condition_json(result->conditions, "clock_correction_ppm", text);
    }
    p->machine.conditions(&p->machine, -1, st_result_condition_json, result->conditions);
    const json_int_t hz = st_json_integer(result->conditions, "hz"); /* 0: unknown */
    return hz >= 1 && hz <= 1000000 ? (int)hz : 0;
}

static void announce(const struct arguments *a, const struct st_bench_series_config *config)
{
    char all[40] = "";
    const double seconds = st_period_seconds(&config->period) * (double)config->count * (double)a->methods_n;
    if (a->methods_n > 1)
        ST_PRINT(all, " and %zu more, in turn", a->methods_n - 1);
    const char *line = ST_TEXT(200, "%s%s: takes %s.", a->methods[0]->name, all,
                               ST_NS(seconds < 9e9 ? (int64_t)(seconds * 1e9) : INT64_MAX));
    st_bench_command_say(&a->shown, line);
}

/* What was measured, with its analysis. @return an st_exit, after a message. */
static int take(const struct st_sleep_method *method, int r, const struct st_bench_series *bench,
                int known_hz, struct st_series_result *result)
{
    result->input.source = "measured";
    result->input.all = bench->all;
    result->input.interrupted = bench->stopped;
    if (bench->all.n > bench->all.head.n)
        st_text_join(result->input.note, sizeof(result->input.note), " ", "The first %zu samples are kept.",
                     bench->all.head.n);
    if (r != 0)
        return st_failure("%s: %s", method->name, strerror(-r));
    if (bench->all.n == 0)
        return st_failure("%s: the run ended before the first sample", method->name);
    return st_series_result_analyse(result, known_hz);
}

static int measure(struct arguments *a, const struct st_bench_series_config *config,
                   struct st_series_result *result)
{
    struct st_platform *p = st_platform_native();
    struct st_bench_series bench;
    set_policy(a, &p->threads, result);
    const int known_hz = conditions(p, config->method, result);
    const int r = st_bench_series_measure(p, config, &bench);
    if (a->policy_text != NULL)
        (void)p->threads.set_policy(&p->threads, ST_POLICY_OTHER, 0); /* the rest is in no hurry */
    st_bench_command_done(&a->shown);
    return take(config->method, r, &bench, known_hz, result);
}

/* The document of one is that of series, simulate and analyse; several are a list of such. */
static json_t *document(const struct arguments *a, const struct st_series_set *set)
{
    if (a->methods_n + a->missing_n == 1)
        return st_series_result_json(set->result[0], true);
    json_t *missing = json_array();
    ST_EACH_OF (name, a->missing, a->missing_n)
        (void)json_array_append_new(
            missing, json_pack("{s:s, s:s}", "method", name->method->name, "missing", name->why));
    return st_series_set_json(set, "one after the other", true, missing);
}

static int print(struct arguments *a, const struct st_series_set *set)
{
    int width;
    if (set->n == 0)
        return ST_EXIT_FAILURE;
    FILE *out = st_bench_command_begin(&a->shown, &width);
    for (size_t i = 0; i < set->n && out != NULL; i++) {
        if (a->methods_n + a->missing_n > 1)
            fprintf(out, "%s%s\n",
                    i > 0 ? "\n" : "Measured one after the other, each analysed by itself.\n\n",
                    set->result[i]->name);
        st_series_result_text(set->result[i], out, width);
    }
    for (size_t i = 0; i < a->missing_n && out != NULL; i++)
        fprintf(out, "%s%s: not measured: %s\n", i == 0 ? "\n" : "", a->missing[i].method->name,
                a->missing[i].why);
    a->shown.label = a->methods[0]->name;
    return st_bench_command_end(&a->shown, document(a, set), set->n);
}

/* One method after the other; what one cannot do does not keep the others from it. */
static int run(struct arguments *a, struct st_bench_series_config *config)
{
    struct st_series_set set = {.n = 0};
    int status = ST_EXIT_DONE;
    announce(a, config);
    for (size_t i = 0; i < a->methods_n && (i == 0 || !st_stop_asked()); i++) {
        config->method = a->methods[i];
        const bool several = a->methods_n + a->missing_n > 1;
        struct st_series_result *result = st_series_set_add(&set, several ? config->method->name : "");
        const int got = result != NULL ? measure(a, config, result) : ST_EXIT_FAILURE;
        if (got == ST_EXIT_DONE)
            continue;
        status = got;
        if (result != NULL)
            st_series_set_drop(&set);
    }
    const int printed = print(a, &set);
    st_series_set_finish(&set);
    return status != ST_EXIT_DONE ? status : printed;
}

static bool go_on_quietly(void *ctx, uint64_t n, int64_t latest_ns)
{
    (void)ctx;
    (void)n;
    (void)latest_ns;
    return !st_stop_asked();
}

/* The samples of each are those that were kept: a sleeper is one thread, and all are compared as they are. */
static int run_sleepers(struct arguments *a, struct st_bench_series_config *config)
{
    struct st_platform *p = st_platform_native();
    struct st_bench_series bench[ST_SLEEPERS_MAX] = {0};
    struct st_series_set set = {.n = 0};
    struct st_sleepers sleepers;
    int status = ST_EXIT_DONE, width;
    if (a->methods_n != 1)
        return st_failure_usage("--sleepers takes a single method");
    if (a->policy_text != NULL && p->threads.set_policy(&p->threads, a->policy, (int)a->priority) != 0)
        return st_failure("no permission for the policy %s", st_platform_policy_name(a->policy));
    config->method = a->methods[0];
    config->go_on = go_on_quietly;
    announce(a, config);
    const int r = st_sleepers_measure(p, config, (size_t)a->sleepers_n, bench);
    for (size_t i = 0; i < (size_t)a->sleepers_n; i++) {
        struct st_series_result *result = st_series_set_add(&set, ST_TEXT(32, "sleeper %zu", i + 1));
        if (result == NULL) {
            st_long_series_finish(&bench[i].all);
            status = ST_EXIT_FAILURE;
            continue;
        }
        const int known_hz = conditions(p, config->method, result);
        const int got = take(config->method, status == ST_EXIT_DONE ? r : 0, &bench[i], known_hz, result);
        status = status == ST_EXIT_DONE ? got : status;
    }
    if (status == ST_EXIT_DONE) {
        st_sleepers_judge(&set, &sleepers);
        FILE *out = st_bench_command_begin(&a->shown, &width);
        if (out != NULL)
            st_sleepers_text(&set, &sleepers, out, width);
        status = st_bench_command_end(&a->shown, st_sleepers_json(&set, &sleepers), set.n);
    }
    st_series_set_finish(&set);
    return status;
}

int st_cmd_series(int argc, char **argv)
{
    struct arguments a = {.count = ST_SERIES_COUNT_USUAL, .priority = 70, .shown = st_bench_command()};
    struct st_bench_series_config config = {.go_on = go_on, .ctx = &a, .kept_max_n = ST_SERIES_COUNT_MAX};
    const struct st_option options[] = {
        {"method", .text = &a.methods_text},
        {"clocks", .flag = &a.clocks},
        {"full-second", .flag = &config.full_second},
        {"relative", .flag = &a.relative},
        {"policy", .text = &a.policy_text},
        {"priority", 'p', .number = &a.priority, .min = 1, .max = 99},
        {"quiet", 'q', .flag = &a.shown.quiet},
        {"count", .number = &a.count, .min = 1, .max = COUNT_MAX},
        {"sleepers", .number = &a.sleepers_n, .min = 2, .max = ST_SLEEPERS_MAX},
        ST_SERIES_OPTIONS(&a.common, &a.shown),
    };
    int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    r = st_sleep_lab_block_signals(); /* some methods cannot be opened without */
    if (r != 0)
        return st_failure("cannot block signals: %s", strerror(-r));
    r = a.policy_text != NULL ? st_option_policy(&a.policy, a.policy_text) : 0;
    if (r == 0)
        r = st_series_input_period(&a.common, &config.period);
    if (r == 0)
        r = st_chart_check("--plot", a.shown.plot);
    if (r == 0)
        r = choose_methods(&a);
    if (r != 0)
        return r;
    config.count = (uint64_t)a.count;
    st_stop_catch(NULL);
    st_stop_limit_rttime(&st_platform_native()->threads, NULL);
    return a.sleepers_n > 0 ? run_sleepers(&a, &config) : run(&a, &config);
}
