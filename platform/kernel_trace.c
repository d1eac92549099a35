/* FreeBSD has no tracefs: there the path does not exist. */
#include "platform/kernel_trace.h"

#include <errno.h>
#include <unistd.h>

void st_kernel_trace_clear(st_trace_left_fn fn)
{
    static const char path[] = ST_TRACEFS "/instances/" ST_TRACE_INSTANCE;
    if (access(path, F_OK) == 0)
        fn(path, rmdir(path) == 0 ? 0 : -errno);
}
