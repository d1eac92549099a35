/* The thread that looks after all sources of other programs' xruns. */
#include "daemon/observe/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/posix.h"

#define STACK_BYTES (128 * 1024)
/* A source whose descriptor is readable is looked at this often at most, 16 kB a look (READ_BYTES of
 * xruns/xrun_program.c): 128 kB/s or some 2000 lines, twice what 256 nodes of PipeWire can cause. Who writes
 * more is held up by its pipe. Events are at most as late by it. */
#define LOOK_EACH_NS (125 * ST_NS_PER_MS)
#define WAIT_MAX_MS  60000
#define FAILED_MS    100
#define TELL_NS      (250 * ST_NS_PER_MS)
#define TELL_EACH_NS (5 * ST_NS_PER_S)
#define PATH_BYTES   64

struct st_observe {
    struct st_platform *platform;
    pthread_t thread;
    int wake[2]; /* a byte: look at what follows */

    pthread_cond_t told;
    pthread_mutex_t mutex;    /* up to minute_ns */
    uint64_t asked_n, told_n; /* to put events of what was seen, up to now */
    int64_t asked_ns;
    struct st_config config;
    bool changed, stop;
    void (*wake_player)(void); /* NULL: no one waits for something to play */
    int64_t wake_after_ns;
    struct st_observe_view view;
    struct counted {
        int64_t watched_ns;
        uint64_t device_xruns_n, starved_n;
    } before[ST_OBSERVE_SOURCES_MAX]; /* at the end of the last minute */
    int64_t minute_ns;                /* when it ended */

    /* the thread's */
    struct st_observed sources[ST_OBSERVE_SOURCES_MAX];
    size_t n;
    bool may_rest; /* loop.when: while nothing plays, wake-ups are rare */
    bool readable[ST_OBSERVE_SOURCES_MAX];
    int64_t rests_until_ns[ST_OBSERVE_SOURCES_MAX]; /* its descriptor does not wake this thread before */
};

/* --- the thread --- */

static enum st_observed_mode mode_of(const struct st_config *config, const char *source)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "observe.%s", source);
    const char *mode = st_config_text(config, path);
    if (strcmp(mode, "on") == 0)
        return ST_OBSERVED_ON;
    return strcmp(mode, "auto") == 0 ? ST_OBSERVED_AUTO : ST_OBSERVED_OFF;
}

static void use_config(struct st_observe *observe, const struct st_config *config)
{
    observe->may_rest = strcmp(config->loop.when, "playing") == 0;
    for (size_t i = 0; i < observe->n; i++) {
        struct st_observed *o = &observe->sources[i];
        struct st_xrun_setting setting = {.own_stream = st_config_own_stream(config)};
        char path[PATH_BYTES];
        snprintf(path, sizeof(path), "observe.%s_server", o->source->name);
        snprintf(setting.server, sizeof(setting.server), "%s", st_config_text(config, path));
        st_observed_set(o, mode_of(config, o->source->name), &setting);
    }
}

/** Takes what was asked for. @return false: to end. */
static bool take_orders(struct st_observe *observe)
{
    pthread_mutex_lock(&observe->mutex);
    const bool stop = observe->stop, changed = observe->changed;
    const struct st_config config = observe->config;
    observe->changed = false;
    pthread_mutex_unlock(&observe->mutex);
    if (changed && !stop)
        use_config(observe, &config);
    return !stop;
}

static void publish(struct st_observe *observe, size_t i)
{
    pthread_mutex_lock(&observe->mutex);
    observe->view.sources[i] = observe->sources[i].view;
    pthread_mutex_unlock(&observe->mutex);
}

