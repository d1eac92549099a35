/* What the helper programs that play a test signal and record what comes back have in common: options, the
 * signal, and the pipe on standard output (ears/capture_stream.h). They play and record nothing before a byte
 * comes on standard input, so that the command can say first what is about to be heard. They end with it.
 *
 * With a sound server, two processes play and record, as any player and any recorder: one that is not ready
 * is heard by the other.
 *
 * Threads: one audio thread (the server's) plays or records; the main thread writes the pipe. */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>

#include "ears/capture_stream.h"
#include "ears/signal.h"

enum {
    ST_EAR_DONE = 0,
    ST_EAR_ABSENT = 2, /* why has been written */
    ST_EAR_USAGE = 3,
    ST_EAR_FAILED = 4
};

#define ST_EAR_FRAMES_MAX 8192
#define ST_EAR_PUMP_MS    20 /* the pipe is written this often */
#define ST_EAR_PUMP_NS    (ST_EAR_PUMP_MS * INT64_C(1000000))

/* What the two processes share. */
struct st_ear_shared {
    atomic_bool linked, go; /* the player is in the graph; it plays */
    atomic_ullong played;   /* frames of the signal so far */
    atomic_uint offset;     /* its frame minus the server's time, modulo 2^32 */
    atomic_uint node;       /* PipeWire: of the player */
    /* JACK: of the player, and where it plays to; before `linked` */
    char client[ST_CAPTURE_TEXT_BYTES], plays[ST_CAPTURE_TEXT_BYTES];
    uint64_t chance; /* where glitches are forced */
};

struct st_ear {
    const char *way;             /* -w */
    const char *plays, *records; /* -p, -r: devices; "": the usual ones */
    uint32_t frames;             /* -f: the buffer size that the server or device is to have; 0: as it is */
    struct st_ear_shared *shared;
    bool player;                 /* this process only plays */
    pid_t pid;                   /* of the player, in the other process; 0: none, -1: it has ended */
    int input;                   /* ends when this process should */
    int line;                    /* the player's input, which ends with this process */
    struct st_capture_head head; /* written by st_ear_begin */
    struct st_capture_ring ring;
    struct st_signal signal; /* of the audio thread */
    /* of the audio thread that records */
    uint32_t offset, time; /* of the last packet; the time of the next one */
    uint64_t recorded;
    /* of the main thread */
    size_t forced_n; /* forced glitches that were said */
    bool go;         /* the command has said that it begins */
    bool shut;       /* the command reads no more */
};

/** Reads the options; wrong ones, and another version than this program's (-V), end the program. */
void st_ear_options(struct st_ear *ear, int argc, char **argv);
/** Starts the process that plays. Before any thread. @return 0 or a negative errno value. */
ST_NODISCARD int st_ear_split(struct st_ear *ear);

/** Main thread, before the audio thread plays or records: makes the signal of head.rate_hz and head.channels,
 * and the ring. @return 0 or a negative errno value. */
ST_NODISCARD int st_ear_prepare(struct st_ear *ear);
/** Main thread, once the rest of ear->head is known: writes it. */
void st_ear_begin(struct st_ear *ear);

/** Audio thread: the next frames of the signal. @param time of the server, in frames. @param to one pointer a
 * channel (NULL: none is wanted), its frames `stride` floats apart. */
void st_ear_play(struct st_ear *ear, uint32_t time, float *const *to, size_t stride,
                 uint32_t frames_n) ST_NONBLOCKING;
/** Audio thread: what was recorded; as st_capture_stream_ring_put. Says which of the two was not ready
 * before. */
void st_ear_record(struct st_ear *ear, uint32_t time, int64_t time_ns, const float *const *from,
                   size_t stride, uint32_t frames_n) ST_NONBLOCKING;
/** Audio thread that records: an event at this place. */
void st_ear_event(struct st_ear *ear, enum st_capture_event_kind kind, uint64_t frames,
                  int64_t time_ns) ST_NONBLOCKING;

/** Main thread: writes what is there. */
void st_ear_pump(struct st_ear *ear);
/** Main thread: an event with a text. */
void st_ear_say(struct st_ear *ear, enum st_capture_event_kind kind, const char *text);
/** Main thread, when ear->input is readable: sets ear->go. @return false: this process should end. */
bool st_ear_input(struct st_ear *ear);
/** Main thread: has the process that plays ended? */
bool st_ear_player_ended(struct st_ear *ear);
/** Ends it, and waits at most 400 ms. */
void st_ear_end_player(struct st_ear *ear);
/** Main thread: pumps until the input ends, or `look` returns false. It is called each time. */
void st_ear_run(struct st_ear *ear, bool (*look)(void *ctx), void *ctx);
/** The last event: this way is not there, and why. Of the process that plays nothing is read: the recorder
 * says it for both. @return ST_EAR_ABSENT, for main. */
int st_ear_absent(const char *format, ...) ST_PRINTF(1, 2);
