/* What the helper programs that play a test signal and record what comes back have in common:
 * options, the signal, and the pipe on standard output (ears/capture_stream.h). They play and
 * record nothing before a byte arrives on standard input, so that the command can first print what
 * will be heard. They end when standard input ends.
 *
 * With a sound server, one process plays and another one records, as independent programs do, so
 * that it is heard if one of them is not ready.
 *
 * Threads: one audio thread (the server's) plays or records; the main thread writes the pipe. */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>

#include "ears/capture_stream.h"
#include "ears/signal.h"

enum {
    ST_EAR_DONE = 0,
    ST_EAR_ABSENT = 2, /* this way of recording is not available; an event says why */
    ST_EAR_USAGE = 3,
    ST_EAR_FAILED = 4
};

#define ST_EAR_FRAMES_MAX 8192
#define ST_EAR_PUMP_MS    20 /* interval of writing to the pipe */
#define ST_EAR_PUMP_NS    (ST_EAR_PUMP_MS * INT64_C(1000000))

/* Memory that the player and the recorder, two processes, share. */
struct st_ear_shared {
    atomic_bool linked, go; /* linked: the player is in the graph; go: it plays */
    atomic_ullong played;   /* frames of the signal so far */
    atomic_uint offset;     /* frame of the signal minus the server's time, modulo 2^32 */
    atomic_uint node;       /* PipeWire: the player's node */
    /* JACK: name of the player, and where it plays to; set before `linked` */
    char client[ST_CAPTURE_TEXT_BYTES], plays[ST_CAPTURE_TEXT_BYTES];
    uint64_t chance; /* seed of the places where glitches are forced */
};

struct st_ear {
    const char *way;             /* -w */
    const char *plays, *records; /* -p, -r: devices; "": the default ones */
    uint32_t frames;             /* -f: buffer size to set in the server or device; 0: unchanged */
    struct st_ear_shared *shared;
    bool player; /* this process only plays */
    pid_t pid;   /* in the recorder: the player's process; 0: no other process, -1: the player has
                    ended */
    int input;   /* reaches its end when this process should end */
    int line;    /* the player's input, which ends with this process */
    struct st_capture_head head; /* written by st_ear_begin */
    struct st_capture_ring ring;
    struct st_signal signal; /* audio thread only */
    /* members that only the audio thread of the recorder uses */
    uint32_t offset, time; /* offset: `shared->offset` at the last packet; time: the server's time
                              at which the next packet should begin, in frames */
    uint64_t recorded;
    /* main thread only */
    size_t forced_n; /* forced glitches that were reported */
    bool go;         /* the command has asked to begin */
    bool shut;       /* the command does not read any more */
};

/** Reads the options. An invalid option, or a version (-V) other than this program's, ends the
 * program. */
void st_ear_options(struct st_ear *ear, int argc, char **argv);
/** Starts the process that plays. Call before any thread. @return 0 or a negative errno value. */
ST_NODISCARD int st_ear_split(struct st_ear *ear);

/** Main thread, before the audio thread plays or records: makes the signal for head.rate_hz and
 * head.channels, and the ring. @return 0 or a negative errno value. */
ST_NODISCARD int st_ear_prepare(struct st_ear *ear);
/** Main thread: writes ear->head; call when all of it is known. */
void st_ear_begin(struct st_ear *ear);

/** Audio thread: writes the next frames of the signal to `to`. @param time of the server, in
 * frames. @param to one pointer for each channel (NULL: not wanted), frames `stride` floats
 * apart. */
void st_ear_play(struct st_ear *ear, uint32_t time, float *const *to, size_t stride,
                 uint32_t frames_n) ST_NONBLOCKING;
/** Audio thread: puts recorded frames into the ring; `from` has a pointer for each channel, frames
 * `stride` floats apart. Reports if the player or the recorder was not ready before. */
void st_ear_record(struct st_ear *ear, uint32_t time, int64_t time_ns, const float *const *from,
                   size_t stride, uint32_t frames_n) ST_NONBLOCKING;
/** Audio thread that records: adds an event at the current frame. */
void st_ear_event(struct st_ear *ear, enum st_capture_event_kind kind, uint64_t frames,
                  int64_t time_ns) ST_NONBLOCKING;

/** Main thread: writes what is in the ring. */
void st_ear_pump(struct st_ear *ear);
/** Main thread: writes an event with a text. */
void st_ear_say(struct st_ear *ear, enum st_capture_event_kind kind, const char *text);
/** Main thread, when ear->input is readable: sets ear->go. @return false: this process should
 * end. */
bool st_ear_input(struct st_ear *ear);
/** Main thread: has the process that plays ended? */
bool st_ear_player_ended(struct st_ear *ear);
/** Ends the process that plays; waits at most 400 ms. */
void st_ear_end_player(struct st_ear *ear);
/** Main thread: pumps until the input ends, or until `look`, called each time, returns false. */
void st_ear_run(struct st_ear *ear, bool (*look)(void *ctx), void *ctx);
/** Writes the last event: why this way (of recording: monitor, cable ...) is not available. The
 * output of the process that plays is not read, so the recorder writes the event for both. @return
 * ST_EAR_ABSENT, for main. */
int st_ear_absent(const char *format, ...) ST_PRINTF(1, 2);
