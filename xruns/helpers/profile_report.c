/* What was seen in PipeWire's graph since the last report: dropouts, devices that ran dry, how long nodes
 * took. */
#include "xruns/helpers/profile_report.h"

#include "core/ns.h"
#include "xruns/helpers/pipewire_profile.h"

void st_profile_report_add(struct st_profile_losses *to, int64_t n, int64_t lost_ns)
{
    to->n += n;
    to->lost_ns = st_ns_add(to->lost_ns, lost_ns);
    to->longest_ns = n == 1 ? ST_MAX(lost_ns, to->longest_ns) : to->longest_ns; /* of more it is not known */
}

static void report_cycle(struct st_pipewire_profile *profile)
{
    int64_t n = 0;
    ST_EACH (node, profile->nodes) {
        if (profile->kept.cycle_ns == 0 || (st_profile_late_is(node, profile->kept.cycle_ns) && !node->gone))
            return; /* it is still followed */
        n += node->kept.length_ns > 0 && profile->kept.counts;
    }
    profile->kept.cycle_ns = 0;
    for (size_t i = 0; n > 0; i++) { /* those that are late first: who listens may have room for some only */
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

/* What a client usually leaves of its period; 0: not known. */
static int64_t spare_ns(const struct st_profile_node *node, int64_t period_ns)
{
    const int64_t left_ns = node->usual.busy_ns > 0 && !node->drives ? period_ns - node->usual.busy_ns : 0;
    return ST_MIN(ST_MAX(left_ns, 0), ST_PIPEWIRE_CYCLE_MAX_NS);
}

static void report_reason(struct st_pipewire_profile *profile, struct st_profile_node *node,
                          enum st_dropout_reason reason)
{
    struct st_profile_reason *sum = &node->unreported.reasons[reason];
    struct st_event event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                             .certainty = ST_CERTAINTY_EXACT,
                             .count_n = sum->dropouts_n,
                             .reason = reason,
                             .place = node->drives ? ST_DROPOUT_AT_DEVICE_BUFFER : ST_DROPOUT_AT_GRAPH,
                             .cycles_n = sum->n,
                             .lost_ns = ST_MIN(sum->lost_ns, ST_PIPEWIRE_CYCLE_MAX_NS),
                             .longest_ns = ST_MIN(sum->longest_ns, ST_PIPEWIRE_CYCLE_MAX_NS),
                             .end_ns = sum->end_ns,
                             .cycle = sum->worst,
                             .spare_ns = spare_ns(node, sum->worst.period_ns)};
    st_profile_node_rename(&event.device, node->driver);
    st_profile_node_rename(&event.client, node->drives ? ST_XRUN_SERVER_ITSELF : node->name);
    st_profile_node_rename(&event.culprit, sum->culprit);
    event.culprit_plays = sum->culprit_plays;
    if (sum->n > 0) {
        report_cycle(profile);
        say(profile, &event);
    }
    *sum = (struct st_profile_reason){0};
}

static void report_losses(struct st_pipewire_profile *profile, struct st_profile_losses *losses,
                          struct st_event event)
{
    event.kind = ST_EVENT_DEVICE_DROPOUT;
    event.count_n = losses->n;
    event.lost_ns = ST_MIN(losses->lost_ns, ST_PIPEWIRE_CYCLE_MAX_NS);
    event.longest_ns = ST_MIN(losses->longest_ns, ST_PIPEWIRE_CYCLE_MAX_NS);
    if (losses->n > 0)
        say(profile, &event);
    *losses = (struct st_profile_losses){0};
}

void st_pipewire_profile_report(struct st_pipewire_profile *profile)
{
    if (!profile->pending)
        return;
    ST_EACH (node, profile->nodes) {
        struct st_event dry = {.certainty = ST_CERTAINTY_EXACT, .place = ST_DROPOUT_AT_DEVICE_BUFFER},
                        resync = {.certainty = ST_CERTAINTY_PROBABLE, .place = ST_DROPOUT_AT_RESYNC};
        if (!node->used)
            continue;
        if (node->gone)
            st_profile_late_forgive(node);
        st_profile_node_rename(&dry.device, node->name);
        st_profile_node_rename(&resync.device, node->driver);
        st_profile_node_rename(&resync.client, node->name);
        report_losses(profile, &node->unreported.device, dry);
        report_losses(profile, &node->unreported.resyncs, resync);
        for (int reason = 0; reason < ST_DROPOUT_REASONS; reason++)
            report_reason(profile, node, (enum st_dropout_reason)reason);
    }
    profile->pending = false;
}

void st_pipewire_profile_lost(struct st_pipewire_profile *profile, uint32_t id,
                              const struct st_listened_loss *loss)
{
    const struct st_profile_node *node = st_profile_node_find(profile, id);
    if (node == NULL || node->gone || node->name[0] == '\0' || st_profile_node_is_own(profile, node->client))
        return;
    const bool goes_on = st_profile_late_joins(node, loss);
    struct st_event event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                             .certainty = loss->certainty,
                             .count_n = loss->n - goes_on,
                             .cycles_n = goes_on,
                             .reason = goes_on ? node->judged.reason : loss->reason,
                             .place = goes_on ? ST_DROPOUT_AT_GRAPH : ST_DROPOUT_AT_CLIENT_BUFFER,
                             .lost_ns = ST_MIN(loss->lost_ns, ST_PIPEWIRE_CYCLE_MAX_NS),
                             .longest_ns = ST_MIN(loss->longest_ns, ST_PIPEWIRE_CYCLE_MAX_NS),
                             .end_ns = loss->end_ns,
                             .spare_ns = spare_ns(node, node->period_ns)};
    if (!goes_on) /* its buffer outlasts a late wake-up that is shorter than what was lost */
        event.spare_ns = event.longest_ns;
    st_profile_node_rename(&event.device, node->driver);
    st_profile_node_rename(&event.client, node->name);
    say(profile, &event);
}

