/* sleeptune lab: starts sleeptune-lab, a program and package of its own. */
#include <unistd.h>

#include "cli/command.h"
#include "platform/trusted.h"
#include "st_config.h"

#define PROGRAM "sleeptune-lab"

int st_cmd_lab(ST_UNUSED int argc, char **argv)
{
    char path[PATH_MAX], name[] = PROGRAM;
    argv[0] = name;
    const int r = st_trusted_find(st_platform_native(), "", "", ST_BIN_DIR, PROGRAM, path);
    if (r == -ENOENT)
        return st_failure(
            "%s. Install the package " PROGRAM ", or build sleeptune with -Dlab=true.", path);
    if (r == 0)
        execv(path, argv);
    return r != 0 ? st_failure("%s", path)
                  : st_failure("cannot start %s: %s", path, strerror(errno));
}
