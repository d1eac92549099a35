/* The ways of sleeping that `report --measure` compares on Linux. What is stretched: a call that starts its
 * timer with a range of current->timer_slack_ns may be woken as late as the slack says; the slack of a
 * real-time thread is 0. Read in Linux 6.1: kernel/time/hrtimer.c (hrtimer_nanosleep); without a range:
 * fs/timerfd.c.
 */
#include "platform/linux/linux.h"
#include "platform/posix/sleep_posix.h"

#define NANOSLEEP "hrtimer_nanosleep: a range of the timer slack"

static const struct st_sleep_method methods[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_TIMERFD_ABSOLUTE(""), ST_STRETCHED(NO, "its timer is started without a range"), .usual = true},
    ST_SLEEP_ABSENT("umtx", "_umtx_op is FreeBSD's; futex is alike"),
};

const struct st_sleep_method *st_linux_sleep_method(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}
