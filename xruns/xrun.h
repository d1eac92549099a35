/* Sources of other programs' xruns. A source is a name in ST_XRUN_SOURCES, and a file with its operations and
 * its row; one that only one system has is a row with the reason on the other. What needs a library
 * of its own is a helper program (helpers/, xrun_program.c, xrun_line.h), so that no foreign library is in
 * the daemon's locked memory.
 *
 * All functions: one thread a watch; it may be any normal one, never the cycle loop's. */
#pragma once

#include "platform/platform.h"
#include "xruns/event.h"

/* All of them, in the order of the status; and those of sound servers, which have a key observe.NAME_server.
 */
#define ST_XRUN_SOURCES(X) X(alsa) X(sound4) X(pipewire) X(jack) X(pulseaudio) X(usb)
#define ST_XRUN_SERVERS(X) X(pipewire) X(jack) X(pulseaudio)

#define ST_XRUN_SOURCES_MAX   8
#define ST_XRUN_NAME_BYTES    64
#define ST_XRUN_WHY_BYTES     200
#define ST_XRUN_SERVER_BYTES  256
#define ST_XRUN_SERVER_ITSELF "PipeWire" /* its own name in the place of a client: it was late itself */
#define ST_XRUN_JACK_ITSELF   "JACK"     /* the same */
#define ST_XRUN_ASKED_MS      1000       /* this asked_rate_hz: asked_frames are ms, and about that */
#define ST_XRUN_NORMAL        100        /* this priority: no real-time thread */

/* What programs have to know of the `why` of a source, which is for people: bits. */
enum st_xrun_fact {
    ST_XRUN_FACT_NOT_RUNNING = 1, /* it cannot watch: this user runs no PipeWire */
    ST_XRUN_FACT_NO_RESYNCS = 2   /* it watches, but does not see that second cards are put in step */
};
#define ST_XRUN_FACTS_MAX 3

/* Between a program and its sound server: what of it is watched. */
enum st_xrun_between {
    ST_XRUN_BETWEEN_NOTHING, /* there is no buffer between them, or the source does not know */
    ST_XRUN_BETWEEN_STOPS,   /* seen: the program stood still for longer than its buffer; not: it writes too
                                little */
    ST_XRUN_BETWEEN_UNSEEN,  /* a buffer that nothing watches */
    ST_XRUN_BETWEEN_HEARD    /* what the server gets from it is heard: each loss of sound is seen */
};

/** How long one client, or the device's own node, took in the cycles of some seconds. A cycle: its inputs are
 * ready (signalled), it wakes up, it finishes. Times that are not known are INT64_MIN. */
struct st_xrun_load {
    int64_t cycles_n;
    int64_t busy_median_ns, busy_p99_ns, busy_max_ns; /* woken to finished */
    int64_t wait_median_ns, wait_p99_ns, wait_max_ns; /* signalled to woken */
    int64_t period_ns;                                /* of the device's cycle; 0: not known */
    int64_t frames, rate_hz;                          /* the same as the server sets it; 0: not known */
    int64_t asked_frames, asked_rate_hz; /* the cycle that the client asked for, of a device that its server
                                            is forced to; 0: none, or not known */
    int64_t priority;   /* 1..99: of its real-time thread; ST_XRUN_NORMAL: it is a normal one; 0: not known */
    int64_t between;    /* enum st_xrun_between */
    int64_t drift_ppb;  /* a second card: by how much it is faster than the one that it follows, in 10^-9; 0:
                           it is none, or not known */
    int64_t buffer_ns;  /* of a device, in front of which the client stands, or between it and its server;
                           0: not known */
    int64_t reserve_ns; /* with cycles: the least of buffer_ns that was filled; without: how much sound is
                           left now, there, in a program's queue, or of JACK's cycle. 1: none; 0: not known */
    int64_t block_frames; /* its long cycles come each time after this much sound; 0: not known */
    int64_t block_any;    /* 1: in cycles of different lengths */
    int64_t streams_n;    /* 1: as a player or browser plays; 0: a filter, a host of plug-ins */
};

