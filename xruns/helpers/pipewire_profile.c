#include "xruns/helpers/pipewire_profile.h"

#include <spa/param/param.h>
#include <spa/param/profiler.h>
#include <spa/pod/iter.h>
#include <spa/utils/type.h>

#include "core/ns.h"
#include "xruns/helpers/pipewire_cycle.h"
#include "xruns/xrun.h"

#define USUAL_CYCLES 16                   /* of a moving average */
#define PATIENCE_NS  (300 * ST_NS_PER_MS) /* later than that, a client is judged before it ends */
#define HAND_OVER_NS                                                                                         \
    (50 * ST_NS_PER_US) /* at most, from a client's end to the next cycle that it has held up */
#define PROFILER_FOLLOWER_CLOCK                                                                              \
    (SPA_PROFILER_followerBlock + 1) /* unknown to the headers of older versions */
#define SOUND_NS (20 * ST_NS_PER_MS) /* less sound than that between lost cycles makes them one dropout */
#define KEEP_NS  ST_NS_PER_S         /* a cycle that is not reported by then makes room for a later one */
#define BEGIN_NS ST_NS_PER_S         /* of a client that begins to play: it is no dropout yet */
#define PAUSE_NS ST_NS_PER_S         /* who is in no cycle for so long begins anew */

/* After a dropout by computing too long. */
#define LONG_MATTERS_NS (60 * ST_NS_PER_S)

/* --- nodes --- */

static struct st_pipewire_profile_node *find(struct st_pipewire_profile *profile, uint32_t id)
{
    ST_EACH (node, profile->nodes) {
        if (node->used && node->id == id)
            return node;
    }
    return NULL;
}

static void forget(struct st_pipewire_profile_node *node)
{
    st_node_load_finish(&node->load);
    *node = (struct st_pipewire_profile_node){0};
}

/* Room for a new node: an unused one, else one that has gone. */
static struct st_pipewire_profile_node *find_room(struct st_pipewire_profile *profile)
{
    struct st_pipewire_profile_node *gone = NULL;
    ST_EACH (node, profile->nodes) {
        if (!node->used)
            return node;
        if (node->gone)
            gone = node;
    }
    return gone;
}

static struct st_pipewire_profile_node *find_or_add(struct st_pipewire_profile *profile, uint32_t id)
{
    struct st_pipewire_profile_node *node = find(profile, id);
    if (node == NULL && (node = find_room(profile)) != NULL) {
        forget(node);
        node->id = id;
        node->client = ST_PIPEWIRE_PROFILE_NO_CLIENT;
        node->used = true;
    }
    return node;
}

void st_pipewire_profile_add(struct st_pipewire_profile *profile, uint32_t id, uint32_t client,
                             bool is_device, bool is_stream)
{
    struct st_pipewire_profile_node *node = find(profile, id);
    if (node != NULL)
        forget(node);
    node = find_or_add(profile, id);
    if (node == NULL) {
        profile->beyond_n++;
        return;
    }
    node->announced = true;
    node->client = client;
    node->is_device = is_device;
    node->is_stream = is_stream;
    node->is_new = profile->listed;
}

static bool is_own(const struct st_pipewire_profile *profile, uint32_t client)
{
    size_t i = 0;
    while (i < profile->own_n && profile->own[i] != client)
        i++;
    return i < profile->own_n;
}

void st_pipewire_profile_leave_out(struct st_pipewire_profile *profile, uint32_t client)
{
    if (is_own(profile, client) || profile->own_n == ST_PIPEWIRE_PROFILE_OWN_MAX)
        return;
    profile->own[profile->own_n++] = client;
    ST_EACH (node, profile->nodes) {
        if (node->client != client)
            continue;
        memset(node->reasons, 0, sizeof(node->reasons));
        node->undecided_n = 0;
    }
}

void st_pipewire_profile_remove(struct st_pipewire_profile *profile, uint32_t id)
{
    struct st_pipewire_profile_node *node = find(profile, id);
    if (node != NULL) {
        node->gone = true;
    }
    size_t i = 0;
    while (i < profile->own_n && profile->own[i] != id)
        i++;
    if (i < profile->own_n)
        profile->own[i] = profile->own[--profile->own_n];
}

/* By how much the node's counter has risen. */
static int64_t risen(struct st_pipewire_profile_node *node, int32_t xruns_n)
{
    const int64_t rise = node->counted ? (int64_t)xruns_n - node->xruns_n : 0;
    node->counted = true;
    node->xruns_n = xruns_n;
    return ST_MAX(rise, 0); /* lower: it began anew */
}

static void rename_node(char (*to)[ST_XRUN_NAME_BYTES], const char *name)
{
    name = name != NULL ? name : "";
    if (strncmp(*to, name, sizeof(*to) - 1) != 0) /* 7500 times a second with ten clients */
        ST_PRINT(*to, "%s", name);
}

/* --- one cycle --- */

/* A cycle that the node has finished; one that was late is known from two sides. */
static void count_rhythm(const struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                         const struct st_pipewire_cycle *cycle, int64_t position, int64_t signal_ns,
                         int64_t end_ns, int64_t busy_ns)
{
    if (cycle->frames == 0 || node->usual_busy_ns == 0 || signal_ns <= node->rhythm_ns)
        return;
    node->rhythm_ns = signal_ns;
    st_block_rhythm_add(&node->rhythm, position, cycle->frames, busy_ns, node->usual_busy_ns);
    if (node->long_matters && profile->computed != NULL)
        profile->computed(profile->measure_ctx, node->id, node->client, end_ns - busy_ns, end_ns,
                          st_block_rhythm_is_long(busy_ns, node->usual_busy_ns));
}

