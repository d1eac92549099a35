/* The stream, by libsoundio. Its default callbacks abort the process, so every one is replaced. */
#include "daemon/audio.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <soundio/soundio.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/ns.h"

#define LOG_MODULE "audio"
#include "daemon/log.h"

#define STOP_WAIT_NS    (5 * ST_NS_PER_S)
#define POLICY_UNKNOWN  (-1)
#define JACK_NAME_BYTES 256 /* JACK_SERVER_NAME_SIZE of jack2, which copies a longer one past its end */

struct st_audio {
    struct st_platform *platform;
    struct st_events *events;
    struct st_config config;
    pthread_t thread;

    pthread_mutex_t mutex; /* the members up to `ended` */
    pthread_cond_t wake;   /* CLOCK_MONOTONIC */
    struct st_audio_view view;
    bool stop, ended;

    /* the stream's thread only */
    struct SoundIo *soundio;
    struct SoundIoDevice *device;
    struct SoundIoOutStream *stream;
    unsigned failures;
    struct st_callbacks callbacks; /* its producer is in the sound system's threads */
    uint64_t underflows_told;
    int64_t told_at_ns; /* 0: nothing so far */
    struct st_audio_judge judge;

    /* written by callbacks in the sound system's threads */
    _Atomic uint64_t underflows, calls;
    _Atomic bool counting; /* between start and close */
    _Atomic int broken;    /* a SoundIoError */
    _Atomic int policy, priority;
    bool policy_set; /* callback only */
};

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
} backends[] = {
    {"dummy", SoundIoBackendDummy, true},
    {"alsa", SoundIoBackendAlsa, true},
    {"pulseaudio", SoundIoBackendPulseAudio, false},
    {"jack", SoundIoBackendJack, false},
};

static size_t backend_index(const char *name)
{
    size_t i = 0;
    while (i + 1 < ST_ARRAY_LEN(backends) && strcmp(backends[i].name, name) != 0)
        i++;
    return i;
}

/* --- callbacks, in threads of the sound system --- */

/* libsoundio asks for SCHED_FIFO without PTHREAD_EXPLICIT_SCHED, so its thread has its creator's policy. */
static void set_policy_once(struct st_audio *audio)
{
    if (audio->policy_set)
        return;
    audio->policy_set = true;
    if (!backends[backend_index(audio->config.audio.backend)].own_thread)
        return;
    const int64_t loop_priority = audio->config.loop.priority;
    (void)audio->platform->set_policy(audio->platform, ST_POLICY_FIFO,
                                      (int)(loop_priority > 1 ? loop_priority - 1 : 1));
    enum st_policy policy;
    int priority;
    if (audio->platform->get_policy(audio->platform, &policy, &priority) == 0) {
        atomic_store(&audio->priority, priority);
        atomic_store(&audio->policy, (int)policy);
    }
}

static void on_write(struct SoundIoOutStream *stream, int frames_min, int frames_max)
{
    (void)frames_min;
    struct st_audio *audio = stream->userdata;
    atomic_fetch_add_explicit(&audio->calls, 1, memory_order_relaxed);
    st_callbacks_asked(&audio->callbacks, audio->platform->now_ns(audio->platform), frames_max);
    set_policy_once(audio);
    int left = frames_max;
    while (left > 0) {
        int frames = left;
        struct SoundIoChannelArea *areas;
        int error = soundio_outstream_begin_write(stream, &areas, &frames);
        if (error == 0 && frames == 0)
            return;
        if (error == 0) {
            for (int channel = 0; channel < stream->layout.channel_count; channel++) {
                char *sample = areas[channel].ptr;
                for (int i = 0; i < frames; i++, sample += areas[channel].step)
                    memset(sample, 0, (size_t)stream->bytes_per_sample);
            }
            error = soundio_outstream_end_write(stream);
        }
        if (error == SoundIoErrorUnderflow)
            return; /* reported through on_underflow */
        if (error != 0) {
            atomic_store(&audio->broken, error);
            return;
        }
        left -= frames;
    }
}

