/* The stream that a helper program, which plays and records, writes into the command's pipe: a
 * head, then packets of recorded frames and events, in the order in which they happened. Helper
 * program and command have one version and run on one machine, so numbers are in its byte order;
 * the reader still checks each record.
 *
 * The writing side has a ring of one writer (the audio callback: it allocates nothing, takes no
 * lock, makes no system call) and one reader (the thread that writes the pipe). A full ring is
 * reported as an event. */
#pragma once

#include <stdatomic.h>

#include "core/base.h"

#define ST_CAPTURE_CHANNELS_MAX 8
#define ST_CAPTURE_RATE_MIN     8000
#define ST_CAPTURE_RATE_MAX     768000
#define ST_CAPTURE_SAMPLES_MAX  16384 /* most samples of a packet, all channels together */
#define ST_CAPTURE_TEXT_BYTES   160
/* a larger sample, or one that is not a number, is limited to this */
#define ST_CAPTURE_LEVEL_MAX 8.0F

/* Head and event are sent through the pipe unchanged; each text ends within its array. */
struct st_capture_head {
    uint32_t rate_hz, channels;
    uint32_t period_frames; /* buffer size of the server or device; 0: unknown */
    char way[16];
    char server[ST_CAPTURE_TEXT_BYTES]; /* name and version of the server; foreign text */
    /* the devices; foreign text */
    char plays[ST_CAPTURE_TEXT_BYTES], records[ST_CAPTURE_TEXT_BYTES];
    uint32_t more_channels; /* further channels of the recording device, which are ignored; 0: none,
                               or unknown */
};

struct st_capture_packet {
    uint64_t recorded; /* number of the packet's first frame, from 0; frames without room (FULL)
                          leave a gap in the numbers */
    /* frame of the signal that is written when the packet's first frame is recorded */
    uint64_t played;
    int64_t time_ns;      /* of the first frame, CLOCK_MONOTONIC */
    uint32_t frames_n;    /* at least 1 */
    const float *samples; /* interleaved */
};

/* kinds of events: number, name, what happened */
#define ST_CAPTURE_EVENTS(X)                                                                       \
    X(XRUN, "xrun", "the sound server or the device reported an xrun")                             \
    X(PLAYER, "player-late", "the program that plays the signal was not ready")                    \
    X(RECORDER, "recorder-late", "the program that records was not ready")                         \
    X(FULL, "full", "sleeptune did not read the recorded sound in time")                           \
    X(FORMAT, "format", "the format of the sound changed")                                         \
    X(MIXED, "mixed", "another program plays to the same device")                                  \
    X(GONE, "gone", "the sound device or the sound server went away")                              \
    X(FORCED, "forced", "a glitch that the test signal has on purpose")                            \
    X(ABSENT, "absent", "this way to record is not available here")

enum st_capture_event_kind {
#define ST_CAPTURE_EVENT(kind, name, text) ST_CAPTURE_##kind,
    ST_CAPTURE_EVENTS(ST_CAPTURE_EVENT)
#undef ST_CAPTURE_EVENT
        ST_CAPTURE_EVENT_KINDS
};

struct st_capture_event {
    enum st_capture_event_kind kind;
    uint64_t at_frame;                /* recorded frame; for FORCED: frame of the signal */
    uint64_t frames;                  /* length; 0: unknown, or none */
    int64_t time_ns;                  /* CLOCK_MONOTONIC */
    char text[ST_CAPTURE_TEXT_BYTES]; /* foreign text: a program, a device, or a reason. FORCED: the
                                         kind */
};

/** "xrun", ... @return NULL: no kind. */
const char *st_capture_stream_event_name(enum st_capture_event_kind kind);
/** A clause: what happened. */
const char *st_capture_stream_event_say(enum st_capture_event_kind kind);

/* --- reading --- */

struct st_capture_sink {
    void (*head)(void *ctx, const struct st_capture_head *head); /* called first, and once */
    void (*packet)(void *ctx, const struct st_capture_packet *packet);
    /* ABSENT can come without a head */
    void (*event)(void *ctx, const struct st_capture_event *event);
};

#define ST_CAPTURE_RECORD_MAX (64 + ST_CAPTURE_SAMPLES_MAX * sizeof(float))

struct st_capture_reader {
    struct st_capture_head head; /* rate_hz 0: not received yet */
    uint64_t next_frame;
    size_t len;
    _Alignas(8) unsigned char record[ST_CAPTURE_RECORD_MAX]; /* the incomplete record */
};

/** Takes bytes as they arrive, and passes complete records to the sink. Packets are in order
 * without overlap, and samples are numbers within ST_CAPTURE_LEVEL_MAX. One thread. @return 0, or
 * -EBADMSG: the stream is invalid; read nothing more from it. */
ST_NODISCARD int st_capture_stream_read(struct st_capture_reader *reader, const void *bytes,
                                        size_t bytes_n, const struct st_capture_sink *sink,
                                        void *ctx);

/* --- writing --- */

struct st_capture_ring {
    unsigned char *bytes;
    size_t size; /* a power of two */
    uint32_t channels;
    _Alignas(ST_CACHE_LINE_BYTES) atomic_size_t head; /* bytes written so far */
    uint64_t lost, lost_at; /* frames without room, and the first of them; writer only */
    _Alignas(ST_CACHE_LINE_BYTES) atomic_size_t tail; /* bytes read so far */
};

/** Makes the ring. @param bytes smallest size; the memory is touched, so that the callback has no
 * page fault.
 * @return 0 or -ENOMEM. Free ring->bytes. */
ST_NODISCARD int st_capture_stream_ring_open(struct st_capture_ring *ring, size_t bytes,
                                             uint32_t channels);
/** In the audio callback: adds any number of frames, packet->frames_n. @param from one pointer for
 * each channel, frames `stride` floats apart (NULL: silence); packet->samples is not used. */
void st_capture_stream_ring_put(struct st_capture_ring *ring,
                                const struct st_capture_packet *packet, const float *const *from,
                                size_t stride) ST_NONBLOCKING;
/** In the audio callback: adds an event; without room the event is lost. */
void st_capture_stream_ring_event(struct st_capture_ring *ring,
                                  const struct st_capture_event *event) ST_NONBLOCKING;

/** In the thread that writes: writes everything in the ring to a pipe; waits for the pipe's reader.
 * @return 0 or a negative errno value of write(2). */
ST_NODISCARD int st_capture_stream_ring_write(struct st_capture_ring *ring, int fd);
/** Writes a head, which comes first, or an event that does not come from the callback. */
ST_NODISCARD int st_capture_stream_write_head(int fd, const struct st_capture_head *head);
ST_NODISCARD int st_capture_stream_write_event(int fd, const struct st_capture_event *event);
