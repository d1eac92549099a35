/* sleeptune-lab simulate: how late a kernel with clock ticks wakes a program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "chart/input/series_input.h"
#include "core/ns.h"
#include "lab/analyse/series_result.h"
#include "lab/commands.h"

#define NAME "simulate"

static void help(void)
{
    fputs("Usage: sleeptune-lab simulate [OPTION...]\n"
          "Compute how late a kernel that wakes programs only at clock ticks would do so,\n"
          "and print what 'sleeptune-lab analyse' finds in the result.\n\n"
          "      --hz HZ            ticks a second (100)\n"
          "      --rounding WHICH   tvtohz: up to the next tick plus one tick, as 4.4BSD\n"
          "                         (default); tvtohz-fixed: up to the next tick; none:\n"
          "                         sleeps do not wait for ticks\n"
          "      --drift-ppm PPM    how much longer a tick is than 1/HZ (0)\n"
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
          "      --json, --format json|text\n"
          "  -h, --help             this text\n\n"
          "Examples:\n"
          "  sleeptune-lab simulate --hz 100 --drift-ppm 10 --every 1s --count 900\n"
          "  sleeptune-lab simulate --hz 250 --frames 512 --json | sleeptune-lab analyse -\n\n"
          "Exit status: 0 done, 3 usage, 4 failure.\n",
          stdout);
}

static int take_rounding(const char *command, void *ctx, const char *text)
{
    return st_simulate_rounding_parse(text, ctx) == 0
               ? 0
               : st_failure_usage(command, "--rounding: '%s' is not tvtohz, tvtohz-fixed or none", text);
}

int st_cmd_simulate(int argc, char **argv)
{
    struct st_simulation simulation = {.hz = 100, .rounding = ST_ROUNDING_TVTOHZ};
    struct st_series_options common;
    int64_t seed = 1;
    common = (struct st_series_options){.count = ST_SERIES_COUNT_USUAL};
    const struct st_option options[] = {
        {"hz", .number = &simulation.hz, .min = 1, .max = 1000000},
        {"rounding", .take = take_rounding, .ctx = &simulation.rounding},
        {"drift-ppm", .real = &simulation.drift_ppm, .min = -10000, .max = 10000},
        {"pll-gain", .real = &simulation.pll_gain, .min = 0, .max = 1},
        {"noise", .time_ns = &simulation.noise_ns, .min = 0, .max = 3600 * ST_NS_PER_S},
        {"seed", .number = &seed, .min = 0, .max = INT64_MAX},
        ST_SERIES_COUNT_OPTION(&common, ST_SERIES_COUNT_MAX),
        ST_SERIES_OPTIONS(&common),
    };
    int r = st_options_only(NAME, options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    simulation.count = (uint64_t)common.count;
    simulation.seed = (uint64_t)seed;
    r = st_series_input_period(NAME, &common, &simulation.period);
    if (r == 0)
        r = st_chart_option_check(NAME, common.plot);
    if (r != 0)
        return r;
    struct st_series_result result = {.input = {.source = "simulated"}, .simulation = &simulation};
    r = st_simulate(&simulation, &result.input.series);
    if (r == -ERANGE)
        return st_failure_usage(NAME, "--count times --every is more than 104 days");
    if (r != 0)
        return st_failure(NAME, "%s", strerror(-r));
    int status = st_series_result_show(NAME, &result, 0, common.json, true);
    const char *label = "simulated";
    const struct st_series *series = &result.input.all.head;
    status = st_chart_option_series(NAME, common.plot, &label, &series, 1, NULL, status);
    st_series_result_finish(&result);
    return status;
}
