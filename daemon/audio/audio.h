/* The daemon's own stream (audio.backend): plays silence to a sound system, and counts its
 * dropouts. */
#pragma once

#include "daemon/causes/events.h"
#include "daemon/config/config.h"

#define ST_AUDIO_ERROR_BYTES 400

enum st_audio_state {
    ST_AUDIO_OFF,     /* not configured, backend "none", or built without libsoundio */
    ST_AUDIO_OPENING, /* the first attempt to open the stream is under way */
    ST_AUDIO_RUNNING, /* the stream plays */
    ST_AUDIO_WAITING, /* the stream could not be opened, or was lost; it is opened again after a
                         pause */
};

const char *st_audio_state_name(enum st_audio_state state);

/** State of the stream, with the values that the sound system granted. */
struct st_audio_view {
    enum st_audio_state state;
    char backend[32];
    char device[ST_CONFIG_TEXT_BYTES]; /* id of the device in the sound system */
    char device_name[ST_CONFIG_TEXT_BYTES];
    bool raw;
    char format[48];
    int64_t rate_hz;
    int64_t latency_ns;
    int policy; /* enum st_policy of the callback's thread; -1: chosen by the sound system, or not
                 * known yet
                 */
    int priority;
    uint64_t dropouts_n; /* underflows since the daemon started or the backend was changed */
    uint64_t opened_n;
    /* why the stream does not play: in state ST_AUDIO_WAITING, or ST_AUDIO_OFF if one is
     * configured */
    char error[ST_AUDIO_ERROR_BYTES];
};

struct st_audio;

/** Starts the stream's thread. A backend that cannot be opened is no error: the thread tries again
 * after 1 s to 60 s. @param config copied; audio.*, and loop.* for the requested rate, latency and
 * priority. @return 0, -ENOMEM, -EAGAIN. Threads: one. */
ST_NODISCARD int st_audio_start(struct st_platform *platform, const struct st_config *config,
                                struct st_events *events, struct st_audio **ret);

/** Fills the view of a stream whose thread has not started: state ST_AUDIO_OPENING if a stream is
 * configured, no dropouts. Pure. */
void st_audio_view_init(const struct st_config *config, struct st_audio_view *ret);

/** Closes the stream. If its sound server does not answer in 5 s, abandons the stream's thread and
 * its memory. NULL is allowed. */
void st_audio_stop(struct st_audio *audio);

/** Copies the current state of the stream. Threads: any. */
void st_audio_look(struct st_audio *audio, struct st_audio_view *ret);

#define ST_AUDIO_LOOK_NS INT64_C(250000000) /* interval in which an open stream is checked */
/* the stream hangs after this number of checks, and at least 4 buffers, without a callback */
#define ST_AUDIO_SILENT_LOOKS 40

/** Detects that the sound system no longer asks for samples. Counts checks instead of time: after a
 * SIGSTOP of the daemon, the callback runs again before enough checks have passed. */
struct st_audio_judge {
    uint64_t heard;
    unsigned silent_looks;
};

/** @param calls callbacks of the stream so far. @param latency_ns length of the stream's buffer.
 * @return true: the stream hangs. Pure. */
bool st_audio_hangs(struct st_audio_judge *judge, uint64_t calls, int64_t latency_ns);

/** Pause (ns) before the next attempt to open the stream, after this number of consecutive
 * failures: 1 s, 2 s, 4 s .. 60 s. Pure. */
int64_t st_audio_backoff_ns(unsigned failures);
