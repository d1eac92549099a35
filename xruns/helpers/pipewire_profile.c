/* Takes what PipeWire's profiler reports of each cycle. */
#include <spa/param/param.h>
#include <spa/param/profiler.h>
#include <spa/pod/iter.h>
#include <spa/utils/type.h>

#include "xruns/helpers/profile_rows.h"

#define PROFILER_FOLLOWER_CLOCK (SPA_PROFILER_followerBlock + 1) /* missing in older headers */

#define KEEP_NS                                                                                    \
    ST_NS_PER_S /* a kept cycle whose dropout is not reported in this time is replaced by a later  \
                   one */
/* dropouts of a client in this time after it began to play are not counted */
#define BEGIN_NS ST_NS_PER_S

/* @return by how much the node's counter of xruns has risen since the previous report. */
static int64_t risen(struct st_profile_node *node, int32_t xruns_n)
{
    int64_t rise = 0;
    if (node->counter.known)
        /* if lower, the counter began at 0 again */
        rise = ST_MAX((int64_t)xruns_n - node->counter.xruns_n, 0);
    node->counter.known = true;
    node->counter.xruns_n = xruns_n;
    return rise;
}

static void take_driver(struct st_pipewire_profile *profile, struct st_profile_node *node,
                        const struct st_pipewire_cycle *cycle)
{
    st_profile_node_rename(&node->name, cycle->driver.name);
    st_profile_node_rename(&node->driver, cycle->driver.name);
    node->drives = true;
    const int64_t lost = cycle->lost_frames - node->counter.lost_frames;
    const int64_t rise = risen(node, cycle->xruns_n);
    node->counter.lost_frames = cycle->lost_frames;
    if (node->server.dry_n == 0)
        node->server.dry_ns = cycle->driver.signal_ns;
    node->server.dry_n += rise;
    if (rise > 0 && lost > 0) {
        const int64_t lost_ns = st_pipewire_cycle_time_of(lost, (double)cycle->rate_hz);
        node->server.dry_lost_ns = st_ns_add(node->server.dry_lost_ns, lost_ns);
        /* of several losses in one cycle, the longest is not known, and then of all */
        const bool known =
            rise == 1 && (node->server.dry_n == 1 || node->server.dry_longest_ns > 0);
        node->server.dry_longest_ns = ST_MAX(lost_ns, node->server.dry_longest_ns) * known;
    }
    profile->resized |= node->period_ns > 0 && node->period_ns != cycle->period_ns;
    st_profile_node_count_load(node, cycle, &cycle->driver, false);
}

/* Has the node not finished its cycle? Used for PipeWire 0.3.65, which has no counter of such
 * cycles but reports them twice: first as incomplete when the next cycle begins, with the driver's
 * times of the cycle before; then when the driver has ended them. Only the first report counts,
 * since a late node ends the next cycle too early and may be awake again in it, which is no
 * dropout. */
static bool unfinished(const struct st_pipewire_block *block,
                       const struct st_pipewire_block *driver)
{
    return (block->status == ST_PIPEWIRE_CYCLE_TRIGGERED ||
            block->status == ST_PIPEWIRE_CYCLE_AWAKE) &&
           driver->signal_ns == driver->prev_signal_ns;
}

/* Keeps the times of a node in a cycle with a dropout. Of a late node, keeps the times up to the
 * deadline; they are replaced when the node has finished and is judged. */
static void keep_node(struct st_profile_node *node, const struct st_pipewire_cycle *cycle)
{
    const int64_t cycle_ns = cycle->driver.signal_ns, length_ns = cycle->driver.awake_ns - cycle_ns;
    int64_t end_ns = node->latest.finish_ns, awake_ns = node->latest.signal_ns;
    if (st_profile_late_is(node, cycle_ns))
        end_ns = awake_ns = cycle->driver.awake_ns;
    if (node->latest.awake_ns >= node->latest.signal_ns && node->latest.awake_ns <= end_ns)
        awake_ns = node->latest.awake_ns;
    node->kept.length_ns = 0;
    if (node->drives || node->latest.cycle_ns != cycle_ns || node->latest.signal_ns < cycle_ns ||
        end_ns < awake_ns || length_ns > ST_PIPEWIRE_CYCLE_MAX_NS ||
        end_ns - cycle_ns > ST_PIPEWIRE_CYCLE_MAX_NS)
        return;
    node->kept.length_ns = length_ns;
    node->kept.wait_ns = awake_ns - cycle_ns;
    node->kept.busy_ns = end_ns - awake_ns;
}

/* Keeps what each node did in a cycle with a dropout; a kept cycle that is not reported yet is not
 * replaced. */
static void keep_cycle(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle)
{
    const int64_t cycle_ns = cycle->driver.signal_ns;
    profile->any_late = false;
    if (profile->kept.cycle_ns != 0 && cycle_ns - profile->kept.cycle_ns < KEEP_NS)
        return;
    profile->kept.cycle_ns = cycle_ns;
    profile->kept.counts = false;
    ST_EACH (node, profile->nodes)
        keep_node(node, cycle);
}

