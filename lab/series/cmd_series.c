/* sleeptune-lab series: lateness over time. */
#include <unistd.h>

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/analyse/series_set.h"
#include "lab/bench_command.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"
#include "lab/input/series_input.h"
#include "lab/lab.h"
#include "lab/series/sleepers.h"
#include "lab/word_list.h"
#include "measure/result.h"
#include "platform/program/options.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define METHODS_MAX  24
#define POLICIES_MAX 3
#define NAME_COLUMNS 32
#define USUAL        "clock_nanosleep-abs-monotonic"

struct arguments {
    struct st_series_options common;
    const struct st_sleep_method *methods[METHODS_MAX]; /* one series each, one after the other */
    size_t methods_n;
    const char *methods_text, *policies_text;
    bool clocks, list;
    /* each method is measured with each of these scheduling policies */
    enum st_policy policies[POLICIES_MAX];
    size_t policies_n; /* 0: the present policy of the thread is used */
    int64_t count, priority, sleepers_n;
    json_t *missing; /* what could not be measured, with the reason */
    struct st_bench_command shown;
};

static const char help[] =
    "Usage: sleeptune-lab series [OPTION...]\n"
    "Sleep again and again, record how late each wake-up is, and find patterns in\n"
    "these times: clock ticks, drift, a step. Several methods or policies: a table.\n\n"
    "      --every TIME        time from one due time to the next (1s)\n"
    "      --frames N, --rate HZ   the same as N audio frames at HZ\n"
    "      --count N           number of samples (900)\n"
    "      --sleepers N        N threads at the same time: are all woken alike?\n"
    "      --full-second       start at a full second of the wall clock\n"
    "      --method LIST       ways of sleeping (clock_nanosleep-abs-monotonic)\n"
    "      --clocks            clock_nanosleep on each clock that this system has\n"
    "      --list              all ways, also those not available here\n"
    "      --policy LIST       scheduling policies: other, fifo, rr (unchanged)\n"
    "  -p, --priority N        priority for fifo and rr, 1 .. 99 (70)\n"
    "      --plot FILE.svg     draw the result\n"
    "      --json, --format json|csv|markdown|text   JSON has every sample\n"
    "  -q, --quiet             nothing on standard error\n"
    "  -h, --help              this text\n\n"
    "Examples:\n"
    "  sleeptune-lab series --every 1s --count 900\n"
    "  sleeptune-lab series --every 997us --count 10000 --json >series.json\n"
    "  sleeptune-lab series --method usleep,timerfd-abs --policy other,fifo \\\n"
    "      --every 10ms --count 500\n\n"
    "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
    "4 failure.\n";

static int put_policy(void *ctx, const char *word)
{
    struct arguments *a = ctx;
    enum st_policy policy;
    const int r = st_option_policy(&policy, word);
    return r != 0 ? r : ST_WORD_LIST_ADD("--policy", a->policies, &a->policies_n, &policy);
}

static int choose(struct arguments *a)
{
    struct st_lab *lab = st_lab_native();
    const struct st_sleep_method *method;
    int r = a->policies_text != NULL
                ? st_word_list_each("--policy", a->policies_text, put_policy, a)
                : 0;
    if (r == 0 && a->clocks && a->methods_text != NULL)
        r = st_failure_usage("--clocks and --method cannot be used together");
    if (r == 0 && !a->clocks)
        return ST_WORD_LIST_ROWS("--method", a->methods_text != NULL ? a->methods_text : USUAL,
                                 lab->sleep_method, a->methods, &a->methods_n);
    for (size_t i = 0; r == 0 && (method = lab->sleep_method(lab, i)) != NULL; i++) {
        if (st_text_begins(method->name, "clock_nanosleep-abs-"))
            r = ST_WORD_LIST_ADD("--clocks", a->methods, &a->methods_n, &method);
    }
    return r;
}

static void list(struct st_lab *lab, FILE *out)
{
    const struct st_sleep_method *m;
    for (size_t i = 0; (m = lab->sleep_method(lab, i)) != NULL; i++) {
        struct st_sleep s;
        const int r = st_sleep_open(&s, lab->platform, m);
        char *text = st_text("%s, clock %s%s%s", m->summary, m->clock,
                             r != 0 ? "; not available: " : "", r != 0 ? strerror(-r) : "");
        if (r == 0)
            st_sleep_close(&s);
        st_text_field(out, m->name, text, NAME_COLUMNS, st_terminal_width(STDOUT_FILENO));
    }
}

