#include "daemon/observe/pipewire_profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <spa/param/param.h>
#include <spa/param/profiler.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <spa/utils/type.h>

/* pipewire/private.h; the profiler tells them as they are */
enum { STATUS_TRIGGERED = 1, STATUS_AWAKE = 2 };

#define NOT_COUNTED INT32_MIN

/* --- nodes --- */

static struct st_pipewire_profile_node *find(struct st_pipewire_profile *profile, uint32_t id)
{
    for (size_t i = 0; i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        if (profile->nodes[i].used && profile->nodes[i].id == id)
            return &profile->nodes[i];
    }
    return NULL;
}

static struct st_pipewire_profile_node *find_or_add(struct st_pipewire_profile *profile, uint32_t id)
{
    struct st_pipewire_profile_node *node = find(profile, id);
    for (size_t i = 0; node == NULL && i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        if (!profile->nodes[i].used) {
            node = &profile->nodes[i];
            *node = (struct st_pipewire_profile_node){
                .id = id, .client = ST_PIPEWIRE_PROFILE_NO_CLIENT, .used = true};
        }
    }
    return node;
}

void st_pipewire_profile_add(struct st_pipewire_profile *profile, uint32_t id, uint32_t client,
                             bool is_device)
{
    struct st_pipewire_profile_node *node = find_or_add(profile, id);
    if (node != NULL)
        *node = (struct st_pipewire_profile_node){
            .id = id, .client = client, .used = true, .is_device = is_device};
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
        node->used = false;
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
    int32_t status;
    int32_t xruns_n; /* NOT_COUNTED: an older PipeWire */
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
    int64_t signal, awake, finish;
    struct spa_fraction latency;
    *ret = (struct block){.xruns_n = NOT_COUNTED};
    if (!has_only_values(pod))
        return -EBADMSG;
    return spa_pod_parse_struct(pod, SPA_POD_Int(&ret->id), SPA_POD_String(&ret->name),
                                SPA_POD_Long(&ret->prev_signal_ns), SPA_POD_Long(&signal),
                                SPA_POD_Long(&awake), SPA_POD_Long(&finish), SPA_POD_Int(&ret->status),
                                SPA_POD_Fraction(&latency), SPA_POD_OPT_Int(&ret->xruns_n)) < 0
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

static void take_driver(struct st_pipewire_profile *profile, const struct block *driver, int32_t xruns_n)
{
    struct st_pipewire_profile_node *node = find_or_add(profile, driver->id);
    if (node == NULL)
        return;
    rename_node(&node->name, driver->name);
    const int64_t rise = risen(profile, node, xruns_n);
    node->device_n += rise;
    profile->pending = profile->pending || rise > 0;
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

static void take_follower(struct st_pipewire_profile *profile, const struct block *driver,
                          const struct block *block)
{
    struct st_pipewire_profile_node *node = find_or_add(profile, block->id);
    if (node == NULL)
        return;
    rename_node(&node->name, block->name);
    rename_node(&node->driver, driver->name);
    if (is_own(profile, node->client))
        return;
    const int64_t rise = block->xruns_n != NOT_COUNTED ? risen(profile, node, block->xruns_n)
                                                       : unfinished(node, block, driver->prev_signal_ns);
    if (node->is_device && block->xruns_n != NOT_COUNTED)
        node->device_n += rise;
    else
        node->starved_n += rise;
    profile->pending = profile->pending || rise > 0;
}

/* The driver's block is before its followers'. */
static int take_cycle(struct st_pipewire_profile *profile, const struct spa_pod_object *object)
{
    const struct spa_pod_prop *prop;
    struct block driver = {0}, follower;
    int32_t driver_xruns_n = NOT_COUNTED;
    SPA_POD_OBJECT_FOREACH(object, prop)
    {
        int r = 0;
        switch (prop->key) {
        case SPA_PROFILER_info:
            r = read_driver_xruns(&prop->value, &driver_xruns_n);
            break;
        case SPA_PROFILER_driverBlock:
            r = read_block(&prop->value, &driver);
            if (r == 0 && driver_xruns_n != NOT_COUNTED)
                take_driver(profile, &driver, driver_xruns_n);
            break;
        case SPA_PROFILER_followerBlock:
            r = read_block(&prop->value, &follower);
            if (r == 0)
                take_follower(profile, &driver, &follower);
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
