/* The thread that opens the stream, looks after it, tells of it, and opens it again. */
#include "daemon/audio/audio_stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/ns.h"

#define LOG_MODULE "audio"
#include "daemon/log.h"

#define STOP_WAIT_NS (5 * ST_NS_PER_S)

struct st_audio {
    struct st_platform *platform;
    struct st_events *events;
    struct st_config config;
    enum st_audio_direction direction;
    pthread_t thread;

    pthread_mutex_t mutex; /* the members up to `ended` */
    pthread_cond_t wake;   /* CLOCK_MONOTONIC */
    struct st_audio_view view;
    bool stop, ended;

    struct st_audio_stream stream; /* but for its counts, the thread only, as what follows */
    unsigned failures;
    uint64_t xruns_told;
    int64_t told_at_ns; /* 0: nothing so far */
    struct st_audio_judge judge;
};

/* How they are called. */
static const struct {
    const char *thread, *stream, *latency, *xruns, *silent;
} words[ST_AUDIO_DIRECTIONS] = {
    {"st-audio", "own stream", "buffer", "underflows", "it does not ask for samples any more"},
    {"st-capture", "own recording stream", "latency", "overflows", "it does not give samples any more"},
};

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
    snprintf(audio->view.error, sizeof(audio->view.error), "%s", error);
    pthread_mutex_unlock(&audio->mutex);
    if (!told) /* each reason once, not each try */
        st_events_add(audio->events, ST_LOG_WARN, wall_ns(audio), event, NULL, 0,
                      "no %s: %s; the daemon goes on without and tries again every 1 s .. 60 s",
                      words[audio->direction].stream, error);
}

static void note_running(struct st_audio *audio)
{
    audio->failures = 0;
    pthread_mutex_lock(&audio->mutex);
    struct st_audio_view *view = &audio->view;
    view->state = ST_AUDIO_RUNNING;
    view->retry_after_ns = 0;
    view->error[0] = '\0';
    view->opened_n++;
    st_audio_stream_describe(&audio->stream, view);
    const struct st_audio_view told = *view;
    pthread_mutex_unlock(&audio->mutex);
    char latency[32];
    st_events_add(audio->events, ST_LOG_INFO, wall_ns(audio), "audio-open", NULL, 0,
                  "%s on %s, device %.80s: %lld Hz, %s, %s %s", words[audio->direction].stream, told.backend,
                  told.device, (long long)told.rate_hz, told.format, words[audio->direction].latency,
                  st_ns_format(told.latency_ns, latency, sizeof(latency)));
}

/* Xruns become one event: the first at once, what follows soon after summed up; all when the stream is
 * lost. */
