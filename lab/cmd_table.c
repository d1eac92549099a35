/* sleeptune-lab table: prints a saved document as CSV or Markdown. */
#include "lab/commands.h"
#include "lab/input/json_input.h"
#include "lab/table.h"
#include "platform/posix/posix.h"

static const char help[] =
    "Usage: sleeptune-lab table FILE [OPTION...]\n"
    "Print the JSON of exec, syscall, wake, series, simulate or analyse, or of\n"
    "'sleeptune measure', as a table: a line for each result. '-' is standard input.\n\n"
    "      --samples               single values instead: a column for each result\n"
    "      --format csv|markdown|json   (csv)\n"
    "      --time-unit ns|us|ms|s  of times in Markdown\n"
    "  -h, --help                  this text\n\n"
    "Examples:\n"
    "  sleeptune-lab syscall --json >host.json\n"
    "  sleeptune-lab table host.json >figures.csv\n"
    "  sleeptune-lab table host.json --samples >samples.csv\n"
    "  sleeptune-lab plot samples.csv:1 samples.csv:3 -o two.svg\n\n"
    "Exit status: 0 done, 3 usage, 4 failure.\n";

int st_cmd_table(int argc, char **argv)
{
    struct st_table_format out = {.document = true, .csv = true};
    bool samples = false;
    int first = 0;
    const struct st_option options[] = {
        {"time-unit", .take = st_table_take_unit, .ctx = &out},
        {"samples", .flag = &samples},
        {"format", .take = st_table_take_format, .ctx = &out},
    };
    const int status = st_options_read(options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first + 1 != argc)
        return st_failure_usage(first == argc ? "give a file" : "one file at a time");
    if (samples && !out.csv)
        return st_failure_usage("--samples is CSV");
    json_error_t error;
    FILE *stream = st_posix_input_open(argv[first]);
    if (stream == NULL)
        return st_failure("cannot read %s: %s", argv[first], st_posix_input_error(errno));
    json_t *document = st_json_input_read(stream, &error);
    st_posix_input_close(stream);
    if (document == NULL)
        return st_failure("cannot read %s: %s", argv[first], error.text);
    out.samples = samples;
    return st_table_output(&out, document);
}
