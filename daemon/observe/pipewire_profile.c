#include "daemon/observe/pipewire_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spa/param/param.h>
#include <spa/param/profiler.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <spa/utils/type.h>

#include "core/ns.h"

/* pipewire/private.h; the profiler tells them as they are */
enum { STATUS_TRIGGERED = 1, STATUS_AWAKE = 2, STATUS_FINISHED = 3 };

#define NOT_COUNTED INT32_MIN
#define RATE_MAX    10000000 /* Hz; more is no sound */
#define FRAMES_MAX  10000000

/* --- nodes --- */

static struct st_pipewire_profile_node *find(struct st_pipewire_profile *profile, uint32_t id)
{
    for (size_t i = 0; i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        if (profile->nodes[i].used && profile->nodes[i].id == id)
            return &profile->nodes[i];
    }
    return NULL;
}

static void forget(struct st_pipewire_profile_node *node)
{
    free(node->load);
    *node = (struct st_pipewire_profile_node){0};
}

/* Room for a new node: an unused one, else one that has gone. */
static struct st_pipewire_profile_node *find_room(struct st_pipewire_profile *profile)
{
    struct st_pipewire_profile_node *gone = NULL;
    for (size_t i = 0; i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        if (!profile->nodes[i].used)
            return &profile->nodes[i];
        if (profile->nodes[i].gone)
            gone = &profile->nodes[i];
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
                             bool is_device)
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
    for (size_t i = 0; i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        if (profile->nodes[i].client == client)
            profile->nodes[i].starved_n = 0;
    }
}

void st_pipewire_profile_remove(struct st_pipewire_profile *profile, uint32_t id)
{
    struct st_pipewire_profile_node *node = find(profile, id);
    if (node != NULL)
        node->gone = true;
    size_t i = 0;
    while (i < profile->own_n && profile->own[i] != id)
        i++;
    if (i < profile->own_n)
        profile->own[i] = profile->own[--profile->own_n];
}

/* By how much the node's counter has risen. */
static int64_t risen(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                     int32_t xruns_n)
{
    const int64_t rise = node->counted ? (int64_t)xruns_n - node->xruns_n : 0;
    node->counted = true;
    node->xruns_n = xruns_n;
    if (rise >= 0)
        return rise;
    profile->epoch = true;
    profile->pending = true;
    return 0;
}

static void rename_node(char (*to)[ST_XRUN_NAME_BYTES], const char *name)
{
    snprintf(*to, sizeof(*to), "%s", name != NULL ? name : "");
}

/* --- one cycle --- */

struct block {
    uint32_t id;
    const char *name;
    int64_t prev_signal_ns; /* when it was to begin in the cycle before */
    int64_t signal_ns, awake_ns, finish_ns;
    int32_t status;
    int32_t xruns_n; /* NOT_COUNTED: an older PipeWire */
    bool is_async;   /* it has a cycle more time; these times are of the cycle before */
};

/* One cycle of a driver. */
struct cycle {
    int64_t frames, rate_hz, period_ns; /* 0: not known */
    int32_t xruns_n;
    struct block driver;
};

/* A struct of values. The parser of PipeWire 0.3.65 looks into a choice without asking whether what it holds
 * is inside; the profiler sends none. */
static bool has_only_values(const struct spa_pod *pod)
{
    const struct spa_pod *field;
    if (!spa_pod_is_struct(pod))
        return false;
    SPA_POD_STRUCT_FOREACH(pod, field)
    {
        if (SPA_POD_TYPE(field) == SPA_TYPE_Choice)
            return false;
    }
    return true;
}

