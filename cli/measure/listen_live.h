/* `sleeptune listen` live: finds a way on which the test signal comes back, announces what will be
 * heard, lets the helper program play and record, and passes on the recording. One thread. */
#pragma once

#include "ears/signal.h"
#include "ears/way.h"

#define ST_LISTEN_EVENTS_MAX 256

struct st_listen_wish {
    const char *back; /* name of a way (of recording the signal: monitor, cable ...), or a device to
                         record from; NULL: the best available way */
    const char *plays;   /* device to play to; NULL: the default one */
    int64_t duration_ns; /* of recorded sound */
    uint32_t frames;     /* buffer size to set in the server or device for the run; 0: unchanged */
};

struct st_listen_live {
    const struct st_way *way; /* the way that was used; NULL: none */
    struct st_capture_head head;
    uint64_t frames;  /* recorded */
    int64_t begin_ns; /* CLOCK_MONOTONIC of the first frame */
    bool has_ended;   /* ended early: the device, the server or the program has gone */
    struct st_glitch forced[ST_SIGNAL_GLITCHES_MAX]; /* glitches that were played, sorted by
                                                        at_frame of the played signal */
    size_t forced_n;
    uint64_t events_n[ST_CAPTURE_EVENT_KINDS]; /* number of events of each kind, except FORCED and
                                                  ABSENT */
    /* the first of the counted events; texts are foreign */
    struct st_capture_event events[ST_LISTEN_EVENTS_MAX];
    size_t events_kept_n;
};

struct st_listen_calls {
    /** Announces the way before anything is played; then st_listen_live plays. */
    void (*begin)(void *ctx, const struct st_way *way, const struct st_capture_head *head);
    /** Takes recorded packets, in order. */
    void (*take)(void *ctx, const struct st_capture_packet *packet);
};

/** Plays and records for the wished time, or until Ctrl-C (the caller calls st_stop_catch). @param
 * ret large: do not put it on the stack. @return ST_EXIT_DONE with *ret filled; ST_EXIT_USAGE or
 * ST_EXIT_FAILURE with a message on standard error: no way of recording the signal is available,
 * and how to set one up. */
int st_listen_live(struct st_platform *p, const struct st_listen_wish *wish,
                   const struct st_listen_calls *calls, void *ctx, struct st_listen_live *ret);