/* A cycle that the node has finished, and only once: PipeWire reports some twice. A node has been seen once
 * before its cycles count, because the first report may be of one that is not complete. */
static void count_load(const struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                       const struct st_pipewire_cycle *cycle, const struct st_pipewire_block *block,
                       bool is_async)
{
    const bool known = node->signal_ns != 0;
    if ((block->status != ST_PIPEWIRE_CYCLE_FINISHED && !is_async) || block->signal_ns <= node->signal_ns ||
        block->awake_ns < block->signal_ns || block->finish_ns < block->awake_ns ||
        block->finish_ns - block->signal_ns > ST_PIPEWIRE_CYCLE_MAX_NS)
        return;
    const int64_t busy_ns = block->finish_ns - block->awake_ns;
    const int64_t signalled_ns = block->signal_ns - cycle->driver.signal_ns;
    count_rhythm(profile, node, cycle, cycle->position, block->signal_ns, block->finish_ns, busy_ns);
    node->usual_busy_ns = known ? node->usual_busy_ns + (busy_ns > node->usual_busy_ns ? 1 : -1) *
                                                            node->usual_busy_ns / USUAL_CYCLES
                                : busy_ns; /* about the median */
    if (signalled_ns >= 0 && signalled_ns <= cycle->period_ns)
        node->usual_signal_ns += (signalled_ns - node->usual_signal_ns) / (known ? USUAL_CYCLES : 1);
    node->signal_ns = block->signal_ns;
    node->frames = cycle->frames;
    node->rate_hz = cycle->rate_hz;
    const bool asks = block->asked_num <= ST_PIPEWIRE_CYCLE_FRAMES_MAX && block->asked_denom > 1 &&
                      block->asked_denom <= ST_PIPEWIRE_CYCLE_RATE_MAX;
    node->asked_frames = asks ? block->asked_num : 0;
    node->asked_rate_hz = asks ? block->asked_denom : 0;
    node->period_ns = cycle->period_ns;
    if (known && (busy_ns <= cycle->period_ns || is_async)) /* what is longer is judged: CPU time */
        st_node_load_add(&node->load, busy_ns, block->awake_ns - block->signal_ns);
}

static void take_driver(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle)
{
    struct st_pipewire_profile_node *node = find_or_add(profile, cycle->driver.id);
    if (node == NULL)
        return;
    rename_node(&node->name, cycle->driver.name);
    rename_node(&node->driver, cycle->driver.name);
    node->drives = true;
    const int64_t rise = risen(node, cycle->xruns_n);
    node->device_n += rise;
    node->dry_n += rise;
    node->dry_ns = rise > 0 ? cycle->driver.signal_ns : node->dry_ns;
    profile->pending = profile->pending || rise > 0;
    count_load(profile, node, cycle, &cycle->driver, false);
}

/* Without a counter (0.3.65): a cycle in which nodes did not finish is reported when the next begins, as
 * incomplete, and again as ended by the driver. In the former the driver has the times of the cycle before. A
 * node's late end ends the next cycle too early, in which it may be awake again: that is no dropout. */
static bool unfinished(const struct st_pipewire_block *block, const struct st_pipewire_block *driver)
{
    return (block->status == ST_PIPEWIRE_CYCLE_TRIGGERED || block->status == ST_PIPEWIRE_CYCLE_AWAKE) &&
           driver->signal_ns == driver->prev_signal_ns;
}

/* --- the cycle of a dropout --- */

static bool is_late(const struct st_pipewire_profile_node *node, int64_t cycle_ns)
{
    return node->late.signal_ns != 0 && node->late.cycle_ns == cycle_ns;
}

/* One that is late is followed later: here up to the deadline. */
static void keep_node(struct st_pipewire_profile_node *node, const struct st_pipewire_cycle *cycle)
{
    const int64_t cycle_ns = cycle->driver.signal_ns, length_ns = cycle->driver.awake_ns - cycle_ns;
    const bool late = is_late(node, cycle_ns);
    const int64_t end_ns = late ? cycle->driver.awake_ns : node->finish_ns;
    const bool awake = node->woken_ns >= node->signalled_ns && node->woken_ns <= end_ns;
    const int64_t awake_ns = awake ? node->woken_ns : late ? end_ns : node->signalled_ns;
    node->kept = (struct st_xrun_seen){.certainty = ST_CERTAINTY_EXACT};
    if (node->drives || node->seen_ns != cycle_ns || node->signalled_ns < cycle_ns || end_ns < awake_ns ||
        length_ns > ST_PIPEWIRE_CYCLE_MAX_NS || end_ns - cycle_ns > ST_PIPEWIRE_CYCLE_MAX_NS)
        return;
    rename_node(&node->kept.client, node->name);
    node->kept.deadline_ns = length_ns;
    node->kept.cycle.wait_ns = awake_ns - cycle_ns;
    node->kept.cycle.busy_ns = end_ns - awake_ns;
}

/* A cycle that is not reported yet stays. */
static void keep_cycle(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle)
{
    const int64_t cycle_ns = cycle->driver.signal_ns;
    profile->late = false;
    if (profile->kept_ns != 0 && cycle_ns - profile->kept_ns < KEEP_NS)
        return;
    profile->kept_ns = cycle_ns;
    profile->kept_counts = false;
    ST_EACH (node, profile->nodes)
        keep_node(node, cycle);
}