static int read_block(const struct spa_pod *pod, struct block *ret)
{
    struct spa_fraction latency;
    *ret = (struct block){.xruns_n = NOT_COUNTED};
    if (!has_only_values(pod))
        return -EBADMSG;
    return spa_pod_parse_struct(pod, SPA_POD_Int(&ret->id), SPA_POD_String(&ret->name),
                                SPA_POD_Long(&ret->prev_signal_ns), SPA_POD_Long(&ret->signal_ns),
                                SPA_POD_Long(&ret->awake_ns), SPA_POD_Long(&ret->finish_ns),
                                SPA_POD_Int(&ret->status), SPA_POD_Fraction(&latency),
                                SPA_POD_OPT_Int(&ret->xruns_n), SPA_POD_OPT_Bool(&ret->is_async)) < 0
               ? -EBADMSG
               : 0;
}

static int read_driver_xruns(const struct spa_pod *pod, int32_t *ret)
{
    int64_t counter;
    float load[3];
    if (!has_only_values(pod))
        return -EBADMSG;
    return spa_pod_parse_struct(pod, SPA_POD_Long(&counter), SPA_POD_Float(&load[0]), SPA_POD_Float(&load[1]),
                                SPA_POD_Float(&load[2]), SPA_POD_Int(ret)) < 0
               ? -EBADMSG
               : 0;
}

/* What cannot be a clock is not known; the cycle counts all the same. */
static int read_clock(const struct spa_pod *pod, struct cycle *ret)
{
    int32_t flags, id;
    int64_t nsec, position, duration;
    const char *name;
    struct spa_fraction rate;
    if (!has_only_values(pod) ||
        spa_pod_parse_struct(pod, SPA_POD_Int(&flags), SPA_POD_Int(&id), SPA_POD_String(&name),
                             SPA_POD_Long(&nsec), SPA_POD_Fraction(&rate), SPA_POD_Long(&position),
                             SPA_POD_Long(&duration)) < 0)
        return -EBADMSG;
    if (rate.num == 0 || rate.denom < rate.num || rate.denom > RATE_MAX || duration <= 0 ||
        duration > FRAMES_MAX)
        return 0;
    ret->rate_hz = rate.denom / rate.num;
    ret->frames = duration;
    ret->period_ns = duration * ST_NS_PER_S / ret->rate_hz;
    return 0;
}

/* A cycle that the node has finished, and only once: PipeWire reports some twice. A node has been seen once
 * before its cycles count, because the first report may be of one that is not complete. */
static void count_load(struct st_pipewire_profile_node *node, const struct cycle *cycle,
                       const struct block *block)
{
    const bool known = node->signal_ns != 0;
    if ((block->status != STATUS_FINISHED && !block->is_async) || block->signal_ns <= node->signal_ns ||
        block->awake_ns < block->signal_ns || block->finish_ns < block->awake_ns)
        return;
    node->signal_ns = block->signal_ns;
    node->frames = cycle->frames;
    node->rate_hz = cycle->rate_hz;
    node->period_ns = cycle->period_ns;
    if (node->load == NULL)
        node->load = calloc(1, sizeof(*node->load));
    if (known && node->load != NULL)
        st_node_load_add(node->load, block->finish_ns - block->awake_ns, block->awake_ns - block->signal_ns);
}

static void take_driver(struct st_pipewire_profile *profile, const struct cycle *cycle)
{
    struct st_pipewire_profile_node *node = find_or_add(profile, cycle->driver.id);
    if (node == NULL)
        return;
    rename_node(&node->name, cycle->driver.name);
    rename_node(&node->driver, cycle->driver.name);
    node->drives = true;
    const int64_t rise = risen(profile, node, cycle->xruns_n);
    node->device_n += rise;
    profile->pending = profile->pending || rise > 0;
    count_load(node, cycle, &cycle->driver);
}

/* Without a counter: a cycle in which the node did not finish is reported twice when the next begins, as
 * incomplete and as ended by the driver; only the former cycle's time is the same in both (0.3.65). */
static bool unfinished(struct st_pipewire_profile_node *node, const struct block *block,
                       int64_t cycle_before_ns)
{
    if (block->status != STATUS_TRIGGERED && block->status != STATUS_AWAKE)
        return false;
    const bool first = node->unfinished_ns != cycle_before_ns;
    node->unfinished_ns = cycle_before_ns;
    return first;
}

