/* sleeptune: finds the subcommand and runs it. */
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "st_config.h"

/* One row a subcommand, in the order of the help. */
const struct st_command st_commands[] = {
    {"check", "measure ten seconds, judge the settings, say both on one screen", st_cmd_check, NULL},
    {"measure", "run an audio-shaped loop and say whether this machine holds the period", st_cmd_measure,
     NULL},
    {"report", "judge this machine's settings: what may cost how many microseconds, and the fix",
     st_cmd_report, NULL},
    {"apply", "change what the report found, so that it can be taken back", st_cmd_apply, NULL},
    {"verify", "is what was applied in place and in effect?", st_cmd_verify, NULL},
    {"revert", "take back what was applied", st_cmd_revert, NULL},
    {"snapshot", "write all facts of this machine as JSON", st_cmd_snapshot, NULL},
    {"compare", "by how much runs differ, and whether that is more than chance", st_cmd_compare, NULL},
    {"plot", "draw what was measured: boxes, series, histograms, quantiles", st_cmd_plot, NULL},
    {"status", "what the running sleeptuned says", NULL, "status"},
    {"causes", "why wake-ups were late while sleeptuned ran", st_cmd_causes, NULL},
    {"watch", "the running sleeptuned, live on the terminal", NULL, "watch"},
    {"history", "what sleeptuned measured, by steps of time", st_cmd_history, NULL},
    {"events", "what happened while sleeptuned ran", st_cmd_events, NULL},
    {"lab", "measure ways of sleeping, waking, system calls; see sleeptune-lab", st_cmd_lab, NULL},
    {"devices", "sound devices that libsoundio sees, by backend", NULL, "devices"},
    {"help", "help for a subcommand", st_cmd_help, NULL},
    {"version", "version and optional parts of this build", st_cmd_version, NULL},
};
const size_t st_commands_n = ST_ARRAY_LEN(st_commands);

static int run(const struct st_command *command, int argc, char **argv)
{
    if (command->run != NULL)
        return command->run(argc, argv);
    char error[512];
    st_command_fn function;
    void *address = st_module_load(command->module, "st_module_run", error, sizeof(error));
    if (address == NULL)
        return st_failure(command->name, "cannot load: %s", error);
    memcpy(&function, &address, sizeof(function)); /* ISO C has no cast from object to function pointer */
    return function(argc, argv);
}

static const struct st_command *find(const char *name)
{
    for (size_t i = 0; i < st_commands_n; i++) {
        if (strcmp(st_commands[i].name, name) == 0)
            return &st_commands[i];
    }
    return NULL;
}

static void usage(FILE *out)
{
    fputs("Usage: sleeptune COMMAND [OPTION...]\n"
          "Find out why your audio clicks, fix it, and prove that it is fixed.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < st_commands_n; i++)
        fprintf(out, "  %-9s %s\n", st_commands[i].name, st_commands[i].summary);
    fputs("\nExamples:\n"
          "  sleeptune                                      the same as sleeptune check\n"
          "  sleeptune measure --frames 64 --duration 10s   does this machine hold 64 frames?\n"
          "  sleeptune report --frames 64                   which settings cost how much of it?\n"
          "  sleeptune report linux-timer-slack             why?\n"
          "\nExit status: 0 done, 1 findings or a difference, 2 unknown, 3 usage,\n"
          "4 failure, 5 the books do not balance. Manual: man sleeptune\n",
          out);
}

int st_cmd_help(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        usage(stdout);
        return ST_EXIT_DONE;
    }
    const struct st_command *command = find(argv[1]);
    if (command == NULL)
        return st_usage_error("help", "no such command: %s", argv[1]);
    char name[64], option[] = "--help";
    snprintf(name, sizeof(name), "%s", command->name);
    char *args[] = {name, option, NULL};
    return run(command, 2, args);
}

int st_cmd_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    printf("sleeptune %s\n", ST_VERSION);
    printf("libsoundio %s, systemd %s, http %s, status %s, watch %s, hlog %s,\nhistory %s, trace %s\n",
           ST_HAVE_SOUNDIO ? "yes" : "no", ST_HAVE_SYSTEMD ? "yes" : "no", ST_HAVE_HTTP ? "yes" : "no",
           ST_HAVE_STATUS ? "yes" : "no", ST_HAVE_WATCH ? "yes" : "no", ST_HAVE_HLOG ? "yes" : "no",
           ST_HAVE_HISTORY ? "yes" : "no", ST_HAVE_TRACE ? "yes" : "no");
    printf("watched by the service: jack %s, pipewire %s, pulseaudio %s\n", ST_HAVE_JACK ? "yes" : "no",
           ST_HAVE_PIPEWIRE ? "yes" : "no", ST_HAVE_PULSE ? "yes" : "no");
    return ST_EXIT_DONE;
}

int main(int argc, char **argv)
{
    if (argc < 2 && isatty(STDOUT_FILENO) == 1) {
        char name[] = "check", *args[] = {name, NULL};
        return run(find(name), 1, args);
    }
    if (argc < 2) {
        usage(stderr);
        return ST_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return st_cmd_help(1, argv);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return st_cmd_version(argc, argv);
    const struct st_command *command = find(argv[1]);
    if (command == NULL)
        return st_usage_error(NULL, "no such command: %s", argv[1]);
    const int status = run(command, argc - 1, argv + 1);
    if (fflush(stdout) != 0 || ferror(stdout) != 0)
        return st_failure(NULL, "writing to standard output failed");
    return status;
}