/** Waits until a source is due or readable, or an order came. */
static void wait_for_work(struct st_observe *observe)
{
    struct pollfd fds[ST_OBSERVE_SOURCES_MAX + 1];
    int64_t due_ns = INT64_MAX;
    const int64_t now_ns = observe->platform->now_ns(observe->platform);
    for (size_t i = 0; i < observe->n; i++) {
        const struct st_observed *o = &observe->sources[i];
        const bool rests = observe->rests_until_ns[i] > now_ns;
        const bool has_fd = !rests && o->open && o->source->ops->fd != NULL;
        fds[i] = (struct pollfd){.fd = has_fd ? o->source->ops->fd(&o->watch) : -1, .events = POLLIN};
        if (observe->sources[i].due_ns < due_ns)
            due_ns = observe->sources[i].due_ns;
        if (rests && observe->rests_until_ns[i] < due_ns)
            due_ns = observe->rests_until_ns[i];
    }
    fds[observe->n] = (struct pollfd){.fd = observe->wake[0], .events = POLLIN};
    int64_t wait_ms = WAIT_MAX_MS;
    if (due_ns != INT64_MAX) {
        const int64_t ns = due_ns - now_ns;
        wait_ms = ns <= 0 ? 0 : ns / ST_NS_PER_MS + 1;
    }
    const int ready = poll(fds, (nfds_t)observe->n + 1, (int)(wait_ms < WAIT_MAX_MS ? wait_ms : WAIT_MAX_MS));
    if (ready < 0)
        (void)poll(NULL, 0, FAILED_MS); /* no memory: not at once again */
    for (size_t i = 0; i < observe->n; i++)
        observe->readable[i] = ready > 0 && fds[i].fd >= 0 && fds[i].revents != 0;
    char bytes[16];
    if (ready > 0 && fds[observe->n].revents != 0)
        (void)!read(observe->wake[0], bytes, sizeof(bytes));
}

/* Wakes who waits for something to play, and slows the sources down while nothing does. */
static void note_playing(struct st_observe *observe)
{
    const int64_t now_ns = observe->platform->now_ns(observe->platform);
    struct st_playing_facts facts = {0};
    void (*wake)(void) = NULL;
    st_observe_playing(observe, &facts);
    const bool plays =
        facts.played_ns != INT64_MIN && st_ns_sub(now_ns, facts.played_ns) < ST_PLAYING_KEEP_NS;
    for (size_t i = 0; i < observe->n; i++)
        st_observed_quiet(&observe->sources[i], observe->may_rest && facts.telling_n > 0 && !plays);
    pthread_mutex_lock(&observe->mutex);
    if (facts.played_ns > observe->wake_after_ns) {
        wake = observe->wake_player;
        observe->wake_player = NULL;
    }
    pthread_mutex_unlock(&observe->mutex);
    if (wake != NULL)
        wake();
}

/* Puts events of all that was seen, if that was asked for. */
static void tell_asked(struct st_observe *observe)
{
    pthread_mutex_lock(&observe->mutex);
    const uint64_t asked_n = observe->asked_n;
    const bool asked = asked_n != observe->told_n;
    pthread_mutex_unlock(&observe->mutex);
    if (!asked)
        return;
    for (size_t i = 0; i < observe->n; i++)
        st_observed_tell(&observe->sources[i]);
    pthread_mutex_lock(&observe->mutex);
    observe->told_n = asked_n;
    pthread_cond_broadcast(&observe->told);
    pthread_mutex_unlock(&observe->mutex);
}

static void *run(void *ctx)
{
    struct st_observe *observe = ctx;
    (void)observe->platform->set_name(observe->platform, "st-observe");
    while (take_orders(observe)) {
        for (size_t i = 0; i < observe->n; i++) {
            struct st_observed *o = &observe->sources[i];
            const int64_t now_ns = observe->platform->now_ns(observe->platform);
            if (observe->readable[i])
                observe->rests_until_ns[i] = now_ns + LOOK_EACH_NS;
            if (observe->readable[i] || o->due_ns <= now_ns)
                st_observed_turn(o);
            publish(observe, i);
        }
        tell_asked(observe);
        note_playing(observe);
        wait_for_work(observe);
    }
    for (size_t i = 0; i < observe->n; i++)
        st_observed_finish(&observe->sources[i]);
    return NULL;
}