static void take_follower(struct st_pipewire_profile *profile, const struct cycle *cycle,
                          const struct block *block)
{
    struct st_pipewire_profile_node *node = find_or_add(profile, block->id);
    if (node == NULL)
        return;
    rename_node(&node->name, block->name);
    rename_node(&node->driver, cycle->driver.name);
    node->drives = false;
    if (is_own(profile, node->client))
        return;
    const int64_t rise = block->xruns_n != NOT_COUNTED
                             ? risen(profile, node, block->xruns_n)
                             : unfinished(node, block, cycle->driver.prev_signal_ns);
    if (node->is_device && block->xruns_n != NOT_COUNTED)
        node->device_n += rise;
    else
        node->starved_n += rise;
    profile->pending = profile->pending || rise > 0;
    count_load(node, cycle, block);
}

/* The driver's block is before its followers'. */
static int take_cycle(struct st_pipewire_profile *profile, const struct spa_pod_object *object)
{
    const struct spa_pod_prop *prop;
    struct cycle cycle = {.xruns_n = NOT_COUNTED};
    struct block follower;
    SPA_POD_OBJECT_FOREACH(object, prop)
    {
        int r = 0;
        switch (prop->key) {
        case SPA_PROFILER_info:
            r = read_driver_xruns(&prop->value, &cycle.xruns_n);
            break;
        case SPA_PROFILER_clock:
            r = read_clock(&prop->value, &cycle);
            break;
        case SPA_PROFILER_driverBlock:
            r = read_block(&prop->value, &cycle.driver);
            if (r == 0 && cycle.xruns_n != NOT_COUNTED)
                take_driver(profile, &cycle);
            break;
        case SPA_PROFILER_followerBlock:
            r = read_block(&prop->value, &follower);
            if (r == 0)
                take_follower(profile, &cycle, &follower);
            break;
        default:
            break;
        }
        if (r < 0)
            return r;
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

void st_pipewire_profile_report(struct st_pipewire_profile *profile, st_xrun_seen_fn seen, void *ctx)
{
    if (profile->epoch)
        seen(ctx, &(struct st_xrun_seen){.new_epoch = true});
    for (size_t i = 0; profile->pending && i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        struct st_pipewire_profile_node *node = &profile->nodes[i];
        if (!node->used || (node->device_n == 0 && node->starved_n == 0))
            continue;
        struct st_xrun_seen sighting = {
            .certainty = ST_CERTAINTY_EXACT, .device_xruns_n = node->device_n, .starved_n = node->starved_n};
        const bool is_client = node->starved_n > 0;
        rename_node(&sighting.device, is_client ? node->driver : node->name);
        rename_node(&sighting.client, is_client ? node->name : "");
        seen(ctx, &sighting);
        node->device_n = 0;
        node->starved_n = 0;
    }
    profile->epoch = false;
    profile->pending = false;
}

void st_pipewire_profile_loads(struct st_pipewire_profile *profile, st_xrun_seen_fn seen, void *ctx)
{
    for (size_t i = 0; i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        struct st_pipewire_profile_node *node = &profile->nodes[i];
        struct st_xrun_seen sighting = {
            .load = {.period_ns = node->period_ns > 0 ? node->period_ns : INT64_MIN,
                     .frames = node->frames,
                     .rate_hz = node->rate_hz}};
        const bool is_client = !node->drives && !node->is_device;
        const bool ran = node->load != NULL && st_node_load_take(node->load, &sighting.load);
        rename_node(&sighting.device, is_client ? node->driver : node->name);
        rename_node(&sighting.client, is_client ? node->name : "");
        if (ran && !is_own(profile, node->client))
            seen(ctx, &sighting);
        if (node->gone || (!ran && node->used && !node->announced))
            forget(node);
    }
}

void st_pipewire_profile_finish(struct st_pipewire_profile *profile)
{
    for (size_t i = 0; i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++)
        forget(&profile->nodes[i]);
}
