/* The loop rests while nothing plays (loop.when): who decides is daemon/loop/playing.h. A loop that rests has
 * no threads and locks no memory; its last figures stay. */
#include "daemon/service_private.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/ns.h"

#define LOG_MODULE "daemon"
#include "daemon/log.h"

static bool has_own_stream(const struct st_config *config)
{
    return strcmp(config->audio.backend, "none") != 0 && strcmp(config->audio.backend, "dummy") != 0;
}

/* Of the thread of the sources. */
static void wake_main(void)
{
    (void)kill(getpid(), ST_SERVICE_WAKE_SIGNAL);
}

static void set_rests(struct st_service *service, bool rests)
{
    pthread_mutex_lock(&service->mutex);
    service->view.rests = rests;
    pthread_mutex_unlock(&service->mutex);
}

void st_service_begin_rest(struct st_service *service)
{
    st_playing_begin(&service->playing, service->platform->now_ns(service->platform));
    set_rests(service,
              strcmp(service->config.loop.when, "playing") == 0 && !has_own_stream(&service->config));
    if (service->view.rests)
        ST_INFO("the loop rests until something plays (loop.when)");
}

int64_t st_service_tick_ns(const struct st_service *service)
{
    return service->rest.calm ? ST_SERVICE_REST_TICKS * ST_SERVICE_TICK_NS : ST_SERVICE_TICK_NS;
}

/* --- to rest, and back --- */

/* Keeps the figures of the loop that has ended, and frees the rest of it. */
static void keep_figures(struct st_service *service)
{
    struct st_result result = {0};
    if (st_session_result(service->session, 0, &result) != 0)
        ST_WARN("out of memory: the figures of the loop before the rest are lost");
    pthread_mutex_lock(&service->mutex);
    st_result_finish(&service->rested);
    service->rested = result;
    pthread_mutex_unlock(&service->mutex);
    st_service_stop_loop(service);
}

static void give_memory_back(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

static int go_to_rest(struct st_service *service)
{
    if (!st_service_end_loop(service))
        return -EIO;
    st_service_end_minute(service); /* to the last cycle */
    st_service_forget_counts(service);
    set_rests(service, true);
    keep_figures(service);
    st_service_stop_audio(service); /* the dummy device: any other one would have kept the loop running */
    const int r = st_service_start_audio(service);
    (void)munlockall();
    st_events_add(&service->events, ST_LOG_INFO, st_service_wall_ns(service), "loop-rests",
                  "nothing plays: the loop rests until something plays (loop.when)");
    return r;
}

static int wake_up(struct st_service *service, const char *why)
{
    st_clockwatch_tick(&service->clockwatch, service->platform, &service->events); /* before its time */
    st_service_end_minute(service);
    pthread_mutex_lock(&service->mutex);
    st_result_finish(&service->rested);
    service->rested = (struct st_result){0};
    pthread_mutex_unlock(&service->mutex);
    st_live_forget(&service->live);
    set_rests(service, false);
    service->rest.calm = false;
    int r = st_service_start_audio(service);
    if (r == 0)
        r = st_service_start_loop(service);
    if (r < 0)
        return -EIO;
    st_events_add(&service->events, ST_LOG_INFO, st_service_wall_ns(service), "loop-runs", "%s", why);
    return 0;
}

/* Why the loop runs. @return buf. */
static const char *why_text(enum st_playing_answer answer, const struct st_playing_facts *facts, bool always,
                            char *buf, size_t buf_bytes)
{
    if (always)
        snprintf(buf, buf_bytes, "the loop runs: loop.when is \"always\"");
    else if (answer == ST_PLAYING_UNKNOWN && facts->blind != NULL)
        snprintf(buf, buf_bytes,
                 "the loop runs all the time: the source %s cannot tell whether something plays (loop.when)",
                 facts->blind);
    else if (answer == ST_PLAYING_UNKNOWN)
        snprintf(buf, buf_bytes,
                 "the loop runs all the time: sleeptuned watches no sound server and no sound card, so it "
                 "cannot know when something plays (loop.when)");
    else if (facts->own_stream)
        snprintf(buf, buf_bytes, "the daemon's own stream plays: the loop runs");
    else
        snprintf(buf, buf_bytes, "%s%s%s plays: the loop runs", facts->what,
                 facts->what[0] != '\0' ? " on " : "", facts->by);
    return buf;
}

int st_service_rest_or_run(struct st_service *service)
{
    const int64_t now_ns = service->platform->now_ns(service->platform);
    const bool always = strcmp(service->config.loop.when, "always") == 0;
    struct st_playing_facts facts = {.own_stream = has_own_stream(&service->config)};
    st_observe_playing(service->observe, &facts);
    const enum st_playing_answer answer = st_playing_judge(&service->playing, &facts, now_ns);
    const bool runs = always || answer != ST_PLAYING_NO;
    int r = 0;
    char why[256];
    if (runs && service->view.rests)
        r = wake_up(service, why_text(answer, &facts, always, why, sizeof(why)));
    else if (!runs && !service->view.rests && service->overdue_since_ns == 0)
        r = go_to_rest(service); /* not while the loop gets no CPU: it could not be ended */
    service->rest.calm = service->view.rests && facts.telling_n > 0 && facts.blind == NULL;
    service->clockwatch.rest_ns = st_service_tick_ns(service) - ST_SERVICE_TICK_NS;
    if (service->rest.calm)
        give_memory_back(); /* what made the last answers and minutes */
    st_observe_wake(service->observe, now_ns, service->view.rests ? wake_main : NULL);
    return r;
}
