#include "platform/kernel_trace.h"

void st_kernel_trace_clear(st_trace_left_fn fn)
{
    (void)fn;
}
