/* Sources of other programs' xruns. A source is a name in ST_XRUN_SOURCES, and a file with its
 * operations and its row; on a system without the source, the row only has the reason. A source
 * that needs a library is a helper program (helpers/, xrun_program.c, xrun_line.h), so that the
 * daemon's locked memory holds no foreign library. All functions: one thread for each watch; any
 * normal thread, never the cycle loop's. */
#pragma once

#include "platform/platform.h"
#include "xruns/event.h"

/* ST_XRUN_SOURCES: all sources, in the order in which the status shows them. ST_XRUN_SERVERS: the
 * sources that are sound servers; each has a key observe.NAME_server. */
#define ST_XRUN_SOURCES(X) X(alsa) X(sound4) X(pipewire) X(jack) X(pulseaudio) X(usb)
#define ST_XRUN_SERVERS(X) X(pipewire) X(jack) X(pulseaudio)

#define ST_XRUN_SOURCES_MAX  8
#define ST_XRUN_NAME_BYTES   64
#define ST_XRUN_WHY_BYTES    200
#define ST_XRUN_SERVER_BYTES 256
/* PipeWire's name in place of a client: the server itself was late */
#define ST_XRUN_SERVER_ITSELF "PipeWire"
/* JACK's name in place of a client: the server itself was late */
#define ST_XRUN_JACK_ITSELF "JACK"
#define ST_XRUN_ASKED_MS    1000 /* a value of asked_rate_hz: asked_frames is in ms, about */
#define ST_XRUN_NORMAL      100  /* a value of priority: not a real-time thread */

/* Bits in st_xrun_watch.facts: what the text `why` says for people, in a form for code. */
enum st_xrun_fact {
    ST_XRUN_FACT_NOT_RUNNING =
        1, /* the source cannot watch, since its server does not run for this user */
    ST_XRUN_FACT_NO_RESYNCS = 2 /* the source watches, but does not see resyncs of second cards */
};
#define ST_XRUN_FACTS_MAX 3

/* What is watched between a program and its sound server. */
enum st_xrun_between {
    ST_XRUN_BETWEEN_NOTHING, /* no buffer is between program and server */
    ST_XRUN_BETWEEN_STOPS, /* a buffer is between them: a dropout is seen if the program did not run
                              for longer than the buffer lasts, but not if the program writes too
                              little */
    ST_XRUN_BETWEEN_UNSEEN, /* a buffer is between them, and nothing watches it */
    ST_XRUN_BETWEEN_HEARD   /* the stream is listened to: each loss of sound is seen */
};

/** Times of one client, or of the device's own node, in the cycles of some seconds. In a cycle,
 * inputs become ready (signalled), the client wakes up, and it finishes. INT64_MIN: not known. */
struct st_xrun_load {
    int64_t cycles_n;
    int64_t busy_median_ns, busy_p99_ns,
        busy_max_ns; /* time from the client's wake-up until it finished */
    int64_t wait_median_ns, wait_p99_ns,
        wait_max_ns;         /* time from the signal to the client's wake-up */
    int64_t period_ns;       /* length of the device's cycle; 0: not known */
    int64_t frames, rate_hz; /* buffer size and rate that are set in the server; 0: not known */
    int64_t asked_frames,
        asked_rate_hz;  /* the cycle that the client asked for, on a device whose server is
                           forced to another size; 0: none, or not known */
    int64_t priority;   /* 1..99: priority of the real-time thread; ST_XRUN_NORMAL: a normal thread;
                           0: not known */
    int64_t between;    /* enum st_xrun_between */
    int64_t drift_ppb;  /* of a second card: how much faster it is than the card that it follows, in
                           10^-9; 0: not a second card, or not known */
    int64_t buffer_ns;  /* length of the device's buffer that the client fills itself, or of the
                           buffer between the client and its server; 0: not known */
    int64_t reserve_ns; /* in a load: the least sound that was left in the buffer; in a level: the
                           sound that is left now in the buffer or the program's queue, or the
                           unused time of JACK's cycle. 1: none; 0: not known */
    int64_t block_frames; /* the client computes for longer than usual each time after this number
                             of frames; 0: not known */
    int64_t block_any;    /* 1: block_frames is the same in cycles of different lengths */
    int64_t streams_n;    /* 1: a player's or browser's stream; 0: a filter, a plug-in host */
};

