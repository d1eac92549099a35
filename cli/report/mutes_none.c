/* A build without libconfig has no mutes. */
#include "cli/report/mutes.h"

#include "cli/command.h"

int st_mutes_load(const char *command, const char *path, struct st_mutes *ret)
{
    if (path != NULL)
        return st_failure(command, "--config cannot be used: sleeptune was built without libconfig");
    *ret = (struct st_mutes){0};
    return ST_EXIT_DONE;
}

void st_mutes_free(ST_UNUSED struct st_mutes *mutes) {}
