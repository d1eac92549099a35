/* The two functions that the cycle loop calls in each cycle, and the wall clock. */
#include <sys/syscall.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/posix.h"

/* The two libc calls of the cycle loop, declared as what they are: clock_gettime never blocks, and
 * the sleep is the one wait the loop has. Without this -Wfunction-effects refuses them; libc does
 * not carry the attribute. */
#ifdef ST_RTSAN
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
int clock_gettime(clockid_t clock, struct timespec *ts) ST_NONBLOCKING;
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request,
                    struct timespec *remain) ST_NONBLOCKING;
#pragma GCC diagnostic pop
#endif

int64_t st_posix_now_ns(ST_UNUSED struct st_platform *platform) ST_NONBLOCKING
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail with this clock and a valid pointer */
    return (int64_t)ts.tv_sec * ST_NS_PER_S + ts.tv_nsec;
}

/* On Linux, makes the system call without libc's wrapper, which is a cancellation point and costs
 * 45 instructions more in every cycle (counted by single steps, glibc 2.36). Under
 * RealtimeSanitizer, and where time_t is 32 bits wide, calls libc's function. */
int st_posix_sleep_until_ns(ST_UNUSED struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    /* unsigned division takes fewer instructions */
    const uint64_t due = due_ns > 0 ? (uint64_t)due_ns : 0;
    const struct timespec ts = {.tv_sec = (time_t)(due / (uint64_t)ST_NS_PER_S),
                                .tv_nsec = (long)(due % (uint64_t)ST_NS_PER_S)};
#if defined(__linux__) && defined(__LP64__) && !defined(ST_RTSAN)
    return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == 0 ? 0
                                                                                        : -errno;
#else
    /* returns the error, does not set errno */
    return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
#endif
}

int64_t st_posix_wall_ns(ST_UNUSED struct st_platform *platform)
{
    return st_posix_clock_ns(CLOCK_REALTIME);
}

int64_t st_posix_clock_ns(clockid_t clock)
{
    struct timespec ts;
    if (clock_gettime(clock, &ts) != 0)
        return -1;
    return (int64_t)ts.tv_sec * ST_NS_PER_S + ts.tv_nsec;
}