enum st_xrun_seen_kind {
    ST_XRUN_SEEN_DROPOUT, /* dropouts that began, or one that goes on */
    ST_XRUN_SEEN_CYCLE, /* what a client did in the cycle of a dropout, one by one: of `cycle` wait_ns is from
                           the beginning of the cycle until it woke up, busy_ns from there until it was done
                           or was last seen */
    ST_XRUN_SEEN_LOAD,
    ST_XRUN_SEEN_LEVEL, /* how much is left now: load.reserve_ns */
    ST_XRUN_SEEN_ENDED, /* its client plays no more */
};

/** What was seen since the poll before. */
struct st_xrun_seen {
    enum st_xrun_seen_kind kind;
    /* Of dropouts that began since the poll before, each an unbroken loss of sound: what st_event_record has
     * for a line. Its kind is ST_EVENT_DEVICE_DROPOUT: the device ran dry or over; with place
     * ST_DROPOUT_AT_RESYNC: the server skipped or inserted sound of the second card `client`, to follow this
     * device's clock; with ST_DROPOUT_AT_BUS: the USB device `client`. Or ST_EVENT_CLIENT_DROPOUT: of a
     * client that was not ready in time, without which the device went on; count_n is 0 for one that goes on,
     * which lost cycles_n. Of the other kinds: device and client, "" where not known; of ST_XRUN_SEEN_CYCLE
     * the cycle. */
    struct st_event event;

    int64_t deadline_ns; /* of a cycle: from its beginning to that of the next one */
    int64_t left_n;      /* clients of the same cycle that are still to come */

    struct st_xrun_load load; /* of `client`; of the device's own node where client is "" */
};

/** cycles_n 1, and nothing else known: it plays. */
extern const struct st_xrun_load st_xrun_load_plays;

typedef void (*st_xrun_seen_fn)(void *ctx, const struct st_xrun_seen *seen);

struct st_xrun_watch;

struct st_xrun_ops {
    /** @return 0, or with a sentence in w->why: -ENOENT (nothing to watch now), -ENOTSUP (never here),
     * -EACCES, ... Waits at most 100 ms. */
    int (*open)(struct st_xrun_watch *w);
    /** Calls seen for what happened. @return 0, -EAGAIN (still connecting), or, with a sentence in w->why,
     * that it is over: close, and open again later. Never waits. */
    int (*poll)(struct st_xrun_watch *w, st_xrun_seen_fn seen, void *ctx);
    /** Frees. Waits at most 500 ms for a program to end. */
    void (*close)(struct st_xrun_watch *w);
    /** To be polled early when it is readable; NULL: none. */
    int (*fd)(const struct st_xrun_watch *w);
    /** CPU time that the source has used outside of this process; NULL: none. @return 0 or -ENODATA. */
    int (*program_cpu_ns)(const struct st_xrun_watch *w, int64_t *ret);
};

struct st_xrun_source {
    const char *name;    /* stable; key observe.NAME */
    const char *title;   /* as people write it: "PipeWire" */
    const char *summary; /* one line: what is read, and what that cannot see; without ops why */
    bool device_only;    /* it cannot see clients that were not ready: their number is unknown, not 0 */
    int64_t poll_ns;     /* how often it wants to be polled */
    bool tells_playing;  /* while it watches, it sees whatever plays: st_xrun_watch.plays, or load lines */
    const struct st_xrun_ops *ops; /* NULL: another OS has it */
    const char *program;           /* xruns/xrun_program.c: name of the helper program */
    const char *root_why; /* it works as root only: the sentence that says so; NULL: it does not need root */
    const char *server_env; /* ... and the variable by which it finds its server: key observe.NAME_server */
    const char *sockets[3]; /* ... and where root's is (below $XDG_RUNTIME_DIR) and the system's: it runs as
                               their owner; ends with NULL. None: it takes no server but its user's */

