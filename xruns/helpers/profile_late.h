/* Finds out who was late in a cycle of PipeWire's graph, a client or the server, and why. Times:
 * CLOCK_MONOTONIC of the server in ns; 0: none. profile_late.c writes these structs, except the
 * `dry_` members. */
#pragma once

#include "xruns/helpers/dropout_judge.h"
#include "xruns/helpers/listened.h"
#include "xruns/helpers/pipewire_cycle.h"
#include "xruns/helpers/profile_losses.h"

struct st_pipewire_profile;
struct st_profile_node;

/* A client in a cycle that the client has not finished. */
struct st_profile_late {
    struct st_dropout_figures figures;   /* signal_ns 0: the client is not late */
    int64_t position;                    /* of the cycle by the driver's clock, in frames */
    char waited_for[ST_XRUN_NAME_BYTES]; /* the client that signalled this one, or the thread that
                                          * was stopped
                                          */
};

/* The client's latest dropout. */
struct st_profile_judged {
    enum st_dropout_reason reason;
    int64_t end_ns; /* when the client finished that cycle */
};

/* Consecutive cycles that a node has not finished; whether they form a dropout is decided with
 * st_profile_late. */
struct st_profile_lost {
    int64_t n;
    int64_t from_ns, to_ns;   /* start of the first such cycle, due end of the last one */
    int64_t begin_ns, end_ns; /* of the latest dropout, which may still go on */
    int64_t
        cycles_ns; /* sum of the lost cycles; a late server makes cycles shorter than a period */
    int64_t length_ns; /* counted length of the latest dropout */
};

/* The latest cycle that the server began late; kept in the node that drives the graph. */
struct st_profile_server {
    int64_t due_ns, began_ns;
    uint32_t holder; /* id of the node that computed until the cycle began; 0: not known */
    int64_t busy_ns, error_ns; /* CPU time of that node in the cycle, and its error */
    int64_t counted_ns;        /* dropouts of late cycles that began before this time are counted */
    int64_t dry_n, dry_lost_ns, dry_longest_ns; /* the driver's device ran dry (take_driver):
                                                   number, total and longest time without sound */
    int64_t dry_ns; /* start of the first cycle in which the device ran dry; dry_* are 0 again as
                       soon as the cause is known */
};

/** Is the node late in the cycle that began at cycle_ns? */
bool st_profile_late_is(const struct st_profile_node *node, int64_t cycle_ns);

/** Adds n consecutive cycles that the node has not finished; whether they form a dropout is decided
 * later. */
void st_profile_late_add(struct st_profile_node *node, int64_t n, int64_t from_ns, int64_t to_ns);

/** Forgets the node's lost cycles, since they are not its own dropout. */
void st_profile_late_forgive(struct st_profile_node *node);

/** Takes the node's block if the node is or was late. */
void st_profile_late_take(struct st_pipewire_profile *profile, struct st_profile_node *node,
                          const struct st_pipewire_cycle *cycle,
                          const struct st_pipewire_block *block);

/** For each node that is late in this cycle, names the client that ended last before the node was
 * signalled, if that was in the second half of the time since the cycle began. */
void st_profile_late_name_waited_for(struct st_pipewire_profile *profile,
                                     const struct st_pipewire_cycle *cycle);

/** Notes whether the server began this cycle late, and not after a pause. */
void st_profile_late_note_server(struct st_pipewire_profile *profile,
                                 struct st_profile_node *driver,
                                 const struct st_pipewire_cycle *cycle);

/** Decides who caused the device to run dry. If the server or a client was late, that is the same
 * dropout and belongs to them. If two more cycles pass without a late one, the dropout is the
 * device's own. */
void st_profile_late_explain_dry(struct st_pipewire_profile *profile,
                                 struct st_profile_node *driver);

/** Is the loss next to a cycle that the node did not finish? Then both are the same dropout. */
bool st_profile_late_joins(const struct st_profile_node *node, const struct st_listened_loss *loss);
