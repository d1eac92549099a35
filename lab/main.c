/* sleeptune-lab: finds the subcommand and runs it. */
#include "lab/commands.h"
#include "platform/standard_files.h"
#include "platform/trusted.h"
#include "st_config.h"

/* The subcommands, in the order of the help. */
static const struct st_command commands[] = {
    {"exec", "how exactly whole programs sleep, timed from outside", st_cmd_exec},
    {"syscall", "how long system calls take, and which clocks need one", st_cmd_syscall},
    {"wake", "how fast one thread wakes another", st_cmd_wake},
    {"series", "lateness over time: clock ticks, drift, steps, sizes of outliers", st_cmd_series},
    {"analyse", "find clock ticks in a recording or in a text file", st_cmd_analyse},
    {"compare", "whether two runs differ by more than chance", st_cmd_compare},
    {"plot", "draw measurements, or convert a recording to CSV", st_cmd_plot},
    {"table", "a saved JSON as CSV or Markdown, or its single values", st_cmd_table},
    {"simulate", "how late a kernel with clock ticks would wake a program", st_cmd_simulate},
};

static void usage(FILE *out)
{
    fputs("Usage: sleeptune-lab COMMAND [OPTION...]\n"
          "Measure how exactly this system sleeps and how fast it wakes; compare and draw runs.\n\n"
          "Commands:\n",
          out);
    ST_EACH (command, commands)
        fprintf(out, "  %-9s %s\n", command->name, command->summary);
    fputs("\nOptions of a command: sleeptune-lab COMMAND --help. Manual: man sleeptune-lab\n", out);
}

static const struct st_command *find(const char *name)
{
    ST_EACH (command, commands) {
        if (strcmp(command->name, name) == 0)
            return command;
    }
    return NULL;
}

static int start(const struct st_command *command, int argc, char **argv)
{
    st_program_command = command->name;
    return command->run(argc, argv);
}

static int unknown(const char *typed)
{
    if (strcmp(typed, "sleep") == 0)
        return st_failure_usage(
            "ways of sleeping are compared by 'series --method LIST --policy LIST'");
    struct st_near near = {.typed = typed};
    ST_EACH (command, commands)
        st_near_offer(&near, command->name);
    return st_failure_unknown("command", "", &near);
}

static int help(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        usage(stdout);
        return ST_EXIT_DONE;
    }
    const struct st_command *command = find(argv[1]);
    if (command == NULL)
        return unknown(argv[1]);
    char option[] = "--help";
    char *args[] = {argv[1], option, NULL};
    return start(command, 2, args);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return ST_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(1, argv);
    if (strcmp(argv[1], "help") == 0) {
        st_program_command = "help";
        return help(argc - 1, argv + 1);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("sleeptune-lab " ST_VERSION);
        return ST_EXIT_DONE;
    }
    const struct st_command *command = find(argv[1]);
    return command != NULL ? start(command, argc - 1, argv + 1) : unknown(argv[1]);
}

int main(int argc, char **argv)
{
    st_standard_files_open();
    st_trusted_environment();
    st_program_name = "sleeptune-lab";
    const int status = run(argc, argv);
    st_program_command = NULL;
    if (fflush(stdout) != 0 || ferror(stdout) != 0)
        return st_failure("writing to standard output failed");
    return status;
}
