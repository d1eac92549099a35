/* Plays sleeptuned's own test stream through libsoundio. Each callback of libsoundio is set,
 * because its default callbacks abort the process. */
#include "daemon/audio/stream.h"

#include <soundio/soundio.h>
#include <unistd.h>

#include "core/ns.h"
#include "st_config.h"
#include "xruns/helpers/jack_server.h"
#include "xruns/xrun_line.h"

__attribute__((visibility("default"))) extern const struct st_stream_module st_stream_module;

struct st_own_stream {
    struct st_platform *platform;
    const struct st_config *config;

    /* used by the thread that opens and closes the stream */
    struct SoundIo *soundio; /* NULL: not connected */
    struct SoundIoDevice *device;
    struct SoundIoOutStream *out;

    /* the next members are written by callbacks in the sound system's threads */
    struct st_stream_seen *seen;
    _Atomic bool counting; /* underflows count only between start and close of the stream */
    _Atomic int broken;    /* a SoundIoError; 0: none */
    bool policy_set;       /* used in the write callback only */
};

/* Formats in order of preference. In each of them, silence is all zero bits. */
static const enum SoundIoFormat formats[] = {
    SoundIoFormatFloat32NE, SoundIoFormatS16NE, SoundIoFormatS32NE,     SoundIoFormatS24NE,
    SoundIoFormatFloat64NE, SoundIoFormatS8,    SoundIoFormatFloat32FE, SoundIoFormatS16FE,
    SoundIoFormatS32FE,     SoundIoFormatS24FE, SoundIoFormatFloat64FE,
};

static const struct {
    const char *name;
    enum SoundIoBackend backend;
    /* true: libsoundio's own thread plays, and sleeptuned sets its policy; false: a thread of the
     * sound server's library plays */
    bool own_thread;
    /* smallest latency to ask for: with pulseaudio what its own clients use; with dummy enough
     * that the stream wakes up less often than the loop */
    int64_t latency_min_ms;
} backends[] = {
    {"dummy", SoundIoBackendDummy, true, 50},
    {"alsa", SoundIoBackendAlsa, true, 0},
    {"pulseaudio", SoundIoBackendPulseAudio, false, 50},
    {"jack", SoundIoBackendJack, false, 0},
};

static size_t backend_index(const char *name)
{
    size_t i = 0;
    while (i + 1 < ST_ARRAY_LEN(backends) && !st_text_is(backends[i].name, name))
        i++;
    return i;
}

/* --- callbacks, in threads of the sound system --- */

/* Sets real-time priority in the thread that plays. libsoundio asks for SCHED_FIFO without
 * PTHREAD_EXPLICIT_SCHED, so its thread only has the policy of the thread that made it. */
static void set_policy_once(struct st_own_stream *stream)
{
    if (stream->policy_set)
        return;
    stream->policy_set = true;
    if (backends[backend_index(stream->config->audio.backend)].own_thread)
        st_stream_set_policy(stream->platform, stream->config, stream->seen);
}

static void on_write(struct SoundIoOutStream *out, ST_UNUSED int frames_min, int frames_max)
{
    struct st_own_stream *stream = out->userdata;
    atomic_fetch_add_explicit(&stream->seen->calls, 1, memory_order_relaxed);
    set_policy_once(stream);
    int left = frames_max;
    while (left > 0) {
        int frames = left;
        struct SoundIoChannelArea *areas;
        int error = soundio_outstream_begin_write(out, &areas, &frames);
        if (error == 0 && frames == 0)
            return;
        if (error == 0) {
            ST_EACH_OF (area, areas, out->layout.channel_count) {
                char *sample = area->ptr;
                for (int i = 0; i < frames; i++, sample += area->step)
                    memset(sample, 0, (size_t)out->bytes_per_sample);
            }
            error = soundio_outstream_end_write(out);
        }
        if (error == SoundIoErrorUnderflow)
            return; /* on_underflow counts it */
        if (error != 0) {
            atomic_store(&stream->broken, error);
            return;
        }
        left -= frames;
    }
}

