/* By libsoundio. Its default callbacks abort the process, so every one is replaced. */
#include "daemon/audio/audio_stream.h"

#include <errno.h>
#include <math.h>
#include <soundio/soundio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "platform/xrun/xrun_line.h"

#define LOG_MODULE "audio"
#include "daemon/log.h"

#define POLICY_UNKNOWN  (-1)
#define JACK_NAME_BYTES 256 /* JACK_SERVER_NAME_SIZE of jack2, which copies a longer one past its end */

/* In the order we would like them; silence is all zero bits in each. */
static const enum SoundIoFormat formats[] = {
    SoundIoFormatFloat32NE, SoundIoFormatS16NE, SoundIoFormatS32NE,     SoundIoFormatS24NE,
    SoundIoFormatFloat64NE, SoundIoFormatS8,    SoundIoFormatFloat32FE, SoundIoFormatS16FE,
    SoundIoFormatS32FE,     SoundIoFormatS24FE, SoundIoFormatFloat64FE,
};

static const struct {
    const char *name;
    enum SoundIoBackend backend;
    bool own_thread; /* libsoundio's, whose policy is ours to set; the others' threads belong to the server's
                        library */
    bool tells_overflows; /* PulseAudio does not; JACK tells both streams of every xrun, without a direction:
                             it is counted once, by the output stream */
    int64_t latency_min_ms; /* that its own clients take; dummy: that it does not wake as often as the loop */
} backends[] = {
    {"dummy", SoundIoBackendDummy, true, true, 50},
    {"alsa", SoundIoBackendAlsa, true, true, 0},
    {"pulseaudio", SoundIoBackendPulseAudio, false, false, 50},
    {"jack", SoundIoBackendJack, false, false, 0},
};

static size_t backend_index(const char *name)
{
    size_t i = 0;
    while (i + 1 < ST_ARRAY_LEN(backends) && strcmp(backends[i].name, name) != 0)
        i++;
    return i;
}

bool st_audio_stream_tells_xruns(const struct st_audio_stream *stream)
{
    return stream->direction == ST_AUDIO_OUTPUT ||
           backends[backend_index(stream->config->audio.backend)].tells_overflows;
}

/* --- callbacks, in threads of the sound system --- */

/* libsoundio asks for SCHED_FIFO without PTHREAD_EXPLICIT_SCHED, so its thread has its creator's policy. */
static void set_policy_once(struct st_audio_stream *stream)
{
    if (stream->policy_set)
        return;
    stream->policy_set = true;
    if (!backends[backend_index(stream->config->audio.backend)].own_thread)
        return;
    const int64_t loop_priority = stream->config->loop.priority;
    (void)stream->platform->set_policy(stream->platform, ST_POLICY_FIFO,
                                       (int)(loop_priority > 1 ? loop_priority - 1 : 1));
    enum st_policy policy;
    int priority;
    if (stream->platform->get_policy(stream->platform, &policy, &priority) == 0) {
        atomic_store(&stream->priority, priority);
        atomic_store(&stream->policy, (int)policy);
    }
}

/* A callback has come, for so many frames. */
static void on_call(struct st_audio_stream *stream, int frames)
{
    atomic_fetch_add_explicit(&stream->calls, 1, memory_order_relaxed);
    st_callbacks_asked(&stream->callbacks, stream->platform->now_ns(stream->platform), frames);
    set_policy_once(stream);
}

static void on_write(struct SoundIoOutStream *out, int frames_min, int frames_max)
{
    (void)frames_min;
    struct st_audio_stream *stream = out->userdata;
    on_call(stream, frames_max);
    int left = frames_max;
    while (left > 0) {
        int frames = left;
        struct SoundIoChannelArea *areas;
        int error = soundio_outstream_begin_write(out, &areas, &frames);
        if (error == 0 && frames == 0)
            return;
        if (error == 0) {
            for (int channel = 0; channel < out->layout.channel_count; channel++) {
                char *sample = areas[channel].ptr;
                for (int i = 0; i < frames; i++, sample += areas[channel].step)
                    memset(sample, 0, (size_t)out->bytes_per_sample);
            }
            error = soundio_outstream_end_write(out);
        }
        if (error == SoundIoErrorUnderflow)
            return; /* reported through on_underflow */
        if (error != 0) {
            atomic_store(&stream->broken, error);
            return;
        }
        left -= frames;
    }
}

/* Takes all there is and throws it away. */
static void on_read(struct SoundIoInStream *in, int frames_min, int frames_max)
{
    (void)frames_min;
    struct st_audio_stream *stream = in->userdata;
    on_call(stream, frames_max);
    int left = frames_max;
    while (left > 0) {
        int frames = left;
        struct SoundIoChannelArea *areas;
        int error = soundio_instream_begin_read(in, &areas, &frames);
        if (error == 0 && frames == 0)
            return;
        if (error == 0 && areas == NULL)
            atomic_fetch_add_explicit(&stream->holes, 1, memory_order_relaxed);
        if (error == 0)
            error = soundio_instream_end_read(in);
        if (error != 0) {
            atomic_store(&stream->broken, error);
            return;
        }
        left -= frames;
    }
}

