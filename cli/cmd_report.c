/* sleeptune report: judges the settings of this machine, a snapshot or a captured tree. */
#include "cli/command.h"
#include "cli/report/facts_input.h"
#include "cli/report/report_measure.h"
#include "cli/report/report_run.h"
#include "core/ns.h"
#include "measure/experiments.h"

#define COMMAND "report"

#define TRY_NS     (10 * ST_NS_PER_S)
#define TRY_MAX_NS (3600 * ST_NS_PER_S)

struct options {
    struct st_facts_input input;
    bool try_it;
    int64_t try_ns;
    bool list;
    const char *const *ids; /* rules to print; none: the report of all */
    size_t ids_n;
    struct st_report_options report;
};

static void help(void)
{
    fputs("Usage: sleeptune report [OPTION...] [ID...]\n"
          "       sleeptune report --list\n"
          "Judge the settings of this machine: how many microseconds of each period a\n"
          "setting may cost, and how to change it. Changes nothing and needs no root.\n"
          "With ids of rules: print the mechanism, formula and sources of each, and its\n"
          "result for this machine.\n\n"
          "  --list             list all rules\n"
          "  --snapshot FILE    judge a snapshot; '-': standard input\n"
          "  --root DIR         judge a captured tree (a folder with proc/, sys/ ...) or a\n"
          "                     FreeBSD capture (a folder with sysctl-a.txt)\n"
          "  --input FILE       judge a posted text: the output of sysctl -a,\n"
          "                     alsa-info.sh or /dev/sndstat; up to 8 times\n"
          "  --user NAME        judge with the rights that NAME gets at login\n" ST_NO_SERVERS_HELP
          "  --measure[=T]      try for T (10s) what needs no rights and changes nothing:\n"
          "                     timer slack, policy, ways of sleeping, idle states, CPUs.\n"
          "                     Each is compared with the present setting\n" ST_REPORT_HELP "\n"
          "Examples:\n"
          "  sleeptune report --frames 64\n"
          "  sleeptune report linux-timer-slack\n"
          "  sleeptune report --json | jq .verdict\n"
          "  sleeptune report --snapshot friend.json --format markdown -o answer.md\n"
          "  sysctl -a > capture/sysctl-a.txt; sleeptune report --root capture\n\n"
          "Exit status: 0 nothing at or above the threshold, 1 findings, 2 a rule that\n"
          "could reach it is unknown, 3 usage, 4 failure.\n",
          stdout);
}

static int take_input(const char *command, void *ctx, const char *text)
{
    struct options *options = ctx;
    if (options->input.texts_n == ST_FACTS_INPUT_TEXTS_MAX)
        return st_failure_usage(command, "--input: at most %d files", ST_FACTS_INPUT_TEXTS_MAX);
    options->input.texts[options->input.texts_n++] = text;
    return 0;
}

/* text may be NULL: --measure alone */
static int take_measure(const char *command, void *ctx, const char *text)
{
    struct options *options = ctx;
    options->try_it = true;
    return text != NULL
               ? st_option_time(command, "--measure", text, ST_NS_PER_S, TRY_MAX_NS, &options->try_ns)
               : 0;
}

/** @return -1 to go on, or an st_exit. */
static int read_options(int argc, char **argv, struct options *options)
{
    int first;
    const struct st_option own[] = {
        {"snapshot", .text = &options->input.snapshot},
        {"root", .text = &options->input.root},
        {"input", .take = take_input, .ctx = options},
        {"user", .text = &options->input.user},
        {"no-servers", .flag = &options->input.no_servers},
        {"measure", .take = take_measure, .ctx = options, .optional = true},
        {"list", .flag = &options->list},
    };
    const int status =
        st_report_run_options(COMMAND, own, ST_ARRAY_LEN(own), help, argc, argv, &first, &options->report);
    if (status >= 0)
        return status;
    options->ids = (const char *const *)argv + first;
    options->ids_n = (size_t)(argc - first);
    if (options->list && options->ids_n > 0)
        return st_failure_usage(COMMAND, "--list cannot be combined with ids of rules");
    if (options->ids_n > 0 && options->report.format != &st_report_text)
        return st_failure_usage(COMMAND, "a rule is explained as text only; for other formats use --only ID");
    return st_report_run_check_ids(COMMAND, options->ids, options->ids_n) == 0 ? -1 : ST_EXIT_USAGE;
}

static int list_rules(void)
{
    for (size_t i = 0; i < st_rules_n; i++)
        printf("%-26s %s\n", st_rules[i]->id, st_rules[i]->title);
    return ST_EXIT_DONE;
}

int st_cmd_report(int argc, char **argv)
{
    struct options options = {.try_ns = TRY_NS};
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    if (options.list)
        return list_rules();
    struct st_facts *facts;
    struct st_trials trials = {0};
    const bool own_machine =
        options.input.snapshot == NULL && options.input.root == NULL && options.input.texts_n == 0;
    if (options.try_it && (!own_machine || options.input.user != NULL))
        return st_failure_usage(COMMAND,
                                "--measure tries settings on this machine with your own rights: leave "
                                "--snapshot, --root, --input and --user out");
    if (!options.try_it)
        st_facts_input_of_player(&options.input);
    /* before anything is tried, so that nothing of it is taken for the machine's */
    status = st_facts_input_load(COMMAND, &options.input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    if (options.try_it) {
        struct st_wish wish;
        options.report.trials = &trials;
        status = st_report_run_period(COMMAND, facts, &options.report, &wish);
        if (status == ST_EXIT_DONE)
            status = st_report_measure_try(COMMAND, &wish, options.try_ns, &trials);
    }
    if (status == ST_EXIT_DONE && options.ids_n > 0)
        status = st_report_run_rules(COMMAND, facts, &options.report, options.ids, options.ids_n);
    else if (status == ST_EXIT_DONE)
        status = st_report_run(COMMAND, facts, &options.report, own_machine);
    st_trials_finish(&trials);
    st_facts_free(facts);
    return status;
}
