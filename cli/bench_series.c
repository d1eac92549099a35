/* sleeptune bench series: lateness over time. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/chart.h"
#include "cli/command.h"
#include "cli/locale.h"
#include "cli/series_options.h"
#include "cli/series_result.h"
#include "cli/stop.h"
#include "cli/text.h"
#include "lib/ns.h"
#include "measure/bench_series.h"

#define NAME      "bench series"
#define RTTIME_NS ST_NS_PER_S

struct arguments {
    struct st_series_options common;
    const char *method;
    bool relative;
    enum st_policy policy;
    bool policy_given;
    int64_t priority;
    bool quiet;
    int64_t shown_ns; /* when progress was shown last; 0: never */
};

static void help(void)
{
    fputs("Usage: sleeptune bench series [OPTION...]\n"
          "How late one way of sleeping wakes, due time after due time, and what that shows\n"
          "over time: clock ticks, drift, steps, sizes of outliers.\n\n"
          "      --every TIME        between due times (1s)\n"
          "      --frames N, --rate HZ   the same as a period of audio\n"
          "      --count N           samples (900)\n"
          "      --relative          sleep for a time, not until one (clock_nanosleep)\n"
          "      --method NAME       another way: 'bench sleep --list' names all, one for\n"
          "                          each clock too (clock_nanosleep-abs-monotonic)\n"
          "      --policy other|fifo|rr   scheduling policy (as found)\n"
          "  -p, --priority N        of the real-time ones, 1 .. 99 (70)\n"
          "      --plot FILE        draw it: .svg, .png, .pdf, or - for text\n"
          "      --json, --format json|text   JSON has every sample\n"
          "  -q, --quiet             no progress line\n"
          "  -h, --help              this text\n\n"
          "Examples:\n"
          "  sleeptune bench series --every 1s --count 900\n"
          "  sleeptune bench series --frames 64 --count 7500 --policy fifo\n"
          "  sleeptune bench series --every 997us --count 10000 --json >series.json\n\n"
          "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
          "4 failure.\n",
          stdout);
}

enum { OPT_METHOD = 256, OPT_RELATIVE, OPT_POLICY };

