/* sleeptune: finds the command and runs it. */
#include "cli/command.h"
#include "core/text/text.h"
#include "platform/posix/posix.h"
#include "platform/standard_files.h"
#include "platform/trusted.h"
#include "st_config.h"

#define FIND  "Find out"
#define FIX   "Fix"
#define WATCH "Watch"

static int help_command(int argc, char **argv);

/* One row for each command; those of one group are neighbours, in the order of the help. */
const struct st_command st_commands[] = {
    {"check", "measure for ten seconds and check the settings", st_cmd_check, FIND},
    {"measure", "measure how late this computer wakes up audio threads", st_cmd_measure, FIND},
    {"listen", "play a test signal, record it, and find what is lost", st_cmd_listen, FIND},
    {"report", "list the settings that delay audio, and how to change them", st_cmd_report, FIND},
    {"predict", "the dropouts per hour at each buffer size", st_cmd_predict, FIND},
    {"share", "print a short text to ask for help with", st_cmd_share, FIND},
    {"tune", "try these settings, and say which of them help", st_cmd_tune, FIX},
    {"apply", "change the settings that the report found", st_cmd_apply, FIX},
    {"verify", "check that the changes are in effect, and whether they helped", st_cmd_verify, FIX},
    {"revert", "undo the changes", st_cmd_revert, FIX},
    {"snapshot", "save the settings of this machine, to judge them elsewhere", st_cmd_snapshot,
     FIX},
    {"status", "show what sleeptuned measures now", st_cmd_status, WATCH},
    {"heard", "note that you heard a click now", st_cmd_heard, WATCH},
    {"history", "show what sleeptuned has recorded", st_cmd_history, WATCH},
    {"lab", "run sleeptune-lab", st_cmd_lab, NULL},
    {"help", "explain a command", help_command, NULL},
};
const size_t st_commands_n = ST_ARRAY_LEN(st_commands);

static const struct st_command *find(const char *name)
{
    ST_EACH_OF (command, st_commands, st_commands_n) {
        if (st_text_is(command->name, name))
            return command;
    }
    return NULL;
}

static int start(const struct st_command *command, int argc, char **argv)
{
    st_program_command = command->name;
    st_program_words = argv + 1;
    return command->run(argc, argv);
}

static int unknown(const char *typed)
{
    struct st_near near = {.typed = typed};
    ST_EACH_OF (command, st_commands, st_commands_n)
        st_near_offer(&near, command->name);
    return st_failure_unknown("command", "", &near);
}

static void usage(void)
{
    const char *group = "";
    fputs("Usage: sleeptune COMMAND [OPTION...]\n"
          "Find out why your audio clicks, fix it, and prove that it is fixed.\n",
          stdout);
    for (size_t i = 0; i < st_commands_n && st_commands[i].group != NULL; i++) {
        if (!st_text_is(st_commands[i].group, group))
            printf("\n%s:\n", group = st_commands[i].group);
        printf("  %-9s %s\n", st_commands[i].name, st_commands[i].summary);
    }
    fputs("\n'sleeptune' runs status if sleeptuned answers, else check; with options, check.\n"
          "'sleeptune help COMMAND' explains a command, 'sleeptune lab' runs the\n"
          "laboratory, 'sleeptune --version' prints the version.\n"
          "\nExamples:\n"
          "  sleeptune measure --frames 64 --duration 1m   are 64 frames enough?\n"
          "  sleeptune report --frames 64                  what is in the way?\n"
          "  sleeptune apply                               change it (as root)\n"
          "  sleeptune verify                              did that help?\n"
          "\nExit status: 0 done, 1 findings or a difference, 2 unknown, 3 usage, 4 failure,\n"
          "5 invalid measurement. Manual: man sleeptune, man sleeptune-COMMAND\n",
          stdout);
}

static int help_command(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        usage();
        return ST_EXIT_DONE;
    }
    const struct st_command *command = find(argv[1]);
    if (command == NULL)
        return unknown(argv[1]);
    char option[] = "--help";
    char *name = st_text("%s", command->name);
    char *args[] = {name, option, NULL};
    return start(command, 2, args);
}

static int version(void)
{
    static const char *const has[] = {"no", "yes"};
    printf("sleeptune %s\n", ST_VERSION);
    printf("libsoundio %s, alsa %s, systemd %s, http %s, trace %s\n", has[ST_HAVE_SOUNDIO],
           has[ST_HAVE_ALSA], has[ST_HAVE_SYSTEMD], has[ST_HAVE_HTTP], has[ST_HAVE_TRACE]);
    puts("sound servers that can be watched: " ST_SERVERS);
    return ST_EXIT_DONE;
}

static int run(int argc, char **argv)
{
    if (argc >= 2 && (st_text_is(argv[1], "--help") || st_text_is(argv[1], "-h")))
        return help_command(1, argv);
    if (argc >= 2 && (st_text_is(argv[1], "--version") || st_text_is(argv[1], "-V")))
        return version();
    if (argc < 2) {
        st_program_command = "status";
        const int shown = st_cmd_status_first();
        if (shown >= 0)
            return shown;
    }
    if (argc < 2 || argv[1][0] == '-')
        return start(find("check"), argc, argv);
    const struct st_command *command = find(argv[1]);
    return command != NULL ? start(command, argc - 1, argv + 1) : unknown(argv[1]);
}

int main(int argc, char **argv)
{
    st_standard_files_open();
    st_trusted_environment();
    /* the laboratory (sleeptune lab) measures its own threads, so these keep the policy that the
     * user chose */
    if (argc < 2 || !st_text_is(argv[1], "lab"))
        st_posix_give_way();
    const int status = run(argc, argv);
    st_program_command = NULL;
    if (fflush(stdout) != 0 || ferror(stdout) != 0)
        return st_failure("writing to standard output failed");
    return status;
}
