/* How long a node of a sound server took in the cycles of some seconds: busy and waiting, as quantiles.
 *
 * Counts are kept in the buckets of core/stats/hist.h with two digits (error at most 0.4 %), 16 bits each: a
 * table for months with hundreds of nodes. Times are at most 4.29 s; a longer one counts as that. One thread.
 */
#ifndef ST_DAEMON_OBSERVE_NODE_LOAD_H
#define ST_DAEMON_OBSERVE_NODE_LOAD_H

#include "platform/xrun/xrun.h"

#define ST_NODE_LOAD_BUCKETS 3328 /* of the times below 2^32 ns */

struct st_node_load_times {
    uint16_t counts[ST_NODE_LOAD_BUCKETS]; /* saturating */
    int64_t n, max_ns;
};

struct st_node_load {
    struct st_node_load_times busy, wait;
};

/** Counts a cycle. @param busy_ns, wait_ns >= 0. */
void st_node_load_add(struct st_node_load *load, int64_t busy_ns, int64_t wait_ns);

/** Writes what was counted into the members cycles_n, busy_... and wait_..., and begins anew. @return false if
 * there was no cycle: *ret is as before. */
bool st_node_load_take(struct st_node_load *load, struct st_xrun_load *ret);

#endif