static bool go_on(void *ctx, uint64_t n, int64_t latest_ns)
{
    struct arguments *a = ctx;
    return st_bench_command_go_on(&a->shown, "%ju of %jd samples taken, the last one %s late", n,
                                  a->count, st_ns_text(latest_ns));
}

/* Adds the test conditions to the result. @return the kernel's tick rate in Hz; 0: unknown. */
static int conditions(struct st_platform *p, const struct st_sleep_method *method,
                      struct st_series_result *result)
{
    enum st_policy policy;
    int priority;
    double correction_ppm;
    char text[32];
    struct st_lab *lab = st_lab_native();
    result->conditions = json_object();
    st_result_condition_json(result->conditions, "method", method->name);
    if (p->get_policy(p, &policy, &priority) == 0) {
        ST_PRINT(text, "%d", priority);
        st_result_condition_json(result->conditions, "policy", st_platform_policy_name(policy));
        st_result_condition_json(result->conditions, "priority", text);
    }
    if (lab->clock_correction_ppm(lab, &correction_ppm) == 0) {
        ST_PRINT(text, "%+.2f", correction_ppm);
        st_result_condition_json(result->conditions, "clock_correction_ppm", text);
    }
    p->conditions(p, -1, st_result_condition_json, result->conditions);
    const json_int_t hz = st_json_integer(result->conditions, "hz"); /* 0: unknown */
    return hz >= 1 && hz <= 1000000 ? (int)hz : 0;
}

static void announce(const struct arguments *a, const struct st_bench_series_config *config,
                     size_t series_n)
{
    char all[40] = "";
    const double seconds =
        st_period_seconds(&config->period) * (double)config->count * (double)series_n;
    if (series_n > 1)
        ST_PRINT(all, " and %zu more, in turn", series_n - 1);
    const char *line = st_text("%s%s: takes %s.", a->methods[0]->name, all,
                               st_ns_text(seconds < 9e9 ? (int64_t)(seconds * 1e9) : INT64_MAX));
    st_bench_command_say(&a->shown, line);
}

/* Moves the measured samples to the result and analyses them. @return an st_exit, after a
 * message. */
static int take(const struct st_bench_series *bench, int known_hz, struct st_series_result *result)
{
    result->input.source = "measured";
    result->input.series = bench->series;
    result->input.interrupted = bench->stopped;
    if (bench->series.n == 0)
        return st_failure("%s: the run ended before the first sample", result->name);
    return st_series_result_analyse(result, known_hz);
}

/* Measures one method with one policy; if that fails, adds the reason to a->missing. @return an
 * st_exit, after a message. */
static int measure(struct arguments *a, const struct st_bench_series_config *config,
                   const enum st_policy *policy, struct st_series_set *set)
{
    struct st_platform *p = st_platform_native();
    struct st_bench_series bench;
    char why[120] = "";
    const char *name = a->policies_n > 1 ? st_text("%s, %s", config->method->name,
                                                   st_platform_policy_name(*policy))
                                         : config->method->name;
    struct st_series_result *result = st_series_set_add(set, name);
    if (result == NULL)
        return ST_EXIT_FAILURE;
    int r = policy != NULL ? p->set_policy(p, *policy, (int)a->priority) : 0;
    if (r != 0)
        ST_PRINT(why, "no permission for the policy %s: %s", st_platform_policy_name(*policy),
                 strerror(-r));
    else
        r = st_bench_series_measure(p, config, &bench);
    const int known_hz = conditions(p, config->method, result);
    if (policy != NULL)
        (void)p->set_policy(p, ST_POLICY_OTHER, 0); /* analysing needs no real-time policy */
    st_bench_command_done(&a->shown);
    if (r == 0)
        return take(&bench, known_hz, result);
    if (why[0] == '\0') {
        st_series_finish(&bench.series);
        ST_PRINT(why, "%s", strerror(-r));
    }
    (void)json_array_append_new(a->missing, json_pack("{s:s, s:s}", "name", name, "missing", why));
    st_bench_command_say(&a->shown, st_text("%s: not measured: %s", name, why));
    st_series_set_drop(set);
    return ST_EXIT_DONE;
}

static int print(struct arguments *a, const struct st_series_set *set, bool several)
{
    int width;
    FILE *out = st_bench_command_begin(&a->shown, &width);
    if (out != NULL && several)
        st_series_set_text(set, "lateness", out);
    else if (out != NULL)
        st_series_result_text(set->result[0], out, width);
    for (size_t i = 0; i < json_array_size(a->missing) && out != NULL; i++) {
        const json_t *one = json_array_get(a->missing, i);
        st_text_say(out, width, "%s: not measured: %s", st_json_text(one, "name"),
                    st_json_text(one, "missing"));
    }
    a->shown.label = a->methods[0]->name;
    return st_bench_command_end(
        &a->shown,
        several ? st_series_set_json(set, "one after the other", true, json_incref(a->missing))
                : st_series_result_json(set->result[0], true),
        set->n);
}

