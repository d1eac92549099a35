/* A wait on a word that nobody wakes. */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/ns.h"
#include "lab/linux/sleep_linux.h"

/* FUTEX_WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC; FUTEX_WAIT takes a relative one. */
int st_sleep_futex(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    unsigned word = 0;
#ifdef SYS_futex
    const long number = SYS_futex;
    const struct timespec until = st_ns_to_timespec(s->due_ns);
#else /* 32 bits, newer than 2038's problem */
    const long number = SYS_futex_time64;
    const int64_t until[2] = {s->due_ns / ST_NS_PER_S, s->due_ns % ST_NS_PER_S};
#endif
    long r;
    do
        r = syscall(number, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY);
    while (r == 0);
    return errno == ETIMEDOUT ? 0 : -errno;
}