static void report_cycle(struct st_pipewire_profile *profile, st_xrun_seen_fn seen, void *ctx)
{
    int64_t n = 0;
    ST_EACH (node, profile->nodes) {
        if (profile->kept_ns == 0 || (is_late(node, profile->kept_ns) && !node->gone))
            return; /* it is still followed */
        n += node->kept.deadline_ns > 0 && profile->kept_counts;
    }
    profile->kept_ns = 0;
    for (size_t i = 0; n > 0; i++) { /* those that are late first: who listens may have room for some only */
        struct st_xrun_seen *kept = &profile->nodes[i % ST_PIPEWIRE_PROFILE_NODES_MAX].kept;
        const bool late = kept->cycle.wait_ns + kept->cycle.busy_ns >= kept->deadline_ns;
        if (kept->deadline_ns == 0 || late != (i < ST_PIPEWIRE_PROFILE_NODES_MAX))
            continue;
        kept->left_n = --n;
        seen(ctx, kept);
    }
}

/* --- who was late, and why --- */

static void judged(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                   enum st_dropout_reason reason, struct st_dropout_cycle cycle, const char *culprit)
{
    struct st_pipewire_profile_reason *sum = &node->reasons[reason];
    if (node->undecided_n == 0)
        return;
    profile->kept_counts = profile->kept_counts || is_late(node, profile->kept_ns);
    if (sum->n == 0 || st_dropout_cycle_is_worse(&cycle, &sum->worst)) {
        sum->worst = cycle;
        if (culprit[0] != '\0' || sum->n == 0)
            rename_node(&sum->culprit, culprit);
    }
    sum->n += node->undecided_n;
    sum->lost_ns += node->undecided_n * node->period_ns;
    if (node->lost_end_ns == 0 || node->lost_from_ns - node->lost_end_ns >= SOUND_NS) {
        sum->dropouts_n++;
        node->lost_begin_ns = node->lost_from_ns;
    }
    node->lost_end_ns = node->lost_to_ns;
    if (node->lost_end_ns - node->lost_begin_ns > sum->longest_ns)
        sum->longest_ns = node->lost_end_ns - node->lost_begin_ns;
    node->undecided_n = 0;
    profile->pending = true;
}

static void add_undecided(struct st_pipewire_profile_node *node, int64_t n, int64_t from_ns, int64_t to_ns)
{
    if (n == 0)
        return;
    if (node->undecided_n == 0)
        node->lost_from_ns = from_ns;
    node->undecided_n += n;
    node->lost_to_ns = to_ns;
}

/* A server that is late itself makes up for it by short cycles, some of them of 30 us. */
static bool is_short(int64_t length_ns, int64_t period_ns)
{
    return length_ns < period_ns - period_ns / 10;
}

/* A process is called as its client is, where it has one or two. */
static const char *culprit_of(struct st_pipewire_profile *profile, const struct st_dropout_figures *late,
                              char *buf, size_t buf_bytes)
{
    const char *names[ST_ARRAY_LEN(late->culprits)] = {NULL};
    size_t n = 0;
    ST_EACH_OF (culprit, late->culprits, late->culprits_n) {
        ST_EACH (node, profile->nodes) {
            if (*culprit == ST_DROPOUT_SERVER)
                names[n] = ST_XRUN_SERVER_ITSELF;
            else if (node->used && node->client == *culprit && node->name[0] != '\0')
                names[n] = node->name;
        }
        n += names[n] != NULL;
    }
    snprintf(buf, buf_bytes, "%.28s%s%.28s", n > 0 ? names[0] : late->culprit, n > 1 ? " or " : "",
             n > 1 ? names[1] : "");
    return buf;
}

/* Who kept the server from beginning a cycle in that time made n dropouts: a client that computed, if it is
 * known, else the driver's node has them. */
static void blame_late(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *driver,
                       uint32_t holder_id, int64_t from_ns, int64_t to_ns, int64_t n)
{
    struct st_pipewire_profile_node *holder = find(profile, holder_id);
    struct st_dropout_figures late = {.cycle_ns = from_ns,
                                      .signal_ns = from_ns,
                                      .deadline_ns = from_ns,
                                      .end_ns = to_ns,
                                      .wants_culprit = true};
    if (holder_id != 0 && holder != NULL) {
        add_undecided(holder, n, from_ns, to_ns);
        judged(profile, holder, ST_DROPOUT_TOO_SLOW,
               (struct st_dropout_cycle){driver->holder_busy_ns, driver->holder_error_ns, 0, 0}, "");
        return;
    }
    if (profile->measure != NULL)
        profile->measure(profile->measure_ctx, ST_DROPOUT_SERVER, &late);
    const bool taken = late.measured && late.queue_ns >= (to_ns - from_ns) / 2;
    driver->undecided_n = 0;
    add_undecided(driver, n, from_ns, to_ns);
    judged(profile, driver, taken ? ST_DROPOUT_CPU_TAKEN : ST_DROPOUT_WOKEN_LATE,
           (struct st_dropout_cycle){0},
           taken ? culprit_of(profile, &late, ST_ROOM(ST_XRUN_NAME_BYTES)) : "");
}

/* The server's dropout, once for all of its clients that were not ready. */
static void blame_server(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                         struct st_pipewire_profile_node *driver)
{
    const int64_t n = node->undecided_n, cycle_ns = node->late.cycle_ns, end_ns = node->late.end_ns;
    node->undecided_n = 0;
    node->late = (struct st_dropout_figures){0};
    if (driver == NULL || cycle_ns < driver->judged_ns)
        return;
    driver->judged_ns = end_ns;
    if (driver->late_ns > cycle_ns - 4 * driver->period_ns)
        blame_late(profile, driver, driver->holder_id, driver->due_ns, driver->late_ns, n);
    else
        blame_late(profile, driver, 0, cycle_ns - driver->period_ns, cycle_ns, n);
}

/* It ended, or began: that is no dropout. */
static void forgive(struct st_pipewire_profile_node *node)
{
    node->undecided_n = 0;
    node->late = (struct st_dropout_figures){0};
}

