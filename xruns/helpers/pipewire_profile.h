/* Makes xruns of the profiler's report about each cycle of PipeWire's graph.
 *
 * A profile is a Struct of Profiler objects, one a cycle of one driver (spa/param/profiler.h): its xrun
 * counter, and a block for each node that it drives. From PipeWire 0.3.72 on a block has a counter of its
 * own, which rises when the node had not finished by the next cycle, and, if the node is a sound device, when
 * that ran dry. Before, its status says that it had not finished. Counters are taken from the first sight of
 * a node on: counts from before this moment belong to no client.
 *
 * A block has the times of its node, too: signalled (its inputs are ready), awake, finished. A driver is
 * signalled when the cycle begins and awake when its clients have finished. A client that was not ready is
 * followed until it finishes that work, in a later cycle, and then judged (dropout_judge.h). An asynchronous
 * node (PipeWire 1.2) has until the next cycle begins; its block has the times of the cycle before. A server
 * that was late itself begins the next cycle too early for its clients: that is a dropout of the client that
 * computed up to that moment and so kept the server from its CPU, else of "PipeWire", and of no other client.
 * A device that ran dry in that time, or while a client was late, is that same dropout, and no other one. The
 * first second of a node that has come, and the cycle in which it goes, are no dropouts. A card that another
 * one drives is reported as a client of that one (second_card.h). All functions: one thread. */
#pragma once

#include "xruns/cycle_ring.h"
#include "xruns/helpers/block_rhythm.h"
#include "xruns/helpers/dropout_judge.h"
#include "xruns/helpers/listened.h"
#include "xruns/helpers/node_load.h"
#include "xruns/helpers/resync_log.h"
#include "xruns/helpers/second_card.h"
#include "xruns/xrun.h"

struct spa_pod;

#define ST_PIPEWIRE_PROFILE_NODES_MAX 256 /* of them at once; further ones are counted, but not watched */
#define ST_PIPEWIRE_PROFILE_OWN_MAX   8
#define ST_PIPEWIRE_PROFILE_NO_CLIENT UINT32_MAX

/* Cycles in which a client was not ready for one reason, not reported yet. */
struct st_pipewire_profile_reason {
    int64_t n;
    int64_t dropouts_n;          /* that began with one of them */
    int64_t lost_ns, longest_ns; /* together, and of the longest dropout that they belong to, so far */
    int64_t end_ns;              /* of the last of them */
    struct st_dropout_cycle worst;
    char culprit[ST_XRUN_NAME_BYTES];
};

/* The latest cycle that the server began late, of the driver that begins the cycles of its graph. */
struct st_pipewire_profile_blocker {
    int64_t due_ns, began_ns;  /* 0: none */
    uint32_t by;               /* id of the node that computed up to then; 0: not known */
    int64_t busy_ns, error_ns; /* CPU time of that node in that cycle, and its error */
};

/* Cycles in a row that a node has not finished; whether they are a dropout is decided with `late`. */
struct st_pipewire_profile_lost_cycles {
    int64_t n;
    int64_t from_ns, to_ns;   /* when the first of them began, and the last was to end */
    int64_t begin_ns, end_ns; /* of the latest dropout, which may go on; 0: none */
    int64_t cycles_ns;        /* its lost cycles together: a late server makes them shorter than a period */
    int64_t length_ns;        /* of it, as far as it is counted */
};

/* Losses of one kind that are not reported yet. */
struct st_pipewire_profile_losses {
    int64_t n, lost_ns, longest_ns;
};

/* All times are those of the server's CLOCK_MONOTONIC. A cycle of a node: it is signalled (signal_ns), wakes
 * up, computes, and is done (finish_ns). */
