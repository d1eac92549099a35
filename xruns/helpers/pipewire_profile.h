/* Finds xruns in the profiler's reports about each cycle of PipeWire's graph.
 *
 * A profile is a Struct of Profiler objects, one a cycle of one driver (spa/param/profiler.h): its
 * xrun counter, and a block for each node that it drives. From PipeWire 0.3.72 on a block has a
 * counter of its own, which rises when the node had not finished by the next cycle, and, if the
 * node is a sound device, when that ran dry. Before 0.3.72, the block's status shows that the node
 * had not finished. Only what a counter rises by after the first report of a node is used.
 *
 * A block has the times of its node, too: signalled (its inputs are ready), awake, finished. A
 * driver is signalled when the cycle begins and awake when its clients have finished. A client that
 * was not ready is followed until it finishes that work, in a later cycle, and then judged
 * (dropout_judge.h). An asynchronous node (PipeWire 1.2) has until the next cycle begins; its block
 * has the times of the cycle before. A server that was late itself begins the next cycle too early
 * for its clients: that is a dropout of the client that computed up to that moment and so kept the
 * server from its CPU, else of "PipeWire", and of no other client. A device that ran dry in that
 * time, or while a client was late, is that same dropout, and no other one. Dropouts in the first
 * second of a new node, and in the cycle in which a node goes, are not counted. A card that another
 * one drives is reported as a client of that one (second_card.h). All functions: one thread. */
#pragma once

#include "xruns/cycle_ring.h"
#include "xruns/helpers/profile_nodes.h"

struct spa_pod;

/* nodes at once; further nodes are counted, but not watched */
#define ST_PIPEWIRE_PROFILE_NODES_MAX 256
#define ST_PIPEWIRE_PROFILE_OWN_MAX   8
#define ST_PIPEWIRE_PROFILE_NO_CLIENT UINT32_MAX
/* owner of all nodes of video, such as a camera's or a screen recorder's: they lose no sound, and
 * are left out like nodes of sleeptuned */
#define ST_PIPEWIRE_PROFILE_VIDEO (UINT32_MAX - 1)

/* What the profile reports, and what it asks of the code that watches threads and streams. */
struct st_pipewire_profile_ops {
    st_xrun_seen_fn seen;
    /** Measures the thread of a client, or of the server (ST_DROPOUT_SERVER), and fills the members
     * of *figures about it (dropout_judge.h). */
    void (*measure)(void *ctx, uint32_t client, struct st_dropout_figures *figures);
    /** Real-time priority of the client's thread, as in struct st_xrun_load. */
    int64_t (*priority)(void *ctx, uint32_t client);
    /** Called about once a second while the client is in cycles. @param since has the time since
     * the previous call; the function fills the members about the thread. */
    void (*plays)(void *ctx, uint32_t client, struct st_dropout_figures *since);
    /** What is watched between the client's program and the server (enum st_xrun_between), and how
     * long the buffer there lasts. */
    int64_t (*between)(void *ctx, uint32_t client, int64_t *ret_buffer_ns);
};

struct st_pipewire_profile {
    struct st_profile_node nodes[ST_PIPEWIRE_PROFILE_NODES_MAX];
    uint32_t own[ST_PIPEWIRE_PROFILE_OWN_MAX]; /* clients that are not reported */
    size_t own_n;
    struct st_pipewire_profile_ops ops;
    void *ctx;                  /* passed to the functions of ops */
    struct st_cycle_ring *ring; /* receives the times of each cycle; NULL: none */
    int64_t number;             /* number of the latest report (PipeWire before 0.3.72); 0: none */
    bool listed;                /* all existing nodes have been announced; further nodes are new */
    /* What all clients did in the cycle of a dropout (`kept` of each node) is reported together
     * when that cycle is over. */
    struct {
        int64_t cycle_ns; /* start of that cycle; 0: no cycle is kept */
        bool counts; /* a client was late in that cycle, so all clients are reported; false: only
                        the server was late, so nothing is reported */
    } kept;
    bool any_late; /* a client is late in the current cycle */
    struct st_event
        unreported[ST_PIPEWIRE_PROFILE_NODES_MAX]; /* dropouts that are not reported yet */
    size_t unreported_n;
    bool resized;          /* a driver's buffer size differs from its last load report */
    int64_t forced_frames; /* the buffer size that the server is forced to; 0: none */
    bool has_clocks;       /* the server reports the clock of a second card */
    int64_t beyond_n;      /* nodes that were announced when there was no room */
};

/** A node has appeared. A node that was not announced counts as a program's. @param client its
 * owner.
 * @param is_stream the media.class is that of a stream. */
void st_pipewire_profile_add(struct st_pipewire_profile *profile, uint32_t id, uint32_t client,
                             bool is_device, bool is_stream);

/** Leaves out a client whose nodes are sleeptuned's own: its xruns are not reported. */
void st_pipewire_profile_leave_out(struct st_pipewire_profile *profile, uint32_t client);

/** Call before st_pipewire_profile_remove. @return true: this is the last node of a program that
 * played; *ret then reports that the program has stopped playing. */
bool st_pipewire_profile_ends(struct st_pipewire_profile *profile, uint32_t id,
                              struct st_xrun_seen *ret);

/** A node or client has gone. The server may reuse its id. */
void st_pipewire_profile_remove(struct st_pipewire_profile *profile, uint32_t id);

/** Takes one event of the profiler. @return 0; -EBADMSG: malformed from some point on; -EOVERFLOW:
 * the server had no room for the reports of some cycles, whose dropouts are unknown. The cycles
 * before that point count. */
ST_NODISCARD int st_pipewire_profile_take(struct st_pipewire_profile *profile,
                                          const struct spa_pod *pod);

#define ST_PIPEWIRE_PROFILE_ASK_NS (500 * ST_NS_PER_MS)

/** No cycle has arrived for more than 1 s. This is a dropout up to now_ns if the server's thread
 * waited for a CPU for most of the last 0.5 s, or was stopped while something played. @param count
 * false: only look for the thread that has the CPU. @return true: a dropout. */
bool st_pipewire_profile_starved(struct st_pipewire_profile *profile, int64_t now_ns, bool count);

/** Reports new dropouts: one sighting for each device, client, reason and place. */
void st_pipewire_profile_report(struct st_pipewire_profile *profile);

/** Reports dropouts between the node's program and the server, except those in `loss` that the
 * node's own cycles explain, since they are counted already. */
void st_pipewire_profile_lost(struct st_pipewire_profile *profile, uint32_t id,
                              const struct st_listened_loss *loss);

/** @return the length of that node's cycles; 0: not known. */
int64_t st_pipewire_profile_period_ns(struct st_pipewire_profile *profile, uint32_t id);

/** Is there a second card in the cycles without a clock in the reports? Its resyncs are then not
 * seen. */
bool st_pipewire_profile_lacks_clock(const struct st_pipewire_profile *profile);

/** Reports how long each node took that ran since the previous call, and frees nodes that have
 * gone. */
void st_pipewire_profile_loads(struct st_pipewire_profile *profile);
