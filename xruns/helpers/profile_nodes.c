/* The nodes of PipeWire's graph, and what their cycles are usually like. */
#include "xruns/helpers/pipewire_profile.h"

#define USUAL_CYCLES 16 /* cycles over which a node's usual times are averaged */

struct st_profile_node *st_profile_node_find(struct st_pipewire_profile *profile, uint32_t id)
{
    ST_EACH (node, profile->nodes) {
        if (node->used && node->id == id)
            return node;
    }
    return NULL;
}

void st_profile_node_forget(struct st_profile_node *node)
{
    st_node_load_finish(&node->load);
    *node = (struct st_profile_node){0};
}

/* Finds room for a new node: an unused entry, else that of a node that has gone; NULL: none. */
static struct st_profile_node *find_room(struct st_pipewire_profile *profile)
{
    struct st_profile_node *gone = NULL;
    ST_EACH (node, profile->nodes) {
        if (!node->used)
            return node;
        if (node->gone)
            gone = node;
    }
    return gone;
}

struct st_profile_node *st_profile_node_find_or_add(struct st_pipewire_profile *profile,
                                                    uint32_t id)
{
    struct st_profile_node *node = st_profile_node_find(profile, id);
    if (node == NULL && (node = find_room(profile)) != NULL) {
        st_profile_node_forget(node);
        node->id = id;
        node->client = ST_PIPEWIRE_PROFILE_NO_CLIENT;
        node->used = true;
    }
    return node;
}

