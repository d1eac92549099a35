/* sleeptune-lab simulate: how late a kernel with clock ticks wakes a program. */
#include "core/ns.h"
#include "core/text/text.h"
#include "lab/analyse/series_set.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"
#include "lab/input/series_input.h"
#include "lab/word_list.h"

#define TABLE_MAX 64
#define RATES_MAX 24

#define DRIFT_MAX_PPM 10000

static const char help[] =
    "Usage: sleeptune-lab simulate [OPTION...]\n"
    "Compute how late a kernel that wakes programs only at clock ticks would do so,\n"
    "and print what 'sleeptune-lab analyse' finds in the result.\n\n"
    "      --hz HZ            ticks a second (100); of several, 100,250,1000, a table\n"
    "                         and a picture of their boxes\n"
    "      --table LIST       print how many ticks the kernel gives to these sleeps\n"
    "                         (0.9s,0.99s)\n"
    "      --rounding WHICH   tvtohz: up to the next tick plus one tick, as 4.4BSD\n"
    "                         (default); tvtohz-fixed: up to the next tick; none:\n"
    "                         sleeps do not wait for ticks\n"
    "      --drift-ppm PPM    how much longer a tick is than 1/HZ (0)\n"
    "      --timer-hz HZ      the tick is a whole number of counts of such a timer\n"
    "                         (1193182: i8254)\n"
    "      --pll-gain GAIN    simulate a control loop that adjusts the tick to\n"
    "                         the full second (0 to 1; 0: none). Each second it\n"
    "                         corrects GAIN times the error plus GAIN^2/4 times the\n"
    "                         sum of all errors so far; finally the error shrinks\n"
    "                         by 25 % a second at 1, 15 % at 0.5, 4 % at 0.1\n"
    "      --every TIME       time from one due time to the next (1s)\n"
    "      --frames N, --rate HZ   the same time, as N audio frames at HZ\n"
    "      --count N          number of samples (900)\n"
    "      --noise TIME       standard deviation of normal noise (0)\n"
    "      --seed N           seed of the noise and of the first tick's phase (1)\n"
    "      --plot FILE.svg    draw the result\n"
    "      --json, --format json|csv|markdown|text\n"
    "  -h, --help             this text\n\n"
    "Examples:\n"
    "  sleeptune-lab simulate --hz 100 --drift-ppm 10 --every 1s --count 900\n"
    "  sleeptune-lab simulate --hz 100 --timer-hz 1193182 --plot i8254.svg\n"
    "  sleeptune-lab simulate --hz 250 --frames 512 --json | sleeptune-lab analyse -\n\n"
    "Exit status: 0 done, 3 usage, 4 failure.\n";

static int take_rounding(void *ctx, const char *text)
{
    return st_simulate_rounding_parse(text, ctx) == 0
               ? 0
               : st_failure_usage("--rounding: '%s' is not tvtohz, tvtohz-fixed or none", text);
}

struct rates {
    int64_t hz[RATES_MAX];
    size_t n;
};

struct table {
    int64_t us[TABLE_MAX];
    size_t n;
};

static int put_sleep(void *ctx, const char *word)
{
    struct table *t = ctx;
    int64_t ns;
    const int r = st_word_list_time("--table", word, &ns);
    if (r != 0)
        return r;
    if (ns < 1 || ns > 86400 * ST_NS_PER_S)
        return st_failure_usage("--table: %s is out of range: 1ns .. 24h", word);
    const int64_t us = (ns + ST_NS_PER_US - 1) / ST_NS_PER_US;
    return ST_WORD_LIST_ADD("--table", t->us, &t->n, &us);
}

static int print_table(const char *list, int64_t hz)
{
    struct table t = {.n = 0};
    const int r = st_word_list_each("--table", list, put_sleep, &t);
    if (r != 0)
        return r;
    printf("Ticks of 1/%lld s\n%16s%12s%8s%14s\n", (long long)hz, "sleep", "exact", "tvtohz",
           "tvtohz-fixed");
    ST_EACH_OF (time, t.us, t.n)
        printf("%14.6f s%12.4f%8lld%14lld\n", (double)*time / 1e6, (double)*time * (double)hz / 1e6,
               (long long)st_simulate_tvtohz(*time, hz, ST_ROUNDING_TVTOHZ),
               (long long)st_simulate_tvtohz(*time, hz, ST_ROUNDING_TVTOHZ_FIXED));
    return ST_EXIT_DONE;
}

/* Adds the effect of the timer to the drift, and says in the note how large it is. */
static int add_timer(struct st_simulation *s, char *note, size_t note_bytes)
{
    int64_t counts;
    if (s->timer_hz == 0)
        return 0;
    const double ppm = st_simulate_timer_ppm(s->timer_hz, s->hz, &counts);
    s->drift_ppm += ppm;
    if (fabs(s->drift_ppm) > DRIFT_MAX_PPM)
        return st_failure_usage("--timer-hz: such a tick differs from 1/%lld s by more than %d ppm",
                                (long long)s->hz, DRIFT_MAX_PPM);
    snprintf(note, note_bytes, "A tick is %lld counts of the timer: %.2f ppm %s than 1/%lld s.",
             (long long)counts, fabs(ppm), ppm < 0 ? "shorter" : "longer", (long long)s->hz);
    return 0;
}