/* @return the number of cycles since the node's last report, to limit its dropouts: since 0.3.72, a
 * client that wakes up late counts cycles again that the server has counted. */
static int64_t cycles_since(const struct st_profile_node *node,
                            const struct st_pipewire_cycle *cycle)
{
    const int64_t since_ns = cycle->driver.signal_ns - node->latest.cycle_ns + cycle->period_ns / 2;
    if (node->latest.cycle_ns == 0 || cycle->period_ns <= 0)
        return 1;
    return ST_MAX(since_ns / cycle->period_ns, 1);
}

/* Notes whether a node is asynchronous. Before 1.4.9, its times show it: it was signalled in this
 * cycle and has the times of the cycle before. */
static void note_async(struct st_profile_node *node, const struct st_pipewire_cycle *cycle,
                       const struct st_pipewire_block *block)
{
    if (block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED &&
        block->status >= ST_PIPEWIRE_CYCLE_TRIGGERED && block->status <= ST_PIPEWIRE_CYCLE_FINISHED)
        node->is_async = block->signal_ns < cycle->driver.signal_ns;
    node->is_async |= block->is_async;
}

/* Takes an asynchronous node. Its times are those of the cycle before, and its counter has risen
 * if it had not finished that cycle. A client that wakes up late also counts the cycles that it
 * slept through, in a cycle that it has finished; that finished cycle is not a dropout. */
static void take_async(struct st_pipewire_profile *profile, struct st_profile_node *node,
                       const struct st_pipewire_cycle *cycle, const struct st_pipewire_block *block,
                       int64_t rise)
{
    const bool in_time = block->signal_ns > 0 && block->awake_ns >= block->signal_ns &&
                         block->finish_ns >= block->awake_ns &&
                         block->finish_ns <= cycle->driver.signal_ns;
    const int64_t lost_n = rise - (in_time && rise > 0), now_ns = cycle->driver.signal_ns;
    /* `any_late` stays as it is, so that this cycle is not kept: the other nodes' times belong to a
     * later cycle */
    const bool late = profile->any_late;
    struct st_pipewire_cycle before = *cycle;
    struct st_pipewire_block then = *block;
    before.driver.signal_ns = cycle->driver.prev_signal_ns;
    before.driver.awake_ns = now_ns;
    then.status = ST_PIPEWIRE_CYCLE_FINISHED;
    if (lost_n > 0 && !in_time)
        then.status = ST_PIPEWIRE_CYCLE_AWAKE;
    if (then.signal_ns < before.driver.signal_ns ||
        then.signal_ns >= now_ns) /* the signal time is not of the cycle before */
        then.signal_ns = before.driver.signal_ns;
    st_profile_late_add(node, lost_n, now_ns - (lost_n - 1) * cycle->period_ns,
                        now_ns + cycle->period_ns);
    st_profile_late_take(profile, node, &before, &then);
    profile->any_late = late;
}

/* Adds up, once a second, what the client's thread did: its samples are kept for some seconds
 * only. */
static void ask_thread(struct st_pipewire_profile *profile, struct st_profile_node *node,
                       int64_t now_ns)
{
    struct st_dropout_figures since = {.signal_ns = node->thread.asked_ns, .end_ns = now_ns};
    profile->ops.plays(profile->ctx, node->client, &since);
    node->thread.cpu_ns += since.cpu_ns;
    node->thread.queue_ns += since.queue_ns;
    node->thread.of_ns += (now_ns - since.signal_ns) * since.measured;
    node->thread.asked_ns = now_ns;
}

static void take_follower(struct st_pipewire_profile *profile,
                          const struct st_pipewire_cycle *cycle,
                          const struct st_pipewire_block *block)
{
    struct st_profile_node *node = st_profile_node_find_or_add(profile, block->id);
    if (node == NULL)
        return;
    st_profile_node_rename(&node->name, block->name);
    st_profile_node_rename(&node->driver, cycle->driver.name);
    node->drives = false;
    /* a cycle that a late client has ended is reported twice, first with the driver's times of the
     * cycle before */
    if (st_profile_node_is_own(profile, node->client) ||
        (node->is_async && cycle->driver.signal_ns == cycle->driver.prev_signal_ns))
        return;
    const int64_t counted_n = block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED
                                  ? risen(node, block->xruns_n)
                                  : unfinished(block, &cycle->driver);
    const int64_t rise = ST_MIN(counted_n, cycles_since(node, cycle));
    const int64_t now_ns = cycle->driver.signal_ns;
    note_async(node, cycle, block);
    if (node->latest.cycle_ns != 0 ? now_ns - node->latest.cycle_ns > ST_PROFILE_PAUSE_NS
                                   : node->is_new)
        node->begun_ns = now_ns;
    if (node->thread.asked_ns == 0 || now_ns - node->thread.asked_ns > ST_NS_PER_S)
        ask_thread(profile, node, now_ns);
    const bool begins = node->begun_ns != 0 && now_ns - node->begun_ns < BEGIN_NS;
    node->latest.cycle_ns = now_ns;
    node->latest.signal_ns = block->signal_ns;
    node->latest.awake_ns = block->awake_ns;
    if (node->is_device && block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED) {
        st_profile_losses_dry(profile, node, rise, 0, 0);
    } else if (begins || node->gone ||
               /* reports of a node that has gone can still arrive */
               block->status > ST_PIPEWIRE_CYCLE_FINISHED) {
        st_profile_late_forgive(node);
    } else if (node->is_async) {
        take_async(profile, node, cycle, block, rise);
    } else {
        st_profile_late_add(node, rise, now_ns - (rise - 1) * cycle->period_ns,
                            now_ns + cycle->period_ns);
        st_profile_late_take(profile, node, cycle, block);
    }
    st_profile_node_count_load(node, cycle, block, node->is_async);
    node->latest.finish_before_ns = node->latest.finish_ns;
    node->latest.finish_ns = block->finish_ns;
}