void st_pipewire_profile_add(struct st_pipewire_profile *profile, uint32_t id, uint32_t client,
                             bool is_device, bool is_stream)
{
    struct st_profile_node *node = st_profile_node_find(profile, id);
    if (node != NULL)
        st_profile_node_forget(node);
    node = st_profile_node_find_or_add(profile, id);
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

/* @return the index of sleeptuned's own client in profile->own; own_n: the client is another
 * program's. */
static size_t own_of(const struct st_pipewire_profile *profile, uint32_t client)
{
    size_t i = 0;
    while (i < profile->own_n && profile->own[i] != client)
        i++;
    return i;
}

bool st_profile_node_is_own(const struct st_pipewire_profile *profile, uint32_t client)
{
    return client == ST_PIPEWIRE_PROFILE_VIDEO || own_of(profile, client) < profile->own_n;
}

void st_pipewire_profile_leave_out(struct st_pipewire_profile *profile, uint32_t client)
{
    if (st_profile_node_is_own(profile, client) || profile->own_n == ST_PIPEWIRE_PROFILE_OWN_MAX)
        return;
    profile->own[profile->own_n++] = client;
    ST_EACH (node, profile->nodes) {
        if (node->client != client)
            continue;
        node->lost.n = 0;
        for (size_t i = profile->unreported_n; i-- > 0 && node->name[0] != '\0';) {
            if (st_text_is(profile->unreported[i].client, node->name) &&
                st_text_is(profile->unreported[i].device, node->driver))
                profile->unreported[i] = profile->unreported[--profile->unreported_n];
        }
    }
}

bool st_pipewire_profile_ends(struct st_pipewire_profile *profile, uint32_t id,
                              struct st_xrun_seen *ret)
{
    const struct st_profile_node *node = st_profile_node_find(profile, id);
    if (node == NULL || node->drives || node->is_device || node->name[0] == '\0' ||
        st_profile_node_is_own(profile, node->client))
        return false;
    ST_EACH (other, profile->nodes) {
        if (other != node && other->used && !other->gone && st_text_is(other->name, node->name) &&
            st_text_is(other->driver, node->driver))
            return false;
    }
    *ret = (struct st_xrun_seen){.kind = ST_XRUN_SEEN_ENDED};
    st_profile_node_rename(&ret->event.device, node->driver);
    st_profile_node_rename(&ret->event.client, node->name);
    return true;
}

void st_profile_node_settle_dry(struct st_pipewire_profile *profile, struct st_profile_node *driver)
{
    struct st_profile_server *server = &driver->server;
    st_profile_losses_dry(profile, driver, server->dry_n, server->dry_lost_ns,
                          server->dry_longest_ns);
    server->dry_n = server->dry_lost_ns = server->dry_longest_ns = 0;
}

void st_pipewire_profile_remove(struct st_pipewire_profile *profile, uint32_t id)
{
    struct st_profile_node *node = st_profile_node_find(profile, id);
    if (node != NULL) {
        st_profile_node_settle_dry(profile, node);
        node->gone = true;
    }
    const size_t i = own_of(profile, id);
    if (i < profile->own_n)
        profile->own[i] = profile->own[--profile->own_n];
}

int64_t st_pipewire_profile_period_ns(struct st_pipewire_profile *profile, uint32_t id)
{
    const struct st_profile_node *node = st_profile_node_find(profile, id);
    return node != NULL ? node->period_ns : 0;
}

void st_profile_node_rename(char (*to)[ST_XRUN_NAME_BYTES], const char *name)
{
    name = st_text_or(name, "");
    /* compare first, since this is called 7500 times a second with ten clients */
    if (strncmp(*to, name, sizeof(*to) - 1) != 0)
        ST_PRINT(*to, "%s", name);
}

void st_profile_node_count_rhythm(struct st_profile_node *node,
                                  const struct st_pipewire_cycle *cycle, int64_t position,
                                  int64_t signal_ns, int64_t busy_ns)
{
    if (cycle->frames == 0 || node->usual.busy_ns == 0 || signal_ns <= node->long_cycles.latest_ns)
        return;
    node->long_cycles.latest_ns = signal_ns;
    st_block_rhythm_add(&node->long_cycles.rhythm, position, cycle->frames, busy_ns,
                        node->usual.busy_ns);
}

void st_profile_node_count_load(struct st_profile_node *node, const struct st_pipewire_cycle *cycle,
                                const struct st_pipewire_block *block, bool is_async)
{
    const bool known = node->usual.latest_ns != 0;
    if ((block->status != ST_PIPEWIRE_CYCLE_FINISHED && !is_async) ||
        block->signal_ns <= node->usual.latest_ns || block->awake_ns < block->signal_ns ||
        block->finish_ns < block->awake_ns ||
        block->finish_ns - block->signal_ns > ST_PIPEWIRE_CYCLE_MAX_NS)
        return;
    const int64_t busy_ns = block->finish_ns - block->awake_ns;
    const int64_t signalled_ns = block->signal_ns - cycle->driver.signal_ns;
    st_profile_node_count_rhythm(node, cycle, cycle->position, block->signal_ns, busy_ns);
    node->usual.busy_ns =
        known ? node->usual.busy_ns +
                    (busy_ns > node->usual.busy_ns ? 1 : -1) * node->usual.busy_ns / USUAL_CYCLES
              : busy_ns; /* moves by steps of equal size, so it stays near the median */
    if (signalled_ns >= 0 && signalled_ns <= cycle->period_ns)
        node->usual.signal_ns +=
            (signalled_ns - node->usual.signal_ns) / (known ? USUAL_CYCLES : 1);
    node->usual.latest_ns = block->signal_ns;
    if (node->period_ns !=
        cycle->period_ns) /* loads of cycles of another length cannot be compared */
        st_node_load_finish(&node->load);
    node->frames = cycle->frames;
    node->rate_hz = cycle->rate_hz;
    node->asked.frames = node->asked.rate_hz = 0;
    if (block->asked_num <= ST_PIPEWIRE_CYCLE_FRAMES_MAX && block->asked_denom > 1 &&
        block->asked_denom <= ST_PIPEWIRE_CYCLE_RATE_MAX) {
        node->asked.frames = block->asked_num;
        node->asked.rate_hz = block->asked_denom;
    }
    node->period_ns = cycle->period_ns;
    if (known &&
        busy_ns <= cycle->period_ns) /* a longer time is added when it is judged, as CPU time */
        st_node_load_add(&node->load, busy_ns, block->awake_ns - block->signal_ns);
}
