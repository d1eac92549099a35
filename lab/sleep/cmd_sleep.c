/* sleeptune-lab sleep: which way of sleeping is most exact, and what it costs. */
#include "lab/lab.h"
#include "lab/posix/sleep_lab.h"
#include "lab/sleep/bench_sleep.h"

#include <unistd.h>

#include "core/ns.h"
#include "lab/bench_command.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"
#include "lab/word_list.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define METHODS_MAX  64
#define SETTINGS_MAX 12
#define BUDGET_NS    (60 * ST_NS_PER_S)

static const char *const usual_durations = "64f,128f,5ms,256f,10ms,512f";
static const char *const all_durations = "64f,128f,5ms,256f,10ms,512f,30ms,50ms,100ms,500ms";

struct arguments {
    const struct st_sleep_method *methods[METHODS_MAX];
    struct st_durations durations;
    struct st_sleep_setting settings[SETTINGS_MAX];
    struct st_bench_sleep_config config;
    const char *methods_text, *durations_text, *policies_text, *slacks_text, *baseline;
    int64_t priority;
    bool all, list, brief;
    struct st_bench_command common;
};

static const char help[] =
    "Usage: sleeptune-lab sleep [OPTION...]\n"
    "Which way of sleeping is most exact on this machine, and what it costs.\n\n"
    "      --methods LIST      such as ppoll,timerfd-abs (the usual six; see --list)\n"
    "      --durations LIST    times, or frames at 48 kHz, like 5ms,64f (5 and 10 ms,\n"
    "                          64 to 512 frames)\n"
    "      --all               every method, and also durations of 30 to 500 ms\n"
    "      --list              all methods, also those not available here\n"
    "      --budget TIME       time for the whole run (60s; with --all enough for\n"
    "                          20 blocks)\n"
    "      --policy LIST       scheduling policies: other, fifo, rr (other)\n"
    "  -p, --priority N        priority for fifo and rr, 1 .. 99 (70)\n"
    "      --slack LIST        timer slacks of normal threads: found, or a time\n"
    "                          (found,1ns)\n"
    "      --baseline METHOD   what the others are compared with (the first)\n"
    "      --precision PERCENT stop when each median is known to ± PERCENT (5)\n"
    "      --seed N            seed of the random order (a different one each time)\n"
    "      --brief             medians and ranks only\n"
    "      --plot FILE.svg     draw the result\n"
    "      --json, --format json|csv|markdown|text\n"
    "  -q, --quiet             nothing on standard error\n"
    "  -h, --help\n\n"
    "Examples:\n"
    "  sleeptune-lab sleep --brief\n"
    "  sleeptune-lab sleep --methods ppoll,timerfd-abs --durations 2ms --budget 10s\n"
    "  sleeptune-lab sleep --policy other,fifo --slack found,1ns,1ms --json\n\n"
    "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
    "4 failure (nothing could be measured).\n";

static int add_setting(struct arguments *a, enum st_policy policy, int64_t slack_ns)
{
    if (a->config.settings_n == SETTINGS_MAX)
        return st_failure_usage("--policy, --slack: at most %d settings", SETTINGS_MAX);
    a->settings[a->config.settings_n++] =
        (struct st_sleep_setting){.policy = policy, .priority = (int)a->priority, .slack_ns = slack_ns};
    return 0;
}

static int put_slack(void *ctx, const char *word)
{
    struct arguments *a = ctx;
    int64_t ns = -1;
    if (strcmp(word, "found") != 0 &&
        (st_ns_parse(word, &ns) != 0 || strpbrk(word, "nums") == NULL || ns < 1 || ns > ST_NS_PER_S))
        return st_failure_usage("--slack: '%s' is unknown. Use found (the present slack), or a time from "
                                "1ns to 1s with its unit",
                                word);
    return add_setting(a, ST_POLICY_OTHER, ns);
}

static int put_policy(void *ctx, const char *word)
{
    struct arguments *a = ctx;
    struct st_threads *threads = &st_platform_native()->threads;
    int64_t found_ns;
    enum st_policy policy;
    int r = st_option_policy(&policy, word);
    if (r != 0 || policy != ST_POLICY_OTHER)
        return r != 0 ? r : add_setting(a, policy, -1);
    const bool has_slack = threads->timer_slack_ns(threads, &found_ns) == 0;
    if (a->slacks_text != NULL && !has_slack)
        return st_failure_usage("--slack: this system has no timer slack");
    if (a->slacks_text != NULL)
        return st_word_list_each("--slack", a->slacks_text, put_slack, a);
    r = add_setting(a, ST_POLICY_OTHER, -1);
    return r == 0 && has_slack && found_ns > 1 ? add_setting(a, ST_POLICY_OTHER, 1) : r;
}

static int choose_methods(struct arguments *a)
{
    struct st_lab *lab = st_lab_native();
    const struct st_sleep_method *method;
    int r = 0;
    if (a->methods_text != NULL)
        return ST_WORD_LIST_ROWS("--methods", a->methods_text, lab->sleep_method, a->methods,
                                 &a->config.methods_n);
    for (size_t i = 0; (method = lab->sleep_method(lab, i)) != NULL && r == 0; i++) {
        if (a->all || method->usual)
            r = ST_WORD_LIST_ADD("--methods", a->methods, &a->config.methods_n, &method);
    }
    return r;
}

