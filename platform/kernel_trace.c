/* FreeBSD has no tracefs: there the paths do not exist. */
#include "platform/kernel_trace.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

void st_kernel_trace_clear(st_trace_left_fn fn)
{
    static const char *const paths[] = {ST_TRACEFS "/instances/" ST_TRACE_INSTANCE,
                                        ST_TRACEFS "/instances/" ST_TRACE_INSTANCE_XRUNS};
    for (size_t i = 0; i < ST_ARRAY_LEN(paths); i++) {
        if (access(paths[i], F_OK) == 0)
            fn(paths[i], rmdir(paths[i]) == 0 ? 0 : -errno);
    }
}
