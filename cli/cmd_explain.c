/* sleeptune explain: what one rule knows, and what it says about this machine. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "advisor/report.h"
#include "advisor/text.h"
#include "cli/command.h"
#include "cli/facts_input.h"
#include "cli/locale.h"

#define COMMAND    "explain"
#define NEAR_EDITS 4 /* a typing error or two, or a forgotten word of three letters */

struct options {
    struct st_facts_input input;
    int64_t frames;
    int64_t rate_hz;
    bool list;
};

static void help(void)
{
    fputs("Usage: sleeptune explain [OPTION...] ID\n"
          "       sleeptune explain --list\n"
          "Mechanism, formula and sources of one rule, and what it says about this machine.\n\n"
          "  --list             all rules of this build\n"
          "  --snapshot FILE    say it about a snapshot; '-': standard input\n"
          "  --root DIR         say it about a captured tree or FreeBSD capture\n"
          "  --input FILE       say it about a posted text, as report does\n"
          "  -f, --frames N     frames a period (128)\n"
          "  -r, --rate N       frames a second (48000)\n"
          "  -h, --help         this text\n\n"
          "Examples:\n"
          "  sleeptune explain linux-timer-slack\n"
          "  sleeptune explain freebsd-alloweddeviation --root capture --frames 64\n\n"
          "Exit status: 0 done, 3 usage (no such rule), 4 failure.\n",
          stdout);
}

static int list_rules(void)
{
    for (size_t i = 0; i < st_rules_n; i++)
        printf("%-26s %s\n", st_rules[i]->id, st_rules[i]->title);
    return ST_EXIT_DONE;
}

/** @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {
        {"snapshot", required_argument, NULL, 's'}, {"root", required_argument, NULL, 'O'},
        {"input", required_argument, NULL, 'T'},    {"frames", required_argument, NULL, 'f'},
        {"rate", required_argument, NULL, 'r'},     {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    int option, r = 0;
    opterr = 0;
    optind = 1;
    while (r == 0 && (option = getopt_long(argc, argv, ":f:r:h", table, NULL)) != -1) {
        switch (option) {
        case 's':
            options->input.snapshot = optarg;
            break;
        case 'O':
            options->input.root = optarg;
            break;
        case 'T':
            r = st_facts_input_text(COMMAND, &options->input, optarg);
            break;
        case 'f':
            r = st_option_i64(COMMAND, "--frames", optarg, 1, 1 << 22, &options->frames);
            break;
        case 'r':
            r = st_option_i64(COMMAND, "--rate", optarg, 1, 1 << 22, &options->rate_hz);
            break;
        case 'l':
            options->list = true;
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
    return r != 0 ? r : -1;
}

/** "linux-timerslack" is near "linux-timer-slack", and so is "slack". */
static bool is_near(const char *id, const char *typed)
{
    return (strlen(typed) >= 2 && strstr(id, typed) != NULL) || st_text_distance(id, typed) <= NEAR_EDITS;
}

static int unknown_rule(const char *typed)
{
    char near[512] = "";
    size_t used = 0, n = 0;
    for (size_t i = 0; i < st_rules_n && n < 4; i++) {
        if (!is_near(st_rules[i]->id, typed))
            continue;
        used +=
            (size_t)snprintf(near + used, sizeof(near) - used, "%s%s", n == 0 ? "" : ", ", st_rules[i]->id);
        n++;
    }
    if (n == 0)
        return st_usage_error(COMMAND, "no such rule: %.100s (--list shows all)", typed);
    return st_usage_error(COMMAND, "no such rule: %.100s; near it: %s", typed, near);
}

static int explain(const struct st_rule *rule, const struct st_facts *facts, const struct options *options)
{
    struct st_report report;
    const struct st_finding *finding = NULL;
    int r = st_report_make(facts, (uint32_t)options->frames, (uint32_t)options->rate_hz, &report);
    if (r != 0)
        return st_failure(COMMAND, "%lld frames at %lld Hz: %s", (long long)options->frames,
                          (long long)options->rate_hz, strerror(-r));
    for (size_t i = 0; i < report.findings_n; i++) {
        if (report.findings[i].rule == rule)
            finding = &report.findings[i];
    }
    struct st_locale_stream stream;
    FILE *out = st_locale_begin(&stream, stdout);
    r = st_report_explain(rule, finding, out, st_terminal_width(STDOUT_FILENO));
    const int ended = st_locale_end(&stream);
    r = r != 0 ? r : ended;
    st_report_finish(&report);
    return r == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "%s", strerror(-r));
}

int st_cmd_explain(int argc, char **argv)
{
    struct options options = {.frames = 128, .rate_hz = 48000};
    int status = parse_options(argc, argv, &options);
    if (status >= 0)
        return status;
    if (options.list)
        return optind == argc ? list_rules() : st_usage_error(COMMAND, "--list takes no rule");
    if (optind + 1 != argc)
        return st_usage_error(COMMAND,
                              optind == argc ? "which rule? (--list shows all)" : "one rule at a time");
    const struct st_rule *rule = st_rule_find(argv[optind]);
    if (rule == NULL)
        return unknown_rule(argv[optind]);
    struct st_facts *facts;
    status = st_facts_input_load(COMMAND, &options.input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    status = explain(rule, facts, &options);
    st_facts_free(facts);
    return status;
}
