/* sleeptune compare: by how much runs differ, and whether that is more than chance. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/compare/compare.h"
#include "core/ns.h"

#define NAME      "compare"
#define FILES_MAX 16

static void help(void)
{
    fputs("Usage: sleeptune compare A B [FILE...] [OPTION...]\n"
          "Compare the lateness of runs, each with the first: by how much do they differ,\n"
          "and is that more than chance?\n\n"
          "A file is a recording of 'measure --record', a histogram log, the JSON of\n"
          "sleeptune-lab or 'measure', the CSV of 'plot' or text with one lateness\n"
          "per line.\n\n"
          "      --difference D     the smallest difference that matters: a time such as\n"
          "                         1us, or percent of A's figure (5%). If no difference\n"
          "                         is shown, print how much data would show it\n"
          "      --every TIME       period of text (1s)\n"
          "      --plot FILE        draw the runs side by side: .svg, or - for\n"
          "                         text\n"
          "  -k, --kind KIND        kind of picture: box, quantile, hist or series (box)\n"
          "      --json, --format json|text\n"
          "  -h, --help             this text\n\n"
          "Examples:\n"
          "  sleeptune measure --duration 1m --record before.strec\n"
          "  sleeptune measure --duration 1m --record after.strec\n"
          "  sleeptune compare before.strec after.strec --difference 2us --plot both.svg\n\n"
          "Exit status: 0 no difference shown, 1 a difference is shown, 2 there is too\n"
          "little to compare, 3 usage, 4 failure.\n",
          stdout);
}

static int take_difference(const char *text, struct st_compare_result *result)
{
    char *end;
    const double percent = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        result->wanted_share = percent / 100;
        return percent > 0 && percent <= 1000
                   ? 0
                   : st_failure_usage(
                         NAME, "--difference: %s is out of range: more than 0 %%, at most 1000 %%", text);
    }
    result->wanted_share = 0;
    if (st_ns_parse(text, &result->wanted_ns) != 0 || result->wanted_ns <= 0)
        return st_failure_usage(NAME, "--difference: '%s' is not a time such as 1us or percent such as 5%%",
                                text);
    return 0;
}

static int read_files(struct st_compare_result *result, char **paths, const struct st_series_options *series)
{
    for (size_t i = 0; i < result->files_n; i++) {
        const int status = st_compare_read(NAME, paths[i], series, &result->files[i]);
        if (status != ST_EXIT_DONE)
            return status;
    }
    return st_compare_make_alike(NAME, result);
}

static int run(struct st_compare_result *result, char **paths, bool json,
               const struct st_series_options *series, const struct st_chart_options *chart)
{
    int status = read_files(result, paths, series);
    if (status != ST_EXIT_DONE)
        return status;
    int r = st_compare_make(result);
    if (r != 0)
        return st_failure(NAME, "cannot compare: %s", strerror(-r));
    if (result->pairs_n == 0)
        return st_failure(NAME, "%s and %s have no result of the same kind", paths[0], paths[1]);
    r = json ? st_compare_print_json(result) : st_compare_print(result);
    if (r != 0)
        return st_failure(NAME, "cannot write the result: %s", strerror(-r));
    const int drawn = st_compare_plot(NAME, result, series, chart);
    if (drawn != ST_EXIT_DONE)
        return drawn;
    return result->shown_n > 0 ? ST_EXIT_FINDINGS : result->tests_n > 0 ? ST_EXIT_DONE : ST_EXIT_UNKNOWN;
}

static int take_difference_option(const char *command, void *ctx, const char *text)
{
    (void)command;
    return take_difference(text, ctx);
}

int st_cmd_compare(int argc, char **argv)
{
    struct st_compare_result result = {.wanted_share = 0.05};
    struct st_chart_options chart = {.kind = ST_CHART_ANY};
    struct st_series_options series;
    bool json = false;
    int first = 0;
    st_series_input_options_init(&series);
    const struct st_option options[] = {
        {.name = "difference", .take = take_difference_option, .ctx = &result},
        {.name = "every", .take = st_series_input_take_every, .ctx = &series.every_ns},
        {.name = "plot", .text = &chart.path},
        {.name = "kind", .letter = 'k', .take = st_chart_take_kind, .ctx = &chart.kind},
        {.name = "json", .flag = &json},
        {.name = "format", .take = st_option_format, .ctx = &json},
    };
    int status = st_options_read(NAME, options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    char **paths = argv + first; /* options have moved before them */
    result.files_n = (size_t)(argc - first);
    if (result.files_n > FILES_MAX)
        return st_failure_usage(NAME, "at most %d files", FILES_MAX);
    if (result.files_n < 2)
        return st_failure_usage(NAME, "%s",
                                result.files_n == 0 ? "name the files to compare"
                                                    : "name a second file to compare with");
    status = st_chart_option_check(NAME, chart.path, json);
    if (status != ST_EXIT_DONE)
        return status;
    result.files = calloc(result.files_n, sizeof(*result.files));
    result.differ = calloc(result.files_n, sizeof(*result.differ));
    result.differ_n = calloc(result.files_n, sizeof(*result.differ_n));
    status = result.files == NULL || result.differ == NULL || result.differ_n == NULL
                 ? st_failure(NAME, "out of memory")
                 : run(&result, paths, json, &series, &chart);
    for (size_t i = 0; i < result.files_n && result.files != NULL; i++)
        st_compare_file_finish(&result.files[i]);
    for (size_t i = 0; i < result.files_n && result.differ != NULL && result.differ_n != NULL; i++)
        st_test_conditions_free(result.differ[i], result.differ_n[i]);
    free(result.files);
    free(result.differ);
    free(result.differ_n);
    free(result.pairs);
    return status;
}
