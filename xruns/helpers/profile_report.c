/* Reports what was seen in PipeWire's graph since the last report: dropouts, devices that ran dry,
 * how long nodes took. */
#include "xruns/helpers/pipewire_profile.h"

static void report_cycle(struct st_pipewire_profile *profile)
{
    int64_t n = 0;
    ST_EACH (node, profile->nodes) {
        if (profile->kept.cycle_ns == 0 ||
            (st_profile_late_is(node, profile->kept.cycle_ns) && !node->gone))
            return; /* a late node is still followed: report later */
        n += node->kept.length_ns > 0 && profile->kept.counts;
    }
    profile->kept.cycle_ns = 0;
    /* late nodes first, since the receiver may have room for some nodes only */
    for (size_t i = 0; n > 0; i++) {
        const struct st_profile_node *node = &profile->nodes[i % ST_PIPEWIRE_PROFILE_NODES_MAX];
        const bool late = node->kept.wait_ns + node->kept.busy_ns >= node->kept.length_ns;
        if (node->kept.length_ns == 0 || late != (i < ST_PIPEWIRE_PROFILE_NODES_MAX))
            continue;
        struct st_xrun_seen sighting = {
            .kind = ST_XRUN_SEEN_CYCLE,
            .event.cycle = {.wait_ns = node->kept.wait_ns, .busy_ns = node->kept.busy_ns},
            .deadline_ns = node->kept.length_ns,
            .left_n = --n};
        st_profile_node_rename(&sighting.event.client, node->name);
        profile->ops.seen(profile->ctx, &sighting);
    }
}

static void say(struct st_pipewire_profile *profile, const struct st_event *event)
{
    profile->ops.seen(profile->ctx, &(struct st_xrun_seen){.event = *event});
}

void st_pipewire_profile_report(struct st_pipewire_profile *profile)
{
    const size_t n = profile->unreported_n;
    ST_EACH (node, profile->nodes) {
        if (n > 0 && node->gone)
            st_profile_late_forgive(node);
    }
    profile->unreported_n = 0;
    ST_EACH_OF (event, profile->unreported, n) {
        if (event->kind == ST_EVENT_CLIENT_DROPOUT)
            report_cycle(profile);
        say(profile, event);
    }
}

void st_pipewire_profile_lost(struct st_pipewire_profile *profile, uint32_t id,
                              const struct st_listened_loss *loss)
{
    const struct st_profile_node *node = st_profile_node_find(profile, id);
    if (node == NULL || node->gone || node->name[0] == '\0' ||
        st_profile_node_is_own(profile, node->client))
        return;
    struct st_event event =
        st_profile_losses_event(node, ST_EVENT_CLIENT_DROPOUT, ST_DROPOUT_AT_CLIENT_BUFFER);
    event.certainty = loss->certainty;
    event.count_n = loss->n;
    event.reason = loss->reason;
    event.lost_ns = loss->lost_ns;
    event.longest_ns = loss->longest_ns;
    event.end_ns = loss->end_ns;
    /* only a wake-up that is late by at least the loss can explain it: the program's buffer
     * outlasts a shorter delay */
    event.spare_ns = loss->longest_ns;
    if (st_profile_late_joins(
            node, loss)) { /* the loss continues one that the node's cycles have shown */
        event.place = ST_DROPOUT_AT_GRAPH;
        event.count_n--;
        event.cycles_n = 1;
        event.reason = node->judged.reason;
        event.spare_ns = st_profile_losses_spare_ns(node);
    }
    say(profile, &event);
}

/* A node's busy time, from its wake-up to its end, is wall time. If its thread waited for a CPU
 * meanwhile, uses the mean CPU time of a cycle instead; the longest time is then not known. */
static void correct_if_contended(struct st_profile_node *node, struct st_xrun_load *load)
{
    const int64_t most_ns =
        load->wait_median_ns + ST_MAX(load->busy_median_ns / 10, node->period_ns / 100);
    const double cycles_n = (double)node->thread.of_ns / (double)node->period_ns;
    if ((double)node->thread.queue_ns > (double)most_ns * cycles_n) {
        load->busy_median_ns =
            ST_MIN(load->busy_median_ns, (int64_t)((double)node->thread.cpu_ns / cycles_n));
        load->busy_p99_ns = load->busy_max_ns = INT64_MIN;
    }
    node->thread.cpu_ns = node->thread.queue_ns = node->thread.of_ns = 0;
}

void st_pipewire_profile_loads(struct st_pipewire_profile *profile)
{
    profile->resized = false;
    ST_EACH (node, profile->nodes) {
        struct st_xrun_seen sighting = {.kind = ST_XRUN_SEEN_LOAD,
                                        .load = {.period_ns = node->period_ns,
                                                 .frames = node->frames,
                                                 .rate_hz = node->rate_hz,
                                                 .asked_frames = node->asked.frames,
                                                 .asked_rate_hz = node->asked.rate_hz,
                                                 .streams_n = node->is_stream}};
        const bool runs = !node->drives && !node->is_device;
        uint32_t client = ST_DROPOUT_SERVER;
        if (node->is_device && !node->drives)
            sighting.load.drift_ppb = st_second_card_drift_ppb(&node->card);
        if (runs || sighting.load.drift_ppb != 0) {
            st_profile_node_rename(&sighting.event.device, node->driver);
            st_profile_node_rename(&sighting.event.client, node->name);
        } else {
            sighting.load.asked_frames = profile->forced_frames;
            st_profile_node_rename(&sighting.event.device, node->name);
        }
        if (node->used && runs) {
            client = node->client;
            sighting.load.between =
                profile->ops.between(profile->ctx, client, &sighting.load.buffer_ns);
        }
        if (node->used)
            sighting.load.priority = profile->ops.priority(profile->ctx, client);
        const bool ran = st_node_load_take(&node->load, &sighting.load);
        if (!ran)
            st_profile_node_settle_dry(profile, node);
        else if (runs)
            correct_if_contended(node, &sighting.load);
        bool any = false;
        if (runs)
            sighting.load.block_frames = st_block_rhythm_find(&node->long_cycles.rhythm, &any);
        sighting.load.block_any = any;
        if (ran && !node->gone && !st_profile_node_is_own(profile, node->client))
            profile->ops.seen(profile->ctx, &sighting);
        if (node->gone || (!ran && node->used && !node->announced))
            st_profile_node_forget(node);
    }
}

bool st_pipewire_profile_lacks_clock(const struct st_pipewire_profile *profile)
{
    bool followed = false;
    ST_EACH (node, profile->nodes)
        followed |= node->is_device && !node->drives && node->latest.cycle_ns != 0;
    return followed && !profile->has_clocks;
}
