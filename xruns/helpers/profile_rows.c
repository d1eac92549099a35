/* Writes cycles of PipeWire's graph as rows of the ring (xruns/cycle_ring.h). */
#include "xruns/helpers/profile_rows.h"

/* @return the time from from_ns to to_ns; NOT_YET: to_ns has not come (`there` is false), or is
 * before from_ns. */
static uint32_t span_of(bool there, int64_t from_ns, int64_t to_ns)
{
    const int64_t span_ns = st_ns_sub(to_ns, from_ns);
    if (there && span_ns >= 0 && span_ns < ST_CYCLE_RING_NOT_YET)
        return (uint32_t)span_ns;
    return ST_CYCLE_RING_NOT_YET;
}

void st_profile_row_put_held(struct st_pipewire_profile *profile,
                             const struct st_profile_node *driver,
                             const struct st_profile_node *holder)
{
    const int64_t ago_ns = holder->latest.finish_ns - driver->server.busy_ns;
    const int64_t begin_ns = ST_MAX(ago_ns, driver->server.due_ns);
    if (profile->ring == NULL)
        return;
    st_cycle_ring_put(profile->ring,
                      &(struct st_cycle_row){
                          .cycle_ns = driver->server.due_ns,
                          .signal_ns = driver->server.due_ns,
                          .wait_ns = span_of(true, driver->server.due_ns, begin_ns),
                          .busy_ns = span_of(true, begin_ns, holder->latest.finish_ns),
                          .period_ns = span_of(true, 0, driver->period_ns),
                          .name = st_cycle_ring_name(profile->ring, holder->name),
                      });
}

void st_profile_row_put(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle,
                        const struct st_pipewire_block *block, bool is_driver)
{
    const struct st_profile_node *node;
    if (profile->ring == NULL || (node = st_profile_node_find(profile, block->id)) == NULL ||
        block->signal_ns <= 0 || st_profile_node_is_own(profile, node->client))
        return;
    const bool finished = block->status == ST_PIPEWIRE_CYCLE_FINISHED || is_driver;
    const bool awake = finished || block->status == ST_PIPEWIRE_CYCLE_AWAKE;
    const int64_t began_ns = is_driver ? cycle->driver.prev_signal_ns : cycle->driver.signal_ns;
    st_cycle_ring_put(
        profile->ring,
        &(struct st_cycle_row){.cycle_ns = ST_MAX(began_ns, 0),
                               .signal_ns = block->signal_ns,
                               .wait_ns = span_of(awake, block->signal_ns, block->awake_ns),
                               .busy_ns = span_of(finished, block->awake_ns, block->finish_ns),
                               .period_ns = span_of(true, 0, cycle->period_ns),
                               .name = st_cycle_ring_name(profile->ring, node->name),
                               .is_driver = is_driver});
}
