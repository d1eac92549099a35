/* Canary and checker. The idea is rtkit's (Lennart Poettering): an ordinary thread sings, one above the loop
 * listens. */
#include "daemon/loop/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "platform/posix/posix.h"

#define LOG_MODULE "watchdog"
#include "daemon/log.h"

struct st_watchdog {
    struct st_platform *platform;
    struct st_events *events;
    st_watchdog_tid_fn tid;
    void *tid_ctx;
    int priority;
    pthread_t canary, checker;
    struct st_watchdog_judge busy_judge; /* the caller's thread */
    _Atomic uint64_t cheeps;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool stop;
    struct st_watchdog_view view;
};

bool st_watchdog_starved(struct st_watchdog_judge *judge, uint64_t canary_cheeps)
{
    judge->silent_checks = canary_cheeps == judge->heard ? judge->silent_checks + 1 : 0;
    judge->heard = canary_cheeps;
    return judge->silent_checks >= ST_WATCHDOG_SILENT_CHECKS;
}

bool st_watchdog_busy(struct st_watchdog_judge *judge, double share)
{
    judge->busy_checks = share > ST_WATCHDOG_BUSY_SHARE ? judge->busy_checks + 1 : 0;
    return judge->busy_checks >= ST_WATCHDOG_BUSY_CHECKS;
}

bool st_watchdog_guilty(int64_t used_ns, int64_t silent_ns)
{
    return used_ns < 0 || (double)used_ns > ST_WATCHDOG_BUSY_SHARE * (double)silent_ns;
}

/* CPU time of the loop's thread so far; -1: not known. */
static int64_t loop_cpu_ns(const struct st_watchdog *watchdog)
{
    const struct st_counters_handle handle = {
        .tid = watchdog->tid(watchdog->tid_ctx), .fd_schedstat = -1, .fd_stat = -1, .fd_status = -1};
    struct st_thread_counters counters;
    if (handle.tid == 0 || watchdog->platform->counters_other(watchdog->platform, &handle, &counters) != 0 ||
        (counters.valid & ST_COUNTER_CPU) == 0)
        return -1;
    return counters.cpu_ns;
}

void st_watchdog_demote(struct st_watchdog *watchdog, const char *reason)
{
    const pid_t tid = watchdog->tid(watchdog->tid_ctx);
    if (tid == 0)
        return;
    const int r = watchdog->platform->demote(watchdog->platform, tid);
    char text[160];
    if (r == 0)
        ST_PRINT(text, "the watchdog took real-time priority from the test loop: %s", reason);
    else
        ST_PRINT(text, "cannot take real-time priority from the test loop (%s): %s", strerror(-r), reason);
    pthread_mutex_lock(&watchdog->mutex);
    /* once, and once more when it works after it did not */
    const bool told = watchdog->view.reason[0] != '\0' && (r != 0 || watchdog->view.demoted);
    watchdog->view.demoted = watchdog->view.demoted || r == 0;
    memcpy(watchdog->view.reason, text, sizeof(text));
    pthread_mutex_unlock(&watchdog->mutex);
    if (!told)
        st_events_add(watchdog->events, ST_LOG_ERR, watchdog->platform->wall_ns(watchdog->platform),
                      ST_EVENT_DEMOTED, "%s", text);
}

/* @return false when it is time to end. */
static bool pause_ns(struct st_watchdog *watchdog, int64_t ns)
{
    const struct timespec until =
        st_ns_to_timespec(st_ns_add(watchdog->platform->now_ns(watchdog->platform), ns));
    pthread_mutex_lock(&watchdog->mutex);
    int r = 0;
    while (!watchdog->stop && r == 0)
        r = pthread_cond_timedwait(&watchdog->wake, &watchdog->mutex, &until);
    const bool go_on = !watchdog->stop;
    pthread_mutex_unlock(&watchdog->mutex);
    return go_on;
}

static void *run_canary(void *ctx)
{
    struct st_watchdog *watchdog = ctx;
    (void)watchdog->platform->set_name(watchdog->platform, "st-canary");
    do {
        atomic_fetch_add(&watchdog->cheeps, 1);
    } while (pause_ns(watchdog, ST_WATCHDOG_CANARY_NS));
    return NULL;
}