/* Measures one series after the other. If one cannot be measured, the others still are. */
static int run(struct arguments *a, struct st_bench_series_config *config)
{
    struct st_series_set set = {.n = 0};
    const size_t policies_n = a->policies_n > 0 ? a->policies_n : 1,
                 all_n = a->methods_n * policies_n;
    int status = ST_EXIT_DONE;
    announce(a, config, all_n);
    for (size_t i = 0; i < all_n && status == ST_EXIT_DONE && (i == 0 || !st_stop_asked()); i++) {
        config->method = a->methods[i / policies_n];
        status = measure(a, config, a->policies_n > 0 ? &a->policies[i % policies_n] : NULL, &set);
    }
    if (status == ST_EXIT_DONE)
        status = set.n > 0 ? print(a, &set, all_n > 1)
                           : st_failure("%s: not measured: %s", a->methods[0]->name,
                                        st_json_text(json_array_get(a->missing, 0), "missing"));
    st_series_set_finish(&set);
    return status;
}

static bool go_on_quietly(ST_UNUSED void *ctx, ST_UNUSED uint64_t n, ST_UNUSED int64_t latest_ns)
{
    return !st_stop_asked();
}

/* Measures several threads (sleepers) at the same time with one method and one policy, and compares
 * their medians. */
static int run_sleepers(struct arguments *a, struct st_bench_series_config *config)
{
    struct st_platform *p = st_platform_native();
    struct st_bench_series bench[ST_SLEEPERS_MAX] = {0};
    struct st_series_set set = {.n = 0};
    struct st_sleepers sleepers;
    int status = ST_EXIT_DONE, width;
    if (a->methods_n != 1 || a->policies_n > 1)
        return st_failure_usage("--sleepers takes a single method and policy");
    if (a->policies_n > 0 && p->set_policy(p, a->policies[0], (int)a->priority) != 0)
        return st_failure("no permission for the policy %s",
                          st_platform_policy_name(a->policies[0]));
    config->method = a->methods[0];
    config->go_on = go_on_quietly;
    announce(a, config, 1);
    const int r = st_sleepers_measure(p, config, (size_t)a->sleepers_n, bench);
    if (r != 0)
        status = st_failure("%s: %s", config->method->name, strerror(-r));
    for (size_t i = 0; i < (size_t)a->sleepers_n; i++) {
        struct st_series_result *result = st_series_set_add(&set, st_text("sleeper %zu", i + 1));
        if (result == NULL || status != ST_EXIT_DONE) {
            st_series_finish(&bench[i].series);
            status = ST_EXIT_FAILURE;
            continue;
        }
        status = take(&bench[i], conditions(p, config->method, result), result);
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
    struct arguments a = {
        .count = ST_SERIES_COUNT_USUAL, .priority = 70, .shown = st_bench_command()};
    struct st_bench_series_config config = {.go_on = go_on, .ctx = &a};
    const struct st_option options[] = {
        {"method", .text = &a.methods_text},
        {"clocks", .flag = &a.clocks},
        {"list", .flag = &a.list},
        {"full-second", .flag = &config.full_second},
        {"policy", .text = &a.policies_text},
        {"priority", 'p', .number = &a.priority, .min = 1, .max = 99},
        {"quiet", 'q', .flag = &a.shown.quiet},
        {"count", .number = &a.count, .min = 1, .max = ST_SERIES_COUNT_MAX},
        {"sleepers", .number = &a.sleepers_n, .min = 2, .max = ST_SLEEPERS_MAX},
        ST_SERIES_OPTIONS(&a.common, &a.shown),
    };
    int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    if (a.list) {
        list(st_lab_native(), stdout);
        return ST_EXIT_DONE;
    }
    r = st_series_input_period(&a.common, &config.period);
    if (r == 0)
        r = st_chart_check("--plot", a.shown.plot);
    if (r == 0)
        r = choose(&a);
    if (r != 0)
        return r;
    config.count = (uint64_t)a.count;
    a.missing = json_array();
    st_stop_catch(NULL);
    st_stop_limit_rttime(st_platform_native(), NULL);
    r = a.sleepers_n > 0 ? run_sleepers(&a, &config) : run(&a, &config);
    json_decref(a.missing);
    return r;
}
