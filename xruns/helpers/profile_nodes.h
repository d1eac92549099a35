/* The nodes of PipeWire's graph, and what their cycles are usually like. Times: CLOCK_MONOTONIC of the server
 * in ns; 0: none. A cycle of a node: it is signalled, awakes, computes, and finishes. */
#pragma once

#include "xruns/helpers/block_rhythm.h"
#include "xruns/helpers/node_load.h"
#include "xruns/helpers/profile_late.h"
#include "xruns/helpers/second_card.h"

#define ST_PROFILE_PAUSE_NS ST_NS_PER_S /* who is in no cycle for so long begins anew */

struct st_profile_node {
    /* as the server announces it */
    uint32_t id, client;
    bool used, announced;
    bool is_new;    /* it came while we watched */
    bool gone;      /* removed: its last cycles are reported later, then it makes room */
    bool is_device; /* a sound device's node, not a program's */
    bool is_stream; /* of a player or browser, not a filter or a host of plug-ins */

    /* as its latest block says, or its driver's (pipewire_profile.c) */
    char name[ST_XRUN_NAME_BYTES], driver[ST_XRUN_NAME_BYTES];
    bool drives, is_async;
    int64_t begun_ns; /* its first cycle, or that after a pause; 0: it was there before us */
    struct {
        int64_t cycle_ns; /* when that cycle began; of a driver that got no CPU: up to when it is judged */
        int64_t signal_ns, awake_ns, finish_ns;
        int64_t finish_before_ns; /* finish_ns of the report before */
    } latest;
    struct {
        bool known;
        int32_t xruns_n;
        int64_t lost_frames; /* of a driver */
    } counter;
    struct {
        int64_t asked_ns;                /* the cycle of the latest call of "plays" */
        int64_t cpu_ns, queue_ns, of_ns; /* ran, waited for a CPU, in how much time, since the latest report
                                            of loads */
    } thread;
    struct st_second_card card; /* of a device that another one drives */

    /* as its finished cycles are (profile_nodes.c) */
    int64_t period_ns, frames, rate_hz; /* 0: not known */
    struct {
        int64_t frames, rate_hz; /* its node.latency; 0: none */
    } asked;
    struct {
        int64_t latest_ns; /* signal of the latest cycle that counts here */
        int64_t busy_ns;   /* about the median */
        int64_t signal_ns; /* so long after its cycle began: a moving average */
    } usual;
    struct st_node_load load;
    struct {
        struct st_block_rhythm rhythm;
        int64_t latest_ns; /* signal of the latest cycle in it */
    } long_cycles;

    struct st_profile_late late;
    struct st_profile_judged judged;
    struct st_profile_lost lost;
    struct st_profile_server server; /* of a driver */
    struct {
        int64_t length_ns; /* of that cycle; 0: it did nothing */
        int64_t wait_ns, busy_ns;
    } kept; /* in the cycle of a dropout (st_pipewire_profile.kept) */
};

/** @return NULL: it is not there. */
struct st_profile_node *st_profile_node_find(struct st_pipewire_profile *profile, uint32_t id);
/** @return NULL: there is no room. */
struct st_profile_node *st_profile_node_find_or_add(struct st_pipewire_profile *profile, uint32_t id);
void st_profile_node_forget(struct st_profile_node *node);

/** A device that ran dry did so by itself: no more cycles come that might tell otherwise. */
void st_profile_node_settle_dry(struct st_pipewire_profile *profile, struct st_profile_node *driver);

bool st_profile_node_is_own(const struct st_pipewire_profile *profile, uint32_t client);

/** @param name NULL: "". */
void st_profile_node_rename(char (*to)[ST_XRUN_NAME_BYTES], const char *name);

/** A cycle that the node has finished; one that was late is known from two sides. */
void st_profile_node_count_rhythm(struct st_profile_node *node, const struct st_pipewire_cycle *cycle,
                                  int64_t position, int64_t signal_ns, int64_t busy_ns);

/** A cycle that the node has finished, and only once: PipeWire reports some twice. A node has been seen once
 * before its cycles count, because the first report may be of one that is not complete. */
void st_profile_node_count_load(struct st_profile_node *node, const struct st_pipewire_cycle *cycle,
                                const struct st_pipewire_block *block, bool is_async);
