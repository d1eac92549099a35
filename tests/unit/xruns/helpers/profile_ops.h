/* What a profile asks for, where no thread is watched. */
#pragma once

#include "xruns/helpers/pipewire_profile.h"
#include "xruns/helpers/profile_nodes.h"

static inline void measures_nothing(ST_UNUSED void *ctx, ST_UNUSED uint32_t client,
                                    ST_UNUSED struct st_dropout_figures *figures)
{
}

static inline int64_t has_no_priority(ST_UNUSED void *ctx, ST_UNUSED uint32_t client)
{
    return 0;
}

static inline void plays_in_no_thread(ST_UNUSED void *ctx, ST_UNUSED uint32_t client,
                                      ST_UNUSED struct st_dropout_figures *since)
{
}

static inline int64_t nothing_between(ST_UNUSED void *ctx, ST_UNUSED uint32_t client,
                                      ST_UNUSED int64_t *ret_buffer_ns)
{
    return 0;
}

static inline void seen_by_no_one(ST_UNUSED void *ctx, ST_UNUSED const struct st_xrun_seen *seen) {}

static const struct st_pipewire_profile_ops nothing_watched = {.seen = seen_by_no_one,
                                                               .measure = measures_nothing,
                                                               .priority = has_no_priority,
                                                               .plays = plays_in_no_thread,
                                                               .between = nothing_between};

/* Frees all nodes. */
static inline void finish_profile(struct st_pipewire_profile *profile)
{
    ST_EACH (node, profile->nodes)
        st_profile_node_forget(node);
}