struct st_pipewire_profile_node {
    uint32_t id, client;
    bool used, announced;
    bool is_new;           /* it came while we watched */
    bool gone;             /* removed: its last cycles are reported later, then it makes room */
    bool is_device;        /* a sound device's node, not a program's */
    bool is_stream;        /* of a player or browser, not a filter or a host of plug-ins */
    bool drives, is_async; /* as seen in its latest cycle */
    bool counted;          /* xruns_n is known */
    int32_t xruns_n;
    int64_t begun_ns; /* its first cycle, or that after a pause; 0: it was there before us */
    int64_t seen_ns;  /* when the cycle of its latest block began ... */
    int64_t known_ns; /* ... or, of a driver that got no CPU, its latest that is judged */
    int64_t said_ns;  /* seen_ns at the latest call of "plays" */
    struct {
        int64_t ns, of_ns; /* waited for a CPU, of how much time, since the latest report of loads */
    } queue;
    struct st_pipewire_profile_blocker blocker;
    int64_t signalled_ns, woken_ns; /* of the node's latest block */
    char name[ST_XRUN_NAME_BYTES];
    char driver[ST_XRUN_NAME_BYTES]; /* name of the node that drives it */
    int64_t signal_ns, finish_ns;    /* of the latest finished cycle */
    int64_t last_finish_ns;          /* finish_ns as of the report before */
    struct {
        int64_t busy_ns;   /* about the median */
        int64_t signal_ns; /* so long after its cycle began: a moving average */
    } usual;
    int64_t period_ns, frames, rate_hz; /* of its driver's cycles; 0: not known */
    struct {
        int64_t frames, rate_hz; /* its node.latency; 0: none */
    } asked;
    struct st_node_load load;
    struct {
        struct st_block_rhythm rhythm;
        int64_t seen_ns;               /* signal of the latest cycle in it */
        int64_t slow_ns;               /* its latest dropout by computing too long; 0: none */
        char file[ST_XRUN_NAME_BYTES]; /* whose code makes them; "": not known */
        bool matter;                   /* they have a rhythm, or cost sound lately */
    } long_cycles;
    struct st_dropout_figures late;            /* the cycle that it has not finished; signal_ns 0: none */
    int64_t late_at;                           /* of the driver's clock in that cycle */
    char waited_for[ST_XRUN_NAME_BYTES];       /* who signalled it in that cycle, or what was stopped */
    enum st_dropout_reason reason;             /* of the latest dropout ... */
    int64_t explained_ns;                      /* ... which was judged then */
    struct st_xrun_seen kept;                  /* in the cycle that is kept; deadline_ns 0: it did nothing */
    struct st_pipewire_profile_losses device;  /* not reported yet */
    struct st_second_card card;                /* of a device that another one drives */
    struct st_pipewire_profile_losses resyncs; /* not reported yet */
    struct st_pipewire_profile_losses dry;     /* of a driver: its device ran dry; ... */
    int64_t dry_ns;                            /* ... from that cycle on; by whom is not known yet */
    int64_t lost_frames;                       /* of the latest cycle that it drove */
    struct st_pipewire_profile_lost_cycles lost;
    struct st_pipewire_profile_reason reasons[ST_DROPOUT_REASONS];
};

/** Fills the measured members for a client (dropout_judge.h), or for the server. */
typedef void (*st_pipewire_profile_measure_fn)(void *ctx, uint32_t client,
                                               struct st_dropout_figures *figures);

/** Real-time priority of its thread, as in struct st_xrun_load. */
typedef int64_t (*st_pipewire_profile_priority_fn)(void *ctx, uint32_t client);

/** It is in a cycle; called about once a second. @return the id of the thread that computes; 0: not known. */
typedef int32_t (*st_pipewire_profile_plays_fn)(void *ctx, uint32_t client);

/** enum st_xrun_between: what is watched between the program of that client and the server, and how long its
 * buffer there lasts. */
typedef int64_t (*st_pipewire_profile_between_fn)(void *ctx, uint32_t client, int64_t *ret_buffer_ns);

/** A cycle that a client computed, if its long cycles matter. */
typedef void (*st_pipewire_profile_computed_fn)(void *ctx, uint32_t node, uint32_t client, int64_t from_ns,
                                                int64_t to_ns, bool is_long);

/** What is known of the code that runs in its long cycles. */
typedef void (*st_pipewire_profile_code_fn)(void *ctx, uint32_t node, uint32_t client,
                                            struct st_xrun_code *ret);