enum st_xrun_seen_kind {
    ST_XRUN_SEEN_DROPOUT, /* dropouts that began, or a dropout that goes on */
    ST_XRUN_SEEN_CYCLE, /* what one client did in the cycle of a dropout; in `cycle`, wait_ns is the
                           time from the start of the cycle to the wake-up, and busy_ns the time
                           from there until the client was done or last seen */
    ST_XRUN_SEEN_LOAD,
    ST_XRUN_SEEN_LEVEL, /* a level: how much sound is left now (load.reserve_ns) */
    ST_XRUN_SEEN_ENDED, /* the client has stopped playing */
};

/** What was seen since the previous poll. */
struct st_xrun_seen {
    enum st_xrun_seen_kind kind;
    /* About dropouts that began since the previous poll, each an unbroken loss of sound. Only
     * fields that st_event_record has for a line are used. ST_EVENT_DEVICE_DROPOUT: the device ran
     * dry or over; with place ST_DROPOUT_AT_RESYNC: the server skipped or inserted sound of the
     * second card `client` to follow this device's clock; with ST_DROPOUT_AT_BUS: the USB device
     * `client`. ST_EVENT_CLIENT_DROPOUT: a client was not ready in time, and the device went on
     * without it; count_n is 0 for a dropout that goes on and lost cycles_n. For other kinds:
     * device and client, "" if not known; for ST_XRUN_SEEN_CYCLE the cycle as well. */
    struct st_event event;

    int64_t deadline_ns; /* of a cycle: from its start to the start of the next one */
    int64_t left_n;      /* clients of the same cycle that are still to be reported */

    struct st_xrun_load load; /* times of event.client; if that is "", of the device's own node */
};

/** A load with cycles_n 1 and nothing else known: the client plays. */
extern const struct st_xrun_load st_xrun_load_plays;

typedef void (*st_xrun_seen_fn)(void *ctx, const struct st_xrun_seen *seen);

struct st_xrun_watch;

struct st_xrun_ops {
    /** Begins to watch. @return 0, or an error with a sentence in w->why: -ENOENT (nothing to watch
     * now), -ENOTSUP (not available on this system), -EACCES, ... Waits at most 100 ms. */
    int (*open)(struct st_xrun_watch *w);
    /** Reads what the source has seen since the last poll, and calls w->seen for each sighting.
     * Never waits.
     * @return 0, -EAGAIN (still connecting), or an error with a sentence in w->why: the source has
     * ended; close it, and open it again later. */
    int (*poll)(struct st_xrun_watch *w);
    /** Frees the source. Waits at most 500 ms for a helper program to end. */
    void (*close)(struct st_xrun_watch *w);
};

struct st_xrun_source {
    const char *name;    /* short name, which never changes; part of the key observe.NAME */
    const char *title;   /* as people write it: "PipeWire" */
    const char *summary; /* one line: what the source reads, and what it cannot see; without ops:
                            why it is not available */
    bool device_only; /* the source cannot see clients that were not ready: their number is unknown,
                         not 0 */
    int64_t poll_ns;  /* interval of polls */
    /* while the source watches, it knows whether anything plays: by st_xrun_watch.plays, or by
     * reports of the load of each program that plays */
    bool tells_playing;
    const struct st_xrun_ops *ops; /* NULL: the source is not available on this OS */
    const char *program;           /* xruns/xrun_program.c: name of the helper program */
    const char *root_why;   /* the source works as root only: a sentence that says so; NULL: it does
                               not need root */
    const char *server_env; /* environment variable for the server's address, which the key
                               observe.NAME_server sets */
    const char
        *sockets[3]; /* for root: sockets of the server, of root (below $XDG_RUNTIME_DIR) and of the
                        system; the helper program becomes the owner of the socket. Ends with NULL;
                        empty: the source watches servers of its own user only */

    /* members for a sound server: */
    const char *daemons[3]; /* the server's process names, one of which runs; ends with NULL */
    bool counts_device; /* the server counts xruns of its device, which the source "alsa" counts as
                           well */
    const char *terse;  /* a clause for a server that reports only that its device ran dry, not
                           which program was late; NULL: not needed */
    bool sees_cycles;   /* the source sees when each client waited and computed, how long a loss
                           lasts, and everything that plays */
    int64_t usual_ns; /* length that the server's buffer usually has as installed, for a server that
                         does not report it; 0: not known */
    const char *set_frames;  /* command that sets the server's buffer now, to be followed by the
                                number of frames; NULL: none */
    bool set_by_force;       /* set_frames with 0 frames undoes it: programs choose again */
    const char *keep_frames; /* setting of `sleeptune apply` that keeps a power of two, to be
                                followed by the number; NULL: none */
    const char *frames_hint; /* a clause that says who chose the buffer size, shown unless a client
                                asked for one; NULL: none */
};