static void on_xrun(struct st_audio_stream *stream)
{
    if (atomic_load_explicit(&stream->counting, memory_order_relaxed) && st_audio_stream_tells_xruns(stream))
        atomic_fetch_add_explicit(&stream->xruns, 1, memory_order_relaxed);
    st_callbacks_restarted(&stream->callbacks);
}

static void on_underflow(struct SoundIoOutStream *out)
{
    on_xrun(out->userdata);
}

static void on_overflow(struct SoundIoInStream *in)
{
    on_xrun(in->userdata);
}

static void on_output_error(struct SoundIoOutStream *out, int error)
{
    struct st_audio_stream *stream = out->userdata;
    atomic_store(&stream->broken, error);
}

static void on_input_error(struct SoundIoInStream *in, int error)
{
    struct st_audio_stream *stream = in->userdata;
    atomic_store(&stream->broken, error);
}

static void on_disconnect(struct SoundIo *soundio, int error)
{
    struct st_audio_stream *stream = soundio->userdata;
    atomic_store(&stream->broken, error != 0 ? error : SoundIoErrorBackendDisconnected);
}

static void on_devices_change(struct SoundIo *soundio)
{
    (void)soundio;
}

static void on_rtprio_warning(void) {}

static void on_jack_message(const char *message)
{
    ST_DBG("jack: %s", message);
}

/* --- opening and closing, in the stream's thread --- */

int st_audio_stream_init(struct st_audio_stream *stream, struct st_platform *platform,
                         const struct st_config *config, enum st_audio_direction direction)
{
    *stream = (struct st_audio_stream){
        .platform = platform, .config = config, .direction = direction, .policy = POLICY_UNKNOWN};
    return st_callbacks_init(&stream->callbacks);
}

void st_audio_stream_finish(struct st_audio_stream *stream)
{
    st_callbacks_finish(&stream->callbacks);
}

void st_audio_stream_close(struct st_audio_stream *stream)
{
    atomic_store(&stream->counting, false);
    if (stream->out != NULL)
        soundio_outstream_destroy(stream->out);
    if (stream->in != NULL)
        soundio_instream_destroy(stream->in);
    if (stream->device != NULL)
        soundio_device_unref(stream->device);
    if (stream->soundio != NULL)
        soundio_destroy(stream->soundio);
    stream->out = NULL;
    stream->in = NULL;
    stream->device = NULL;
    stream->soundio = NULL;
}

/* The functions of libsoundio that differ by direction only. */
static const struct {
    const char *name;
    int (*default_index)(struct SoundIo *soundio);
    int (*count)(struct SoundIo *soundio);
    struct SoundIoDevice *(*get)(struct SoundIo *soundio, int index);
} directions[ST_AUDIO_DIRECTIONS] = {
    {"output", soundio_default_output_device_index, soundio_output_device_count, soundio_get_output_device},
    {"input", soundio_default_input_device_index, soundio_input_device_count, soundio_get_input_device},
};

static struct SoundIoDevice *find_device(struct SoundIo *soundio, enum st_audio_direction direction,
                                         const char *id)
{
    if (id[0] == '\0') {
        const int index = directions[direction].default_index(soundio);
        return index >= 0 ? directions[direction].get(soundio, index) : NULL;
    }
    const int n = directions[direction].count(soundio);
    for (int i = 0; i < n; i++) {
        struct SoundIoDevice *device = directions[direction].get(soundio, i);
        if (strcmp(device->id, id) == 0)
            return device;
        soundio_device_unref(device);
    }
    return NULL;
}

static enum SoundIoFormat choose_format(struct SoundIoDevice *device)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(formats); i++) {
        if (soundio_device_supports_format(device, formats[i]))
            return formats[i];
    }
    return SoundIoFormatInvalid;
}

/* A text of the sound system for status and log: empty instead of NULL. */
static void copy_text(char *to, size_t to_bytes, const char *from)
{
    snprintf(to, to_bytes, "%s", from != NULL ? from : "");
}