static int choose_baseline(struct arguments *a)
{
    if (a->baseline == NULL)
        return 0;
    for (size_t i = 0; i < a->config.methods_n; i++) {
        if (strcmp(a->methods[i]->name, a->baseline) == 0) {
            a->config.baseline = i;
            return 0;
        }
    }
    return st_failure_usage("--baseline: %s is not among the methods of this run", a->baseline);
}

static int choose(struct arguments *a)
{
    const char *durations = a->all ? all_durations : usual_durations;
    int r = choose_methods(a);
    if (r == 0)
        r = choose_baseline(a);
    if (r == 0)
        r = st_word_list_durations(a->durations_text != NULL ? a->durations_text : durations, &a->durations);
    a->config.durations_n = a->durations.n;
    if (r == 0)
        r = st_word_list_each("--policy", a->policies_text != NULL ? a->policies_text : "other", put_policy,
                              a);
    for (size_t i = 0; i < a->config.durations_n && r == 0 && a->config.budget_ns > 0; i++) {
        if (a->durations.ns[i] > a->config.budget_ns)
            r = st_failure_usage("--budget: the time is shorter than one of the durations");
    }
    return r;
}

/* --- the run --- */

static bool go_on(void *ctx, const struct st_bench_sleep *bench)
{
    struct arguments *a = ctx;
    return st_bench_command_go_on(&a->common, "block %u, %lld of at most %lld s", bench->blocks_n + 1,
                                  (long long)(bench->elapsed_ns / ST_NS_PER_S),
                                  (long long)(bench->config.budget_ns / ST_NS_PER_S));
}

static int print(struct arguments *a, const struct st_bench_sleep *bench)
{
    struct st_machine *machine = &st_platform_native()->machine;
    struct st_sleep_figures *figures;
    size_t measured_n = 0;
    int width;
    const int r = st_bench_sleep_figures(bench, &figures);
    if (r != 0)
        return st_failure("%s", strerror(-r));
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        measured_n += cell->n > 0;
    FILE *out = st_bench_command_begin(&a->common, &width);
    if (out != NULL)
        st_bench_sleep_print(bench, figures, machine, a->brief, out, width);
    const int status =
        st_bench_command_end(&a->common, st_bench_sleep_json(bench, figures, machine), measured_n);
    free(figures);
    return status;
}

static int run(struct arguments *a)
{
    struct st_platform *p = st_platform_native();
    struct st_bench_sleep bench;
    int r = st_bench_sleep_init(&bench, &p->threads, &a->config);
    if (r == -E2BIG)
        return st_failure_usage("too many combinations of methods, durations and settings: at most %d are "
                                "possible",
                                ST_BENCH_SLEEP_CELLS_MAX);
    if (r != 0)
        return st_failure("%s", strerror(-r));
    if (!a->common.quiet)
        st_bench_sleep_announce(&bench, stderr, st_terminal_width(STDERR_FILENO));
    st_stop_catch(NULL);
    st_stop_limit_rttime(&p->threads, NULL);
    r = st_bench_sleep_measure(&bench, p);
    st_bench_command_done(&a->common);
    int status = r != 0 ? st_failure("%s", strerror(-r)) : ST_EXIT_DONE;
    const int printed = print(a, &bench);
    st_bench_sleep_finish(&bench);
    return status != ST_EXIT_DONE ? status : printed;
}

int st_cmd_sleep(int argc, char **argv)
{
    struct arguments a = {.priority = 70, .common = st_bench_command()};
    double precision = 5;
    a.config = (struct st_bench_sleep_config){.methods = a.methods,
                                              .durations_ns = a.durations.ns,
                                              .settings = a.settings,
                                              .go_on = go_on,
                                              .ctx = &a};
    const struct st_option options[] = {
        {"methods", .text = &a.methods_text},
        {"durations", .text = &a.durations_text},
        {"all", .flag = &a.all},
        {"list", .flag = &a.list},
        {"budget", .time_ns = &a.config.budget_ns, .min = 100 * ST_NS_PER_MS, .max = 86400 * ST_NS_PER_S},
        {"policy", .text = &a.policies_text},
        {"priority", 'p', .number = &a.priority, .min = 1, .max = 99},
        {"slack", .text = &a.slacks_text},
        {"baseline", .text = &a.baseline},
        {"precision", .real = &precision, .min = 0, .max = 100},
        {"brief", .flag = &a.brief},
        {"seed", .number = &a.common.seed, .min = 0, .max = INT64_MAX},
        ST_BENCH_COMMAND_OPTIONS(&a.common),
    };
    int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    const int blocked = st_sleep_lab_block_signals(); /* some methods cannot be opened without */
    if (blocked != 0)
        return st_failure("cannot block signals: %s", strerror(-blocked));
    if (a.list) {
        struct st_locale_stream stream;
        st_bench_sleep_list(st_lab_native(), st_locale_begin(&stream, stdout),
                            st_terminal_width(STDOUT_FILENO));
        return st_locale_end(&stream) == 0 ? ST_EXIT_DONE : st_failure("out of memory");
    }
    if (a.config.budget_ns == 0 && !a.all)
        a.config.budget_ns = BUDGET_NS;
    a.config.precision = precision / 100;
    a.config.seed = (uint64_t)a.common.seed;
    r = st_chart_check("--plot", a.common.plot);
    if (r == 0)
        r = choose(&a);
    return r != 0 ? r : run(&a);
}
