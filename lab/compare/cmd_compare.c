/* sleeptune-lab compare: by how much two runs differ, and whether that is more than chance. */
#include "lab/commands.h"
#include "lab/compare/compare.h"
#include "platform/program/output.h"

static const char help[] = "Usage: sleeptune-lab compare A B [OPTION...]\n"
                           "Compare the lateness of two runs: by how much does B differ from A, and is that\n"
                           "more than chance?\n\n"
                           "A file is a recording of 'measure --record', the CSV of 'plot', text with one\n"
                           "figure per line, or the JSON of 'sleeptune-lab series'. FILE:2 is column 2 of a\n"
                           "table. Of two JSON of 'syscall' or 'wake', each result is compared.\n\n"
                           "      --every TIME       time between the lines of a text file (unknown)\n"
                           "      --unit UNIT        of the figures of a text file: ns, us, ms or s\n"
                           "      --json, --format json|text\n"
                           "  -h, --help             this text\n\n"
                           "Examples:\n"
                           "  sleeptune measure --duration 1m --record before.strec\n"
                           "  sleeptune measure --duration 1m --record after.strec\n"
                           "  sleeptune-lab compare before.strec after.strec\n"
                           "  sleeptune-lab plot before.strec after.strec -o both.svg\n\n"
                           "Exit status: 0 no difference shown, 1 a difference is shown, 2 there is too\n"
                           "little to compare, 3 usage, 4 failure.\n";

static int end_of(size_t shown_n, size_t tests_n)
{
    return shown_n > 0 ? ST_EXIT_FINDINGS : tests_n > 0 ? ST_EXIT_DONE : ST_EXIT_UNKNOWN;
}

static int run(struct st_compare_result *result, char *const paths[2], bool json,
               const struct st_series_options *series)
{
    int status = st_compare_read(paths[0], series, &result->files[0]);
    if (status == ST_EXIT_DONE)
        status = st_compare_read(paths[1], series, &result->files[1]);
    if (status == ST_EXIT_DONE)
        status = st_compare_make(result);
    if (status != ST_EXIT_DONE)
        return status;
    const int r = json ? 0 : st_compare_print(result);
    status = json     ? st_output_json(st_compare_json(result))
             : r != 0 ? st_failure("cannot write the result: %s", strerror(-r))
                      : ST_EXIT_DONE;
    return status != ST_EXIT_DONE ? status : end_of(result->shown_n, result->tests_n);
}

static int run_documents(char *const paths[2], json_t *const documents[2], bool json)
{
    struct st_compare_results results;
    const int r = st_compare_results_make(paths, documents[0], documents[1], &results);
    int status = ST_EXIT_DONE;
    if (r != 0)
        status = st_failure("cannot compare: %s", strerror(-r));
    else if (results.n == 0)
        status =
            st_failure("%s and %s have no result of the same name with single values", paths[0], paths[1]);
    else if (json)
        status = st_output_json(st_compare_results_json(&results));
    else
        st_compare_results_text(&results, stdout);
    if (status == ST_EXIT_DONE)
        status = end_of(results.shown_n, results.tests_n);
    st_compare_results_finish(&results);
    return status;
}

int st_cmd_compare(int argc, char **argv)
{
    struct st_compare_result result = {0};
    struct st_series_options series = {0};
    bool json = false;
    int first = 0;
    const struct st_option options[] = {
        ST_SERIES_TEXT_OPTIONS(&series),
        ST_OPTION_ROWS_JSON(&json),
    };
    int status = st_options_read(options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (argc - first != 2)
        return st_failure_usage("give two files: a run before the change, and a run after it");
    json_t *documents[2] = {NULL, NULL};
    const bool results = st_compare_documents(argv + first, documents);
    if (results)
        status = run_documents(argv + first, documents, json);
    json_decref(documents[0]);
    json_decref(documents[1]);
    if (results)
        return status;
    status = run(&result, argv + first, json, &series);
    st_compare_finish(&result);
    return status;
}
