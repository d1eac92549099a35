/* sleeptune-lab wake: measures how fast a sleeping thread is woken early. */
#include "lab/wake/bench_wake.h"

#include <unistd.h>

#include "core/ns.h"
#include "core/text/text.h"
#include "lab/bench_command.h"
#include "lab/bench_text.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"
#include "lab/word_list.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define METHODS_MAX  64
#define SLICES_MAX   24
#define SLICE_MIN_NS (100 * ST_NS_PER_US)
#define SLICE_MAX_NS ST_NS_PER_S
#define ROUNDS_MAX   100000
#define ROUNDS       200

struct arguments {
    const struct st_wake_method *methods[METHODS_MAX];
    int64_t slices_ns[SLICES_MAX];
    enum st_wake_kind kinds[2];
    enum st_wake_placement placements[2];
    struct st_bench_wake_config config;
    const char *methods_text, *slices_text, *kinds_text, *placements_text;
    bool list;
    struct st_bench_command common;
};

static const char help[] =
    "Usage: sleeptune-lab wake [OPTION...]\n"
    "Measure how fast one thread wakes another with different mechanisms, on one CPU\n"
    "and on two CPUs: the time from just before the signal until the wait returns.\n\n"
    "      --mechanisms LIST  such as condvar,channel (all; see --list)\n"
    "      --slices LIST      how long the thread sleeps before it is woken (2ms)\n"
    "      --kinds LIST       interrupted: woken by the signal; timed-out: not woken\n"
    "                         (interrupted)\n"
    "      --placements LIST  same-cpu, other-cpu (both)\n"
    "      --list             all mechanisms\n"
    "      --rounds N         rounds of each combination (200)\n"
    "      --budget TIME      time for the whole run; if it is short, fewer rounds\n"
    "      --seed N           seed of the random order (a different one each time)\n"
    "      --plot FILE.svg    draw the result\n"
    "      --export-json FILE   write the JSON, too\n"
    "      --json, --format json|csv|markdown|text   JSON has every delay\n"
    "  -q, --quiet            nothing on standard error\n"
    "  -h, --help\n\n"
    "Examples:\n"
    "  sleeptune-lab wake\n"
    "  sleeptune-lab wake --mechanisms condvar,channel --slices 2ms,50ms\n"
    "  sleeptune-lab wake --kinds interrupted,timed-out --placements other-cpu\n\n"
    "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
    "4 failure (nothing could be measured).\n";

/* --- lists --- */

static int put_slice(void *ctx, const char *word)
{
    struct arguments *a = ctx;
    int64_t ns;
    const int r = st_word_list_time("--slices", word, &ns);
    if (r != 0)
        return r;
    if (ns < SLICE_MIN_NS || ns > SLICE_MAX_NS)
        return st_failure_usage("--slices: %s is out of range: 100us .. 1s", word);
    return ST_WORD_LIST_ADD("--slices", a->slices_ns, &a->config.slices_n, &ns);
}

static int put_placement(void *ctx, const char *word)
{
    struct arguments *a = ctx;
    for (enum st_wake_placement placement = ST_WAKE_SAME_CPU; placement <= ST_WAKE_OTHER_CPU;
         placement++) {
        if (strcmp(word, st_bench_wake_placement_name(placement)) == 0)
            return ST_WORD_LIST_ADD("--placements", a->placements, &a->config.placements_n,
                                    &placement);
    }
    return st_failure_usage("--placements: '%s' is neither same-cpu nor other-cpu", word);
}

static int put_kind(void *ctx, const char *word)
{
    struct arguments *a = ctx;
    for (enum st_wake_kind kind = ST_WAKE_INTERRUPTED; kind <= ST_WAKE_TIMED_OUT; kind++) {
        if (strcmp(word, st_bench_wake_kind_name(kind)) == 0)
            return ST_WORD_LIST_ADD("--kinds", a->kinds, &a->config.kinds_n, &kind);
    }
    return st_failure_usage("--kinds: '%s' is neither interrupted nor timed-out", word);
}

/* --- choices --- */

/* Chooses the first two CPUs that this process may use. If there is only one, combinations that
 * need a second CPU are not measured, and the result says why. */
static int choose_cpus(struct arguments *a)
{
    struct st_lab *lab = st_lab_native();
    int allowed[2] = {-1, -1};
    const int n = lab->platform->cpus_allowed(lab->platform, allowed, 2);
    if (n < 1)
        return st_failure("cannot read which CPUs may be used: %s", strerror(n < 0 ? -n : ENODATA));
    a->config.sender_cpu = allowed[0];
    a->config.other_cpu = allowed[1];
    return 0;
}

static int choose(struct arguments *a)
{
    int r = ST_WORD_LIST_ROWS("--mechanisms", a->methods_text, st_lab_native()->wake_method,
                              a->methods, &a->config.methods_n);
    if (r == 0)
        r = st_word_list_each("--slices", a->slices_text, put_slice, a);
    if (r == 0)
        r = st_word_list_each("--placements", a->placements_text, put_placement, a);
    if (r == 0)
        r = st_word_list_each("--kinds", a->kinds_text, put_kind, a);
    return r == 0 ? choose_cpus(a) : r;
}

