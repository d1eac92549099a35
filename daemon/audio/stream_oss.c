/* Plays sleeptuned's own test stream on an OSS device of FreeBSD: a thread writes silence, and
 * reads the number of gaps after each fragment. */
#include <fcntl.h>
#include <pthread.h>

#include "core/ns.h"
#include "daemon/audio/stream.h"
#include "platform/freebsd/oss.h"
#include "platform/posix/posix.h"
#include "st_config.h"

/* bytes of a frame: 16-bit samples, which every device accepts */
#define FRAME_BYTES    (2 * ST_OSS_CHANNELS)
#define FRAGMENT_BYTES 65536 /* largest fragment that is accepted */
#define STACK_BYTES    (64 * 1024)

struct st_own_stream {
    const struct st_oss_calls *calls;
    struct st_platform *platform;
    const struct st_config *config;
    struct st_stream_seen *seen;
    const char *device;
    int fd; /* -1: not open */
    uint32_t rate_hz;
    audio_buf_info room;
    pthread_t thread;
    bool started;
    atomic_bool stop;
    atomic_int broken; /* the error that ended the thread, a negative errno value; 0: none */
};

static void *play(void *ctx)
{
    static const unsigned char silence[FRAGMENT_BYTES];
    struct st_own_stream *stream = ctx;
    int r = 0;
    (void)stream->platform->set_name(stream->platform, "st-oss");
    st_stream_set_policy(stream->platform, stream->config, stream->seen);
    while (r == 0 && !atomic_load(&stream->stop)) {
        r = st_oss_write(stream->calls, stream->fd, silence, (size_t)stream->room.fragsize);
        const int gaps_n = st_oss_gaps(stream->calls, stream->fd).play_underruns;
        atomic_fetch_add(&stream->seen->calls, 1);
        atomic_fetch_add(&stream->seen->dropouts, (uint64_t)ST_MAX(gaps_n, 0));
    }
    atomic_store(&stream->broken, r);
    return NULL;
}

static void close_stream(struct st_own_stream *stream)
{
    if (stream == NULL)
        return;
    atomic_store(&stream->stop, true);
    if (stream->started)
        pthread_join(stream->thread, NULL); /* takes at most as long as its write of one fragment */
    if (stream->fd >= 0)
        (void)stream->calls->close(stream->fd);
    free(stream);
}

/* A quarter of the wished latency, in bytes: the buffer has four fragments. */
static size_t period_bytes(const struct st_config *config)
{
    const int64_t frames = config->audio.latency_ms > 0
                               ? config->audio.latency_ms * config->loop.rate_hz / 1000
                               : 2 * config->loop.frames;
    return (size_t)(frames / 4 * FRAME_BYTES);
}

static int begin(struct st_own_stream *stream)
{
    stream->fd = stream->calls->open(stream->device, O_WRONLY);
    if (stream->fd < 0)
        return -errno;
    int r = st_oss_set_up(stream->calls, stream->fd, AFMT_S16_NE, period_bytes(stream->config),
                          &stream->rate_hz);
    if (r == 0)
        r = st_oss_ask(stream->calls, stream->fd, SNDCTL_DSP_GETOSPACE, &stream->room);
    if (r == 0 && (stream->room.fragsize < FRAME_BYTES || stream->room.fragsize > FRAGMENT_BYTES ||
                   stream->room.fragstotal < 1 || stream->rate_hz == 0))
        r = -ENOTSUP;
    if (r == 0)
        r = st_posix_thread_start(&stream->thread, STACK_BYTES, play, stream);
    stream->started = r == 0;
    return r;
}

int st_stream_oss_open(const struct st_oss_calls *calls, struct st_platform *platform,
                       const struct st_config *config, struct st_stream_seen *seen,
                       struct st_own_stream **ret, char *error, size_t error_bytes)
{
    struct st_own_stream *stream = calloc(1, sizeof(*stream));
    *ret = stream;
    if (stream == NULL)
        return -ENOMEM;
    *stream = (struct st_own_stream){
        .calls = calls,
        .platform = platform,
        .config = config,
        .seen = seen,
        .device = st_text_or(config->audio.device, "/dev/dsp"),
        .fd = -1,
        .rate_hz = (uint32_t)config->loop.rate_hz,
    };
    const int r = begin(stream);
    if (r < 0)
        snprintf(error, error_bytes, "device %.100s: %s", stream->device, strerror(-r));
    return r;
}

static int open_stream(struct st_platform *platform, const struct st_config *config,
                       struct st_stream_seen *seen, struct st_own_stream **ret, char *error,
                       size_t error_bytes)
{
    return st_stream_oss_open(&st_oss_system, platform, config, seen, ret, error, error_bytes);
}

static void describe(const struct st_own_stream *stream, struct st_audio_view *ret)
{
    ST_PRINT(ret->device, "%s", stream->device);
    ST_PRINT(ret->device_name, "%s", stream->device);
    ST_PRINT(ret->format, "signed 16-bit");
    ret->raw = true;
    ret->rate_hz = stream->rate_hz;
    ret->latency_ns = (int64_t)stream->room.fragsize / FRAME_BYTES * stream->room.fragstotal *
                      ST_NS_PER_S / stream->rate_hz;
}

static const char *find_failure(struct st_own_stream *stream)
{
    const int broken = atomic_load(&stream->broken);
    return broken != 0 ? strerror(-broken) : NULL;
}

const struct st_stream_module st_stream_oss = {.version = ST_VERSION,
                                               .open = open_stream,
                                               .describe = describe,
                                               .find_failure = find_failure,
                                               .close = close_stream};