static void on_underflow(struct SoundIoOutStream *out)
{
    struct st_own_stream *stream = out->userdata;
    if (atomic_load_explicit(&stream->counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&stream->seen->dropouts, 1, memory_order_relaxed);
}

static void on_error(struct SoundIoOutStream *out, int error)
{
    struct st_own_stream *stream = out->userdata;
    atomic_store(&stream->broken, error);
}

static void on_disconnect(struct SoundIo *soundio, int error)
{
    struct st_own_stream *stream = soundio->userdata;
    atomic_store(&stream->broken, error != 0 ? error : SoundIoErrorBackendDisconnected);
}

static void on_devices_change(ST_UNUSED struct SoundIo *soundio) {}

static void on_rtprio_warning(void) {}

static void on_jack_message(ST_UNUSED const char *message) {}

/* --- opening and closing, in the stream's thread --- */

static void close_stream(struct st_own_stream *stream)
{
    if (stream == NULL)
        return;
    atomic_store(&stream->counting, false);
    if (stream->out != NULL)
        soundio_outstream_destroy(stream->out);
    if (stream->device != NULL)
        soundio_device_unref(stream->device);
    if (stream->soundio != NULL)
        soundio_destroy(stream->soundio);
    free(stream);
}

static struct SoundIoDevice *find_device(struct SoundIo *soundio, const char *id)
{
    if (id[0] == '\0') {
        const int index = soundio_default_output_device_index(soundio);
        return index >= 0 ? soundio_get_output_device(soundio, index) : NULL;
    }
    const int n = soundio_output_device_count(soundio);
    for (int i = 0; i < n; i++) {
        struct SoundIoDevice *device = soundio_get_output_device(soundio, i);
        if (st_text_is(device->id, id))
            return device;
        soundio_device_unref(device);
    }
    return NULL;
}

static enum SoundIoFormat choose_format(struct SoundIoDevice *device)
{
    ST_EACH (format, formats) {
        if (soundio_device_supports_format(device, *format))
            return *format;
    }
    return SoundIoFormatInvalid;
}

static int connect_backend(struct st_own_stream *stream, char *error, size_t error_bytes)
{
    const size_t index = backend_index(stream->config->audio.backend);
    if (backends[index].backend == SoundIoBackendJack && !st_jack_server_is_pipewire()) {
        const char *why = st_jack_server_look(st_jack_server_name());
        if (why != NULL) {
            snprintf(error, error_bytes, "the sound system jack cannot be used: %s", why);
            return -ENOENT;
        }
    }
    if (!soundio_have_backend(backends[index].backend)) {
        snprintf(error, error_bytes,
                 "libsoundio, which plays this stream, was built without %s: choose another "
                 "audio.backend",
                 backends[index].name);
        return -ENOTSUP;
    }
    struct SoundIo *soundio = soundio_create();
    if (soundio == NULL)
        return -ENOMEM;
    stream->soundio = soundio;
    soundio->userdata = stream;
    soundio->app_name = "sleeptuned";
    soundio->on_backend_disconnect = on_disconnect;
    soundio->on_devices_change = on_devices_change;
    soundio->emit_rtprio_warning = on_rtprio_warning;
    soundio->jack_info_callback = on_jack_message;
    soundio->jack_error_callback = on_jack_message;
    const int r = soundio_connect_backend(soundio, backends[index].backend);
    if (r != 0) {
        snprintf(error, error_bytes, "backend %s: %s", backends[index].name, soundio_strerror(r));
        return -EIO;
    }
    soundio_flush_events(soundio);
    return 0;
}

/* Lists in an error message the ids that audio.device can be set to. */
static void list_devices(struct SoundIo *soundio, const char *backend, const char *wished,
                         char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "the sound system %.31s has no output device \"%.100s\"", backend,
             wished);
    for (int i = 0; i < soundio_output_device_count(soundio); i++) {
        struct SoundIoDevice *device = soundio_get_output_device(soundio, i);
        st_text_append(buf, buf_bytes, "%s%s", i == 0 ? "; it has: " : ", ", device->id);
        soundio_device_unref(device);
    }
}

/* Finds the device that audio.device names, or the default one, and sets stream->device. */
static int choose_device(struct st_own_stream *stream, char *error, size_t error_bytes)
{
    const char *backend = stream->config->audio.backend, *id = stream->config->audio.device;
    struct SoundIoDevice *device = find_device(stream->soundio, id);
    stream->device = device;
    if (device == NULL && id[0] != '\0')
        list_devices(stream->soundio, backend, id, error, error_bytes);
    else if (device == NULL)
        snprintf(error, error_bytes, "the sound system %.31s has no output device", backend);
    if (device == NULL)
        return -ENODEV;
    if (device->probe_error == 0)
        return 0;
    snprintf(error, error_bytes, "device %.100s: %s", device->id,
             soundio_strerror(device->probe_error));
    return -EIO;
}

/* Chooses a latency at which the dummy backend of libsoundio causes no underflow of its own. This
 * backend rounds its buffer up to whole pages. With exactly whole pages, a wake-up that is a
 * microsecond late counts as an underflow (src/dummy.c of libsoundio 2.0.0); one frame more leaves
 * nearly a page to spare, 10 ms at 48 kHz. */