struct st_pipewire_profile {
    struct st_pipewire_profile_node nodes[ST_PIPEWIRE_PROFILE_NODES_MAX];
    uint32_t own[ST_PIPEWIRE_PROFILE_OWN_MAX]; /* clients that are left out */
    size_t own_n;
    st_pipewire_profile_measure_fn measure;   /* NULL: none */
    st_pipewire_profile_priority_fn priority; /* NULL: none */
    st_pipewire_profile_plays_fn plays;       /* NULL: none */
    st_pipewire_profile_between_fn between;   /* NULL: none */
    st_pipewire_profile_computed_fn computed; /* NULL: none */
    st_pipewire_profile_code_fn code;         /* NULL: none */
    void *measure_ctx;
    struct st_cycle_ring *ring; /* gets the times of each cycle; NULL: none */
    int64_t number;             /* of the latest report, before 0.3.72; 0: none */
    bool listed;                /* all nodes that were there have been announced: others are new */
    /* What all clients did in the cycle of a dropout (their `kept`) is reported together, when that cycle is
     * over. */
    int64_t kept_ns;  /* when that cycle began; 0: none is kept */
    bool kept_counts; /* a client was late in it: false where the server was, and nothing is reported */
    bool late;        /* a client is late in the cycle that is taken */
    bool pending;     /* there is something to report */
    bool resized;     /* a driver has another buffer size than its loads said */
    bool has_clocks;  /* the server reports the clock of a second card */
    int64_t beyond_n; /* nodes that were announced while there was no room */
};

/** A node has come; nodes that were not announced are a program's. @param client whose it is.
 * @param is_stream its media.class is a stream's. */
void st_pipewire_profile_add(struct st_pipewire_profile *profile, uint32_t id, uint32_t client,
                             bool is_device, bool is_stream);

/** A client whose nodes are no other program's: their xruns are not reported. */
void st_pipewire_profile_leave_out(struct st_pipewire_profile *profile, uint32_t client);

/** Before st_pipewire_profile_remove. @return whether it is the last node of a program that ran: then *ret
 * says that it plays no more. */
bool st_pipewire_profile_ends(struct st_pipewire_profile *profile, uint32_t id, struct st_xrun_seen *ret);

/** A node or client has gone. Its id may be used again. */
void st_pipewire_profile_remove(struct st_pipewire_profile *profile, uint32_t id);

/** Takes one event of the profiler. @return 0; -EBADMSG: malformed from somewhere on; -EOVERFLOW: before some
 * cycle the server had no room for reports, and their dropouts are not known. What was before it counts. */
ST_NODISCARD int st_pipewire_profile_take(struct st_pipewire_profile *profile, const struct spa_pod *pod);

#define ST_PIPEWIRE_PROFILE_ASK_NS (500 * ST_NS_PER_MS)

/** No cycle has come for more than a second: up to now_ns that is a dropout, if the server's thread waited
 * for a CPU for most of the last half second, or was stopped while something played. @param count false: only
 * who has the CPU is looked for.
 * @return is it one? */
bool st_pipewire_profile_starved(struct st_pipewire_profile *profile, int64_t now_ns, bool count);

/** Reports what is new: for each node a sighting of each reason, of its device and of resyncs. */
void st_pipewire_profile_report(struct st_pipewire_profile *profile, st_xrun_seen_fn seen, void *ctx);

/** Reports dropouts of that node's client, between its program and the server: of those in `loss` that its
 * own cycles do not explain, which are counted already. */
void st_pipewire_profile_lost(struct st_pipewire_profile *profile, uint32_t id,
                              const struct st_listened_loss *loss, st_xrun_seen_fn seen, void *ctx);

/** @return the length of that node's cycles; 0: not known. */
int64_t st_pipewire_profile_frames(struct st_pipewire_profile *profile, uint32_t id);

/** Is a second card in the cycles that has no clock there? Then its resyncs are in the server's log only. */
bool st_pipewire_profile_needs_log(const struct st_pipewire_profile *profile);

/** Reports what the log says. */
void st_pipewire_profile_resync(struct st_pipewire_profile *profile, const struct st_resync_log_line *line,
                                st_xrun_seen_fn seen, void *ctx);

/** Reports how long each node took that ran since the call before, and frees nodes that have gone. */
void st_pipewire_profile_loads(struct st_pipewire_profile *profile, st_xrun_seen_fn seen, void *ctx);

/** Frees all nodes. */
void st_pipewire_profile_finish(struct st_pipewire_profile *profile);
