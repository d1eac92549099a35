/* sleeptune verify: is what apply wrote still there, and did it take effect? */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/render.h"
#include "cli/change_target.h"
#include "cli/command.h"

#define COMMAND "verify"

static void help(void)
{
    fputs("Usage: sleeptune verify [OPTION...]\n"
          "Is everything that 'sleeptune apply' wrote still in place, and do its rules find\n"
          "nothing any more? Most useful after a reboot. Changes nothing and needs no root.\n\n"
          "  -f, --frames N     frames a period (128)\n"
          "  -r, --rate N       frames a second (48000)\n"
          "  --user NAME        judge with the rights that NAME gets at login\n"
          "  --root DIR         of a captured tree, not this machine\n"
          "  -h, --help         this text\n\n"
          "Example:\n"
          "  sleeptune verify\n\n"
          "Exit status: 0 all of it took effect, 1 a difference was shown, 3 usage,\n"
          "4 failure.\n",
          stdout);
}

/** Lines of others that win over ours in this file. @return whether there is one. */
static bool print_overruled(struct st_platform *p, const struct st_entry *entry)
{
    char message[512];
    struct st_change change;
    bool found = false;
    for (const char *line = entry->new_value; *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (st_change_parse(p->os, entry->target, line, &change) != 0 ||
            !st_change_conflict(p, &change, message, sizeof(message)))
            continue;
        st_change_print(0, "overruled  ", message);
        found = true;
    }
    return found;
}

/** @return whether it is as we wrote it, and counts. */
static bool verify_entry(struct st_platform *p, const struct st_entry *entry)
{
    char text[1024], now[ST_CHANGE_VALUE_BYTES];
    int error = 0;
    const enum st_entry_state state = st_change_state(p, entry, now, sizeof(now), &error);
    st_change_entry_text(entry, text, sizeof(text));
    if (entry->phase != ST_PHASE_DONE) {
        printf("interrupted %s; run sleeptune revert\n", text);
        return false;
    }
    switch (state) {
    case ST_ENTRY_IN_PLACE:
        printf("in place    %s\n", text);
        break;
    case ST_ENTRY_DIFFERS:
        printf("differs     %s: %s\n", text,
               entry->type == ST_ENTRY_FILE ? "they are not there as written" : now);
        break;
    case ST_ENTRY_GONE:
        printf("gone        %s\n", text);
        break;
    case ST_ENTRY_UNREAD:
        printf("not read    %s: %s\n", text, strerror(-error));
        break;
    }
    return state == ST_ENTRY_IN_PLACE && !(entry->type == ST_ENTRY_FILE && print_overruled(p, entry));
}

/* What the rule says now. @return whether it finds nothing any more. */
static bool verify_rule(const struct st_change_target *target, const char *id)
{
    const struct st_finding *finding = st_change_target_find(target, id);
    if (finding == NULL)
        return true;
    const bool fired = finding->status == ST_STATUS_PROBLEM || finding->status == ST_STATUS_ADVICE;
    const bool waits = fired && finding->needs != ST_NEEDS_NOTHING;
    char label[96], *text;
    snprintf(label, sizeof(label), "%s  %s:", fired ? "not yet   " : "in effect ", id);
    if (asprintf(&text, "%s%s%s", finding->summary, waits ? "; " : "",
                 waits ? st_needs_text(finding->needs) : "") >= 0) {
        st_change_print(0, label, text);
        free(text);
    }
    return !fired;
}

static bool is_first_of_rule(const struct st_journal *journal, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (strcmp(journal->entries[j].rule, journal->entries[i].rule) == 0)
            return false;
    }
    return true;
}

static int verify(const struct st_change_target *target)
{
    char message[512];
    struct st_journal journal;
    bool good = true;
    if (st_journal_read(target->p, target->folder, &journal, message, sizeof(message)) < 0)
        return st_failure(COMMAND, "%s", message);
    for (size_t i = 0; i < journal.entries_n; i++)
        good &= verify_entry(target->p, &journal.entries[i]);
    for (size_t i = 0; i < journal.entries_n; i++) {
        if (is_first_of_rule(&journal, i))
            good &= verify_rule(target, journal.entries[i].rule);
    }
    if (journal.entries_n == 0)
        puts("nothing is applied");
    st_journal_finish(&journal);
    return good ? ST_EXIT_DONE : ST_EXIT_FINDINGS;
}

int st_cmd_verify(int argc, char **argv)
{
    static const struct option table[] = {
        {"frames", required_argument, NULL, 'f'}, {"rate", required_argument, NULL, 'r'},
        {"root", required_argument, NULL, 'O'},   {"user", required_argument, NULL, 'U'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    int64_t frames = 128, rate_hz = 48000;
    struct st_facts_input input = {0};
    int option, status = 0;
    opterr = 0;
    optind = 1;
    while (status == 0 && (option = getopt_long(argc, argv, ":f:r:h", table, NULL)) != -1) {
        switch (option) {
        case 'f':
            status = st_option_i64(COMMAND, "--frames", optarg, 1, 1 << 22, &frames);
            break;
        case 'r':
            status = st_option_i64(COMMAND, "--rate", optarg, 1, 1 << 22, &rate_hz);
            break;
        case 'O':
            input.root = optarg;
            break;
        case 'U':
            input.user = optarg;
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
    if (status != 0)
        return status;
    if (optind < argc)
        return st_usage_error(COMMAND, "unexpected argument: %s", argv[optind]);
    struct st_change_target target;
    status = st_change_target_open(COMMAND, input.root, &target);
    if (status != ST_EXIT_DONE)
        return status;
    status = st_change_target_judge(COMMAND, &input, (uint32_t)frames, (uint32_t)rate_hz, &target);
    if (status == ST_EXIT_DONE)
        status = verify(&target);
    st_change_target_close(&target);
    return status;
}
