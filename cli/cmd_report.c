/* sleeptune report: judges the settings of this machine, a snapshot or a captured tree. */
#include <unistd.h>

#include "advisor/change/change.h"
#include "cli/report/facts_input.h"
#include "cli/report/report_run.h"

struct options {
    struct st_facts_input input;
    bool list;
    /* ids of the rules to explain; no id: the report of all rules is printed */
    const char *const *ids;
    size_t ids_n;
    struct st_report_options report;
};

static const char help[] =
    "Usage: sleeptune report [OPTION...] [ID...|FILE...]\n"
    "       sleeptune report --list\n"
    "Judge the settings of this machine: by how many microseconds a setting may delay\n"
    "audio in each period, and how to change it. Changes nothing and needs no root.\n"
    "With IDs: explain each of them (mechanism, formula and sources), and print its\n"
    "result for this machine.\n"
    "\n"
    "  --list             list all rules\n"
    "  --snapshot FILE    judge a snapshot; '-': standard input\n"
    "  --root DIR         judge a saved copy (a folder with proc/, sys/ ...) or a\n"
    "                     FreeBSD capture (a folder with sysctl-a.txt)\n"
    "  --input FILE       judge a posted text: pw-top, the journal, ps, ulimit -a,\n"
    "                     dmesg, uname -a, alsa-info.sh and more; up to 8 times;\n"
    "                     also without --input\n"
    "  --user NAME        judge with the rights that NAME gets at login\n" ST_NO_SERVERS_HELP
        ST_REPORT_HELP "\n"
    "Examples:\n"
    "  sleeptune report --frames 64\n"
    "  sleeptune report linux-timer-slack\n"
    "  sleeptune report --json | jq .verdict\n"
    "  sleeptune report --snapshot friend.json --details -o answer.txt\n"
    "  sysctl -a > capture/sysctl-a.txt; sleeptune report --root capture\n\n"
    "Exit status: 0 nothing at or above the threshold, 1 findings, 2 a setting\n"
    "that might be one could not be read, 3 usage, 4 failure.\n";

static int take_input(void *ctx, const char *text)
{
    struct options *options = ctx;
    if (options->input.texts_n == ST_FACTS_INPUT_TEXTS_MAX)
        return st_failure_usage("--input: at most %d files", ST_FACTS_INPUT_TEXTS_MAX);
    options->input.texts[options->input.texts_n++] = text;
    return 0;
}

/** Is the word a file, and not the id of a rule? No id has a slash or a dot. */
static bool is_file(const char *word)
{
    return st_rule_find(word) == NULL && (strpbrk(word, "/.") != NULL || access(word, F_OK) == 0);
}

/** Reads the options. @return -1 to go on, or an st_exit. */
static int read_options(int argc, char **argv, struct options *options)
{
    int first;
    const struct st_option own[] = {
        /* this option and the next four choose the source of facts */
        {"snapshot", .text = &options->input.snapshot},     {"root", .text = &options->input.root},
        {"input", .take = take_input, .ctx = options},      {"user", .text = &options->input.user},
        {"no-servers", .flag = &options->input.no_servers}, {"list", .flag = &options->list},
    };
    const int status =
        st_report_run_options(own, ST_ARRAY_LEN(own), help, argc, argv, &first, &options->report);
    if (status >= 0)
        return status;
    options->ids = (const char *const *)argv + first;
    options->ids_n = (size_t)(argc - first);
    for (; options->ids_n > 0 && is_file(options->ids[0]); options->ids++, options->ids_n--) {
        const int r = take_input(options, options->ids[0]);
        if (r != 0)
            return r;
    }
    if (options->list && options->ids_n > 0)
        return st_failure_usage("--list prints all settings: leave out the IDs");
    const struct st_report_options *report = &options->report;
    if (options->ids_n > 0 && (report->json || report->output != NULL || report->textfile != NULL ||
                               report->only != NULL))
        return st_failure_usage("'sleeptune report ID' prints only text: for --json, --output and "
                                "--textfile use --only ID");
    return st_report_run_check_ids(options->ids, options->ids_n) == 0 ? -1 : ST_EXIT_USAGE;
}

static int list_rules(void)
{
    ST_EACH_OF (rule, st_rules, st_rules_n)
        printf("%-26s %s\n", (*rule)->id, (*rule)->title);
    return ST_EXIT_DONE;
}

/* Reads the results of `tune`, but only for settings that still have the value from before the
 * trial. @return true: there are results. */
static bool read_tuned(const struct st_facts *facts, struct st_tuned *ret)
{
    struct st_platform *machine = st_platform_native();
    size_t n = 0;
    if (st_tuned_read(machine, st_os_rows[facts->os].changes, facts, ret) != 0)
        return false;
    ST_EACH_OF (row, ret->rows, ret->n) {
        if (row->target[0] == '\0' || st_change_value_is(machine, row->target, row->from))
            ret->rows[n++] = *row;
    }
    ret->n = n;
    return n > 0;
}

int st_cmd_report(int argc, char **argv)
{
    struct options options = {0};
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    if (options.list)
        return list_rules();
    struct st_facts *facts;
    struct st_tuned tuned;
    const bool own_machine =
        options.input.snapshot == NULL && options.input.root == NULL && options.input.texts_n == 0;
    st_facts_input_of_player(&options.input);
    status = st_facts_input_load(&options.input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    if (own_machine && read_tuned(facts, &tuned))
        options.report.tuned = &tuned;
    if (options.ids_n > 0)
        status = st_report_run_rules(facts, &options.report, options.ids, options.ids_n);
    else
        status = st_report_run(facts, &options.report, own_machine);
    st_facts_free(facts);
    return status;
}
