/* Opens sleeptuned's own test stream in a thread, watches it, and opens it again after it was
 * lost. */
#include "daemon/audio/audio.h"

#include <pthread.h>

#include "core/ns.h"
#include "daemon/audio/stream.h"
#include "platform/module.h"
#include "platform/posix/posix.h"
#include "st_config.h"

#define LOG_MODULE "audio"

#define BACKOFF_MAX_NS ST_NS_PER_MINUTE

const char *st_audio_state_name(enum st_audio_state state)
{
    static const char *const names[] = {"off", "opening", "playing", "waiting"};
    return names[state];
}

void st_audio_view_init(const struct st_config *config, struct st_audio_view *ret)
{
    const bool none = st_text_is(config->audio.backend, "none");
    *ret = (struct st_audio_view){.state = none ? ST_AUDIO_OFF : ST_AUDIO_OPENING, .policy = -1};
    ST_PRINT(ret->backend, "%.31s", config->audio.backend);
}

bool st_audio_hangs(struct st_audio_judge *judge, uint64_t calls, int64_t latency_ns)
{
    judge->silent_looks = calls == judge->heard ? judge->silent_looks + 1 : 0;
    judge->heard = calls;
    return judge->silent_looks >= ST_AUDIO_SILENT_LOOKS &&
           judge->silent_looks * ST_AUDIO_LOOK_NS >= 4 * latency_ns;
}

int64_t st_audio_backoff_ns(unsigned failures)
{
    if (failures > 6)
        return BACKOFF_MAX_NS;
    const int64_t pause_ns = ST_NS_PER_S << (failures > 0 ? failures - 1 : 0);
    return ST_MIN(pause_ns, BACKOFF_MAX_NS);
}

/* --- the thread that opens and watches the stream --- */

#define STOP_WAIT_NS   (5 * ST_NS_PER_S)
#define POLICY_UNKNOWN (-1)

struct st_audio {
    struct st_platform *platform;
    struct st_events *events;
    struct st_config config;
    pthread_t thread;

    pthread_mutex_t mutex; /* protects the members up to `ended` */
    pthread_cond_t wake;   /* waits use CLOCK_MONOTONIC */
    struct st_audio_view view;
    bool stop, ended;

    struct st_stream_seen seen;

    /* the next members are used by the thread only */
    const struct st_stream_module *module;
    struct st_own_stream *stream; /* NULL: not open */
    unsigned failures;
    uint64_t dropouts_reported_n;
    struct st_audio_judge judge;
};

static int64_t wall_ns(struct st_audio *audio)
{
    return st_platform_wall_ns(audio->platform);
}

static void note_failure(struct st_audio *audio, enum st_event_kind kind, const char *error)
{
    audio->failures++;
    pthread_mutex_lock(&audio->mutex);
    const bool known = st_text_is(audio->view.error, error);
    audio->view.state = ST_AUDIO_WAITING;
    ST_PRINT(audio->view.error, "%s", error);
    pthread_mutex_unlock(&audio->mutex);
    if (!known) /* the same reason is reported once, although each attempt fails */
        st_events_add(audio->events, ST_LOG_WARN, wall_ns(audio), kind,
                      "sleeptuned's own test stream does not run: %s. sleeptuned continues without "
                      "it and tries again every 1 s to 60 s.",
                      error);
}

static void note_running(struct st_audio *audio)
{
    audio->failures = 0;
    pthread_mutex_lock(&audio->mutex);
    struct st_audio_view *view = &audio->view;
    view->state = ST_AUDIO_RUNNING;
    view->error[0] = '\0';
    view->opened_n++;
    audio->module->describe(audio->stream, view);
    const struct st_audio_view now = *view;
    pthread_mutex_unlock(&audio->mutex);
    st_events_add(audio->events, ST_LOG_INFO, wall_ns(audio), ST_EVENT_AUDIO_OPEN,
                  "sleeptuned's own test stream on %s, device %.80s: %lld Hz, %s, buffer %s",
                  now.backend, now.device, (long long)now.rate_hz, now.format,
                  st_ns_text(now.latency_ns));
}

/* Reports the dropouts since the last check as one event. If there are too many events, they are
 * summed (daemon/causes/event_limit.h). */
static void report_dropouts(struct st_audio *audio)
{
    const uint64_t n = atomic_load(&audio->seen.dropouts), new_n = n - audio->dropouts_reported_n;
    if (new_n == 0)
        return;
    /* The event's detail is the name of the backend, so that the user knows where to look. */
    struct st_event event =
        st_event_make(wall_ns(audio), ST_EVENT_OWN_DROPOUT, "%s", audio->view.backend);
    ST_PRINT(event.source, "own");
    ST_PRINT(event.device, "%.63s", audio->view.device_name);
    event.certainty = ST_CERTAINTY_EXACT;
    event.count_n = (int64_t)new_n;
    st_events_put(audio->events, ST_LOG_WARN, &event);
    audio->dropouts_reported_n = n;
}

static bool is_stopping(struct st_audio *audio)
{
    pthread_mutex_lock(&audio->mutex);
    const bool stop = audio->stop;
    pthread_mutex_unlock(&audio->mutex);
    return stop;
}

static void close_stream(struct st_audio *audio)
{
    audio->module->close(audio->stream);
    audio->stream = NULL;
}

