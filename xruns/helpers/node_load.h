/* How long the cycles of a node took since the last report. Pure. */
#pragma once

#include "core/stats/hist.h"
#include "xruns/xrun.h"

#define ST_NODE_LOAD_RECENT 64

struct st_node_load {
    struct st_hist busy, wait; /* not initialised before the first cycles */
    /* cycles not yet in the histograms: memory that was not touched for a while is slow, so several
     * are added at once */
    struct st_node_load_cycle {
        int64_t busy_ns, wait_ns;
    } recent[ST_NODE_LOAD_RECENT];
    size_t recent_n;
};

/** Adds a cycle. A value below 0 is not counted. */
void st_node_load_add(struct st_node_load *load, int64_t busy_ns, int64_t wait_ns);

/** Sets cycles_n and the times in *ret, over the cycles since the last call. @return false: there
 * were no cycles. */
bool st_node_load_take(struct st_node_load *load, struct st_xrun_load *ret);

void st_node_load_finish(struct st_node_load *load);
