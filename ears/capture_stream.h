/* What a helper program that plays and records tells the command, on a pipe: a head, then packets of recorded
 * frames and events, in the order in which they happened. Both are programs of one version on one machine, so
 * numbers are in its byte order; the reader still takes no byte on trust.
 *
 * The writing side has a ring of one writer (the audio callback: it allocates nothing, takes no lock, makes
 * no system call) and one reader (the thread that writes the pipe). A ring that is full is an event. */
#pragma once

#include <stdatomic.h>

#include "core/base.h"

#define ST_CAPTURE_CHANNELS_MAX 8
#define ST_CAPTURE_RATE_MIN     8000
#define ST_CAPTURE_RATE_MAX     768000
#define ST_CAPTURE_SAMPLES_MAX  16384 /* of a packet, all channels */
#define ST_CAPTURE_TEXT_BYTES   160
#define ST_CAPTURE_LEVEL_MAX    8.0F /* a larger sample, or one that is no number, is written as this */

/* It and the event go through the pipe as they are; each text ends within its array. */
struct st_capture_head {
    uint32_t rate_hz, channels;
    uint32_t period_frames; /* of the server or device; 0: unknown */
    char way[16];
    char server[ST_CAPTURE_TEXT_BYTES]; /* its name and version; foreign text */
    char plays[ST_CAPTURE_TEXT_BYTES], records[ST_CAPTURE_TEXT_BYTES]; /* the devices; foreign text */
    uint32_t more_channels; /* of the device that records, which are left out; 0: unknown, too */
};

struct st_capture_packet {
    uint64_t recorded;    /* number of its first frame, from 0; a number left out found no room (FULL) */
    uint64_t played;      /* the frame of the signal that is written when its first frame is recorded */
    int64_t time_ns;      /* of its first frame, CLOCK_MONOTONIC */
    uint32_t frames_n;    /* 1 ... */
    const float *samples; /* interleaved */
};

/* number, name, what happened */
#define ST_CAPTURE_EVENTS(X)                                                                                 \
    X(XRUN, "xrun", "the sound server or the device reported an xrun")                                       \
    X(PLAYER, "player-late", "the program that plays the signal was not ready")                              \
    X(RECORDER, "recorder-late", "the program that records was not ready")                                   \
    X(FULL, "full", "the command did not take what was recorded in time")                                    \
    X(FORMAT, "format", "the format changed")                                                                \
    X(MIXED, "mixed", "another program plays to the same device")                                            \
    X(GONE, "gone", "the device or the sound server has gone")                                               \
    X(FORCED, "forced", "a glitch was forced")                                                               \
    X(ABSENT, "absent", "this way is not there")

enum st_capture_event_kind {
#define ST_CAPTURE_EVENT(kind, name, text) ST_CAPTURE_##kind,
    ST_CAPTURE_EVENTS(ST_CAPTURE_EVENT)
#undef ST_CAPTURE_EVENT
        ST_CAPTURE_EVENT_KINDS
};

struct st_capture_event {
    enum st_capture_event_kind kind;
    uint64_t at_frame;                /* recorded; FORCED: of the signal */
    uint64_t frames;                  /* how long; 0: unknown, or it has no length */
    int64_t time_ns;                  /* CLOCK_MONOTONIC */
    char text[ST_CAPTURE_TEXT_BYTES]; /* foreign text: a program, a device, or why. FORCED: the kind */
};

/** "xrun", ... @return NULL: no kind. */
const char *st_capture_stream_event_name(enum st_capture_event_kind kind);
/** A clause: what happened. */
const char *st_capture_stream_event_say(enum st_capture_event_kind kind);

/* --- reading --- */

struct st_capture_sink {
    void (*head)(void *ctx, const struct st_capture_head *head); /* first, and once */
    void (*packet)(void *ctx, const struct st_capture_packet *packet);
    void (*event)(void *ctx, const struct st_capture_event *event); /* ABSENT may come without a head */
};

#define ST_CAPTURE_RECORD_MAX (64 + ST_CAPTURE_SAMPLES_MAX * sizeof(float))

struct st_capture_reader {
    struct st_capture_head head; /* rate_hz 0: it has not come */
    uint64_t next_frame;
    size_t len;
    _Alignas(8) unsigned char record[ST_CAPTURE_RECORD_MAX]; /* the one that is not complete yet */
};

/** Takes bytes as they come, and hands out what is complete. Packets are in order and do not overlap, samples
 * are numbers within ST_CAPTURE_LEVEL_MAX. One thread.
 * @return 0, or -EBADMSG: that was no such stream. Read nothing more from it. */
ST_NODISCARD int st_capture_stream_read(struct st_capture_reader *reader, const void *bytes, size_t bytes_n,
                                        const struct st_capture_sink *sink, void *ctx);

/* --- writing --- */

struct st_capture_ring {
    unsigned char *bytes;
    size_t size; /* a power of two */
    uint32_t channels;
    _Alignas(ST_CACHE_LINE_BYTES) atomic_size_t head; /* written so far */
    uint64_t lost, lost_at; /* frames that found no room, the first of them; of the writer */
    _Alignas(ST_CACHE_LINE_BYTES) atomic_size_t tail; /* read so far */
};

/** @param bytes at least; touched, so that the callback faults on no page. @return 0 or -ENOMEM. Free
 * ring->bytes. */
ST_NODISCARD int st_capture_stream_ring_open(struct st_capture_ring *ring, size_t bytes, uint32_t channels);
/** In the audio callback: `packet->frames_n` frames of any number. @param from one pointer a channel, the
 * frames `stride` floats apart (NULL: silence); packet->samples is not used. */
void st_capture_stream_ring_put(struct st_capture_ring *ring, const struct st_capture_packet *packet,
                                const float *const *from, size_t stride) ST_NONBLOCKING;
/** In the audio callback. One that finds no room is lost. */
void st_capture_stream_ring_event(struct st_capture_ring *ring,
                                  const struct st_capture_event *event) ST_NONBLOCKING;

/** In the thread that writes: all that is in the ring, to a pipe. Waits for its reader.
 * @return 0 or a negative errno value of write(2). */
ST_NODISCARD int st_capture_stream_ring_write(struct st_capture_ring *ring, int fd);
/** The same for a head, which comes first, and for events that do not come from the callback. */
ST_NODISCARD int st_capture_stream_write_head(int fd, const struct st_capture_head *head);
ST_NODISCARD int st_capture_stream_write_event(int fd, const struct st_capture_event *event);
