/* sleeptune lab: starts sleeptune-lab, a program and package of its own. */
#include <unistd.h>

#include "cli/command.h"
#include "platform/platform.h"
#include "st_config.h"

#define PROGRAM "sleeptune-lab"

/* The path beside this program. @return false: unknown. */
static bool beside(char *path, size_t path_bytes)
{
    char own[PATH_MAX];
    struct st_machine *machine = &st_platform_native()->machine;
    if (machine->program_path(machine, own, sizeof(own)) != 0)
        return false;
    const char *slash = strrchr(own, '/');
    return slash != NULL &&
           (size_t)snprintf(path, path_bytes, "%.*s/%s", (int)(slash - own), own, PROGRAM) < path_bytes;
}

int st_cmd_lab(ST_UNUSED int argc, char **argv)
{
    char path[PATH_MAX], name[] = PROGRAM;
    argv[0] = name;
    if (beside(path, sizeof(path)))
        execv(path, argv);
    execv(ST_BIN_DIR "/" PROGRAM, argv);
    if (errno != ENOENT)
        return st_failure("cannot start %s: %s", ST_BIN_DIR "/" PROGRAM, strerror(errno));
    return st_failure("%s is not installed. Install the package %s, or build sleeptune with -Dlab=true.",
                      PROGRAM, PROGRAM);
}
