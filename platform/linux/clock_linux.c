/* The sleep of the cycle loop. */
#include <errno.h>
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
