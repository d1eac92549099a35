/* What is said of a recording that cannot be read. */
#include "chart/input/recording_input.h"

#include <errno.h>
#include <string.h>

#include "program/options.h"
#include "store/recording/recording.h"

int st_recording_refused(const char *command, const char *name, int r)
{
    if (r == -EBADMSG)
        return st_failure(command, "%s is no recording of sleeptune, or was cut within its first block",
                          name);
    if (r == -EPROTONOSUPPORT)
        return st_failure(command, "%s was recorded by a newer sleeptune (this one reads version %d)", name,
                          ST_RECORDING_VERSION);
    return st_failure(command, "cannot read %s: %s", name, strerror(-r));
}