/* Opens the stream, or checks the open one. @return pause (ns) before the next call. */
static int64_t step(struct st_audio *audio)
{
    char error[ST_AUDIO_ERROR_BYTES] = "";
    if (audio->stream == NULL) {
        audio->judge = (struct st_audio_judge){.heard = atomic_load(&audio->seen.calls)};
        atomic_store(&audio->seen.policy, POLICY_UNKNOWN);
        const int r = audio->module->open(audio->platform, &audio->config, &audio->seen,
                                          &audio->stream, error, sizeof(error));
        /* st_audio_stop may have given up waiting for this thread, and the list of events may be
         * freed. */
        if (is_stopping(audio))
            return 0;
        if (r < 0) {
            close_stream(audio);
            note_failure(audio, ST_EVENT_AUDIO_UNAVAILABLE, st_text_or(error, strerror(-r)));
            return st_audio_backoff_ns(audio->failures);
        }
        note_running(audio);
    }
    const char *broken = audio->module->find_failure(audio->stream);
    if (is_stopping(audio))
        return 0;
    report_dropouts(audio);
    if (st_audio_hangs(&audio->judge, atomic_load(&audio->seen.calls), audio->view.latency_ns) &&
        broken == NULL)
        broken = "the sound system no longer asks sleeptuned for sound";
    if (broken == NULL)
        return ST_AUDIO_LOOK_NS;
    ST_PRINT(error, "sleeptuned's own test stream lost its sound system (backend %.31s): %s",
             audio->config.audio.backend, broken);
    /* Reports the loss before the stream is closed, since closing may hang if the sound server
     * hangs. */
    note_failure(audio, ST_EVENT_AUDIO_LOST, error);
    close_stream(audio);
    return st_audio_backoff_ns(audio->failures);
}

/* Waits for `wake`, at most ns. Call with the mutex held. */
static void wait_ns(struct st_audio *audio, int64_t ns)
{
    const struct timespec until =
        st_ns_to_timespec(st_ns_add(st_platform_now_ns(audio->platform), ns));
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
        st_text_forget();
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

/* Finds the module of the backend, before the thread starts. @return NULL, or why there is no
 * stream. */
static const char *load(struct st_audio *audio)
{
#if ST_HAVE_OSS
    if (st_text_is(audio->config.audio.backend, "oss")) {
        audio->module = &st_stream_oss;
        return NULL;
    }
#else
    if (st_text_is(audio->config.audio.backend, "oss"))
        return "only FreeBSD has the sound system oss: choose another audio.backend";
#endif
    const char *why = st_module_load("stream", ST_STREAM_SYMBOL, &audio->module);
    if (why == NULL && !st_text_is(audio->module->version, ST_VERSION))
        why = st_text(
            "the module stream has version %s, sleeptuned has version %s. Restart sleeptuned.",
            audio->module->version, ST_VERSION);
    return why;
}

int st_audio_start(struct st_platform *platform, const struct st_config *config,
                   struct st_events *events, struct st_audio **ret)
{
    struct st_audio *audio = calloc(1, sizeof(*audio));
    if (audio == NULL)
        return -ENOMEM;
    audio->platform = platform;
    audio->events = events;
    audio->config = *config;
    atomic_store(&audio->seen.policy, POLICY_UNKNOWN);
    st_audio_view_init(config, &audio->view);
    const char *why = audio->view.state != ST_AUDIO_OFF ? load(audio) : "";
    const bool off = why != NULL;
    if (off)
        audio->view.state = ST_AUDIO_OFF;
    ST_PRINT(audio->view.error, "%s", off ? why : "");
    audio->ended = off;
    pthread_mutex_init(&audio->mutex, NULL);
    int r = st_posix_condition_init(&audio->wake);
    if (r == 0 && !off)
        r = -pthread_create(&audio->thread, NULL, run, audio);
    if (r != 0) {
        pthread_cond_destroy(&audio->wake);
        pthread_mutex_destroy(&audio->mutex);
        free(audio);
        return r;
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
        st_ns_to_timespec(st_ns_add(st_platform_now_ns(audio->platform), STOP_WAIT_NS));
    int r = 0;
    while (!audio->ended && r == 0)
        r = pthread_cond_timedwait(&audio->wake, &audio->mutex, &until);
    const bool ended = audio->ended;
    pthread_mutex_unlock(&audio->mutex);
    if (!ended) { /* the thread hangs in the sound server's library, so the memory that it uses must
                     stay */
        ST_WARN("the sound system %s did not stop the test stream in 5 s; its thread was abandoned",
                audio->config.audio.backend);
        pthread_detach(audio->thread);
        return;
    }
    if (audio->view.state != ST_AUDIO_OFF)
        pthread_join(audio->thread, NULL);
    pthread_cond_destroy(&audio->wake);
    pthread_mutex_destroy(&audio->mutex);
    free(audio);
}

void st_audio_look(struct st_audio *audio, struct st_audio_view *ret)
{
    pthread_mutex_lock(&audio->mutex);
    *ret = audio->view;
    pthread_mutex_unlock(&audio->mutex);
    ret->dropouts_n = atomic_load(&audio->seen.dropouts);
    ret->policy = atomic_load(&audio->seen.policy);
    ret->priority = atomic_load(&audio->seen.priority);
}