/* Ends what is known of the late cycle. */
static void judge(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                  const struct st_pipewire_cycle *cycle, int64_t end_ns)
{
    struct st_dropout_figures *late = &node->late;
    late->end_ns = end_ns < late->signal_ns + ST_PIPEWIRE_CYCLE_MAX_NS
                       ? end_ns
                       : late->signal_ns + ST_PIPEWIRE_CYCLE_MAX_NS;
    late->usual_signal_ns = node->usual_signal_ns;
    late->usual_ns = node->usual_busy_ns;
    late->wants_culprit = true;
    late->waited = node->waited_for[0] != '\0';
    if (is_short(late->deadline_ns - late->cycle_ns, cycle->period_ns) &&
        late->end_ns - late->cycle_ns < cycle->period_ns) { /* a whole period had been enough for it */
        blame_server(profile, node, find(profile, cycle->driver.id));
        return;
    }
    if (late->deadline_ns < late->cycle_ns + cycle->period_ns)
        late->deadline_ns = late->cycle_ns + cycle->period_ns; /* it had one period at least */
    if (profile->measure != NULL && node->client != ST_PIPEWIRE_PROFILE_NO_CLIENT)
        profile->measure(profile->measure_ctx, node->client, late);
    if (late->exited) {
        forgive(node);
        return;
    }
    node->reason = st_dropout_judge(late);
    node->judged_ns = end_ns;
    int64_t awake_ns = late->awake_ns != 0 && late->awake_ns < late->end_ns ? late->awake_ns : late->end_ns;
    const int64_t own_ns = st_dropout_judge_computed_ns(late);
    if (node->reason == ST_DROPOUT_TOO_SLOW && late->end_ns - awake_ns < late->deadline_ns - late->signal_ns)
        awake_ns = late->signal_ns; /* it was awake: 0.3.65 has written a later time over that */
    int64_t busy_ns = late->end_ns - awake_ns;
    if (late->measured && own_ns < busy_ns) /* others had the CPU: no larger buffer is needed for that */
        busy_ns = own_ns;
    if (is_late(node, profile->kept_ns)) {
        node->kept.cycle.busy_ns = busy_ns;
        node->kept.cycle.wait_ns = late->end_ns - late->cycle_ns - node->kept.cycle.busy_ns;
        if (node->kept.cycle.wait_ns > ST_PIPEWIRE_CYCLE_MAX_NS)
            node->kept.cycle.wait_ns = ST_PIPEWIRE_CYCLE_MAX_NS;
    }
    if (node->signal_ns != 0 && late->awake_ns != 0)
        st_node_load_add(&node->load, busy_ns, awake_ns - late->signal_ns);
    const bool slow = node->reason == ST_DROPOUT_TOO_SLOW;
    if (slow) {
        node->slow_ns = late->end_ns;
        node->long_matters = true;
    }
    count_rhythm(profile, node, cycle, node->late_position, late->signal_ns, late->end_ns, busy_ns);
    judged(profile, node, node->reason,
           (struct st_dropout_cycle){busy_ns, slow ? late->cpu_error_ns : 0,
                                     slow ? 0 : awake_ns - late->signal_ns, 0},
           node->reason == ST_DROPOUT_WAITED_FOR_OTHER ? node->waited_for
           : slow                                      ? node->file
           : node->reason == ST_DROPOUT_CPU_TAKEN || node->reason == ST_DROPOUT_CPU_TAKEN_BY_ITSELF
               ? culprit_of(profile, late, ST_ROOM(ST_XRUN_NAME_BYTES))
               : "");
    *late = (struct st_dropout_figures){0};
}

/* The driver began the next cycle while this node had not finished. */
static void begin_late(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                       const struct st_pipewire_cycle *cycle, const struct st_pipewire_block *block)
{
    node->late =
        (struct st_dropout_figures){.cycle_ns = cycle->driver.signal_ns,
                                    .signal_ns = block->signal_ns,
                                    .awake_ns = block->awake_ns >= block->signal_ns ? block->awake_ns : 0,
                                    .deadline_ns = cycle->driver.awake_ns};
    node->late_position = cycle->position;
    profile->late = true;
    node->waited_for[0] = '\0';
}

/* Whose end signalled the nodes that are late in this cycle? The last end before that, if most of the time
 * before is its. */
static void name_waited_for(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle)
{
    for (size_t i = 0; i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        struct st_pipewire_profile_node *node = &profile->nodes[i];
        const int64_t from_ns = cycle->driver.signal_ns, to_ns = node->late.signal_ns;
        int64_t least_ns = (to_ns - from_ns) / 2;
        for (size_t j = 0; is_late(node, from_ns) && j < ST_PIPEWIRE_PROFILE_NODES_MAX; j++) {
            const int64_t ago_ns = to_ns - profile->nodes[j].finish_ns;
            if (!profile->nodes[j].used || i == j || ago_ns < 0 || ago_ns >= least_ns)
                continue;
            least_ns = ago_ns;
            rename_node(&node->waited_for, profile->nodes[j].name);
        }
    }
}

/* Has it finished by now? Its times may be those of a later cycle already, and 0.3.65 writes a time of its
 * own as that of awaking, just before it signals a client. */