static int put_hz(void *ctx, const char *word)
{
    struct rates *rates = ctx;
    int64_t hz;
    const int r = st_option_i64("--hz", word, 1, 1000000, &hz);
    return r != 0 ? r : ST_WORD_LIST_ADD("--hz", rates->hz, &rates->n, &hz);
}

/* Says in the note whether and when the control loop settles: after that time, lateness differs
 * from that of the last sample by 1 % at most, apart from noise. Differences of whole ticks do not
 * count, because a steered tick may jump by one on its way. */
static void say_settled(const struct st_simulation *s, struct st_series_result *result)
{
    const struct st_series *series = &result->input.series;
    const double tick_ns = 1e9 / (double)s->hz,
                 rest_ns = (double)series->lateness_ns[series->n - 1];
    const double near_ns = 0.01 * fabs(rest_ns) + 3 * (double)s->noise_ns;
    size_t from = series->n;
    while (from > 0 &&
           fabs(remainder((double)series->lateness_ns[from - 1] - rest_ns, tick_ns)) <= near_ns)
        from--;
    const double after_s =
        (double)series->index[from < series->n ? from : 0] * st_period_seconds(&s->period);
    if (s->pll_gain > 0 && 3 * from < 2 * series->n)
        st_text_join(result->input.note, sizeof(result->input.note), " ",
                     "The loop settles: after %s lateness stays within 1 %% of %s.",
                     st_ns_text((int64_t)(after_s * 1e9)), st_ns_text(llrint(rest_ns)));
    else if (s->pll_gain > 0)
        st_text_join(result->input.note, sizeof(result->input.note), " ",
                     "The loop does not settle within two thirds of this series.");
}

static int simulate(struct st_simulation *s, struct st_series_result *result)
{
    result->input.source = "simulated";
    result->simulation = s;
    int r = add_timer(s, result->input.note, sizeof(result->input.note));
    if (r != 0)
        return r;
    r = st_simulate(s, &result->input.series);
    if (r == -ERANGE)
        return st_failure_usage("--count times --every is more than 104 days");
    if (r == 0)
        say_settled(s, result);
    return r != 0 ? st_failure("%s", strerror(-r)) : 0;
}

/* Simulates several tick rates and prints a line of a table for each, and a picture with a box for
 * each. */
static int simulate_rates(const struct rates *rates, const struct st_simulation *given,
                          struct st_bench_command *command)
{
    struct st_simulation simulations[RATES_MAX];
    struct st_series_set set = {.n = 0};
    int status = ST_EXIT_DONE;
    for (size_t i = 0; i < rates->n && status == ST_EXIT_DONE; i++) {
        const char *name = st_text("%lld Hz", (long long)rates->hz[i]);
        struct st_series_result *result = st_series_set_add(&set, name);
        simulations[i] = *given;
        simulations[i].hz = rates->hz[i];
        status = result == NULL ? ST_EXIT_FAILURE : simulate(&simulations[i], result);
        if (status == ST_EXIT_DONE)
            status = st_series_result_analyse(result, 0);
    }
    if (status == ST_EXIT_DONE)
        status = st_series_set_show(command, &set, "lateness", "computed", true);
    st_series_set_finish(&set);
    return status;
}

int st_cmd_simulate(int argc, char **argv)
{
    struct st_simulation simulation = {.hz = 100, .rounding = ST_ROUNDING_TVTOHZ};
    struct st_series_options common = {0};
    struct st_bench_command command = st_bench_command();
    int64_t seed = 1, count = ST_SERIES_COUNT_USUAL;
    const char *table = NULL, *hz = "100";
    struct rates rates = {.n = 0};
    const struct st_option options[] = {
        {"hz", .text = &hz},
        {"rounding", .take = take_rounding, .ctx = &simulation.rounding},
        {"drift-ppm", .real = &simulation.drift_ppm, .min = -DRIFT_MAX_PPM, .max = DRIFT_MAX_PPM},
        {"table", .text = &table},
        {"timer-hz", .number = &simulation.timer_hz, .min = 1, .max = INT64_C(1000000000000)},
        {"pll-gain", .real = &simulation.pll_gain, .min = 0, .max = 1},
        {"noise", .time_ns = &simulation.noise_ns, .min = 0, .max = 3600 * ST_NS_PER_S},
        {"seed", .number = &seed, .min = 0, .max = INT64_MAX},
        {"count", .number = &count, .min = 1, .max = ST_SERIES_COUNT_MAX},
        ST_SERIES_OPTIONS(&common, &command),
    };
    int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    r = st_word_list_each("--hz", hz, put_hz, &rates);
    if (r != 0)
        return r;
    simulation.hz = rates.hz[0];
    if (rates.n > 1 && table != NULL)
        return st_failure_usage("--table takes a single --hz");
    if (table != NULL && (command.out.document || command.plot != NULL))
        return st_failure_usage(
            "--table is text: it cannot be used with --json, --format or --plot");
    if (table != NULL)
        return print_table(table, simulation.hz);
    simulation.count = (uint64_t)count;
    simulation.seed = (uint64_t)seed;
    r = st_series_input_period(&common, &simulation.period);
    if (r == 0)
        r = st_chart_check("--plot", command.plot);
    if (r != 0)
        return r;
    command.label = "simulated";
    if (rates.n > 1)
        return simulate_rates(&rates, &simulation, &command);
    struct st_series_result result = {.sample = {0}};
    int status = simulate(&simulation, &result);
    if (status == ST_EXIT_DONE)
        status = st_series_result_show(&command, &result, 0, true);
    st_series_result_finish(&result);
    return status;
}
