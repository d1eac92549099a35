/* The worst cycle of a client that was not ready: one comparison for all code that keeps a worst
 * cycle. */
#pragma once

#include "core/base.h"

/** Times of a cycle; 0: unknown. */
struct st_dropout_cycle {
    int64_t busy_ns;  /* CPU time of the client */
    int64_t error_ns; /* error of busy_ns, up or down */
    int64_t wait_ns;  /* from the signal until the client woke up */
    int64_t period_ns;
};

/** Was `cycle` certainly longer than `than`? Pure. */
static inline bool st_dropout_cycle_is_worse(const struct st_dropout_cycle *cycle,
                                             const struct st_dropout_cycle *than)
{
    return cycle->busy_ns - cycle->error_ns + cycle->wait_ns >
           than->busy_ns - than->error_ns + than->wait_ns;
}