static void follow_late(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                        const struct st_pipewire_cycle *cycle, const struct st_pipewire_block *block)
{
    struct st_dropout_figures *late = &node->late;
    const bool awake_again = block->awake_ns >= block->signal_ns && block->awake_ns > late->awake_ns;
    const bool finished = block->finish_ns > late->signal_ns && block->finish_ns > late->awake_ns;
    if (finished && late->awake_ns == 0 && (!awake_again || block->finish_ns <= block->awake_ns)) {
        const int64_t awake_ns = block->finish_ns - node->usual_busy_ns; /* it was overwritten */
        late->awake_ns = ST_MAX(awake_ns, late->signal_ns);
        judge(profile, node, cycle, block->finish_ns);
    } else if (late->awake_ns == 0 && awake_again) {
        late->awake_ns = block->awake_ns;
        if (finished)
            judge(profile, node, cycle, block->finish_ns);
    } else if (finished || awake_again) {
        judge(profile, node, cycle,
              finished && (!awake_again || block->finish_ns <= block->awake_ns) ? block->finish_ns
                                                                                : block->awake_ns);
    } else if (cycle->driver.awake_ns - late->deadline_ns > PATIENCE_NS) {
        judge(profile, node, cycle, cycle->driver.awake_ns);
    }
}

/* A dropout that the times do not show. */
static void judge_rest(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                       int64_t now_ns)
{
    const bool again = node->judged_ns != 0 && now_ns - node->judged_ns < 4 * node->period_ns;
    judged(profile, node, again ? node->reason : ST_DROPOUT_UNKNOWN, (struct st_dropout_cycle){0}, "");
}

static void take_starved(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                         const struct st_pipewire_cycle *cycle, const struct st_pipewire_block *block)
{
    const bool late =
        block->status == ST_PIPEWIRE_CYCLE_TRIGGERED || block->status == ST_PIPEWIRE_CYCLE_AWAKE;
    const struct st_pipewire_block *driver = &cycle->driver;
    if (node->late.signal_ns != 0)
        follow_late(profile, node, cycle, block);
    else if (late && driver->awake_ns > block->signal_ns && /* else signalled for the next cycle */
             (node->undecided_n > 0 ||
              block->xruns_n !=
                  ST_PIPEWIRE_CYCLE_NOT_COUNTED || /* else ended by a client of the cycle before */
              !is_short(driver->awake_ns - driver->signal_ns, cycle->period_ns)))
        begin_late(profile, node, cycle, block);
    if (!late && node->late.signal_ns == 0)
        judge_rest(profile, node, driver->awake_ns);
}

/* Since 0.3.72 a client that wakes up at last counts the cycles that the server has counted once more: each
 * cycle is at most one dropout. */
static int64_t cycles_since(const struct st_pipewire_profile_node *node,
                            const struct st_pipewire_cycle *cycle)
{
    const int64_t since_ns = cycle->driver.signal_ns - node->seen_ns + cycle->period_ns / 2;
    return node->seen_ns != 0 && cycle->period_ns > 0 && since_ns > cycle->period_ns
               ? since_ns / cycle->period_ns
               : 1;
}

static int64_t at_most(int64_t n, int64_t limit)
{
    return ST_MIN(n, limit);
}

static void take_follower(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle,
                          const struct st_pipewire_block *block)
{
    struct st_pipewire_profile_node *node = find_or_add(profile, block->id);
    if (node == NULL)
        return;
    rename_node(&node->name, block->name);
    rename_node(&node->driver, cycle->driver.name);
    node->drives = false;
    if (is_own(profile, node->client))
        return;
    const int64_t rise = block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED
                             ? at_most(risen(node, block->xruns_n), cycles_since(node, cycle))
                             : unfinished(block, &cycle->driver);
    /* before 1.4.9: one that was signalled in this cycle, with the times of the cycle before */
    const bool is_async =
        block->is_async ||
        (block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED && block->status >= ST_PIPEWIRE_CYCLE_TRIGGERED &&
         block->status <= ST_PIPEWIRE_CYCLE_FINISHED && block->signal_ns < cycle->driver.signal_ns);
    const int64_t now_ns = cycle->driver.signal_ns;
    if (node->seen_ns != 0 ? now_ns - node->seen_ns > PAUSE_NS : node->is_new)
        node->begun_ns = now_ns;
    if (profile->plays != NULL && (node->said_ns == 0 || now_ns - node->said_ns > ST_NS_PER_S)) {
        const int32_t tid = profile->plays(profile->measure_ctx, node->client);
        if (profile->ring != NULL)
            st_cycle_ring_thread(profile->ring, block->name != NULL ? block->name : node->name, tid);
        node->said_ns = now_ns;
    }
    const bool begins = node->begun_ns != 0 && now_ns - node->begun_ns < BEGIN_NS;
    node->seen_ns = now_ns;
    node->signalled_ns = block->signal_ns;
    node->woken_ns = block->awake_ns;
    if (node->is_device && block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED) {
        node->device_n += rise;
        profile->pending = profile->pending || rise > 0;
    } else if (begins || node->gone ||
               block->status > ST_PIPEWIRE_CYCLE_FINISHED) { /* gone: it is reported later */
        forgive(node);
    } else if (!is_async) {
        add_undecided(node, rise, now_ns - (rise - 1) * cycle->period_ns, now_ns + cycle->period_ns);
        take_starved(profile, node, cycle, block);
    }
    count_load(profile, node, cycle, block, is_async);
    node->last_finish_ns = node->finish_ns;
    node->finish_ns = block->finish_ns;
}

/* By what a server and a log that may be anybody's say: nothing is longer than a line may tell. */
static int64_t time_of(int64_t frames, double rate_hz)
{
    return (int64_t)fmin((double)frames * (double)ST_NS_PER_S / rate_hz, (double)ST_PIPEWIRE_CYCLE_MAX_NS);
}

