/* The Linux row of the laboratory's seam. */
#include "lab/linux/lab_linux.h"
#include "lab/lab.h"
#include "lab/posix/lab_posix.h"

struct st_lab *st_lab_native(void)
{
    static struct st_lab row = {
        .sleep_method = st_linux_lab_sleep_method,
        .call_method = st_linux_call_method,
        .wake_method = st_linux_wake_method,
        .wake_open = st_posix_wake_open,
        .wake_round = st_posix_wake_round,
        .wake_close = st_posix_wake_close,
        .time_program = st_posix_time_program,
        .signal_program = st_posix_signal_program,
    };
    row.platform = st_platform_native();
    return &row;
}
