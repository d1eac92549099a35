/* Built without libsystemd, or no Linux. */
#include "daemon/loop/rtkit.h"

#include <errno.h>
#include <stdio.h>

int st_rtkit_ask(struct st_platform *platform, pid_t tid, int priority, char *text, size_t text_bytes)
{
    (void)platform;
    (void)tid;
    (void)priority;
    snprintf(text, text_bytes, "rtkit was not asked: built without D-Bus");
    return -ENOTSUP;
}