/* The clock of a device that is in the cycle, behind its block. */
static int take_card(struct st_pipewire_profile *profile, uint32_t id, uint32_t driver_id,
                     const struct spa_pod *pod)
{
    struct st_pipewire_profile_node *node = find(profile, id);
    struct st_second_card_clock clock;
    const int r = st_pipewire_cycle_card(pod, &clock);
    profile->has_clocks = true;
    if (r < 0 || node == NULL || !node->is_device)
        return r == -EBADMSG ? r : 0;
    const int64_t lost = st_second_card_take(&node->card, driver_id, &clock);
    if (lost == 0)
        return 0;
    const int64_t lost_ns = time_of(lost, (double)clock.rate_hz);
    node->resyncs_n++;
    node->resync_lost_ns = st_ns_add(node->resync_lost_ns, lost_ns);
    node->resync_longest_ns = ST_MAX(lost_ns, node->resync_longest_ns);
    profile->pending = true;
    return 0;
}

/* How much a client computed from the time when the server was to begin a cycle, or in the cycle before if
 * that was reported with this end, to this end just before the server did. 0: it did not end there, or not
 * known. */
static int64_t computed_ns(struct st_pipewire_profile *profile, const struct st_pipewire_profile_node *driver,
                           const struct st_pipewire_profile_node *node, bool reported, int64_t *ret_error_ns)
{
    const int64_t period_ns = driver->period_ns, from_ns = driver->due_ns - (reported ? period_ns : 0);
    struct st_dropout_figures figures = {.cycle_ns = from_ns,
                                         .signal_ns = from_ns,
                                         .awake_ns = from_ns,
                                         .usual_ns = node->usual_busy_ns,
                                         .end_ns = reported ? node->last_finish_ns : node->finish_ns,
                                         .deadline_ns = from_ns + period_ns};
    if (figures.end_ns <= driver->due_ns || figures.end_ns > driver->late_ns + HAND_OVER_NS ||
        driver->late_ns - figures.end_ns >= period_ns)
        return 0;
    profile->measure(profile->measure_ctx, node->client, &figures);
    *ret_error_ns = figures.cpu_error_ns;
    return st_dropout_judge_computed_ns(&figures);
}

/* @return from one time to the next; NOT_YET: it was not there. */
static uint32_t span_of(bool there, int64_t from_ns, int64_t to_ns)
{
    const int64_t span_ns = st_ns_sub(to_ns, from_ns);
    return there && span_ns >= 0 && span_ns < ST_CYCLE_RING_NOT_YET ? (uint32_t)span_ns
                                                                    : ST_CYCLE_RING_NOT_YET;
}

/* The cycle that was not reported, of the client that held the CPU. */
static void put_held(struct st_pipewire_profile *profile, const struct st_pipewire_profile_node *driver,
                     const struct st_pipewire_profile_node *holder)
{
    const int64_t ago_ns = holder->finish_ns - driver->holder_busy_ns;
    const int64_t begin_ns = ago_ns > driver->due_ns ? ago_ns : driver->due_ns;
    if (profile->ring == NULL)
        return;
    st_cycle_ring_put(profile->ring, &(struct st_cycle_row){
                                         .cycle_ns = driver->due_ns,
                                         .signal_ns = driver->due_ns,
                                         .wait_ns = span_of(true, driver->due_ns, begin_ns),
                                         .busy_ns = span_of(true, begin_ns, holder->finish_ns),
                                         .period_ns = span_of(true, 0, driver->period_ns),
                                         .name = st_cycle_ring_name(profile->ring, holder->name),
                                     });
}

/* The client that computed for more than a period until the server could begin, on its CPU. 0.3.65 does not
 * report such a cycle, only when it finished. */
static void find_holder(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *driver)
{
    bool reported = false;
    driver->holder_id = 0;
    driver->holder_busy_ns = driver->period_ns;
    for (size_t i = 0; profile->measure != NULL && i < 2 * ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        struct st_pipewire_profile_node *node = &profile->nodes[i / 2];
        int64_t error_ns = 0;
        if (!node->used || node->drives || node->client == ST_PIPEWIRE_PROFILE_NO_CLIENT ||
            node->seen_ns != driver->seen_ns)
            continue;
        const int64_t busy_ns = computed_ns(profile, driver, node, i % 2 != 0, &error_ns);
        if (busy_ns < driver->holder_busy_ns)
            continue;
        reported = i % 2 != 0;
        driver->holder_id = node->id;
        driver->holder_busy_ns = busy_ns;
        driver->holder_error_ns = error_ns;
    }
    struct st_pipewire_profile_node *holder = find(profile, driver->holder_id);
    if (holder != NULL)
        st_node_load_add(&holder->load, driver->holder_busy_ns, 0);
    if (holder != NULL && !reported)
        put_held(profile, driver, holder);
}

/* Was a client of that driver late when its device ran dry? */
static bool was_client_late(const struct st_pipewire_profile *profile,
                            const struct st_pipewire_profile_node *driver)
{
    ST_EACH (node, profile->nodes) {
        if (node->used && !node->drives && strcmp(node->driver, driver->name) == 0 &&
            (node->late.signal_ns != 0 ||
             (node->judged_ns != 0 && node->judged_ns > driver->dry_ns - 4 * driver->period_ns)))
            return true;
    }
    return false;
}

/* A device that ran dry because the server or a client was late: that is one dropout, and theirs. */
static void explain_dry(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *driver)
{
    const int64_t near_ns = 2 * driver->period_ns, n = at_most(driver->dry_n, driver->device_n);
    const bool late = driver->late_ns != 0 && driver->dry_ns > driver->late_ns - near_ns &&
                      driver->dry_ns < driver->late_ns + near_ns;
    if (n > 0 && (late || was_client_late(profile, driver))) {
        driver->device_n -= n;
        driver->dry_n = 0;
        if (!was_client_late(profile, driver) && driver->judged_ns < driver->late_ns) {
            driver->judged_ns = driver->late_ns + driver->period_ns;
            blame_late(profile, driver, driver->holder_id, driver->due_ns, driver->late_ns, n);
        }
    }
    if (driver->seen_ns - driver->dry_ns >= near_ns)
        driver->dry_n = 0;
}