static bool is_second_card(const struct st_profile_node *node)
{
    return node->is_device && !node->drives && !node->gone;
}

void st_pipewire_profile_resync(struct st_pipewire_profile *profile, const struct st_resync_log_line *line)
{
    struct st_event event = {.kind = ST_EVENT_DEVICE_DROPOUT,
                             .certainty = ST_CERTAINTY_EXACT,
                             .count_n = 1,
                             .place = ST_DROPOUT_AT_RESYNC};
    const struct st_profile_node *card = NULL;
    int64_t last_ns = 0;
    bool several = false, several_drivers = false; /* the log names none of them */
    ST_EACH (node, profile->nodes)
        last_ns = is_second_card(node) ? ST_MAX(node->latest.cycle_ns, last_ns) : last_ns;
    ST_EACH (node, profile->nodes) {
        if (!is_second_card(node) || last_ns - node->latest.cycle_ns >= ST_PROFILE_PAUSE_NS)
            continue;
        several = card != NULL;
        several_drivers |= several && strcmp(node->driver, card->driver) != 0;
        card = node;
    }
    if (card != NULL && !several_drivers) {
        st_profile_node_rename(&event.device, card->driver);
        event.lost_ns = event.longest_ns = st_pipewire_cycle_time_of(
            line->frames, (double)line->cycle_frames * (double)ST_NS_PER_S / (double)card->period_ns);
    }
    st_profile_node_rename(&event.client, card != NULL && !several ? card->name : line->card);
    say(profile, &event);
    event.count_n = line->n - 1; /* those that the server did not log, of unknown length */
    event.lost_ns = event.longest_ns = 0;
    if (line->n > 1)
        say(profile, &event);
}

/* Woken to finished is wall time. Where the thread waited for a CPU meanwhile, its CPU time tells how long it
 * computes in a cycle, and nothing how long at most. */
static void correct_if_contended(struct st_profile_node *node, struct st_xrun_load *load)
{
    const int64_t most_ns = load->wait_median_ns + ST_MAX(load->busy_median_ns / 10, node->period_ns / 100);
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
        struct st_xrun_seen sighting = {
            .kind = ST_XRUN_SEEN_LOAD,
            .load = {.period_ns = node->period_ns > 0 ? node->period_ns : INT64_MIN,
                     .frames = node->frames,
                     .rate_hz = node->rate_hz,
                     .asked_frames = node->asked.frames,
                     .asked_rate_hz = node->asked.rate_hz,
                     .streams_n = node->is_stream}};
        const bool runs = !node->drives && !node->is_device;
        sighting.load.drift_ppb =
            node->is_device && !node->drives ? st_second_card_drift_ppb(&node->card) : 0;
        const bool is_client = runs || sighting.load.drift_ppb != 0;
        if (!is_client)
            sighting.load.asked_frames = profile->forced_frames;
        if (node->used)
            sighting.load.priority =
                profile->ops.priority(profile->ctx, runs ? node->client : ST_DROPOUT_SERVER);
        if (node->used && runs)
            sighting.load.between =
                profile->ops.between(profile->ctx, node->client, &sighting.load.buffer_ns);
        sighting.load.buffer_ns = ST_MIN(sighting.load.buffer_ns, ST_PIPEWIRE_CYCLE_MAX_NS);
        const bool ran = st_node_load_take(&node->load, &sighting.load);
        if (!ran)
            st_profile_node_settle_dry(profile, node);
        else if (runs)
            correct_if_contended(node, &sighting.load);
        bool any = false;
        sighting.load.block_frames = runs ? st_block_rhythm_find(&node->long_cycles.rhythm, &any) : 0;
        sighting.load.block_any = any;
        st_profile_node_rename(&sighting.event.device, is_client ? node->driver : node->name);
        st_profile_node_rename(&sighting.event.client, is_client ? node->name : "");
        if (ran && !node->gone && !st_profile_node_is_own(profile, node->client))
            profile->ops.seen(profile->ctx, &sighting);
        if (node->unreported.device.n == 0 && (node->gone || (!ran && node->used && !node->announced)))
            st_profile_node_forget(node);
    }
}

bool st_pipewire_profile_needs_log(const struct st_pipewire_profile *profile)
{
    bool followed = false;
    ST_EACH (node, profile->nodes)
        followed |= node->is_device && !node->drives && node->latest.cycle_ns != 0;
    return followed && !profile->has_clocks;
}
