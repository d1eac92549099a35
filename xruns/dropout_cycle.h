/* The worst cycle of a client that was not ready: one rule for all who keep it. */
#pragma once

#include "core/base.h"

/** Times of a cycle; 0: unknown. */
struct st_dropout_cycle {
    int64_t busy_ns;  /* CPU time */
    int64_t error_ns; /* by which busy_ns may be wrong, up or down */
    int64_t wait_ns;  /* from the signal until it woke up */
    int64_t period_ns;
};

/** It was surely longer. Pure. */
static inline bool st_dropout_cycle_is_worse(const struct st_dropout_cycle *cycle,
                                             const struct st_dropout_cycle *than)
{
    return cycle->busy_ns - cycle->error_ns + cycle->wait_ns > than->busy_ns - than->error_ns + than->wait_ns;
}
