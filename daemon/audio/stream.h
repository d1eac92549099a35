/* The own stream by libsoundio: a module, loaded if a stream is wished for, so that sleeptuned links no sound
 * library. */
#ifndef ST_DAEMON_AUDIO_STREAM_H
#define ST_DAEMON_AUDIO_STREAM_H

#include <stdatomic.h>

#include "daemon/audio/audio.h"
#include "platform/platform.h"

struct st_own_stream;

/** Written by callbacks in the sound system's threads. */
struct st_stream_seen {
    _Atomic uint64_t xruns, calls; /* of all streams so far */
    _Atomic int policy, priority;  /* as in struct st_audio_view */
};

/** One object of this type is exported under ST_STREAM_SYMBOL. Threads: one a stream. */
struct st_stream_module {
    const char *version; /* ST_VERSION, which must be the loading program's */
    /** Opens and starts it; may wait for a sound server that hangs. @param config, seen  must stay.
     * @return 0, or a negative errno value with the reason in error; close *ret in both cases. */
    int (*open)(struct st_platform *platform, const struct st_config *config, struct st_stream_seen *seen,
                struct st_own_stream **ret, char *error, size_t error_bytes);
    /** What an open stream got: device, format, rate, channels, latency. */
    void (*describe)(const struct st_own_stream *stream, struct st_audio_view *ret);
    /** Call it now and then while the stream is open. @return why it is broken, for example because its
     * server ended; NULL: it is not. */
    const char *(*find_failure)(struct st_own_stream *stream);
    /** May wait, too. NULL is fine. */
    void (*close)(struct st_own_stream *stream);
};
#define ST_STREAM_SYMBOL "st_stream_module"

#endif