/* Other programs may starve ordinary threads too; the loop runs on then, and an event says so. */
static void tell_starved(struct st_watchdog *watchdog, bool guilty)
{
    if (guilty)
        st_watchdog_demote(watchdog, "ordinary threads got no CPU for 3 s");
    else
        st_events_add(watchdog->events, ST_LOG_WARN, watchdog->platform->wall_ns(watchdog->platform),
                      ST_EVENT_STARVED,
                      "ordinary threads got no CPU for 3 s, but not because of the test loop");
}

static void *run_checker(void *ctx)
{
    struct st_watchdog *watchdog = ctx;
    struct st_platform *platform = watchdog->platform;
    (void)platform->set_name(platform, "st-watchdog");
    const bool above = platform->set_policy(platform, ST_POLICY_FIFO, watchdog->priority) == 0;
    pthread_mutex_lock(&watchdog->mutex);
    watchdog->view.running = true;
    watchdog->view.above_loop = above;
    pthread_mutex_unlock(&watchdog->mutex);
    struct st_watchdog_judge judge = {0};
    int64_t cpu_ns = -1, since_ns = 0; /* when the canary was heard last */
    while (pause_ns(watchdog, ST_WATCHDOG_CHECK_NS)) {
        const bool starved = st_watchdog_starved(&judge, atomic_load(&watchdog->cheeps));
        const int64_t now_cpu_ns = loop_cpu_ns(watchdog), now_ns = platform->now_ns(platform);
        if (starved) {
            const int64_t used_ns = cpu_ns >= 0 && now_cpu_ns >= 0 ? now_cpu_ns - cpu_ns : -1;
            tell_starved(watchdog, st_watchdog_guilty(used_ns, now_ns - since_ns));
        }
        if (starved || judge.silent_checks == 0) {
            judge.silent_checks = 0;
            cpu_ns = now_cpu_ns;
            since_ns = now_ns;
        }
    }
    return NULL;
}

static void stop_canary(struct st_watchdog *watchdog)
{
    pthread_mutex_lock(&watchdog->mutex);
    watchdog->stop = true;
    pthread_cond_broadcast(&watchdog->wake);
    pthread_mutex_unlock(&watchdog->mutex);
    pthread_join(watchdog->canary, NULL);
}

int st_watchdog_start(struct st_platform *platform, int loop_priority, st_watchdog_tid_fn tid, void *tid_ctx,
                      struct st_events *events, struct st_watchdog **ret)
{
    struct st_watchdog *watchdog = calloc(1, sizeof(*watchdog));
    if (watchdog == NULL)
        return -ENOMEM;
    watchdog->platform = platform;
    watchdog->events = events;
    watchdog->tid = tid;
    watchdog->tid_ctx = tid_ctx;
    watchdog->priority = loop_priority + 1;
    pthread_mutex_init(&watchdog->mutex, NULL);
    int r = st_posix_condition_init(&watchdog->wake);
    if (r == 0)
        r = -pthread_create(&watchdog->canary, NULL, run_canary, watchdog);
    if (r == 0) {
        r = -pthread_create(&watchdog->checker, NULL, run_checker, watchdog);
        if (r != 0)
            stop_canary(watchdog);
    }
    if (r != 0) {
        pthread_cond_destroy(&watchdog->wake);
        pthread_mutex_destroy(&watchdog->mutex);
        free(watchdog);
        return r;
    }
    *ret = watchdog;
    return 0;
}

void st_watchdog_stop(struct st_watchdog *watchdog)
{
    if (watchdog == NULL)
        return;
    stop_canary(watchdog);
    pthread_join(watchdog->checker, NULL);
    pthread_cond_destroy(&watchdog->wake);
    pthread_mutex_destroy(&watchdog->mutex);
    free(watchdog);
}

void st_watchdog_report_share(struct st_watchdog *watchdog, double share)
{
    if (!st_watchdog_busy(&watchdog->busy_judge, share))
        return;
    watchdog->busy_judge.busy_checks = 0;
    st_watchdog_demote(watchdog, "the loop used more than half of a CPU for 10 s");
}

void st_watchdog_look(struct st_watchdog *watchdog, struct st_watchdog_view *ret)
{
    pthread_mutex_lock(&watchdog->mutex);
    *ret = watchdog->view;
    pthread_mutex_unlock(&watchdog->mutex);
}
