/* sleeptune simulate: how late a kernel with clock ticks wakes a program. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/command.h"
#include "cli/series_options.h"
#include "cli/series_result.h"
#include "lib/ns.h"

#define NAME "simulate"

static void help(void)
{
    fputs("Usage: sleeptune simulate [OPTION...]\n"
          "Compute how late a kernel that wakes at clock ticks only would wake a program,\n"
          "and say what 'sleeptune analyse' sees in it.\n\n"
          "      --hz HZ            ticks a second (100)\n"
          "      --rounding WHICH   tvtohz: to the next tick and one more, as 4.4BSD\n"
          "                         (default); tvtohz-fixed: without the one more; none:\n"
          "                         no ticks\n"
          "      --drift-ppm PPM    ticks are so much longer than 1/HZ (0)\n"
          "      --pll-gain GAIN    steer the tick towards the full second: the\n"
          "                         share of the error taken out each second, 0 to 1 (0)\n"
          "      --every TIME       between due times (1s)\n"
          "      --frames N, --rate HZ   the same as a period of audio\n"
          "      --count N          samples (900)\n"
          "      --noise TIME       standard deviation of normal noise (0)\n"
          "      --seed N           of the noise and the first tick's phase (1)\n"
          "      --plot FILE        draw it: .svg, .png, .pdf, or - for text\n"
          "      --json, --format json|text\n"
          "  -h, --help             this text\n\n"
          "Examples:\n"
          "  sleeptune simulate --hz 100 --drift-ppm 10 --every 1s --count 900\n"
          "  sleeptune simulate --hz 250 --frames 512 --json | sleeptune analyse -\n\n"
          "Exit status: 0 done, 3 usage, 4 failure.\n",
          stdout);
}

enum { OPT_HZ = 256, OPT_ROUNDING, OPT_DRIFT, OPT_GAIN, OPT_NOISE, OPT_SEED };

static const struct option options[] = {
    {"hz", required_argument, NULL, OPT_HZ},
    {"rounding", required_argument, NULL, OPT_ROUNDING},
    {"drift-ppm", required_argument, NULL, OPT_DRIFT},
    {"pll-gain", required_argument, NULL, OPT_GAIN},
    {"noise", required_argument, NULL, OPT_NOISE},
    {"seed", required_argument, NULL, OPT_SEED},
    ST_SERIES_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int parse_real(const char *option, const char *text, double min, double max, double *ret)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value))
        return st_usage_error(NAME, "%s: '%s' is not a number", option, text);
    if (value < min || value > max)
        return st_usage_error(NAME, "%s: %s is out of range: %g .. %g", option, text, min, max);
    *ret = value;
    return 0;
}

static int parse_option(int option, const char *text, struct st_simulation *s,
                        struct st_series_options *common)
{
    int64_t n = 0;
    int r;
    switch (option) {
    case OPT_HZ:
        return st_option_i64(NAME, "--hz", text, 1, 1000000, &s->hz);
    case OPT_ROUNDING:
        if (st_rounding_parse(text, &s->rounding) != 0)
            return st_usage_error(NAME, "--rounding: '%s' is not tvtohz, tvtohz-fixed or none", text);
        return 0;
    case OPT_DRIFT:
        return parse_real("--drift-ppm", text, -10000, 10000, &s->drift_ppm);
    case OPT_GAIN:
        return parse_real("--pll-gain", text, 0, 1, &s->pll_gain);
    case OPT_NOISE:
        return st_option_time(NAME, "--noise", text, 0, 3600 * ST_NS_PER_S, &s->noise_ns);
    case OPT_SEED:
        r = st_option_i64(NAME, "--seed", text, 0, INT64_MAX, &n);
        s->seed = (uint64_t)n;
        return r;
    default:
        return st_series_option(NAME, option, text, common);
    }
}

int st_cmd_simulate(int argc, char **argv)
{
    struct st_simulation simulation = {.hz = 100, .rounding = ST_ROUNDING_TVTOHZ, .seed = 1};
    struct st_series_options common;
    int option;
    st_series_options_init(&common);
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'h') {
            help();
            return ST_EXIT_DONE;
        }
        const int r = parse_option(option, optarg, &simulation, &common);
        if (r != 0)
            return r;
    }
    if (optind < argc)
        return st_usage_error(NAME, "unexpected argument: %s", argv[optind]);
    int r = st_series_period(NAME, &common, &simulation.period);
    if (r == 0)
        r = st_chart_option_check(NAME, common.plot, common.json);
    if (r != 0)
        return r;
    simulation.count = common.count;
    struct st_series_result result = {.source = "simulated", .simulation = &simulation};
    r = st_simulate(&simulation, &result.series);
    if (r == -ERANGE)
        return st_usage_error(NAME, "--count times --every is more than 104 days");
    if (r != 0)
        return st_failure(NAME, "%s", strerror(-r));
    int status = st_series_result_show(NAME, &result, 0, common.json, true);
    const char *label = "simulated";
    const struct st_series *series = &result.all.head;
    status = st_chart_option_series(NAME, common.plot, &label, &series, 1, NULL, status);
    st_series_result_finish(&result);
    return status;
}
