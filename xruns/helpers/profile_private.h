/* What the files that make xruns of the profiler's report share: profile_nodes.c has the table of nodes and
 * what their cycles are usually like, profile_late.c who was late, and why, profile_rows.c the ring of
 * cycles, pipewire_profile.c takes a cycle, profile_report.c reports. */
#pragma once

#include "xruns/helpers/pipewire_cycle.h"
#include "xruns/helpers/pipewire_profile.h"

#define ST_PROFILE_SOUND_NS (20 * ST_NS_PER_MS) /* less sound between lost cycles makes them one dropout */
#define ST_PROFILE_PAUSE_NS ST_NS_PER_S         /* who is in no cycle for so long begins anew */

/** @return NULL: it is not there. */
struct st_pipewire_profile_node *st_profile_node_find(struct st_pipewire_profile *profile, uint32_t id);
/** @return NULL: there is no room. */
struct st_pipewire_profile_node *st_profile_node_find_or_add(struct st_pipewire_profile *profile,
                                                             uint32_t id);
void st_profile_node_forget(struct st_pipewire_profile_node *node);
bool st_profile_node_is_own(const struct st_pipewire_profile *profile, uint32_t client);

/** A device that ran dry did so by itself: no more cycles come that might tell otherwise. */
void st_profile_node_settle_dry(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *driver);

static inline void st_profile_losses_add(struct st_pipewire_profile_losses *to, int64_t n, int64_t lost_ns)
{
    to->n += n;
    to->lost_ns = st_ns_add(to->lost_ns, lost_ns);
    to->longest_ns = n == 1 ? ST_MAX(lost_ns, to->longest_ns) : to->longest_ns; /* of more it is not known */
}

/** @param name NULL: "". */
void st_profile_node_rename(char (*to)[ST_XRUN_NAME_BYTES], const char *name);

/** A cycle that the node has finished; one that was late is known from two sides. */
void st_profile_node_count_rhythm(const struct st_pipewire_profile *profile,
                                  struct st_pipewire_profile_node *node,
                                  const struct st_pipewire_cycle *cycle, int64_t position, int64_t signal_ns,
                                  int64_t end_ns, int64_t busy_ns);

/** A cycle that the node has finished, and only once: PipeWire reports some twice. A node has been seen once
 * before its cycles count, because the first report may be of one that is not complete. */
void st_profile_node_count_load(const struct st_pipewire_profile *profile,
                                struct st_pipewire_profile_node *node, const struct st_pipewire_cycle *cycle,
                                const struct st_pipewire_block *block, bool is_async);

/** Is the node late in the cycle that began then? */
static inline bool st_profile_late_is(const struct st_pipewire_profile_node *node, int64_t cycle_ns)
{
    return node->late.signal_ns != 0 && node->late.cycle_ns == cycle_ns;
}

/** n cycles in a row that it has not finished; whether they are a dropout is decided later. */
void st_profile_late_add(struct st_pipewire_profile_node *node, int64_t n, int64_t from_ns, int64_t to_ns);

/** It ended, or began: that is no dropout. */
void st_profile_late_forgive(struct st_pipewire_profile_node *node);

/** What its block says of a node that is late, or was. */
void st_profile_late_take(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *node,
                          const struct st_pipewire_cycle *cycle, const struct st_pipewire_block *block);

/** For each node that is late in this cycle: the client that ended last before it was signalled, if that was
 * in the second half of the time since the cycle began. */
void st_profile_late_name_waited_for(struct st_pipewire_profile *profile,
                                     const struct st_pipewire_cycle *cycle);

/** Did the server begin this cycle late, and not after a pause? */
void st_profile_late_note_server(struct st_pipewire_profile *profile, struct st_pipewire_profile_node *driver,
                                 const struct st_pipewire_cycle *cycle);

/** A device that ran dry because the server or a client was late: that is one dropout, and theirs. It is its
 * own when two more cycles have come without one. */
void st_profile_late_explain_dry(struct st_pipewire_profile *profile,
                                 struct st_pipewire_profile_node *driver);

/** Into the ring of cycles, if there is one. */
void st_profile_row_put(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle,
                        const struct st_pipewire_block *block, bool is_driver);
/** The cycle that was not reported, of the client that held the CPU. */
void st_profile_row_put_held(struct st_pipewire_profile *profile,
                             const struct st_pipewire_profile_node *driver,
                             const struct st_pipewire_profile_node *holder);

/** How long frames last, of figures that are not trusted: at most what a line of a helper may say. */
static inline int64_t st_profile_time_of(int64_t frames, double rate_hz)
{
    return (int64_t)fmin((double)frames * (double)ST_NS_PER_S / rate_hz, (double)ST_PIPEWIRE_CYCLE_MAX_NS);
}
