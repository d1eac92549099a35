/* The daemon's own stream: through libsoundio, in a module that is loaded only if a stream is
 * configured, so that sleeptuned does not link a sound library; or on FreeBSD through OSS, which
 * needs no library. */
#pragma once

#include <stdatomic.h>

#include "daemon/audio/audio.h"

struct st_own_stream;

/** What callbacks in the sound system's threads count and set. */
struct st_stream_seen {
    _Atomic uint64_t dropouts, calls; /* dropouts and callbacks of all streams since the start */
    _Atomic int policy, priority;     /* of the thread that plays, as in struct st_audio_view */
};

/** The functions of the module; one object of this type is exported under ST_STREAM_SYMBOL.
 * Threads: each stream is used by one thread. */
struct st_stream_module {
    const char *version; /* ST_VERSION of the module; must be that of the program that loads it */
    /** Opens and starts the stream; may block as long as a sound server hangs. @param config, seen
     * must stay valid. @return 0, or a negative errno value with the reason in error ("": only what
     * errno says); close *ret in both cases. */
    int (*open)(struct st_platform *platform, const struct st_config *config,
                struct st_stream_seen *seen, struct st_own_stream **ret, char *error,
                size_t error_bytes);
    /** Fills in the values that the sound system granted to the open stream: device, format, rate,
     * latency.
     */
    void (*describe)(const struct st_own_stream *stream, struct st_audio_view *ret);
    /** Call regularly while the stream is open. @return why the stream is broken, for example
     * because its server ended; NULL: not broken. */
    const char *(*find_failure)(struct st_own_stream *stream);
    /** Closes the stream; may block as open does. NULL is allowed. */
    void (*close)(struct st_own_stream *stream);
};
#define ST_STREAM_SYMBOL "st_stream_module"

/** Called once by the thread that plays: sets real-time priority below the loop's, if permitted. */
static inline void st_stream_set_policy(struct st_platform *platform,
                                        const struct st_config *config, struct st_stream_seen *seen)
{
    const int priority = ST_MAX((int)config->loop.priority - 1, 1);
    enum st_policy policy;
    int got;
    if (platform->set_policy(platform, ST_POLICY_FIFO, priority) < 0)
        /* Real-time priority was refused. Sets the normal policy instead of SCHED_BATCH, which new
         * threads inherit from the main thread. */
        (void)platform->set_policy(platform, ST_POLICY_OTHER, 0);
    if (platform->get_policy(platform, &policy, &got) == 0) {
        atomic_store(&seen->priority, got);
        atomic_store(&seen->policy, (int)policy);
    }
}

struct st_oss_calls;
/* the OSS stream of FreeBSD; other systems do not have it */
extern const struct st_stream_module st_stream_oss;
/** Opens a stream as st_stream_oss does, but with a test's system calls. */
int st_stream_oss_open(const struct st_oss_calls *calls, struct st_platform *platform,
                       const struct st_config *config, struct st_stream_seen *seen,
                       struct st_own_stream **ret, char *error, size_t error_bytes);
