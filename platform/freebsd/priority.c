#include "platform/freebsd/priority.h"

#include <errno.h>

int st_freebsd_priority(int priority)
{
    if (priority < 1 || priority > 99)
        return -EINVAL;
    return priority * ST_FREEBSD_PRIORITY_MAX / 99;
}

int st_freebsd_rtprio(int freebsd_priority)
{
    return ST_FREEBSD_PRIORITY_MAX - freebsd_priority;
}
