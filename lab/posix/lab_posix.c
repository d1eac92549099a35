/* The struct st_lab of Linux and FreeBSD: functions that both share, and the tables of the
 * system. */
#include "lab/posix/lab_posix.h"

static const void *sleep_method(ST_UNUSED struct st_lab *lab, size_t i)
{
    return i < st_lab_own.sleeps_n ? &st_lab_own.sleeps[i] : NULL;
}

static const void *call_method(ST_UNUSED struct st_lab *lab, size_t i)
{
    const size_t n = st_lab_own.calls_n;
    if (i < n)
        return &st_lab_own.calls[i];
    return i - n < st_lab_posix_calls_n ? &st_lab_posix_calls[i - n] : NULL;
}

static const void *wake_method(ST_UNUSED struct st_lab *lab, size_t i)
{
    const size_t n = st_lab_posix_wakes_n;
    if (i < n)
        return &st_lab_posix_wakes[i];
    return i - n < st_lab_own.wakes_n ? &st_lab_own.wakes[i - n] : NULL;
}

struct st_lab *st_lab_native(void)
{
    static struct st_lab row = {
        .sleep_method = sleep_method,
        .call_method = call_method,
        .wake_method = wake_method,
        .wake_open = st_lab_posix_wake_open,
        .wake_round = st_lab_posix_wake_round,
        .wake_close = st_lab_posix_wake_close,
        .clock_correction_ppm = st_lab_own_clock_correction_ppm,
        .time_program = st_lab_posix_time_program,
        .signal_program = st_lab_posix_signal_program,
    };
    row.platform = st_platform_native();
    return &row;
}
