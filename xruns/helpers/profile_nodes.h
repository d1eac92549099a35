/* The nodes of PipeWire's graph, and their usual cycles. Times: CLOCK_MONOTONIC of the server in
 * ns; 0: none. In a cycle, a node is signalled, wakes up, computes and finishes. */
#pragma once

#include "xruns/helpers/block_rhythm.h"
#include "xruns/helpers/node_load.h"
#include "xruns/helpers/profile_late.h"

/* a node that was in no cycle for this time counts as new */
#define ST_PROFILE_PAUSE_NS ST_NS_PER_S

struct st_profile_node {
    /* members that the server announced, when the node appeared */
    uint32_t id, client;
    bool used, announced;
    bool is_new;    /* the node appeared while this program watched */
    bool gone;      /* removed: its last cycles are still to be reported, then its entry is free */
    bool is_device; /* the node of a sound device, not of a program */
    bool is_stream; /* a stream of a player or browser, not a filter or a plug-in host */

    /* members from the latest block of the node or of its driver (pipewire_profile.c) */
    char name[ST_XRUN_NAME_BYTES], driver[ST_XRUN_NAME_BYTES];
    bool drives, is_async;
    int64_t begun_ns; /* the node's first cycle, or its first one after a pause; 0: the node is
                         older than the watch */
    struct {
        int64_t cycle_ns; /* start of the node's latest cycle; for a driver without a CPU: the time
                             up to which it was judged */
        int64_t signal_ns, awake_ns, finish_ns;
        int64_t finish_before_ns; /* finish_ns of the previous report */
    } latest;
    struct {
        bool known;
        int32_t xruns_n;
        int64_t lost_frames; /* of a driver: frames that its device has lost so far */
    } counter;
    struct {
        int64_t asked_ns;                /* when `plays` of the profile's ops was called last */
        int64_t cpu_ns, queue_ns, of_ns; /* CPU time, time waiting for a CPU, and measured time,
                                            since the latest load report */
    } thread;
    struct st_second_card card; /* for a device that another device drives */

    /* members computed from the node's finished cycles (profile_nodes.c) */
    int64_t period_ns, frames, rate_hz; /* 0: not known */
    struct {
        int64_t frames, rate_hz; /* the node's node.latency; 0: none */
    } asked;
    struct {
        int64_t latest_ns; /* signal of the latest cycle that is counted here */
        int64_t busy_ns;   /* usual busy time, near the median */
        int64_t signal_ns; /* from the start of the cycle to the signal: a moving average */
    } usual;
    struct st_node_load load;
    struct {
        struct st_block_rhythm rhythm;
        int64_t latest_ns; /* signal of the latest cycle in `rhythm` */
    } long_cycles;

    struct st_profile_late late;
    struct st_profile_judged judged;
    struct st_profile_lost lost;
    struct st_profile_server server; /* of a driver: the latest cycle that the server began late */
    struct {
        int64_t length_ns; /* length of the dropout's cycle; 0: the node did nothing in it */
        int64_t wait_ns, busy_ns;
    } kept; /* what the node did in the cycle of a dropout (st_pipewire_profile.kept) */
};

/** Finds a node by its id. @return NULL: no such node. */
struct st_profile_node *st_profile_node_find(struct st_pipewire_profile *profile, uint32_t id);
/** Finds a node by its id, or adds it. @return NULL: there is no room. */
struct st_profile_node *st_profile_node_find_or_add(struct st_pipewire_profile *profile,
                                                    uint32_t id);
void st_profile_node_forget(struct st_profile_node *node);

/** The device ran dry without another cause: call when no more cycles can arrive that show a
 * cause. */
void st_profile_node_settle_dry(struct st_pipewire_profile *profile,
                                struct st_profile_node *driver);

bool st_profile_node_is_own(const struct st_pipewire_profile *profile, uint32_t client);

/** Copies a name, if it has changed. @param name NULL means "". */
void st_profile_node_rename(char (*to)[ST_XRUN_NAME_BYTES], const char *name);

/** Adds a finished cycle to the rhythm. `busy_ns` is a parameter, since the times of a late cycle
 * are known only after a second report. */
void st_profile_node_count_rhythm(struct st_profile_node *node,
                                  const struct st_pipewire_cycle *cycle, int64_t position,
                                  int64_t signal_ns, int64_t busy_ns);

/** Adds a finished cycle to the load, once: PipeWire reports some cycles twice. A node's cycles
 * count from its second report on, because the first one may be incomplete. */
void st_profile_node_count_load(struct st_profile_node *node, const struct st_pipewire_cycle *cycle,
                                const struct st_pipewire_block *block, bool is_async);
