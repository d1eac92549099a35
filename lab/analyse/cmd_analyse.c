/* sleeptune-lab analyse: what a series of lateness shows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "lab/analyse/series_result.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"

#define NAME         "analyse"
#define NAME_COLUMNS 18

static void help(void)
{
    fputs("Usage: sleeptune-lab analyse FILE... [OPTION...]\n"
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
          "Exit status: 0 done, 3 usage, 4 failure.\n",
          stdout);
}

static const char *const columns[] = {"min", "q1", "median", "mean", "q3", "max"};

/* One line of the table: of a file what R's summary() says. @return an st_exit. */
static int summary_row(const char *path, const struct st_series_options *options, bool markdown)
{
    static const double p[] = {0, 0.25, 0.5, -1, 0.75, 1};
    struct st_series_result *result = calloc(1, sizeof(*result));
    char text[32];
    if (result == NULL)
        return st_failure(NAME, "out of memory");
    int status = st_series_input_read(NAME, path, options, &result->input);
    const struct st_long_series *all = &result->input.all;
    int r = 0;
    if (status == ST_EXIT_DONE && result->input.series.n > 0)
        r = st_long_series_of(&result->input.series, &result->input.all);
    if (status == ST_EXIT_DONE && (r != 0 || st_long_series_sample(all, &result->sample) != 0))
        status = st_failure(NAME, "%s: no samples, or out of memory", path);
    if (status == ST_EXIT_DONE) {
        if (markdown)
            printf("| ");
        st_safe_print(stdout, path, strlen(path));
        printf("%*s", NAME_COLUMNS > st_text_columns(path) ? NAME_COLUMNS - st_text_columns(path) : 1, "");
        printf("%s%9llu%s", markdown ? " | " : "", (unsigned long long)all->n, markdown ? " |" : "");
        ST_EACH (at, p) {
            const int64_t ns = *at < 0    ? llrint(all->moments.mean)
                               : *at == 0 ? all->hist.min_ns
                               : *at >= 1 ? all->hist.max_ns
                                          : st_sample_quantile(&result->sample, *at);
            st_ns_format_exact(ns, text, sizeof(text));
            printf("%*s%s%s", 11 - st_text_columns(text), "", text, markdown ? " |" : "");
        }
        putchar('\n');
    }
    st_series_result_finish(result);
    free(result);
    return status;
}

static int summary(char *const *paths, int n, const struct st_series_options *options, bool markdown)
{
    if (markdown)
        fputs("| file | n |", stdout);
    else
        printf("%*s", NAME_COLUMNS + 9, "n");
    ST_EACH (column, columns) {
        if (markdown)
            printf(" %s |", *column);
        else
            printf(" %10s", *column);
    }
    puts(markdown ? "\n|:---|---:|---:|---:|---:|---:|---:|---:|" : "");
    for (int i = 0; i < n; i++) {
        const int status = summary_row(paths[i], options, markdown);
        if (status != ST_EXIT_DONE)
            return status;
    }
    return ST_EXIT_DONE;
}

int st_cmd_analyse(int argc, char **argv)
{
    struct st_series_options common = {0};
    struct st_bench_command command = st_bench_command(NAME);
    struct st_period period;
    int64_t tick_hz = 0;
    int first = 0;
    const struct st_option options[] = {
        {"tick-hz", .number = &tick_hz, .min = 1, .max = 1000000},
        {"unit", .text = &common.unit},
        ST_SERIES_OPTIONS(&common, &command),
    };
    int status = st_options_read(NAME, options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first == argc)
        return st_failure_usage(NAME, "which file?");
    const char *path = argv[first];
    status = st_series_input_period(NAME, &common, &period); /* says what is wrong before anything is read */
    if (status == 0)
        status = st_chart_check(NAME, "--plot", command.plot);
    if (status != 0)
        return status;
    if (first + 1 < argc && (command.plot != NULL || (command.out.document && !command.out.markdown)))
        return st_failure_usage(NAME, "several files are text or Markdown: use one file, or 'plot'");
    if (first + 1 < argc)
        return summary(argv + first, argc - first, &common, command.out.markdown);
    common.plot = command.plot;
    struct st_series_result *result = calloc(1, sizeof(*result));
    if (result == NULL)
        return st_failure(NAME, "out of memory");
    status = st_series_input_read(NAME, path, &common, &result->input);
    if (status == ST_EXIT_DONE && result->input.series.n == 0 && result->input.all.n == 0)
        status = st_failure(NAME, "%s: no samples%s%s", path, result->input.note[0] != '\0' ? ": " : "",
                            result->input.note);
    if (status == ST_EXIT_DONE) {
        const char *plot = command.plot;
        command.plot = NULL; /* the document that is printed has no samples */
        status = st_series_result_show(&command, result, (int)tick_hz, false);
        if (plot != NULL)
            status = st_chart_option_json(NAME, path, plot, st_series_result_json(result, true), status);
    }
    st_series_result_finish(result);
    free(result);
    return status;
}