static const struct option options[] = {
    {"method", required_argument, NULL, OPT_METHOD},
    {"relative", no_argument, NULL, OPT_RELATIVE},
    {"policy", required_argument, NULL, OPT_POLICY},
    {"priority", required_argument, NULL, 'p'},
    {"quiet", no_argument, NULL, 'q'},
    ST_SERIES_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int parse_policy(const char *text, struct arguments *a)
{
    for (int i = ST_POLICY_OTHER; i <= ST_POLICY_RR; i++) {
        if (strcmp(text, st_policy_name((enum st_policy)i)) == 0) {
            a->policy = (enum st_policy)i;
            a->policy_given = true;
            return 0;
        }
    }
    return st_usage_error(NAME, "--policy: '%s' is not other, fifo or rr", text);
}

static int parse_option(int option, const char *text, struct arguments *a)
{
    switch (option) {
    case OPT_METHOD:
        a->method = text;
        return 0;
    case OPT_RELATIVE:
        a->relative = true;
        return 0;
    case OPT_POLICY:
        return parse_policy(text, a);
    case 'p':
        return st_option_i64(NAME, "--priority", text, 1, 99, &a->priority);
    case 'q':
        a->quiet = true;
        return 0;
    default:
        return st_series_option(NAME, option, text, &a->common);
    }
}

static int find_method(const struct arguments *a, struct st_platform *p, const struct st_sleep_method **ret)
{
    if (a->method != NULL && a->relative)
        return st_usage_error(NAME, "--relative and --method exclude each other");
    const char *name = a->method != NULL ? a->method
                       : a->relative     ? "clock_nanosleep-rel-monotonic"
                                         : "clock_nanosleep-abs-monotonic";
    const struct st_sleep_method *method = st_sleep_method_find(p, name);
    if (method == NULL)
        return st_usage_error(NAME, "--method: no such method: %s ('sleeptune bench sleep --list' names all)",
                              name);
    if (method->absent != NULL)
        return st_failure(NAME, "%s: %s", name, method->absent);
    if (method->spins)
        return st_usage_error(NAME, "--method: %s does not sleep, it uses the CPU all the time", name);
    *ret = method;
    return 0;
}

/* @return whether the policy is what was asked for; else a note says what it is. */
static void set_policy(const struct arguments *a, struct st_platform *p, struct st_series_result *result)
{
    if (!a->policy_given)
        return;
    const int r = p->set_policy(p, a->policy, (int)a->priority);
    if (r != 0)
        snprintf(result->note, sizeof(result->note),
                 "Degraded: no right to the policy %s (%s); measured as found.", st_policy_name(a->policy),
                 strerror(-r));
}

static bool go_on(void *ctx, const struct st_series *series)
{
    struct arguments *a = ctx;
    struct st_platform *p = st_platform_native();
    const int64_t now_ns = p->now_ns(p);
    if (!a->quiet && now_ns - a->shown_ns > ST_NS_PER_S && series->n > 0) {
        char line[160], text[32];
        snprintf(line, sizeof(line), "%zu of %llu samples, the latest %s late", series->n,
                 (unsigned long long)a->common.count,
                 st_ns_format(series->lateness_ns[series->n - 1], text, sizeof(text)));
        fprintf(stderr, "\r%s\033[K",
                st_text_clip(st_locale_text(line), st_terminal_width(STDERR_FILENO) - 1));
        fflush(stderr);
        a->shown_ns = now_ns;
    }
    return !st_stop_asked();
}

static void add_circumstance(void *ctx, const char *key, const char *value)
{
    int64_t number;
    (void)json_object_set_new(ctx, key,
                              st_parse_i64(value, INT64_MIN, INT64_MAX, &number) == 0
                                  ? json_integer(number)
                                  : json_string(value)); /* not UTF-8: left out */
}

/* @return the kernel's tick rate, 0: unknown. */
static int circumstances(struct st_platform *p, const struct st_sleep_method *method,
                         struct st_series_result *result)
{
    enum st_policy policy;
    int priority;
    char text[16];
    result->circumstances = json_object();
    add_circumstance(result->circumstances, "method", method->name);
    if (p->get_policy(p, &policy, &priority) == 0) {
        snprintf(text, sizeof(text), "%d", priority);
        add_circumstance(result->circumstances, "policy", st_policy_name(policy));
        add_circumstance(result->circumstances, "priority", text);
    }
    p->circumstances(p, -1, add_circumstance, result->circumstances);
    const json_int_t hz = json_integer_value(json_object_get(result->circumstances, "hz")); /* 0: unknown */
    return hz >= 1 && hz <= 1000000 ? (int)hz : 0;
}

static void announce(const struct arguments *a, const struct st_bench_series_config *config)
{
    char text[32];
    const double seconds = st_period_seconds(&config->period) * (double)config->count;
    if (a->quiet || seconds < 2)
        return;
    st_ns_format(seconds < 9e9 ? (int64_t)(seconds * 1e9) : INT64_MAX, text, sizeof(text));
    fprintf(stderr, "%s: takes %s.\n", config->method->name, st_locale_text(text));
}

static void on_rttime(int signal_number)
{
    struct st_platform *p = st_platform_native();
    (void)signal_number;
    (void)p->set_policy(p, ST_POLICY_OTHER, 0);
}

static int run(struct arguments *a, const struct st_bench_series_config *config)
{
    struct st_platform *p = st_platform_native();
    struct st_bench_series bench;
    struct st_series_result *result = calloc(1, sizeof(*result));
    if (result == NULL)
        return st_failure(NAME, "out of memory");
    result->source = "measured";
    int r = st_sleep_block_signals();
    if (r != 0) {
        free(result);
        return st_failure(NAME, "%s", strerror(-r));
    }
    st_stop_catch(NULL);
    signal(SIGXCPU, on_rttime);
    (void)p->set_rttime_limit_ns(p, RTTIME_NS);
    announce(a, config);
    set_policy(a, p, result);
    const int known_hz = circumstances(p, config->method, result);
    r = st_bench_series_measure(p, config, &bench);
    if (a->policy_given)
        (void)p->set_policy(p, ST_POLICY_OTHER, 0); /* the rest is in no hurry */
    if (a->shown_ns != 0)
        fputs("\r\033[K", stderr);
    result->series = bench.series;
    result->interrupted = bench.stopped;
    int status;
    if (r != 0)
        status = st_failure(NAME, "%s: %s", config->method->name, strerror(-r));
    else if (bench.series.n == 0)
        status = st_failure(NAME, "ended before the first sample");
    else
        status = st_series_result_show(NAME, result, known_hz, a->common.json, true);
    status = st_chart_option_series(NAME, a->common.plot, config->method->name, &result->all.head,
                                    result->circumstances, status);
    st_series_result_finish(result);
    free(result);
    return status;
}

int st_bench_series(int argc, char **argv)
{
    struct arguments a = {.priority = 70, .quiet = isatty(STDERR_FILENO) != 1};
    struct st_bench_series_config config = {.go_on = go_on, .ctx = &a};
    int option;
    st_series_options_init(&a.common);
    optind = 1;
    while ((option = getopt_long(argc, argv, "p:qh", options, NULL)) != -1) {
        if (option == 'h') {
            help();
            return ST_EXIT_DONE;
        }
        const int r = parse_option(option, optarg, &a);
        if (r != 0)
            return r;
    }
    if (optind < argc)
        return st_usage_error(NAME, "unexpected argument: %s", argv[optind]);
    int r = st_series_period(NAME, &a.common, &config.period);
    if (r == 0)
        r = st_chart_option_check(NAME, a.common.plot, a.common.json);
    if (r == 0)
        r = find_method(&a, st_platform_native(), &config.method);
    if (r != 0)
        return r;
    config.count = a.common.count;
    return run(&a, &config);
}
