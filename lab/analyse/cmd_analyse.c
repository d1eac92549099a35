/* sleeptune-lab analyse: what a series of lateness shows. */
#include "core/text/safe.h"
#include "core/text/text.h"
#include "lab/analyse/series_set.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"

static const char help[] =
    "Usage: sleeptune-lab analyse FILE... [OPTION...]\n"
    "Find patterns in lateness over time: wake-ups only at clock ticks, a sawtooth, a\n"
    "pattern that repeats at the rate of a clock tick, a trend, steps.\n"
    "In data that are only noise, fewer than 1 in 1000 series show a false pattern.\n\n"
    "FILE is a recording of sleeptune measure, the JSON of 'series' or\n"
    "'simulate', the CSV of 'plot', or text with one number in each line: seconds if\n"
    "any number has a decimal point, otherwise nanoseconds. '-' is standard input,\n"
    "FILE:2 is column 2 of a table. Several files: a table of their quartiles, mean\n"
    "and extremes.\n\n"
    "      --every TIME       period of the samples in a text file (none: counted)\n"
    "      --unit UNIT        of the numbers in a text file: ns, us, ms or s\n"
    "      --frames N, --rate HZ   the period, as N audio frames at HZ\n"
    "      --tick-hz HZ       tick rate of the kernel that was measured, if you\n"
    "                         know it: then weaker patterns are found\n"
    "      --plot FILE.svg    draw the result\n"
    "      --json, --format json|csv|markdown|text\n"
    "  -h, --help             this text\n\n"
    "Examples:\n"
    "  sleeptune measure --duration 1m --record minute.strec\n"
    "  sleeptune-lab analyse minute.strec\n"
    "  sleeptune-lab analyse late.txt --every 1s\n\n"
    "Exit status: 0 done, 3 usage, 4 failure.\n";

/* Reads the series of one file. @return an st_exit, after a message. */
static int read(const char *path, const struct st_series_options *options,
                struct st_series_result *result)
{
    const struct st_series_input *input = &result->input;
    const int status = st_series_input_read(path, options, &result->input);
    if (status != ST_EXIT_DONE || input->series.n > 0)
        return status;
    return st_failure("%s: no samples%s%s", path, input->note[0] != '\0' ? ": " : "", input->note);
}

/* Analyses several files: prints one table with the figures of R's summary() for each file, or one
 * JSON document for all. */
static int several(char *const *paths, size_t n, const struct st_series_options *options,
                   int known_hz, struct st_bench_command *command)
{
    struct st_series_set set = {.n = 0};
    int status = ST_EXIT_DONE;
    for (size_t i = 0; i < n && status == ST_EXIT_DONE; i++) {
        struct st_series_result *result = st_series_set_add(&set, paths[i]);
        status = result == NULL ? ST_EXIT_FAILURE : read(paths[i], options, result);
        if (status == ST_EXIT_DONE && result->input.heading[0] != '\0')
            st_safe_copy(result->name, sizeof(result->name),
                         st_text("%s %s", paths[i], result->input.heading), ST_TEXT_TO_NUL);
        if (status == ST_EXIT_DONE)
            status = st_series_result_analyse(result, known_hz);
    }
    if (status == ST_EXIT_DONE)
        status = st_series_set_show(command, &set, "file", "files", false);
    st_series_set_finish(&set);
    return status;
}

int st_cmd_analyse(int argc, char **argv)
{
    struct st_series_options common = {0};
    struct st_bench_command command = st_bench_command();
    struct st_period period;
    int64_t tick_hz = 0;
    int first = 0;
    const struct st_option options[] = {
        {"tick-hz", .number = &tick_hz, .min = 1, .max = 1000000},
        {"unit", .text = &common.unit},
        ST_SERIES_OPTIONS(&common, &command),
    };
    int status = st_options_read(options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first == argc)
        return st_failure_usage("give a file");
    const char *path = argv[first];
    /* reports wrong options before a file is read */
    status = st_series_input_period(&common, &period);
    if (status == 0)
        status = st_chart_check("--plot", command.plot);
    if (status != 0)
        return status;
    if (first + 1 < argc && command.plot != NULL)
        return st_failure_usage("--plot draws one file: draw several with 'plot'");
    if (first + 1 < argc)
        return several(argv + first, (size_t)(argc - first), &common, (int)tick_hz, &command);
    struct st_series_result *result = calloc(1, sizeof(*result));
    if (result == NULL)
        return st_failure("out of memory");
    status = read(path, &common, result);
    if (status == ST_EXIT_DONE) {
        const char *plot = command.plot;
        /* the picture, drawn below, needs the samples, which the printed document leaves out */
        command.plot = NULL;
        status = st_series_result_show(&command, result, (int)tick_hz, false);
        if (plot != NULL)
            status = st_chart_option_json(path, plot, st_series_result_json(result, true), status);
    }
    st_series_result_finish(result);
    free(result);
    return status;
}