static int connect_backend(struct st_audio_stream *stream, char *error, size_t error_bytes)
{
    const size_t index = backend_index(stream->config->audio.backend);
    const char *server = getenv("JACK_DEFAULT_SERVER");
    if (backends[index].backend == SoundIoBackendJack && server != NULL &&
        strlen(server) >= JACK_NAME_BYTES) {
        snprintf(error, error_bytes, "backend jack: JACK_DEFAULT_SERVER is longer than %d bytes",
                 JACK_NAME_BYTES - 1);
        return -EINVAL;
    }
    if (!soundio_have_backend(backends[index].backend)) {
        snprintf(error, error_bytes, "libsoundio was built without the backend %s", backends[index].name);
        return -ENOTSUP;
    }
    struct SoundIo *soundio = soundio_create();
    if (soundio == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return -ENOMEM;
    }
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

/* Sets stream->device. */
static int choose_device(struct st_audio_stream *stream, char *error, size_t error_bytes)
{
    const char *backend = stream->config->audio.backend, *name = directions[stream->direction].name,
               *id = stream->direction == ST_AUDIO_INPUT ? stream->config->audio.capture_device
                                                         : stream->config->audio.device;
    struct SoundIoDevice *device = find_device(stream->soundio, stream->direction, id);
    stream->device = device;
    if (device == NULL && id[0] != '\0')
        snprintf(error, error_bytes, "backend %.31s has no %s device \"%.100s\"", backend, name, id);
    else if (device == NULL)
        snprintf(error, error_bytes, "backend %.31s has no %s device", backend, name);
    if (device == NULL)
        return -ENODEV;
    if (device->probe_error == 0)
        return 0;
    snprintf(error, error_bytes, "device %.100s: %s", device->id, soundio_strerror(device->probe_error));
    return -EIO;
}

/* What is asked for: the sound system gives what it can. */
static double wished_latency_s(const struct st_config *config)
{
    if (config->audio.latency_ms > 0)
        return (double)config->audio.latency_ms / 1e3;
    const double min_s = (double)backends[backend_index(config->audio.backend)].latency_min_ms / 1e3;
    return fmax(min_s, (double)(config->loop.frames * config->loop.periods) / (double)config->loop.rate_hz);
}

/* @return a SoundIoError. */
static int start_output(struct st_audio_stream *stream, enum SoundIoFormat format, int rate_hz,
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
    out->error_callback = on_output_error;
    const int r = soundio_outstream_open(out);
    return r == 0 ? soundio_outstream_start(out) : r;
}

static int start_input(struct st_audio_stream *stream, enum SoundIoFormat format, int rate_hz,
                       double latency_s)
{
    struct SoundIoInStream *in = soundio_instream_create(stream->device);
    stream->in = in;
    if (in == NULL)
        return SoundIoErrorNoMem;
    in->userdata = stream;
    in->name = "sleeptuned (keeps nothing)";
    in->format = format;
    in->sample_rate = rate_hz;
    in->software_latency = latency_s;
    in->read_callback = on_read;
    in->overflow_callback = on_overflow;
    in->error_callback = on_input_error;
    const int r = soundio_instream_open(in);
    return r == 0 ? soundio_instream_start(in) : r;
}

int st_audio_stream_open(struct st_audio_stream *stream, char *error, size_t error_bytes)
{
    int r = connect_backend(stream, error, error_bytes);
    if (r == 0)
        r = choose_device(stream, error, error_bytes);
    if (r < 0)
        return r;
    struct SoundIoDevice *device = stream->device;
    const enum SoundIoFormat format = choose_format(device);
    if (format == SoundIoFormatInvalid) {
        snprintf(error, error_bytes, "device %.100s has no sample format that we know", device->id);
        return -ENOTSUP;
    }
    const struct st_config *config = stream->config;
    const int rate_hz = soundio_device_nearest_sample_rate(device, (int)config->loop.rate_hz);
    stream->policy_set = false;
    st_callbacks_open(&stream->callbacks, rate_hz, stream->platform->now_ns(stream->platform));
    atomic_store(&stream->policy, POLICY_UNKNOWN);
    atomic_store(&stream->broken, 0);
    atomic_store(&stream->counting, true);
    const double latency_s = wished_latency_s(config);
    r = stream->direction == ST_AUDIO_INPUT ? start_input(stream, format, rate_hz, latency_s)
                                            : start_output(stream, format, rate_hz, latency_s);
    if (r != 0) {
        snprintf(error, error_bytes, "device %.100s: %s", device->id, soundio_strerror(r));
        return -EIO;
    }
    return 0;
}

/* --- an open stream --- */

void st_audio_stream_describe(const struct st_audio_stream *stream, struct st_audio_view *ret)
{
    const struct SoundIoOutStream *out = stream->out;
    const struct SoundIoInStream *in = stream->in;
    const double latency_s = in != NULL ? in->software_latency : out->software_latency;
    copy_text(ret->device, sizeof(ret->device), stream->device->id);
    copy_text(ret->device_name, sizeof(ret->device_name), stream->device->name);
    copy_text(ret->format, sizeof(ret->format), soundio_format_string(in != NULL ? in->format : out->format));
    ret->raw = stream->device->is_raw;
    ret->rate_hz = in != NULL ? in->sample_rate : out->sample_rate;
    ret->channels = in != NULL ? in->layout.channel_count : out->layout.channel_count;
    ret->latency_ns = (int64_t)llround(latency_s * (double)ST_NS_PER_S);
}

const char *st_audio_stream_look(struct st_audio_stream *stream)
{
    soundio_flush_events(stream->soundio);
    const int broken = atomic_load(&stream->broken);
    return broken != 0 ? soundio_strerror(broken) : NULL;
}
