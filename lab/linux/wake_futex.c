/* A word that the sleeper waits on. futex(2). */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/ns.h"
#include "lab/linux/wake_linux.h"

#ifdef SYS_futex
#define FUTEX_NUMBER SYS_futex
#else /* 32 bits, newer than 2038's problem */
#define FUTEX_NUMBER SYS_futex_time64
#endif

static int private_flag(const struct st_wake_place *place)
{
    return place->processes ? 0 : FUTEX_PRIVATE_FLAG;
}

static int wait_futex(struct st_wake_place *place, int64_t due_ns)
{
#ifdef SYS_futex
    const struct timespec until = st_ns_to_timespec(due_ns);
#else
    const int64_t until[2] = {due_ns / ST_NS_PER_S, due_ns % ST_NS_PER_S};
#endif
    while (atomic_exchange(&place->word, 0) == 0) {
        if (syscall(FUTEX_NUMBER, &place->word, FUTEX_WAIT_BITSET | private_flag(place), 0, &until, NULL,
                    FUTEX_BITSET_MATCH_ANY) != 0 &&
            errno != EAGAIN)
            return -errno;
    }
    return 0;
}

static int wake_futex(struct st_wake_place *place)
{
    atomic_store(&place->word, 1);
    return syscall(FUTEX_NUMBER, &place->word, FUTEX_WAKE | private_flag(place), 1, NULL, NULL, 0) >= 0
               ? 0
               : -errno;
}

const struct st_wake_ops st_wake_futex = {NULL, wait_futex, wake_futex, NULL};
