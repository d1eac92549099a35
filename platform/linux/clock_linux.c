#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/linux/linux.h"
#include "platform/posix/posix.h"

/* The system call without libc's wrapper, which is a cancellation point and costs 45 instructions more in
 * every cycle (counted by single steps, glibc 2.36). Under RealtimeSanitizer, and where time_t is 32 bits
 * wide, libc's is taken. */
int st_linux_sleep_until_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING
{
#if defined(__LP64__) && !defined(ST_RTSAN)
    (void)p;
    const uint64_t due = due_ns > 0 ? (uint64_t)due_ns : 0;
    const struct timespec ts = {.tv_sec = (time_t)(due / (uint64_t)ST_NS_PER_S),
                                .tv_nsec = (long)(due % (uint64_t)ST_NS_PER_S)};
    return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == 0 ? 0 : -errno;
#else
    return st_posix_sleep_until_ns(p, due_ns);
#endif
}

int st_linux_sleep_until_precise_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING
{
    (void)p;
    (void)due_ns;
    return -ENOTSUP; /* timer slack does not touch SCHED_FIFO: the plain sleep is exact */
}

/* Far below what counts as a suspend; the slow path of the cycle loop asks, too. */
#define TOGETHER_NS 100000

/* The two clocks cannot be read at once. Between two reads of one the other is bracketed; the tightest of
 * some tries is taken, so that a thread that lost its CPU between the reads does not see a suspend. */
int st_linux_suspended_ns(struct st_platform *p, int64_t *ret_ns)
{
    (void)p;
    int64_t tightest_ns = INT64_MAX, suspended_ns = 0;
    for (int i = 0; i < 8 && tightest_ns > TOGETHER_NS; i++) {
        const int64_t before_ns = st_posix_clock_ns(CLOCK_MONOTONIC);
        const int64_t boot_ns = st_posix_clock_ns(CLOCK_BOOTTIME);
        const int64_t after_ns = st_posix_clock_ns(CLOCK_MONOTONIC);
        if (boot_ns < 0)
            return -ENOTSUP;
        if (after_ns - before_ns < tightest_ns) {
            tightest_ns = after_ns - before_ns;
            suspended_ns = boot_ns - before_ns;
        }
    }
    *ret_ns = suspended_ns;
    return 0;
}

int st_linux_timer_slack_ns(struct st_platform *p, int64_t *ret_ns)
{
    (void)p;
    /* prctl() returns int; the kernel's answer is a long */
    const long slack_ns = syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack_ns < 0)
        return -errno;
    *ret_ns = slack_ns;
    return 0;
}

int st_linux_set_timer_slack_ns(struct st_platform *p, int64_t ns)
{
    (void)p;
    if (ns < 1 || ns > INT64_C(0x7fffffff)) /* 0 means "back to the default" to the kernel */
        return -EINVAL;
    return prctl(PR_SET_TIMERSLACK, (unsigned long)ns, 0, 0, 0) == 0 ? 0 : -errno;
}