/* Did the server begin this cycle late, and not after a pause? */
static void note_late_server(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *driver,
                             const struct st_pipewire_cycle *cycle)
{
    const int64_t seen_ns = driver->seen_ns, period_ns = driver->period_ns;
    const int64_t begin_ns = cycle->driver.prev_signal_ns > seen_ns + period_ns / 4
                                 ? cycle->driver.prev_signal_ns
                                 : cycle->driver.signal_ns;
    driver->seen_ns = cycle->driver.signal_ns;
    if (seen_ns == 0 || period_ns == 0 || begin_ns - seen_ns < period_ns + period_ns / 4 ||
        begin_ns - seen_ns > PAUSE_NS)
        return;
    driver->due_ns = seen_ns + period_ns;
    driver->late_ns = begin_ns;
    find_holder(profile, driver);
}

/* Numbers go on when a report finds no room (module-profiler.c). Later, a node's own counter has its dropouts
 * all the same. */
static int note_number(struct st_pipewire_profile *profile, int64_t number)
{
    const bool gap = profile->number != 0 && number > profile->number && number - 1 != profile->number;
    profile->number = number;
    return gap ? -EOVERFLOW : 0;
}

static void put_row(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle,
                    const struct st_pipewire_block *block, bool is_driver)
{
    const struct st_pipewire_profile_node *node = profile->ring != NULL ? find(profile, block->id) : NULL;
    if (node == NULL || block->signal_ns <= 0 || is_own(profile, node->client))
        return;
    const bool finished = block->status == ST_PIPEWIRE_CYCLE_FINISHED || is_driver;
    const bool awake = finished || block->status == ST_PIPEWIRE_CYCLE_AWAKE;
    const int64_t began_ns = is_driver ? cycle->driver.prev_signal_ns : cycle->driver.signal_ns;
    st_cycle_ring_put(profile->ring, &(struct st_cycle_row){
                                         .cycle_ns = ST_MAX(began_ns, 0),
                                         .signal_ns = block->signal_ns,
                                         .wait_ns = span_of(awake, block->signal_ns, block->awake_ns),
                                         .busy_ns = span_of(finished, block->awake_ns, block->finish_ns),
                                         .period_ns = span_of(true, 0, cycle->period_ns),
                                         .name = st_cycle_ring_name(
                                             profile->ring, block->name != NULL ? block->name : node->name),
                                         .is_driver = is_driver});
}

