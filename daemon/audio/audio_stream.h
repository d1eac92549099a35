/* One stream of libsoundio, of either direction: opened, called back by the sound system, read back, closed.
 */
#ifndef ST_DAEMON_AUDIO_AUDIO_STREAM_H
#define ST_DAEMON_AUDIO_AUDIO_STREAM_H

#include <stdatomic.h>

#include "daemon/audio/audio.h"

struct st_audio_stream {
    struct st_platform *platform;
    const struct st_config *config;
    enum st_audio_direction direction;

    /* the thread that opens and closes */
    struct SoundIo *soundio; /* NULL: closed */
    struct SoundIoDevice *device;
    struct SoundIoOutStream *out;  /* of output */
    struct SoundIoInStream *in;    /* of input */
    struct st_callbacks callbacks; /* its producer is in the sound system's threads */

    /* written by callbacks in the sound system's threads */
    _Atomic uint64_t xruns, holes, calls; /* of all streams so far */
    _Atomic bool counting;                /* between start and close */
    _Atomic int broken;                   /* a SoundIoError */
    _Atomic int policy, priority;         /* as in struct st_audio_view */
    bool policy_set;                      /* callback only */
};

/** @param config must live as long as the stream. @return 0 or -ENOMEM. */
ST_NODISCARD int st_audio_stream_init(struct st_audio_stream *stream, struct st_platform *platform,
                                      const struct st_config *config, enum st_audio_direction direction);
void st_audio_stream_finish(struct st_audio_stream *stream);

/**
 * Opens and starts it; may wait for a sound server that hangs.
 * @param error what is not there, when it fails. @return 0 or -errno: close it, too.
 */
ST_NODISCARD int st_audio_stream_open(struct st_audio_stream *stream, char *error, size_t error_bytes);
/** Likewise may wait. */
void st_audio_stream_close(struct st_audio_stream *stream);

/** Does the sound system tell of this direction's xruns? */
bool st_audio_stream_tells_xruns(const struct st_audio_stream *stream);

/** What was got, of an open stream: device, format, rate, channels, latency. */
void st_audio_stream_describe(const struct st_audio_stream *stream, struct st_audio_view *ret);

/** Hears of servers that end; call it now and then while it is open. @return why it is broken, NULL: it is
 * not. */
const char *st_audio_stream_look(struct st_audio_stream *stream);

#endif