/** What the user chose for a source. */
struct st_xrun_setting {
    char server[ST_XRUN_SERVER_BYTES]; /* value of server_env, "": from the environment; alsa: where
                                          procfs is mounted, "": /proc */
    uid_t user; /* user as whom root runs a helper program, to reach that user's server; 0: root */
    char listen[8]; /* "auto" or "on": which programs' streams a helper program listens to; "":
                     * none */
    char listen_except[ST_XRUN_SERVER_BYTES]; /* programs not to listen to, separated by commas */
    char cycles[ST_XRUN_SERVER_BYTES]; /* file for the last cycles (xruns/cycle_ring.h); "": none */
    bool own_stream; /* this process has a stream in a sound server, which is not reported as
                        another program's */
};

/** An open source. */
struct st_xrun_watch {
    const struct st_xrun_source *source;
    struct st_platform *machine;
    struct st_xrun_setting setting;
    st_xrun_seen_fn seen;
    void *ctx;         /* first argument of `seen` */
    void *state;       /* belongs to the source */
    int fd;            /* when readable, asks for an early poll; -1: none */
    bool plays;        /* something played at the last poll; for sources without load lines */
    int64_t poll_ns;   /* time until the next poll; 0: source->poll_ns */
    int64_t silent_ns; /* before the last poll, the source had not watched for this time: it hung or
                          got no CPU; the caller of poll resets it to 0 */
    char why[ST_XRUN_WHY_BYTES];
    int64_t facts;     /* bits of enum st_xrun_fact, which belong to `why` */
    int64_t listens_n; /* number of programs whose streams are listened to for silence */
};

/** Defines the row of a source that is not available on this OS. */
#define ST_XRUN_ABSENT(source_name, source_title, reason)                                          \
    {                                                                                              \
        .name = (source_name), .title = (source_title), .summary = (reason)                        \
    }

/** Opens a source, whose polls call `seen`. @return 0, or an error with a sentence in w->why;
 * -ENOTSUP if the source is not available on this system. After 0: end with st_xrun_close. */
ST_NODISCARD int st_xrun_open(struct st_xrun_watch *w, struct st_platform *machine,
                              const struct st_xrun_source *source,
                              const struct st_xrun_setting *setting, st_xrun_seen_fn seen,
                              void *ctx);

void st_xrun_close(struct st_xrun_watch *w);

/** Sets w->why and clears w->facts. @return error, so that a function can return it. */
int st_xrun_because(struct st_xrun_watch *w, int error, const char *format, ...) ST_PRINTF(3, 4);

/** All sources, including those not available on this system; ends with NULL. */
extern const struct st_xrun_source *const st_xrun_sources[];

/** @return the source with that name; an empty source if there is none. */
const struct st_xrun_source *st_xrun_sources_find(const char *name);

/** "PipeWire" for "pipewire"; a name that is no source is returned unchanged. */
const char *st_xrun_sources_title(const char *name);

/** Does `client` name a server that was late itself? A real client can have the same name, but its
 * dropouts have another place than ST_DROPOUT_AT_DEVICE_BUFFER. */
bool st_xrun_is_server(const char *client);

/** The command that sets the buffer of the source `name` until the server ends; "": there is no
 * such command, or frames is 0. */
const char *st_xrun_sources_set_frames(const char *name, int64_t frames);

/** "to keep it: " and the command that keeps the buffer when the server starts again; "": `apply`
 * has no such change. */
const char *st_xrun_sources_keep_frames(const char *name, int64_t frames);

/* Sources of one system (linux/xrun_alsa.c, linux/xrun_usb.c, freebsd/xrun_sound4.c) and of the
 * helper programs (xrun_program.c). */
#define ST_XRUN_ROW(name) extern const struct st_xrun_source st_xrun_##name;
ST_XRUN_SOURCES(ST_XRUN_ROW)
#undef ST_XRUN_ROW

/* Operations of any helper program (xrun_program.c). */
extern const struct st_xrun_ops st_xrun_program_ops;