/* --- the run --- */

static size_t rounds_n(const struct st_bench_wake *bench)
{
    size_t n = 0;
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        n += cell->n;
    return n;
}

static bool go_on(void *ctx, const struct st_bench_wake *bench)
{
    struct arguments *a = ctx;
    size_t wanted_n = 0;
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        wanted_n += cell->why == NULL ? bench->config.rounds : cell->n;
    return st_bench_command_go_on(&a->common, "%zu of %zu rounds", rounds_n(bench), wanted_n);
}

static void announce(const struct arguments *a, const struct st_bench_wake *bench)
{
    const size_t rounds = bench->config.rounds;
    size_t cells_n = 0;
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        cells_n += cell->why == NULL;
    if (cells_n == 0) {
        st_bench_command_say(&a->common,
                             "None of these combinations can be measured on this machine.");
        return; /* the printed result gives the reason for each combination */
    }
    const char *line =
        st_text("%zu combination%s, %zu round%s each, in random order (seed %llu): about %s.",
                cells_n, cells_n == 1 ? "" : "s", rounds, rounds == 1 ? "" : "s",
                (unsigned long long)bench->config.seed,
                st_bench_text_rough(st_bench_wake_expected_ns(bench), ST_ROOM(32)));
    st_bench_command_say(&a->common, line);
    if (rounds < a->config.rounds && rounds < st_stats_quantile_min_n(0.5))
        st_bench_command_say(
            &a->common, "Too short for a median, which needs 20 rounds. Set a longer --budget.");
}

static int print(struct arguments *a, const struct st_bench_wake *bench)
{
    struct st_lab *lab = st_lab_native();
    int width;
    FILE *out = st_bench_command_begin(&a->common, &width);
    if (out != NULL)
        st_bench_wake_print(bench, lab, out, width);
    return st_bench_command_end(&a->common, st_bench_wake_json(bench, lab), rounds_n(bench));
}

static int run(struct arguments *a)
{
    struct st_lab *lab = st_lab_native();
    struct st_bench_wake bench;
    int r = st_bench_wake_init(&bench, &a->config);
    if (r == -E2BIG)
        return st_failure_usage("too many combinations: at most %d are possible",
                                ST_BENCH_WAKE_CELLS_MAX);
    if (r == -ERANGE) {
        const int64_t expected_ns = st_bench_wake_expected_ns(&bench);
        st_bench_wake_finish(&bench);
        return st_failure_usage(
            "--budget is too short: one round of each combination takes about %s",
            st_bench_text_rough(expected_ns, ST_ROOM(32)));
    }
    if (r != 0)
        return st_failure("%s", strerror(-r));
    announce(a, &bench);
    st_stop_catch(NULL);
    r = st_bench_wake_measure(&bench, lab);
    st_bench_command_done(&a->common);
    const int status = r == 0 ? print(a, &bench) : st_failure("%s", strerror(-r));
    st_bench_wake_finish(&bench);
    return status;
}

int st_cmd_wake(int argc, char **argv)
{
    struct st_lab *lab = st_lab_native();
    struct arguments a = {.slices_text = "2ms",
                          .kinds_text = "interrupted",
                          .placements_text = "same-cpu,other-cpu",
                          .common = st_bench_command()};
    int64_t budget_ns = 0, rounds = ROUNDS;
    const struct st_option options[] = {
        {"mechanisms", .text = &a.methods_text},
        {"slices", .text = &a.slices_text},
        {"kinds", .text = &a.kinds_text},
        {"placements", .text = &a.placements_text},
        {"list", .flag = &a.list},
        {"rounds", .number = &rounds, .min = 1, .max = ROUNDS_MAX},
        {"budget", .time_ns = &budget_ns, .min = 100 * ST_NS_PER_MS, .max = 86400 * ST_NS_PER_S},
        {"seed", .number = &a.common.seed, .min = 0, .max = INT64_MAX},
        ST_BENCH_COMMAND_OPTIONS(&a.common),
    };
    int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    if (a.list) {
        st_bench_wake_list(lab, stdout, st_terminal_width(STDOUT_FILENO));
        return ST_EXIT_DONE;
    }
    a.config = (struct st_bench_wake_config){.methods = a.methods,
                                             .slices_ns = a.slices_ns,
                                             .kinds = a.kinds,
                                             .placements = a.placements,
                                             .rounds = (size_t)rounds,
                                             .budget_ns = budget_ns,
                                             .seed = (uint64_t)a.common.seed,
                                             .go_on = go_on,
                                             .ctx = &a};
    r = st_bench_command_check(&a.common);
    if (r == 0)
        r = choose(&a);
    return r != 0 ? r : run(&a);
}
