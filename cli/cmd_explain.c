/* sleeptune explain: what one rule knows, and what it says about this machine. */
#include <string.h>
#include <unistd.h>

#include "advisor/facts/text.h"
#include "advisor/report/report_format.h"
#include "cli/command.h"
#include "cli/report/facts_input.h"
#include "platform/program/locale.h"

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

static int take_text(const char *command, void *ctx, const char *text)
{
    return st_facts_input_text(command, ctx, text);
}

/** @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct options *options, int *ret_first)
{
    const struct st_option table[] = {
        {"snapshot", .text = &options->input.snapshot},
        {"root", .text = &options->input.root},
        {"input", .take = take_text, .ctx = &options->input},
        {"frames", 'f', .number = &options->frames, .min = 1, .max = 1 << 22},
        {"rate", 'r', .number = &options->rate_hz, .min = 1, .max = 1 << 22},
        {"list", .flag = &options->list},
    };
    return st_options_read(COMMAND, table, ST_ARRAY_LEN(table), help, argc, argv, ret_first);
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
    r = st_report_text_explain(rule, finding, &report.wish, out, st_terminal_width(STDOUT_FILENO));
    const int ended = st_locale_end(&stream);
    r = r != 0 ? r : ended;
    st_report_finish(&report);
    return r == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "%s", strerror(-r));
}

int st_cmd_explain(int argc, char **argv)
{
    struct options options = {.frames = 128, .rate_hz = 48000};
    int first, status = parse_options(argc, argv, &options, &first);
    if (status >= 0)
        return status;
    if (options.list)
        return first == argc ? list_rules() : st_usage_error(COMMAND, "--list takes no rule");
    if (first + 1 != argc)
        return st_usage_error(COMMAND,
                              first == argc ? "which rule? (--list shows all)" : "one rule at a time");
    const struct st_rule *rule = st_rule_find(argv[first]);
    if (rule == NULL)
        return unknown_rule(argv[first]);
    struct st_facts *facts;
    status = st_facts_input_load(COMMAND, &options.input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    status = explain(rule, facts, &options);
    st_facts_free(facts);
    return status;
}