static void tell_xruns(struct st_audio *audio, bool at_once)
{
    const uint64_t n = atomic_load(&audio->stream.xruns), new_n = n - audio->xruns_told;
    const int64_t now_ns = audio->platform->now_ns(audio->platform),
                  since_ns = audio->told_at_ns == 0 ? INT64_MAX : now_ns - audio->told_at_ns;
    if (new_n == 0 || (!at_once && since_ns < ST_AUDIO_TELL_NS))
        return;
    const bool summed = since_ns < 2 * ST_AUDIO_TELL_NS;
    const struct st_log_field fields[] = {{"XRUNS", (int64_t)new_n}};
    char span[32] = "";
    if (summed)
        snprintf(span, sizeof(span), " in %.0f s", (double)since_ns / (double)ST_NS_PER_S);
    struct st_event told = st_event_make(wall_ns(audio), "own-xrun", "%s of the %s: %llu%s, %llu so far",
                                         words[audio->direction].xruns, words[audio->direction].stream,
                                         (unsigned long long)new_n, span, (unsigned long long)n);
    snprintf(told.source, sizeof(told.source), "own");
    snprintf(told.device, sizeof(told.device), "%.63s", audio->view.device_name);
    told.no_device = strcmp(audio->view.backend, "dummy") == 0;
    told.certainty = ST_CERTAINTY_EXACT;
    told.count_n = (int64_t)new_n;
    if (summed)
        told.span_ns = since_ns;
    st_events_put(audio->events, ST_LOG_WARN, &told, fields, 1);
    audio->xruns_told = n;
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
    struct st_audio_stream *stream = &audio->stream;
    char error[200] = "";
    if (stream->soundio == NULL) {
        audio->judge = (struct st_audio_judge){.heard = atomic_load(&stream->calls)};
        const int r = st_audio_stream_open(stream, error, sizeof(error));
        if (is_stopping(audio)) /* st_audio_stop may have left us behind: the list of events may be gone */
            return 0;
        if (r < 0) {
            st_audio_stream_close(stream);
            note_failure(audio, "audio-unavailable", error);
            return st_audio_backoff_ns(audio->failures);
        }
        note_running(audio);
    }
    const char *broken = st_audio_stream_look(stream);
    if (is_stopping(audio))
        return 0;
    tell_xruns(audio, false);
    st_callbacks_drain(&stream->callbacks);
    pthread_mutex_lock(&audio->mutex);
    audio->view.callbacks = st_callbacks_look(&stream->callbacks);
    pthread_mutex_unlock(&audio->mutex);
    if (st_audio_hangs(&audio->judge, atomic_load(&stream->calls), audio->view.latency_ns) && broken == NULL)
        broken = words[audio->direction].silent;
    if (broken == NULL)
        return ST_AUDIO_LOOK_NS;
    tell_xruns(audio, true);
    snprintf(error, sizeof(error), "backend %.31s was lost: %s", audio->config.audio.backend, broken);
    note_failure(audio, "audio-lost",
                 error); /* a server that hangs may not let the stream be closed either */
    st_audio_stream_close(stream);
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
    (void)audio->platform->set_name(audio->platform, words[audio->direction].thread);
    pthread_mutex_lock(&audio->mutex);
    while (!audio->stop) {
        pthread_mutex_unlock(&audio->mutex);
        const int64_t pause_ns = step(audio);
        pthread_mutex_lock(&audio->mutex);
        if (!audio->stop)
            wait_ns(audio, pause_ns);
    }
    pthread_mutex_unlock(&audio->mutex);
    st_audio_stream_close(&audio->stream);
    pthread_mutex_lock(&audio->mutex);
    audio->ended = true;
    pthread_cond_broadcast(&audio->wake);
    pthread_mutex_unlock(&audio->mutex);
    return NULL;
}

int st_audio_start(struct st_platform *platform, const struct st_config *config,
                   enum st_audio_direction direction, struct st_events *events, struct st_audio **ret)
{
    struct st_audio *audio = calloc(1, sizeof(*audio));
    if (audio == NULL)
        return -ENOMEM;
    audio->platform = platform;
    audio->events = events;
    audio->config = *config;
    audio->direction = direction;
    int r = st_audio_stream_init(&audio->stream, platform, &audio->config, direction);
    if (r < 0) {
        free(audio);
        return r;
    }
    st_audio_view_init(config, direction, &audio->view);
    const bool off = audio->view.state == ST_AUDIO_OFF;
    audio->view.xruns_known =
        audio->view.xruns_known || (!off && st_audio_stream_tells_xruns(&audio->stream));
    audio->ended = off;
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
        st_audio_stream_finish(&audio->stream);
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
    st_audio_stream_finish(&audio->stream);
    free(audio);
}

void st_audio_look(struct st_audio *audio, struct st_audio_view *ret)
{
    pthread_mutex_lock(&audio->mutex);
    *ret = audio->view;
    pthread_mutex_unlock(&audio->mutex);
    ret->xruns_n = atomic_load(&audio->stream.xruns);
    ret->holes_n = atomic_load(&audio->stream.holes);
    ret->policy = atomic_load(&audio->stream.policy);
    ret->priority = atomic_load(&audio->stream.priority);
}