/* Takes the clock of a device, which follows the device's block in the report of a cycle. */
static int take_card(struct st_pipewire_profile *profile, uint32_t id, uint32_t driver_id,
                     const struct spa_pod *pod)
{
    struct st_profile_node *node = st_profile_node_find(profile, id);
    struct st_second_card_clock clock;
    const int r = st_pipewire_cycle_card(pod, &clock);
    profile->has_clocks = true;
    if (r < 0 || node == NULL || !node->is_device)
        return r == -EBADMSG ? r : 0;
    const int64_t lost = st_second_card_take(&node->card, driver_id, &clock);
    if (lost == 0)
        return 0;
    struct st_event event =
        st_profile_losses_event(node, ST_EVENT_DEVICE_DROPOUT, ST_DROPOUT_AT_RESYNC);
    event.certainty = ST_CERTAINTY_PROBABLE;
    event.lost_ns = event.longest_ns = st_pipewire_cycle_time_of(lost, (double)clock.rate_hz);
    st_profile_losses_add(profile, &event);
    return 0;
}

/* Finds lost reports: the server numbers cycles even if a report finds no room (module-profiler.c).
 * Only for versions without a counter of a node's dropouts. @return -EOVERFLOW: reports were
 * lost. */
static int note_number(struct st_pipewire_profile *profile, int64_t number)
{
    const int64_t last = profile->number;
    profile->number = number;
    if (last != 0 && number > last && number - 1 != last)
        return -EOVERFLOW;
    return 0;
}

/* Takes the report of one cycle, in which the driver's block comes before those of its
 * followers. */
static int take_cycle(struct st_pipewire_profile *profile, const struct spa_pod_object *object)
{
    const struct spa_pod_prop *prop;
    struct st_pipewire_cycle cycle = {.xruns_n = ST_PIPEWIRE_CYCLE_NOT_COUNTED};
    struct st_pipewire_block follower = {0};
    struct st_profile_node *driver = NULL;
    SPA_POD_OBJECT_FOREACH(object, prop)
    {
        int r = 0;
        switch (prop->key) {
        case SPA_PROFILER_info:
            r = st_pipewire_cycle_info(&prop->value, &cycle);
            break;
        case SPA_PROFILER_clock:
            r = st_pipewire_cycle_clock(&prop->value, &cycle);
            break;
        case SPA_PROFILER_driverBlock:
            r = st_pipewire_cycle_block(&prop->value, &cycle.driver);
            if (r == 0 && cycle.driver.xruns_n == ST_PIPEWIRE_CYCLE_NOT_COUNTED)
                r = note_number(profile, cycle.number);
            driver = st_profile_node_find_or_add(profile, cycle.driver.id);
            if (r < 0 || driver == NULL || st_profile_node_is_own(profile, driver->client))
                return r;
            if (cycle.xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED)
                take_driver(profile, driver, &cycle);
            st_profile_row_put(profile, &cycle, &cycle.driver, true);
            break;
        case SPA_PROFILER_followerBlock:
            r = st_pipewire_cycle_block(&prop->value, &follower);
            if (r < 0)
                return r;
            take_follower(profile, &cycle, &follower);
            st_profile_row_put(profile, &cycle, &follower, false);
            break;
        case PROFILER_FOLLOWER_CLOCK:
            r = take_card(profile, follower.id, cycle.driver.id, &prop->value);
            break;
        default:
            break;
        }
        if (r < 0)
            return r;
    }
    if (driver != NULL) {
        st_profile_late_note_server(profile, driver, &cycle);
        st_profile_late_explain_dry(profile, driver);
    }
    if (profile->any_late) {
        st_profile_late_name_waited_for(profile, &cycle);
        keep_cycle(profile, &cycle);
    }
    return 0;
}

int st_pipewire_profile_take(struct st_pipewire_profile *profile, const struct spa_pod *pod)
{
    const struct spa_pod *cycle;
    if (!spa_pod_is_struct(pod))
        return -EBADMSG;
    SPA_POD_STRUCT_FOREACH(pod, cycle)
    {
        if (!spa_pod_is_object_type(cycle, SPA_TYPE_OBJECT_Profiler))
            return -EBADMSG;
        const int r = take_cycle(profile, (const struct spa_pod_object *)cycle);
        if (r < 0)
            return r;
    }
    return 0;
}
