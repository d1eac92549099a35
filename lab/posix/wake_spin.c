/* A flag that the sleeper reads all the time. */
#include <errno.h>

#include "lab/posix/wake_posix.h"

#define LOOKS_N 64 /* at the flag between two looks at the clock */

static int wait_spin(struct st_wake_place *place, int64_t due_ns)
{
    for (;;) {
        for (int i = 0; i < LOOKS_N; i++) {
            if (atomic_load_explicit(&place->word, memory_order_acquire) != 0) {
                atomic_store_explicit(&place->word, 0, memory_order_relaxed);
                return 0;
            }
        }
        if (place->platform->now_ns(place->platform) >= due_ns)
            return -ETIMEDOUT;
    }
}

static int wake_spin(struct st_wake_place *place)
{
    atomic_store_explicit(&place->word, 1, memory_order_release);
    return 0;
}

const struct st_wake_ops st_wake_spin = {NULL, wait_spin, wake_spin, NULL};
