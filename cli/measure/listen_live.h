/* `sleeptune listen` over a way back: finds it, says what is about to be heard, lets its helper program play
 * and record, and hands on what was recorded. One thread. */
#pragma once

#include "ears/signal.h"
#include "ears/way.h"
#include "platform/platform.h"

#define ST_LISTEN_EVENTS_MAX 256

struct st_listen_wish {
    const char *back;    /* the name of a way, or a device to record from; NULL: the best way that is there */
    const char *plays;   /* the device to play to; NULL: the usual one */
    int64_t duration_ns; /* of recorded sound */
    uint32_t frames;     /* the buffer size that the server or device is to have meanwhile; 0: as it is */
};

struct st_listen_live {
    const struct st_way *way; /* that it went over; NULL: none */
    struct st_capture_head head;
    uint64_t frames;  /* recorded */
    int64_t begin_ns; /* CLOCK_MONOTONIC, of the first frame */
    bool has_ended;   /* before its time: the device or the server has gone, or the program */
    struct st_glitch forced[ST_SIGNAL_GLITCHES_MAX]; /* as played, by at_frame: those that were played */
    size_t forced_n;
    uint64_t events_n[ST_CAPTURE_EVENT_KINDS];            /* of each kind, without FORCED and ABSENT */
    struct st_capture_event events[ST_LISTEN_EVENTS_MAX]; /* the first ones of these; texts are foreign */
    size_t events_kept_n;
};

struct st_listen_calls {
    /** The way is known, and nothing is played yet: says it. Then st_listen_live plays. */
    void (*begin)(void *ctx, const struct st_way *way, const struct st_capture_head *head);
    /** What was recorded, in order. */
    void (*take)(void *ctx, const struct st_capture_packet *packet);
};

/** Plays and records for the wished time, or until Ctrl-C (st_stop_catch is the caller's).
 * @return ST_EXIT_DONE with *ret filled; ST_EXIT_USAGE or ST_EXIT_FAILURE with a message on standard error:
 * no way back is there, and how to make one. ret is large: not for the stack. */
int st_listen_live(struct st_platform *p, const struct st_listen_wish *wish,
                   const struct st_listen_calls *calls, void *ctx, struct st_listen_live *ret);
