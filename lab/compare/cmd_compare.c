/* sleeptune-lab compare: by how much two runs differ, and whether that is more than chance. */
#include "lab/commands.h"
#include "lab/compare/compare.h"
#include "lab/input/document.h"
#include "lab/input/json_input.h"
#include "platform/posix/posix.h"
#include "platform/program/output.h"

static const char help[] =
    "Usage: sleeptune-lab compare A B [OPTION...]\n"
    "Compare the lateness of two runs: by how much does B differ from A, and is that\n"
    "more than chance?\n\n"
    "A file is a recording of 'measure --record', the CSV of 'plot', text with one\n"
    "figure per line, or the JSON of 'sleeptune-lab series'. FILE:2 is column 2 of a\n"
    "table. Of two JSON of 'syscall' or 'wake', each result is compared.\n\n"
    "      --every TIME       time between the lines of a text file (unknown)\n"
    "      --unit UNIT        of the figures of a text file: ns, us, ms or s\n"
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

static int run(struct st_compare_result *result, char *const paths[2],
               const struct st_series_options *series)
{
    int status = ST_EXIT_DONE;
    for (size_t i = 0; i < 2 && status == ST_EXIT_DONE; i++) {
        result->files[i].path = paths[i];
        status = st_series_input_read(paths[i], series, &result->files[i].input);
    }
    if (status == ST_EXIT_DONE)
        status = st_compare_make(result);
    if (status != ST_EXIT_DONE)
        return status;
    return st_compare_print(result, end_of(result->shown_n, result->tests_n));
}

/* Reads both files as JSON documents. @return whether they are documents of the same kind whose
 * results have single values. Free those that are not NULL. */
static bool read_documents(char *const paths[2], json_t *documents[2])
{
    const struct st_document *kinds[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        json_error_t error;
        FILE *stream = strcmp(paths[i], "-") == 0 ? NULL : st_posix_input_open(paths[i]);
        const int first = stream != NULL ? getc(stream) : EOF;
        if (stream != NULL)
            ungetc(first, stream);
        documents[i] = first == '{' ? st_json_input_read(stream, &error) : NULL;
        if (stream != NULL)
            st_posix_input_close(stream);
        kinds[i] = documents[i] != NULL ? st_document_of(documents[i]) : NULL;
    }
    return kinds[0] != NULL && kinds[0] == kinds[1] && kinds[0]->list != NULL &&
           json_is_array(
               json_object_get(st_document_result(kinds[0], documents[0], 0), "samples_ns"));
}

static int run_documents(char *const paths[2], json_t *const documents[2])
{
    struct st_compare_results results;
    struct st_locale_stream stream;
    const int r = st_compare_results_make(documents[0], documents[1], &results);
    int status = ST_EXIT_DONE;
    if (r != 0)
        status = st_failure("cannot compare: %s", strerror(-r));
    else if (results.n == 0)
        status = st_failure("%s and %s have no result of the same name with single values",
                            paths[0], paths[1]);
    if (status == ST_EXIT_DONE) {
        st_compare_results_text(&results, st_locale_begin(&stream, stdout));
        status = st_output_text(&stream, end_of(results.shown_n, results.tests_n));
    }
    st_compare_results_finish(&results);
    return status;
}

int st_cmd_compare(int argc, char **argv)
{
    struct st_compare_result result = {0};
    struct st_series_options series = {0};
    int first = 0;
    const struct st_option options[] = {
        ST_SERIES_TEXT_OPTIONS(&series),
    };
    int status = st_options_read(options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (argc - first != 2)
        return st_failure_usage("give two files: a run before the change, and a run after it");
    json_t *documents[2] = {NULL, NULL};
    const bool results = read_documents(argv + first, documents);
    if (results)
        status = run_documents(argv + first, documents);
    json_decref(documents[0]);
    json_decref(documents[1]);
    if (results)
        return status;
    status = run(&result, argv + first, &series);
    st_compare_finish(&result);
    return status;
}
