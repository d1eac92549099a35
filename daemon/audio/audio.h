/* The daemon's own stream: it plays silence, and its dropouts are counted. */
#pragma once

#include "daemon/causes/events.h"
#include "daemon/config/config.h"

#define ST_AUDIO_ERROR_BYTES 400

enum st_audio_state {
    ST_AUDIO_OFF,     /* not configured, backend "none", or built without libsoundio */
    ST_AUDIO_OPENING, /* first try under way */
    ST_AUDIO_RUNNING, /* plays */
    ST_AUDIO_WAITING, /* could not be opened, or was lost: opened again after a pause */
};

const char *st_audio_state_name(enum st_audio_state state);

/** State of the stream, with the values that the sound system granted. */
struct st_audio_view {
    enum st_audio_state state;
    char backend[32];
    char device[ST_CONFIG_TEXT_BYTES]; /* id */
    char device_name[ST_CONFIG_TEXT_BYTES];
    bool raw;
    char format[48];
    int64_t rate_hz;
    int64_t channels;
    int64_t latency_ns;
    int policy; /* enum st_policy of the callback's thread; -1: chosen by the sound system, or not known yet
                 */
    int priority;
    uint64_t dropouts_n; /* underflows, since the daemon started or the backend was changed */
    uint64_t opened_n;
    int64_t retry_after_ns;           /* pause before the next try, while WAITING */
    char error[ST_AUDIO_ERROR_BYTES]; /* while WAITING; while OFF if a stream is configured */
};

struct st_audio;

/** Starts the stream's thread. A backend that cannot be opened is no error: it is opened again after 1 s
 * .. 60 s. @param config audio.* and, for the wished rate, latency and priority, loop.*; copied. @return
 * 0, -ENOMEM, -EAGAIN. Threads: one. */
ST_NODISCARD int st_audio_start(struct st_platform *platform, const struct st_config *config,
                                struct st_events *events, struct st_audio **ret);

/** The view of a stream whose thread has not begun: opening, if configured, without dropouts. Pure. */
void st_audio_view_init(const struct st_config *config, struct st_audio_view *ret);

/** Closes the stream. Waits at most 5 s for a sound server that does not answer. NULL is fine. */
void st_audio_stop(struct st_audio *audio);

/** Threads: any. */
void st_audio_look(struct st_audio *audio, struct st_audio_view *ret);

#define ST_AUDIO_LOOK_NS INT64_C(250000000) /* interval of looks at an open stream */
#define ST_AUDIO_SILENT_LOOKS                                                                                \
    40 /* after this number of looks without a callback, and 4 buffers, the stream hangs */

/** Does the sound system still ask for samples? Counts looks instead of time: after a SIGSTOP of the
 * daemon, the callback runs again before enough looks have passed. */
struct st_audio_judge {
    uint64_t heard;
    unsigned silent_looks;
};

/** @param calls callbacks of the stream so far. @param latency_ns of the stream's buffer. @return true:
 * the stream hangs. Pure. */
bool st_audio_hangs(struct st_audio_judge *judge, uint64_t calls, int64_t latency_ns);

/** Pause before the next try after `failures` consecutive failures: 1 s, 2 s, 4 s .. 60 s. Pure. */
int64_t st_audio_backoff_ns(unsigned failures);
