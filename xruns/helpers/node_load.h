/* How long the cycles of a node took since that was last reported. Pure. */
#pragma once

#include "core/stats/hist.h"
#include "xruns/xrun.h"

#define ST_NODE_LOAD_RECENT 64

struct st_node_load {
    struct st_hist busy, wait; /* not initialised before the first cycles */
    /* not in the histograms yet: one that was not touched for a while is slow, so it takes many at a time */
    struct st_node_load_cycle {
        int64_t busy_ns, wait_ns;
    } recent[ST_NODE_LOAD_RECENT];
    size_t recent_n;
};

/** Figures below 0 do not count. */
void st_node_load_add(struct st_node_load *load, int64_t busy_ns, int64_t wait_ns);

/** Sets the number of cycles and their times, of the cycles since the last call. @return false: there was
 * none. */
bool st_node_load_take(struct st_node_load *load, struct st_xrun_load *ret);

void st_node_load_finish(struct st_node_load *load);