/* --- from outside --- */

static void ring(struct st_observe *observe)
{
    (void)!write(observe->wake[1], "", 1); /* full: it will wake anyway */
}

static void free_observe(struct st_observe *observe)
{
    close(observe->wake[0]);
    close(observe->wake[1]);
    pthread_cond_destroy(&observe->told);
    pthread_mutex_destroy(&observe->mutex);
    free(observe);
}

int st_observe_start(struct st_platform *platform, const struct st_xrun_source *const *sources,
                     const struct st_config *config, struct st_events *events, struct st_observe **ret)
{
    struct st_observe *observe = calloc(1, sizeof(*observe));
    if (observe == NULL)
        return -ENOMEM;
    observe->platform = platform;
    observe->config = *config;
    observe->changed = true;
    observe->minute_ns = platform->now_ns(platform);
    observe->asked_ns = observe->minute_ns - TELL_EACH_NS;
    while (observe->n < ST_OBSERVE_SOURCES_MAX && sources[observe->n] != NULL) {
        st_observed_init(&observe->sources[observe->n], platform, events, sources[observe->n]);
        observe->view.sources[observe->n] = observe->sources[observe->n].view;
        observe->n++;
    }
    for (size_t i = 0; i < observe->n; i++) {
        observe->sources[i].beside = observe->sources;
        observe->sources[i].beside_n = observe->n;
    }
    observe->view.n = observe->n;
    int r = st_posix_condition_init(&observe->told);
    if (r < 0) {
        free(observe);
        return r;
    }
    if (pipe2(observe->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        r = -errno;
        pthread_cond_destroy(&observe->told);
        free(observe);
        return r;
    }
    pthread_mutex_init(&observe->mutex, NULL);
    r = st_posix_thread_start(&observe->thread, STACK_BYTES, run, observe);
    if (r < 0) {
        free_observe(observe);
        return r;
    }
    *ret = observe;
    return 0;
}

void st_observe_set(struct st_observe *observe, const struct st_config *config)
{
    pthread_mutex_lock(&observe->mutex);
    observe->config = *config;
    observe->changed = true;
    pthread_mutex_unlock(&observe->mutex);
    ring(observe);
}

void st_observe_stop(struct st_observe *observe)
{
    if (observe == NULL)
        return;
    pthread_mutex_lock(&observe->mutex);
    observe->stop = true;
    pthread_mutex_unlock(&observe->mutex);
    ring(observe);
    pthread_join(observe->thread, NULL);
    free_observe(observe);
}

void st_observe_playing(struct st_observe *observe, struct st_playing_facts *ret)
{
    ret->telling_n = 0;
    ret->blind = ret->by = NULL;
    ret->played_ns = INT64_MIN;
    ret->what[0] = '\0';
    ret->frames = ret->rate_hz = 0;
    ret->priority = -1;
    pthread_mutex_lock(&observe->mutex);
    for (size_t i = 0; i < observe->view.n; i++) {
        const struct st_observed_view *source = &observe->view.sources[i];
        const bool watching = source->state == ST_OBSERVED_WATCHING;
        ret->telling_n += watching && source->tells_playing;
        if (watching && !source->tells_playing)
            ret->blind = source->source;
        if (source->played_ns <= ret->played_ns)
            continue;
        ret->played_ns = source->played_ns;
        ret->by = source->source;
        memcpy(ret->what, source->played, sizeof(ret->what));
    }
    int64_t period_of_ns = INT64_MIN; /* a card's own source plays, too, and does not tell the period */
    for (size_t i = 0; i < observe->view.n; i++) {
        const struct st_observed_view *source = &observe->view.sources[i];
        if (source->seen.frames <= 0 || source->played_ns <= period_of_ns ||
            st_ns_sub(ret->played_ns, source->played_ns) >= ST_PLAYING_KEEP_NS)
            continue;
        period_of_ns = source->played_ns;
        ret->frames = source->seen.frames;
        ret->rate_hz = source->seen.rate_hz;
        if (source->seen.priority > 0)
            ret->priority = source->seen.priority == ST_XRUN_NORMAL ? 0 : (int)source->seen.priority;
    }
    pthread_mutex_unlock(&observe->mutex);
}

void st_observe_wake(struct st_observe *observe, int64_t after_ns, void (*wake)(void))
{
    pthread_mutex_lock(&observe->mutex);
    observe->wake_player = wake;
    observe->wake_after_ns = after_ns;
    pthread_mutex_unlock(&observe->mutex);
}

void st_observe_look(struct st_observe *observe, struct st_observe_view *ret)
{
    pthread_mutex_lock(&observe->mutex);
    *ret = observe->view;
    pthread_mutex_unlock(&observe->mutex);
}

static int64_t known_or_none(int64_t value)
{
    return value > 0 ? value : INT64_MIN;
}

/* Under the mutex. */
static void take_minute(const struct st_observe *observe, struct st_observe_minute *ret)
{
    ret->watched.watches_n = 0;
    ret->device_xruns_n = ret->starved_n = 0;
    for (size_t i = 0; i < observe->view.n; i++) {
        const struct st_observed_view *source = &observe->view.sources[i];
        const struct counted *before = &observe->before[i];
        struct st_history_watch watch = {
            .watched_ns = source->watched_ns - before->watched_ns,
            .playing = source->tells_playing ? source->played_ns > observe->minute_ns : INT64_MIN,
            .frames = known_or_none(source->seen.frames),
            .rate_hz = known_or_none(source->seen.rate_hz)};
        snprintf(watch.source, sizeof(watch.source), "%s", source->source);
        if (watch.watched_ns > 0)
            ret->watched.watches[ret->watched.watches_n++] = watch;
        ret->device_xruns_n += (int64_t)(source->seen.device_xruns_n - before->device_xruns_n);
        ret->starved_n += (int64_t)(source->seen.starved_n - before->starved_n);
    }
    if (ret->watched.watches_n == 0)
        ret->device_xruns_n = ret->starved_n = INT64_MIN;
}

void st_observe_minute_so_far(struct st_observe *observe, struct st_observe_minute *ret)
{
    struct st_platform *p = observe->platform;
    const struct timespec until = st_ns_to_timespec(st_ns_add(st_posix_now_ns(NULL), TELL_NS));
    pthread_mutex_lock(&observe->mutex);
    const int64_t now_ns = p->now_ns(p);
    if (now_ns - observe->asked_ns >= TELL_EACH_NS) { /* who asks more often makes no more events */
        observe->asked_ns = now_ns;
        observe->asked_n++;
        ring(observe);
    }
    const uint64_t asked_n = observe->asked_n;
    while (observe->told_n < asked_n && pthread_cond_timedwait(&observe->told, &observe->mutex, &until) == 0)
        ;
    take_minute(observe, ret);
    ret->watched.to_wall_ns = p->wall_ns(p);
    ret->watched.from_wall_ns =
        st_ns_sub(ret->watched.to_wall_ns, st_ns_sub(p->now_ns(p), observe->minute_ns));
    pthread_mutex_unlock(&observe->mutex);
}

void st_observe_end_minute(struct st_observe *observe, struct st_observe_minute *ret)
{
    pthread_mutex_lock(&observe->mutex);
    take_minute(observe, ret);
    for (size_t i = 0; i < observe->view.n; i++) {
        const struct st_observed_view *source = &observe->view.sources[i];
        struct counted *before = &observe->before[i];
        if (source->watched_ns >
            before->watched_ns) /* less: it was counted too much, the next minutes have less */
            before->watched_ns = source->watched_ns;
        before->device_xruns_n = source->seen.device_xruns_n;
        before->starved_n = source->seen.starved_n;
    }
    observe->minute_ns = observe->platform->now_ns(observe->platform);
    pthread_mutex_unlock(&observe->mutex);
}