static void on_underflow(struct SoundIoOutStream *stream)
{
    struct st_audio *audio = stream->userdata;
    if (atomic_load_explicit(&audio->counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&audio->underflows, 1, memory_order_relaxed);
    st_callbacks_restarted(&audio->callbacks);
}

static void on_stream_error(struct SoundIoOutStream *stream, int error)
{
    struct st_audio *audio = stream->userdata;
    atomic_store(&audio->broken, error);
}

static void on_disconnect(struct SoundIo *soundio, int error)
{
    struct st_audio *audio = soundio->userdata;
    atomic_store(&audio->broken, error != 0 ? error : SoundIoErrorBackendDisconnected);
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

static void close_stream(struct st_audio *audio)
{
    atomic_store(&audio->counting, false);
    if (audio->stream != NULL)
        soundio_outstream_destroy(audio->stream);
    if (audio->device != NULL)
        soundio_device_unref(audio->device);
    if (audio->soundio != NULL)
        soundio_destroy(audio->soundio);
    audio->stream = NULL;
    audio->device = NULL;
    audio->soundio = NULL;
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

static int connect_backend(struct st_audio *audio, char *error, size_t error_bytes)
{
    const size_t index = backend_index(audio->config.audio.backend);
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
    audio->soundio = soundio;
    soundio->userdata = audio;
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

static int open_stream(struct st_audio *audio, char *error, size_t error_bytes)
{
    const struct st_config *config = &audio->config;
    int r = connect_backend(audio, error, error_bytes);
    if (r < 0)
        return r;
    struct SoundIoDevice *device = find_device(audio->soundio, config->audio.device);
    audio->device = device;
    if (device == NULL && config->audio.device[0] != '\0')
        snprintf(error, error_bytes, "backend %.31s has no output device \"%.100s\"", config->audio.backend,
                 config->audio.device);
    else if (device == NULL)
        snprintf(error, error_bytes, "backend %.31s has no output device", config->audio.backend);
    if (device == NULL)
        return -ENODEV;
    if (device->probe_error != 0) {
        snprintf(error, error_bytes, "device %.100s: %s", device->id, soundio_strerror(device->probe_error));
        return -EIO;
    }
    const enum SoundIoFormat format = choose_format(device);
    if (format == SoundIoFormatInvalid) {
        snprintf(error, error_bytes, "device %.100s has no sample format that we know silence in",
                 device->id);
        return -ENOTSUP;
    }
    struct SoundIoOutStream *stream = soundio_outstream_create(device);
    audio->stream = stream;
    if (stream == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return -ENOMEM;
    }
    stream->userdata = audio;
    stream->name = "sleeptuned (silence)";
    stream->format = format;
    stream->sample_rate = soundio_device_nearest_sample_rate(device, (int)config->loop.rate_hz);
    stream->software_latency =
        (double)(config->loop.frames * config->loop.periods) / (double)config->loop.rate_hz;
    stream->write_callback = on_write;
    stream->underflow_callback = on_underflow;
    stream->error_callback = on_stream_error;
    audio->policy_set = false;
    audio->judge = (struct st_audio_judge){.heard = atomic_load(&audio->calls)};
    st_callbacks_open(&audio->callbacks, stream->sample_rate, audio->platform->now_ns(audio->platform));
    atomic_store(&audio->policy, POLICY_UNKNOWN);
    atomic_store(&audio->broken, 0);
    atomic_store(&audio->counting, true);
    r = soundio_outstream_open(stream);
    if (r == 0)
        r = soundio_outstream_start(stream);
    if (r != 0) {
        snprintf(error, error_bytes, "device %.100s: %s", device->id, soundio_strerror(r));
        return -EIO;
    }
    return 0;
}

static int64_t wall_ns(struct st_audio *audio)
{
    return audio->platform->wall_ns(audio->platform);
}

static void note_failure(struct st_audio *audio, const char *event, const char *error)
{
    audio->failures++;
    const int64_t pause_ns = st_audio_backoff_ns(audio->failures);
    pthread_mutex_lock(&audio->mutex);
    const bool told = strcmp(audio->view.error, error) == 0;
    audio->view.state = ST_AUDIO_WAITING;
    audio->view.retry_after_ns = pause_ns;
    copy_text(audio->view.error, sizeof(audio->view.error), error);
    pthread_mutex_unlock(&audio->mutex);
    if (!told) /* each reason once, not each try */
        st_events_add(audio->events, ST_LOG_WARN, wall_ns(audio), event, NULL, 0,
                      "no own audio stream: %s; the daemon goes on without and tries again every 1 s .. 60 s",
                      error);
}

static void note_playing(struct st_audio *audio)
{
    struct SoundIoOutStream *stream = audio->stream;
    audio->failures = 0;
    pthread_mutex_lock(&audio->mutex);
    struct st_audio_view *view = &audio->view;
    view->state = ST_AUDIO_PLAYING;
    view->retry_after_ns = 0;
    view->error[0] = '\0';
    view->opened_n++;
    copy_text(view->device, sizeof(view->device), audio->device->id);
    copy_text(view->device_name, sizeof(view->device_name), audio->device->name);
    copy_text(view->format, sizeof(view->format), soundio_format_string(stream->format));
    view->raw = audio->device->is_raw;
    view->rate_hz = stream->sample_rate;
    view->channels = stream->layout.channel_count;
    view->latency_ns = (int64_t)llround(stream->software_latency * (double)ST_NS_PER_S);
    const struct st_audio_view told = *view;
    pthread_mutex_unlock(&audio->mutex);
    char latency[32];
    st_events_add(audio->events, ST_LOG_INFO, wall_ns(audio), "audio-open", NULL, 0,
                  "own stream on %s, device %.80s: %lld Hz, %s, buffer %s", told.backend, told.device,
                  (long long)told.rate_hz, told.format,
                  st_ns_format(told.latency_ns, latency, sizeof(latency)));
}

/* Underflows become one event: the first at once, what follows soon after summed up; all when the stream is
 * lost. */
static void tell_underflows(struct st_audio *audio, bool at_once)
{
    const uint64_t n = atomic_load(&audio->underflows), new_n = n - audio->underflows_told;
    const int64_t now_ns = audio->platform->now_ns(audio->platform),
                  since_ns = audio->told_at_ns == 0 ? INT64_MAX : now_ns - audio->told_at_ns;
    if (new_n == 0 || (!at_once && since_ns < ST_AUDIO_TELL_NS))
        return;
    const bool summed = since_ns < 2 * ST_AUDIO_TELL_NS;
    const struct st_log_field fields[] = {{"XRUNS", (int64_t)new_n}};
    char span[32] = "";
    if (summed)
        snprintf(span, sizeof(span), " in %.0f s", (double)since_ns / (double)ST_NS_PER_S);
    struct st_event told =
        st_event_make(wall_ns(audio), "own-xrun", "underflows of the own stream: %llu%s, %llu so far",
                      (unsigned long long)new_n, span, (unsigned long long)n);
    snprintf(told.source, sizeof(told.source), "own");
    snprintf(told.device, sizeof(told.device), "%.63s", audio->view.device_name);
    told.certainty = ST_CERTAINTY_EXACT;
    told.count_n = (int64_t)new_n;
    if (summed)
        told.span_ns = since_ns;
    st_events_put(audio->events, ST_LOG_WARN, &told, fields, 1);
    audio->underflows_told = n;
    audio->told_at_ns = now_ns;
}

static bool is_stopping(struct st_audio *audio)
{
    pthread_mutex_lock(&audio->mutex);
    const bool stop = audio->stop;
    pthread_mutex_unlock(&audio->mutex);
    return stop;
}

/* Opens, or looks after the open stream. @return pause before the next call. */
static int64_t step(struct st_audio *audio)
{
    char error[200] = "";
    if (audio->soundio == NULL) {
        const int r = open_stream(audio, error, sizeof(error));
        if (is_stopping(audio)) /* st_audio_stop may have left us behind: the list of events may be gone */
            return 0;
        if (r < 0) {
            close_stream(audio);
            note_failure(audio, "audio-unavailable", error);
            return st_audio_backoff_ns(audio->failures);
        }
        note_playing(audio);
    }
    soundio_flush_events(audio->soundio);
    if (is_stopping(audio))
        return 0;
    tell_underflows(audio, false);
    st_callbacks_drain(&audio->callbacks);
    pthread_mutex_lock(&audio->mutex);
    audio->view.callbacks = st_callbacks_look(&audio->callbacks);
    pthread_mutex_unlock(&audio->mutex);
    const int broken = atomic_load(&audio->broken);
    const bool hangs = st_audio_hangs(&audio->judge, atomic_load(&audio->calls),
                                      (int64_t)(audio->stream->software_latency * (double)ST_NS_PER_S));
    if (broken == 0 && !hangs)
        return ST_AUDIO_LOOK_NS;
    tell_underflows(audio, true);
    snprintf(error, sizeof(error), "backend %.31s was lost: %s", audio->config.audio.backend,
             broken != 0 ? soundio_strerror(broken) : "it does not ask for samples any more");
    note_failure(audio, "audio-lost",
                 error); /* a server that hangs may not let the stream be closed either */
    close_stream(audio);
    return st_audio_backoff_ns(audio->failures);
}

/* pthread_cond_timedwait at an absolute time on CLOCK_MONOTONIC. */
static void wait_ns(struct st_audio *audio, int64_t ns)
{
    const struct timespec until = st_ns_to_timespec(st_ns_add(audio->platform->now_ns(audio->platform), ns));
    pthread_cond_timedwait(&audio->wake, &audio->mutex, &until);
}

static void *run(void *ctx)
{
    struct st_audio *audio = ctx;
    (void)audio->platform->set_name(audio->platform, "st-audio");
    pthread_mutex_lock(&audio->mutex);
    while (!audio->stop) {
        pthread_mutex_unlock(&audio->mutex);
        const int64_t pause_ns = step(audio);
        pthread_mutex_lock(&audio->mutex);
        if (!audio->stop)
            wait_ns(audio, pause_ns);
    }
    pthread_mutex_unlock(&audio->mutex);
    close_stream(audio);
    pthread_mutex_lock(&audio->mutex);
    audio->ended = true;
    pthread_cond_broadcast(&audio->wake);
    pthread_mutex_unlock(&audio->mutex);
    return NULL;
}

int st_audio_start(struct st_platform *platform, const struct st_config *config, struct st_events *events,
                   struct st_audio **ret)
{
    struct st_audio *audio = calloc(1, sizeof(*audio));
    if (audio == NULL)
        return -ENOMEM;
    int r = st_callbacks_init(&audio->callbacks);
    if (r < 0) {
        free(audio);
        return r;
    }
    audio->platform = platform;
    audio->events = events;
    audio->config = *config;
    const bool off = strcmp(config->audio.backend, "none") == 0;
    audio->view.state = off ? ST_AUDIO_OFF : ST_AUDIO_OPENING;
    audio->ended = off;
    atomic_store(&audio->policy, POLICY_UNKNOWN);
    snprintf(audio->view.backend, sizeof(audio->view.backend), "%.31s", config->audio.backend);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&audio->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&audio->mutex, NULL);
    r = off ? 0 : pthread_create(&audio->thread, NULL, run, audio);
    if (r != 0) {
        pthread_cond_destroy(&audio->wake);
        pthread_mutex_destroy(&audio->mutex);
        st_callbacks_finish(&audio->callbacks);
        free(audio);
        return -r;
    }
    *ret = audio;
    return 0;
}

void st_audio_stop(struct st_audio *audio)
{
    if (audio == NULL)
        return;
    pthread_mutex_lock(&audio->mutex);
    audio->stop = true;
    pthread_cond_broadcast(&audio->wake);
    const struct timespec until =
        st_ns_to_timespec(st_ns_add(audio->platform->now_ns(audio->platform), STOP_WAIT_NS));
    int r = 0;
    while (!audio->ended && r == 0)
        r = pthread_cond_timedwait(&audio->wake, &audio->mutex, &until);
    const bool ended = audio->ended;
    pthread_mutex_unlock(&audio->mutex);
    if (!ended) { /* stuck in the sound server's library; its memory must stay */
        ST_WARN("the sound backend %s does not let go; its thread is left behind",
                audio->config.audio.backend);
        pthread_detach(audio->thread);
        return;
    }
    if (audio->view.state != ST_AUDIO_OFF)
        pthread_join(audio->thread, NULL);
    pthread_cond_destroy(&audio->wake);
    pthread_mutex_destroy(&audio->mutex);
    st_callbacks_finish(&audio->callbacks);
    free(audio);
}

void st_audio_look(struct st_audio *audio, struct st_audio_view *ret)
{
    pthread_mutex_lock(&audio->mutex);
    *ret = audio->view;
    pthread_mutex_unlock(&audio->mutex);
    ret->underflows_n = atomic_load(&audio->underflows);
    ret->policy = atomic_load(&audio->policy);
    ret->priority = atomic_load(&audio->priority);
}
