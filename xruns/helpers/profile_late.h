/* Who was late in a cycle of PipeWire's graph, a client or the server, and why. Times: CLOCK_MONOTONIC of the
 * server in ns; 0: none. What a struct holds is written by profile_late.c, but for `dry_`. */
#pragma once

#include "xruns/helpers/dropout_judge.h"
#include "xruns/helpers/listened.h"
#include "xruns/helpers/pipewire_cycle.h"
#include "xruns/helpers/profile_losses.h"

struct st_pipewire_profile;
struct st_profile_node;

/* A client in the cycle that it has not finished. */
struct st_profile_late {
    struct st_dropout_figures figures;   /* signal_ns 0: it is not late */
    int64_t position;                    /* of the driver's clock, in frames */
    char waited_for[ST_XRUN_NAME_BYTES]; /* who signalled it, or what was stopped */
};

/* Its latest dropout. */
struct st_profile_judged {
    enum st_dropout_reason reason;
    int64_t end_ns; /* when it finished that cycle */
};

/* Cycles in a row that a node has not finished; whether they are a dropout is decided with st_profile_late.
 */
struct st_profile_lost {
    int64_t n;
    int64_t from_ns, to_ns;   /* when the first of them began, and the last was to end */
    int64_t begin_ns, end_ns; /* of the latest dropout, which may go on */
    int64_t cycles_ns;        /* its lost cycles together: a late server makes them shorter than a period */
    int64_t length_ns;        /* of it, as far as it is counted */
};

/* Of the node that begins the cycles of its graph: the latest one that the server began late. */
struct st_profile_server {
    int64_t due_ns, began_ns;
    uint32_t holder;           /* id of the node that computed up to then; 0: not known */
    int64_t busy_ns, error_ns; /* CPU time of that node in that cycle, and its error */
    int64_t counted_ns;        /* dropouts of late cycles that began before this are counted */
    int64_t dry_n, dry_lost_ns, dry_longest_ns; /* its device ran dry (take_driver); ... */
    int64_t dry_ns;                             /* ... from that cycle on; by whom is not known yet */
};

/** Is the node late in the cycle that began then? */
bool st_profile_late_is(const struct st_profile_node *node, int64_t cycle_ns);

/** n cycles in a row that it has not finished; whether they are a dropout is decided later. */
void st_profile_late_add(struct st_profile_node *node, int64_t n, int64_t from_ns, int64_t to_ns);

/** Its lost cycles are no dropout of its own. */
void st_profile_late_forgive(struct st_profile_node *node);

/** What its block says of a node that is late, or was. */
void st_profile_late_take(struct st_pipewire_profile *profile, struct st_profile_node *node,
                          const struct st_pipewire_cycle *cycle, const struct st_pipewire_block *block);

/** For each node that is late in this cycle: the client that ended last before it was signalled, if that was
 * in the second half of the time since the cycle began. */
void st_profile_late_name_waited_for(struct st_pipewire_profile *profile,
                                     const struct st_pipewire_cycle *cycle);

/** Did the server begin this cycle late, and not after a pause? */
void st_profile_late_note_server(struct st_pipewire_profile *profile, struct st_profile_node *driver,
                                 const struct st_pipewire_cycle *cycle);

/** A device that ran dry because the server or a client was late: that is one dropout, and theirs. It is its
 * own when two more cycles have come without one. */
void st_profile_late_explain_dry(struct st_pipewire_profile *profile, struct st_profile_node *driver);

/** Is that loss next to a cycle that the node did not finish? Then it is the same dropout. */
bool st_profile_late_joins(const struct st_profile_node *node, const struct st_listened_loss *loss);
