/* sleeptune analyse: what a series of lateness shows. */
#include <getopt.h>
#include <stdlib.h>

#include "cli/chart.h"
#include "cli/command.h"
#include "cli/series_input.h"

#define NAME "analyse"

static void help(void)
{
    fputs("Usage: sleeptune analyse FILE [OPTION...]\n"
          "Say what lateness over time shows: waking at clock ticks only, a sawtooth, a\n"
          "component that goes with a tick, a trend, steps, sizes that outliers prefer.\n"
          "Each is said only when its test passes: in noise in less than 1 of 1000 series.\n\n"
          "FILE is a recording of 'measure --record', the JSON of 'bench series' or\n"
          "'simulate', the CSV of 'export', or text with one figure a line, in seconds when\n"
          "one of them has a decimal point, else in nanoseconds; '-' is standard input.\n\n"
          "      --every TIME       period of text (1s)\n"
          "      --frames N, --rate HZ   the same as a period of audio\n"
          "      --tick-hz HZ       the tick rate of that machine's kernel (unknown):\n"
          "                         finds it at less strength\n"
          "      --plot FILE        draw it: .svg, .png, .pdf, or - for text\n"
          "      --json, --format json|text\n"
          "  -h, --help             this text\n\n"
          "Examples:\n"
          "  sleeptune measure --duration 1m --record minute.strec\n"
          "  sleeptune analyse minute.strec\n"
          "  sleeptune analyse late.txt --every 1s\n\n"
          "Exit status: 0 done, 3 usage, 4 failure.\n",
          stdout);
}

enum { OPT_TICK = 256 };

static const struct option options[] = {
    {"tick-hz", required_argument, NULL, OPT_TICK},
    ST_SERIES_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

int st_cmd_analyse(int argc, char **argv)
{
    struct st_series_options common;
    struct st_period period;
    int64_t tick_hz = 0;
    int option;
    st_series_options_init(&common);
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        int r = 0;
        if (option == 'h') {
            help();
            return ST_EXIT_DONE;
        }
        if (option == ST_OPT_COUNT)
            r = st_usage_error(NAME, "--count: all samples are analysed");
        else if (option == OPT_TICK)
            r = st_option_i64(NAME, "--tick-hz", optarg, 1, 1000000, &tick_hz);
        else
            r = st_series_option(NAME, option, optarg, &common);
        if (r != 0)
            return r;
    }
    if (optind == argc)
        return st_usage_error(NAME, "which file?");
    if (optind + 1 < argc)
        return st_usage_error(NAME, "unexpected argument: %s", argv[optind + 1]);
    int status = st_series_period(NAME, &common, &period); /* says what is wrong before anything is read */
    if (status == 0)
        status = st_chart_option_check(NAME, common.plot, common.json);
    if (status != 0)
        return status;
    struct st_series_result *result = calloc(1, sizeof(*result));
    if (result == NULL)
        return st_failure(NAME, "out of memory");
    status = st_series_input(NAME, argv[optind], &common, result);
    if (status == ST_EXIT_DONE && result->series.n == 0 && result->all.n == 0)
        status = st_failure(NAME, "%s: no samples%s%s", argv[optind], result->note[0] != '\0' ? ": " : "",
                            result->note);
    if (status == ST_EXIT_DONE) {
        status = st_series_result_show(NAME, result, (int)tick_hz, common.json, false);
        const char *label = argv[optind];
        const struct st_series *series = &result->all.head;
        status = st_chart_option_series(NAME, common.plot, &label, &series, 1, NULL, status);
    }
    st_series_result_finish(result);
    free(result);
    return status;
}
