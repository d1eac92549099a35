/* sleeptune guide: the setup guide of an OS. */
#include <getopt.h>
#include <string.h>

#include "advisor/guide.h"
#include "cli/command.h"

#define COMMAND "guide"

static void help(void)
{
    fputs("Usage: sleeptune guide --os OS\n"
          "How to set up a machine for real-time audio, written from the rules of\n"
          "'sleeptune report', as Markdown.\n\n"
          "  --os OS            linux or freebsd\n"
          "  -h, --help         this text\n\n"
          "Examples:\n"
          "  sleeptune guide --os linux >setup-linux.md\n"
          "  sleeptune guide --os freebsd | less\n\n"
          "Exit status: 0 done, 3 usage, 4 failure.\n",
          stdout);
}

static bool parse_os(const char *text, enum st_os *ret)
{
    if (strcmp(text, "linux") != 0 && strcmp(text, "freebsd") != 0)
        return false;
    *ret = text[0] == 'l' ? ST_OS_LINUX : ST_OS_FREEBSD;
    return true;
}

int st_cmd_guide(int argc, char **argv)
{
    static const struct option table[] = {
        {"os", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    enum st_os os = ST_OS_LINUX;
    bool given = false;
    int option;
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
        switch (option) {
        case 'o':
            if (!parse_os(optarg, &os))
                return st_usage_error(COMMAND, "--os: linux or freebsd, not %.40s", optarg);
            given = true;
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
    if (optind < argc)
        return st_usage_error(COMMAND, "unexpected argument: %s", argv[optind]);
    if (!given)
        return st_usage_error(COMMAND, "for which system? --os linux or --os freebsd");
    const int r = st_guide_print(os, stdout);
    return r == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "%s", strerror(-r));
}
