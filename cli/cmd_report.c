/* sleeptune report: judges the settings of this machine, a snapshot or a captured tree. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/report.h"
#include "cli/command.h"
#include "cli/facts_input.h"
#include "cli/output.h"

#define COMMAND "report"

struct options {
    struct st_facts_input input;
    int64_t frames;
    int64_t rate_hz;
    enum st_format format;
    enum st_status threshold;
    bool all;
    const char *output;
};

static void help(void)
{
    fputs("Usage: sleeptune report [OPTION...]\n"
          "Judge the settings of this machine: what may cost how many microseconds of each\n"
          "period, and how to change it. Nothing is changed; root is not needed.\n\n"
          "  -f, --frames N     frames a period (128)\n"
          "  -r, --rate N       frames a second (48000)\n"
          "  --snapshot FILE    judge a snapshot; '-': standard input\n"
          "  --root DIR         judge a captured tree (a folder with proc/, sys/ ...) or a\n"
          "                     FreeBSD capture (a folder with sysctl-a.txt)\n"
          "  --format FORMAT    text (default), json, html or markdown\n"
          "  --json             the same as --format json\n"
          "  --threshold STATUS exit with 1 from this status on: problem (default), advice,\n"
          "                     unknown, ok, not-applicable\n"
          "  --all              details of what is ok or not applicable, too\n"
          "  -o FILE            write to FILE\n"
          "  -h, --help         this text\n\n"
          "Examples:\n"
          "  sleeptune report --frames 64\n"
          "  sleeptune report --json | jq .verdict\n"
          "  sleeptune report --snapshot friend.json --format markdown -o answer.md\n"
          "  sysctl -a > capture/sysctl-a.txt; sleeptune report --root capture\n\n"
          "Exit status: 0 nothing at or above the threshold, 1 findings, 2 a rule that\n"
          "could have reached it stayed unknown, 3 usage, 4 failure.\n",
          stdout);
}

static int parse_format(const char *text, enum st_format *ret)
{
    static const char *const names[] = {
        [ST_FORMAT_TEXT] = "text",
        [ST_FORMAT_JSON] = "json",
        [ST_FORMAT_HTML] = "html",
        [ST_FORMAT_MARKDOWN] = "markdown",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(names); i++) {
        if (strcmp(text, names[i]) == 0) {
            *ret = (enum st_format)i;
            return 0;
        }
    }
    return st_usage_error(COMMAND, "--format: '%s' is none of text, json, html, markdown", text);
}

/** @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {
        {"snapshot", required_argument, NULL, 's'},
        {"root", required_argument, NULL, 'O'},
        {"frames", required_argument, NULL, 'f'},
        {"rate", required_argument, NULL, 'r'},
        {"format", required_argument, NULL, 'F'},
        {"json", no_argument, NULL, 'j'},
        {"threshold", required_argument, NULL, 't'},
        {"all", no_argument, NULL, 'a'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option, r = 0;
    opterr = 0;
    optind = 1;
    while (r == 0 && (option = getopt_long(argc, argv, ":f:r:o:h", table, NULL)) != -1) {
        switch (option) {
        case 's':
            options->input.snapshot = optarg;
            break;
        case 'O':
            options->input.root = optarg;
            break;
        case 'f':
            r = st_option_i64(COMMAND, "--frames", optarg, 1, 1 << 22, &options->frames);
            break;
        case 'r':
            r = st_option_i64(COMMAND, "--rate", optarg, 1, 1 << 22, &options->rate_hz);
            break;
        case 'F':
            r = parse_format(optarg, &options->format);
            break;
        case 'j':
            options->format = ST_FORMAT_JSON;
            break;
        case 't':
            if (st_status_parse(optarg, &options->threshold) != 0)
                r = st_usage_error(
                    COMMAND, "--threshold: '%s' is none of problem, advice, unknown, ok, not-applicable",
                    optarg);
            break;
        case 'a':
            options->all = true;
            break;
        case 'o':
            options->output = optarg;
            break;
        case 'h':
            help();
            return ST_EXIT_DONE;
        case ':':
            return st_usage_error(COMMAND, "%s needs a value", argv[optind - 1]);
        default:
            return st_usage_error(COMMAND, "no such option: %s", argv[optind - 1]);
        }
    }
    if (r != 0)
        return r;
    if (optind < argc)
        return st_usage_error(COMMAND, "unexpected argument: %s", argv[optind]);
    return -1;
}

static int print_report(const struct st_report *report, const struct options *options)
{
    const char *name = options->output != NULL ? options->output : "the report";
    const bool terminal = options->output == NULL || strcmp(options->output, "-") == 0;
    const struct st_view view = {
        .width = terminal ? st_terminal_width(STDOUT_FILENO) : 80,
        .colour = terminal && st_terminal_colour(stdout),
        .all = options->all,
    };
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory == NULL)
        return st_failure(COMMAND, "out of memory");
    int r = st_report_print(report, options->format, memory, &view);
    if (fclose(memory) != 0 && r == 0)
        r = -ENOMEM;
    if (r == 0)
        r = st_output_write(options->output, text, bytes);
    free(text);
    if (r != 0)
        return st_failure(COMMAND, "cannot write %s: %s", name, strerror(-r));
    return st_report_exit_status(report, options->threshold);
}

int st_cmd_report(int argc, char **argv)
{
    struct options options = {.frames = 128, .rate_hz = 48000, .threshold = ST_STATUS_PROBLEM};
    int status = parse_options(argc, argv, &options);
    if (status >= 0)
        return status;
    struct st_facts *facts;
    status = st_facts_input_load(COMMAND, &options.input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    struct st_report report;
    const int r = st_report_make(facts, (uint32_t)options.frames, (uint32_t)options.rate_hz, &report);
    if (r == -ERANGE) {
        status = st_usage_error(COMMAND, "%lld frames at %lld Hz are longer than an hour",
                                (long long)options.frames, (long long)options.rate_hz);
    } else if (r != 0) {
        status = st_failure(COMMAND, "%s", strerror(-r));
    } else {
        status = print_report(&report, &options);
        st_report_finish(&report);
    }
    st_facts_free(facts);
    return status;
}