static double dummy_latency_s(double wished_s, int64_t rate_hz)
{
    /* stereo samples of 32 bits */
    const double page_frames = (double)sysconf(_SC_PAGESIZE) / (2 * sizeof(float));
    return (floor(wished_s * (double)rate_hz / page_frames) * page_frames + 1) / (double)rate_hz;
}

/* The latency to ask for; the sound system may grant another one. */
static double wished_latency_s(const struct st_config *config)
{
    if (config->audio.latency_ms > 0)
        return (double)config->audio.latency_ms / 1e3;
    const size_t i = backend_index(config->audio.backend);
    const double device_s = 2 * (double)config->loop.frames / (double)config->loop.rate_hz;
    const double wished_s = fmax((double)backends[i].latency_min_ms / 1e3, device_s);
    const bool dummy = backends[i].backend == SoundIoBackendDummy;
    return dummy ? dummy_latency_s(wished_s, config->loop.rate_hz) : wished_s;
}

/* Opens and starts the stream on stream->device. @return a SoundIoError; 0: it plays. */
static int start_stream(struct st_own_stream *stream, enum SoundIoFormat format, int rate_hz,
                        double latency_s)
{
    struct SoundIoOutStream *out = soundio_outstream_create(stream->device);
    stream->out = out;
    if (out == NULL)
        return SoundIoErrorNoMem;
    out->userdata = stream;
    out->name = ST_XRUN_OWN_CLIENT;
    out->format = format;
    out->sample_rate = rate_hz;
    out->software_latency = latency_s;
    out->write_callback = on_write;
    out->underflow_callback = on_underflow;
    out->error_callback = on_error;
    const int r = soundio_outstream_open(out);
    return r == 0 ? soundio_outstream_start(out) : r;
}

static int begin(struct st_own_stream *stream, char *error, size_t error_bytes)
{
    struct SoundIoDevice *device = stream->device;
    const enum SoundIoFormat format = choose_format(device);
    if (format == SoundIoFormatInvalid) {
        snprintf(error, error_bytes,
                 "the device %.100s offers no sample format that sleeptuned can use", device->id);
        return -ENOTSUP;
    }
    const struct st_config *config = stream->config;
    const int rate_hz = soundio_device_nearest_sample_rate(device, (int)config->loop.rate_hz);
    atomic_store(&stream->counting, true);
    const int r = start_stream(stream, format, rate_hz, wished_latency_s(config));
    if (r != 0) {
        snprintf(error, error_bytes, "device %.100s: %s", device->id, soundio_strerror(r));
        return -EIO;
    }
    return 0;
}

static int open_stream(struct st_platform *platform, const struct st_config *config,
                       struct st_stream_seen *seen, struct st_own_stream **ret, char *error,
                       size_t error_bytes)
{
    struct st_own_stream *stream = calloc(1, sizeof(*stream));
    *ret = stream;
    if (stream == NULL)
        return -ENOMEM;
    stream->platform = platform;
    stream->config = config;
    stream->seen = seen;
    int r = connect_backend(stream, error, error_bytes);
    st_text_forget(); /* the module has its own copies of st_text, which the daemon's call does not
                         free */
    if (r == 0)
        r = choose_device(stream, error, error_bytes);
    return r == 0 ? begin(stream, error, error_bytes) : r;
}

/* --- an open stream --- */

static void describe(const struct st_own_stream *stream, struct st_audio_view *ret)
{
    const struct SoundIoOutStream *out = stream->out;
    ST_PRINT(ret->device, "%s", st_text_or(stream->device->id, ""));
    ST_PRINT(ret->device_name, "%s", st_text_or(stream->device->name, ""));
    ST_PRINT(ret->format, "%s", st_text_or(soundio_format_string(out->format), ""));
    ret->raw = stream->device->is_raw;
    ret->rate_hz = out->sample_rate;
    ret->latency_ns = (int64_t)llround(out->software_latency * (double)ST_NS_PER_S);
}

static const char *find_failure(struct st_own_stream *stream)
{
    soundio_flush_events(stream->soundio);
    const int broken = atomic_load(&stream->broken);
    return broken != 0 ? soundio_strerror(broken) : NULL;
}

const struct st_stream_module st_stream_module = {.version = ST_VERSION,
                                                  .open = open_stream,
                                                  .describe = describe,
                                                  .find_failure = find_failure,
                                                  .close = close_stream};