    /* of a sound server: */
    const char *daemons[3]; /* its processes, one of which runs; ends with NULL */
    bool counts_device;     /* it counts xruns of its device itself: the source "alsa" sees the same ones */
    const char *terse;      /* of its device it says no more than that it ran dry: the clause for that */
    bool sees_cycles; /* when each client waited and computed, how long a loss lasts, and all that plays */
    int64_t usual_ns; /* how long its buffer lasts as installed, if it does not tell; 0: not known */
    const char *set_frames;  /* command that sets its buffer now, before the number; NULL: none */
    bool set_by_force;       /* 0 takes that back: programs choose again */
    const char *keep_frames; /* setting of apply that keeps a power of two, before it; NULL: none */
    const char *frames_hint; /* where a user looks for its size, unless a client asks for one */
};

/** What the user chose for a source. */
struct st_xrun_setting {
    char server[ST_XRUN_SERVER_BYTES]; /* value of server_env, "": as found in the environment; alsa: where
                                          procfs is, "": /proc */
    uid_t user; /* as whom root runs a helper program, so that it reaches that user's server; 0: as itself */
    char listen[8]; /* "auto" or "on": which programs' streams a helper program hears; "": none */
    char listen_except[ST_XRUN_SERVER_BYTES]; /* not these programs', with commas between them */
    char cycles[ST_XRUN_SERVER_BYTES];        /* file for the last cycles (xruns/cycle_ring.h); "": none */
    bool own_stream; /* this process plays in a sound server: what it sees of that is no other program's */
};

/** An open source. */
struct st_xrun_watch {
    const struct st_xrun_source *source;
    struct st_platform *machine;
    struct st_xrun_setting setting;
    void *state;       /* the source's own */
    bool plays;        /* something played at the last poll; of sources without load lines */
    int64_t poll_ns;   /* until the next poll; 0: as source->poll_ns */
    int64_t silent_ns; /* it turned out that it had not watched for so long before the last poll: it hung, or
                          got no CPU; who polls sets it to 0 */
    char why[ST_XRUN_WHY_BYTES];
    int64_t facts;     /* enum st_xrun_fact, of `why` */
    int64_t listens_n; /* in how many programs' streams it listens for silence */
};

/** A whole row: a source that is not available on this OS. */
#define ST_XRUN_ABSENT(source_name, source_title, reason)                                                    \
    {                                                                                                        \
        .name = (source_name), .title = (source_title), .summary = (reason)                                  \
    }

/** @return as ops->open; -ENOTSUP where it is absent. After 0: end with st_xrun_close. */
ST_NODISCARD int st_xrun_open(struct st_xrun_watch *w, struct st_platform *machine,
                              const struct st_xrun_source *source, const struct st_xrun_setting *setting);

void st_xrun_close(struct st_xrun_watch *w);

/** Sets w->why, of which there are no facts. @return error, so that it can end a function. */
int st_xrun_because(struct st_xrun_watch *w, int error, const char *format, ...) ST_PRINTF(3, 4);

/** All sources, also those that are not available on this system; ends with NULL. */
extern const struct st_xrun_source *const st_xrun_sources[];

/** @return the one with that name; an empty one if there is none. */
const struct st_xrun_source *st_xrun_sources_find(const char *name);

/** "PipeWire" for "pipewire"; what is no source is unchanged. */
const char *st_xrun_sources_title(const char *name);

/** Is that, in the place of a client, a server that was late itself? A client may have such a name, too: its
 * dropouts have another place than ST_DROPOUT_AT_DEVICE_BUFFER. */
bool st_xrun_is_server(const char *client);

/** The command that sets that source's buffer now; "" if there is none, or frames is 0. */
const char *st_xrun_sources_set_frames(const char *name, int64_t frames);

/** "to last: " and the command that keeps that buffer when the server starts again; "" if apply has none. */
const char *st_xrun_sources_keep_frames(const char *name, int64_t frames);

/* Its rows: of one system (linux/xrun_alsa.c, linux/xrun_usb.c, freebsd/xrun_sound4.c), and of the helper
 * programs (xrun_program.c). */
#define ST_XRUN_ROW(name) extern const struct st_xrun_source st_xrun_##name;
ST_XRUN_SOURCES(ST_XRUN_ROW)
#undef ST_XRUN_ROW

/* Operations of any helper program (xrun_program.c). */
extern const struct st_xrun_ops st_xrun_program_ops;
