/* sleeptune guide: the setup guide of an OS. */
#include <string.h>

#include "advisor/guide/guide.h"
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

int st_cmd_guide(int argc, char **argv)
{
    const char *os = NULL;
    const struct st_option options[] = {{"os", .text = &os}};
    const int status = st_options_only(COMMAND, options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    if (os == NULL)
        return st_usage_error(COMMAND, "for which system? --os linux or --os freebsd");
    if (strcmp(os, "linux") != 0 && strcmp(os, "freebsd") != 0)
        return st_usage_error(COMMAND, "--os: linux or freebsd, not %.40s", os);
    const int r = st_guide_print(os[0] == 'l' ? ST_OS_LINUX : ST_OS_FREEBSD, stdout);
    return r == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "%s", strerror(-r));
}
