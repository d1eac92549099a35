/* The watchdog, after an idea of rtkit (Lennart Poettering): an ordinary thread, the canary,
 * counts; a thread with higher priority than the loop checks that it goes on counting. */
#include "daemon/loop/watchdog.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/ns.h"

#define LOG_MODULE "watchdog"

struct st_watchdog {
    struct st_platform *platform;
    struct st_events *events;
    struct st_watchdog_loop loop;
    int priority;
    pthread_t checker;
    int end[2];                          /* a pipe: the checker ends when its write end is closed */
    struct st_watchdog_judge busy_judge; /* used by the thread that calls st_watchdog_report_cpu */
    double cpu_ns;                       /* last reported CPU time, at cpu_at_ns; 0: none yet */
    int64_t cpu_at_ns;
    atomic_bool running, above_loop; /* written by the checker, read for the view */
    atomic_int
        demotion; /* 0: none; else enum st_watchdog_reason, plus ERRNO_UNIT * errno if it failed */
};

#define ERRNO_UNIT 16

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
    const struct st_counters_handle handle = {.tid = watchdog->loop.tid(watchdog->loop.ctx),
                                              .fd_schedstat = -1,
                                              .fd_stat = -1,
                                              .fd_status = -1};
    struct st_thread_counters counters;
    if (handle.tid == 0 ||
        watchdog->platform->counters_other(watchdog->platform, &handle, &counters) != 0 ||
        (counters.valid & ST_COUNTER_CPU) == 0)
        return -1;
    return counters.cpu_ns;
}

static const char *demotion_text(int demotion)
{
    static const char *const reasons[] = {
        [ST_WATCHDOG_STARVED] = "programs without real-time priority got no CPU for 3 s",
        [ST_WATCHDOG_BUSY] = "the timing test used more than half of a CPU for 10 s",
        [ST_WATCHDOG_TOO_LONG] =
            "the timing test used a CPU too long without a sleep (RLIMIT_RTTIME)",
    };
    const char *reason = reasons[demotion % ERRNO_UNIT];
    if (demotion < ERRNO_UNIT)
        return st_text("the watchdog took real-time priority from the timing test: %s", reason);
    return st_text("the watchdog cannot take real-time priority from the timing test (%s): %s",
                   strerror(demotion / ERRNO_UNIT), reason);
}

void st_watchdog_demote(struct st_watchdog *watchdog, enum st_watchdog_reason reason)
{
    const pid_t tid = watchdog->loop.tid(watchdog->loop.ctx);
    if (tid == 0)
        return;
    const int r = watchdog->platform->demote(watchdog->platform, tid);
    int before = atomic_load(&watchdog->demotion);
    /* Reports the demotion once, and again if it succeeds after a failure. If two threads get here
     * at once, one of them reports it. */
    if ((before != 0 && (r != 0 || before < ERRNO_UNIT)) ||
        !atomic_compare_exchange_strong(&watchdog->demotion, &before, (int)reason - r * ERRNO_UNIT))
        return;
    st_events_add(watchdog->events, ST_LOG_ERR, st_platform_wall_ns(watchdog->platform),
                  ST_EVENT_DEMOTED, "%s", demotion_text((int)reason - r * ERRNO_UNIT));
}

/* Waits until the next check. @return false: the checker must end. */
static bool pause_until_check(const struct st_watchdog *watchdog)
{
    struct pollfd end = {.fd = watchdog->end[0], .events = POLLIN};
    return poll(&end, 1, (int)(ST_WATCHDOG_CHECK_NS / ST_NS_PER_MS)) == 0;
}

/* Reports that ordinary threads starve. Demotes the loop only if it is guilty, since other programs
 * can starve them, too. */
static void report_starved(struct st_watchdog *watchdog, bool guilty)
{
    if (guilty)
        st_watchdog_demote(watchdog, ST_WATCHDOG_STARVED);
    else
        st_events_add(watchdog->events, ST_LOG_WARN, st_platform_wall_ns(watchdog->platform),
                      ST_EVENT_STARVED,
                      "programs without real-time priority got no CPU for 3 s, but not because of "
                      "the timing test");
}

static void *run_checker(void *ctx)
{
    struct st_watchdog *watchdog = ctx;
    struct st_platform *platform = watchdog->platform;
    (void)platform->set_name(platform, "st-watchdog");
    atomic_store(&watchdog->above_loop,
                 platform->set_policy(platform, ST_POLICY_FIFO, watchdog->priority) == 0);
    atomic_store(&watchdog->running, true);
    struct st_watchdog_judge judge = {0};
    int64_t cpu_ns = -1, since_ns = 0; /* when the canary's counter last increased */
    while (pause_until_check(watchdog)) {
        const bool starved = st_watchdog_starved(&judge, watchdog->loop.cheeps(watchdog->loop.ctx));
        const int64_t now_cpu_ns = loop_cpu_ns(watchdog), now_ns = st_platform_now_ns(platform);
        if (starved) {
            const int64_t used_ns = cpu_ns >= 0 && now_cpu_ns >= 0 ? now_cpu_ns - cpu_ns : -1;
            report_starved(watchdog, st_watchdog_guilty(used_ns, now_ns - since_ns));
        }
        if (starved || judge.silent_checks == 0) {
            judge.silent_checks = 0;
            cpu_ns = now_cpu_ns;
            since_ns = now_ns;
        }
    }
    return NULL;
}

int st_watchdog_start(struct st_platform *platform, int loop_priority,
                      const struct st_watchdog_loop *loop, struct st_events *events,
                      struct st_watchdog **ret)
{
    struct st_watchdog *watchdog = calloc(1, sizeof(*watchdog));
    if (watchdog == NULL)
        return -ENOMEM;
    watchdog->platform = platform;
    watchdog->events = events;
    watchdog->loop = *loop;
    watchdog->priority = loop_priority + 1;
    int r = pipe2(watchdog->end, O_CLOEXEC) == 0 ? 0 : -errno;
    if (r == 0) {
        r = -pthread_create(&watchdog->checker, NULL, run_checker, watchdog);
        if (r != 0) {
            close(watchdog->end[0]);
            close(watchdog->end[1]);
        }
    }
    if (r != 0) {
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
    close(watchdog->end[1]);
    pthread_join(watchdog->checker, NULL);
    close(watchdog->end[0]);
    free(watchdog);
}

void st_watchdog_report_cpu(struct st_watchdog *watchdog, double cpu_ns, int64_t now_ns)
{
    const double share = (cpu_ns - watchdog->cpu_ns) / (double)(now_ns - watchdog->cpu_at_ns);
    const bool busy = watchdog->cpu_at_ns != 0 && st_watchdog_busy(&watchdog->busy_judge, share);
    watchdog->cpu_ns = cpu_ns;
    watchdog->cpu_at_ns = now_ns;
    if (!busy)
        return;
    watchdog->busy_judge.busy_checks = 0;
    st_watchdog_demote(watchdog, ST_WATCHDOG_BUSY);
}

void st_watchdog_look(struct st_watchdog *watchdog, struct st_watchdog_view *ret)
{
    const int demotion = atomic_load(&watchdog->demotion);
    ret->running = atomic_load(&watchdog->running);
    ret->above_loop = atomic_load(&watchdog->above_loop);
    ret->demoted = demotion > 0 && demotion < ERRNO_UNIT;
    ST_PRINT(ret->reason, "%s", demotion != 0 ? demotion_text(demotion) : "");
}