/* The driver's block is before its followers'. */
static int take_cycle(struct st_pipewire_profile *profile, const struct spa_pod_object *object)
{
    const struct spa_pod_prop *prop;
    struct st_pipewire_cycle cycle = {.xruns_n = ST_PIPEWIRE_CYCLE_NOT_COUNTED};
    struct st_pipewire_block follower = {0};
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
            if (r == 0 && cycle.xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED)
                take_driver(profile, &cycle);
            if (r == 0)
                put_row(profile, &cycle, &cycle.driver, true);
            break;
        case SPA_PROFILER_followerBlock:
            r = st_pipewire_cycle_block(&prop->value, &follower);
            if (r == 0)
                take_follower(profile, &cycle, &follower);
            if (r == 0)
                put_row(profile, &cycle, &follower, false);
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
    struct st_pipewire_profile_node *driver = find(profile, cycle.driver.id);
    if (driver != NULL) {
        note_late_server(profile, driver, &cycle);
        explain_dry(profile, driver);
    }
    if (profile->late) {
        name_waited_for(profile, &cycle);
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

/* --- told --- */

static void report_reason(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                          enum st_dropout_reason reason, st_xrun_seen_fn seen, void *ctx)
{
    struct st_pipewire_profile_reason *sum = &node->reasons[reason];
    struct st_xrun_seen sighting = {.certainty = ST_CERTAINTY_EXACT,
                                    .dropouts_n = sum->dropouts_n,
                                    .reason = reason,
                                    .place = node->drives ? ST_DROPOUT_AT_DEVICE_BUFFER : ST_DROPOUT_AT_GRAPH,
                                    .cycles_n = sum->n,
                                    .lost_ns = sum->lost_ns,
                                    .longest_ns = sum->longest_ns,
                                    .cycle = sum->worst};
    sighting.cycle.period_ns = node->period_ns;
    rename_node(&sighting.device, node->driver);
    rename_node(&sighting.client, node->drives ? ST_XRUN_SERVER_ITSELF : node->name);
    rename_node(&sighting.culprit, sum->culprit);
    if (sum->n > 0) {
        report_cycle(profile, seen, ctx);
        seen(ctx, &sighting);
    }
    *sum = (struct st_pipewire_profile_reason){0};
}

static void report_resyncs(struct st_pipewire_profile_node *node, st_xrun_seen_fn seen, void *ctx)
{
    struct st_xrun_seen sighting = {.certainty = ST_CERTAINTY_PROBABLE,
                                    .device_xruns_n = node->resyncs_n,
                                    .place = ST_DROPOUT_AT_RESYNC,
                                    .lost_ns = ST_MIN(node->resync_lost_ns, ST_PIPEWIRE_CYCLE_MAX_NS),
                                    .longest_ns = node->resync_longest_ns};
    if (node->resyncs_n == 0)
        return;
    rename_node(&sighting.device, node->driver);
    rename_node(&sighting.client, node->name);
    seen(ctx, &sighting);
    node->resyncs_n = node->resync_lost_ns = node->resync_longest_ns = 0;
}

void st_pipewire_profile_report(struct st_pipewire_profile *profile, st_xrun_seen_fn seen, void *ctx)
{
    for (size_t i = 0; profile->pending && i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        struct st_pipewire_profile_node *node = &profile->nodes[i];
        struct st_xrun_seen sighting = {.certainty = ST_CERTAINTY_EXACT,
                                        .device_xruns_n = node->device_n,
                                        .place = ST_DROPOUT_AT_DEVICE_BUFFER};
        if (!node->used)
            continue;
        if (node->gone)
            forgive(node);
        rename_node(&sighting.device, node->name);
        if (node->device_n > 0)
            seen(ctx, &sighting);
        node->device_n = 0;
        report_resyncs(node, seen, ctx);
        for (int reason = 0; reason < ST_DROPOUT_REASONS; reason++)
            report_reason(profile, node, (enum st_dropout_reason)reason, seen, ctx);
    }
    profile->pending = false;
}

void st_pipewire_profile_lost(struct st_pipewire_profile *profile, uint32_t id,
                              const struct st_listened_loss *loss, st_xrun_seen_fn seen, void *ctx)
{
    const struct st_pipewire_profile_node *node = find(profile, id);
    if (node == NULL || node->gone || node->name[0] == '\0' || is_own(profile, node->client))
        return;
    /* what is next to a cycle that it did not finish is the same dropout */
    const bool goes_on = node->lost_end_ns != 0 && loss->begin_ns < node->lost_end_ns + SOUND_NS &&
                         loss->end_ns > node->lost_begin_ns - SOUND_NS;
    struct st_xrun_seen sighting = {.certainty = loss->certainty,
                                    .dropouts_n = loss->n - goes_on,
                                    .cycles_n = goes_on,
                                    .reason = goes_on ? node->reason : loss->reason,
                                    .place = goes_on ? ST_DROPOUT_AT_GRAPH : ST_DROPOUT_AT_CLIENT_BUFFER,
                                    .lost_ns = at_most(loss->lost_ns, ST_PIPEWIRE_CYCLE_MAX_NS),
                                    .longest_ns = at_most(loss->longest_ns, ST_PIPEWIRE_CYCLE_MAX_NS)};
    rename_node(&sighting.device, node->driver);
    rename_node(&sighting.client, node->name);
    seen(ctx, &sighting);
}

int64_t st_pipewire_profile_frames(struct st_pipewire_profile *profile, uint32_t id)
{
    const struct st_pipewire_profile_node *node = find(profile, id);
    return node != NULL ? node->frames : 0;
}

bool st_pipewire_profile_needs_log(const struct st_pipewire_profile *profile)
{
    size_t i = 0;
    while (i < ST_PIPEWIRE_PROFILE_NODES_MAX &&
           (!profile->nodes[i].is_device || profile->nodes[i].drives || profile->nodes[i].seen_ns == 0))
        i++;
    return i < ST_PIPEWIRE_PROFILE_NODES_MAX && !profile->has_clocks;
}

void st_pipewire_profile_resync(struct st_pipewire_profile *profile, const struct st_resync_log_line *line,
                                st_xrun_seen_fn seen, void *ctx)
{
    struct st_xrun_seen sighting = {
        .certainty = ST_CERTAINTY_EXACT, .device_xruns_n = line->n, .place = ST_DROPOUT_AT_RESYNC};
    ST_EACH (node, profile->nodes) {
        if (!node->is_device || !node->drives || node->gone)
            continue;
        rename_node(&sighting.device, node->name);
        sighting.lost_ns = sighting.longest_ns =
            time_of(line->frames, (double)line->cycle_frames * (double)ST_NS_PER_S / (double)node->period_ns);
    }
    rename_node(&sighting.client, line->card);
    seen(ctx, &sighting);
}

void st_pipewire_profile_loads(struct st_pipewire_profile *profile, st_xrun_seen_fn seen, void *ctx)
{
    ST_EACH (node, profile->nodes) {
        struct st_xrun_seen sighting = {
            .load = {.period_ns = node->period_ns > 0 ? node->period_ns : INT64_MIN,
                     .frames = node->frames,
                     .rate_hz = node->rate_hz,
                     .asked_frames = node->asked_frames,
                     .asked_rate_hz = node->asked_rate_hz,
                     .streams_n = node->is_stream}};
        const bool runs = !node->drives && !node->is_device;
        sighting.load.drift_ppb =
            node->is_device && !node->drives ? st_second_card_drift_ppb(&node->card) : 0;
        const bool is_client = runs || sighting.load.drift_ppb != 0;
        if (node->used && profile->priority != NULL)
            sighting.load.priority =
                profile->priority(profile->measure_ctx, runs ? node->client : ST_DROPOUT_SERVER);
        if (node->used && runs && profile->between != NULL)
            sighting.load.between = profile->between(profile->measure_ctx, node->client);
        const bool ran = st_node_load_take(&node->load, &sighting.load);
        bool any = false;
        sighting.load.block_frames = runs ? st_block_rhythm_find(&node->rhythm, &any) : 0;
        sighting.load.block_any = any;
        node->long_matters =
            runs && (sighting.load.block_frames != 0 ||
                     (node->slow_ns != 0 && node->signal_ns - node->slow_ns < LONG_MATTERS_NS));
        if (node->used && ran && node->long_matters && profile->code != NULL)
            profile->code(profile->measure_ctx, node->id, node->client, &sighting.load.code);
        rename_node(&node->file, sighting.load.code.file);
        rename_node(&sighting.device, is_client ? node->driver : node->name);
        rename_node(&sighting.client, is_client ? node->name : "");
        if (ran && !node->gone && !is_own(profile, node->client))
            seen(ctx, &sighting);
        if (node->gone || (!ran && node->used && !node->announced))
            forget(node);
    }
}

void st_pipewire_profile_finish(struct st_pipewire_profile *profile)
{
    ST_EACH (node, profile->nodes)
        forget(node);
}
