/* The tracer's thread. */
#include "daemon/causes/tracer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "daemon/causes/cpu_trace.h"
#include "daemon/causes/culprit_request.h"
#include "platform/module.h"
#include "platform/posix/posix.h"
#include "st_config.h"

#define LOG_MODULE "trace"
#include "daemon/log.h"

#define WAITING_MAX  128
#define REQUESTS_MAX 10                /* for the wake-ups that came in a quarter of a second */
#define EVENTS_MAX   ST_CPU_EVENTS_MAX /* kept after they were taken out of the ring, at least, and ... */
#define SPARE        (EVENTS_MAX / 4)  /* ... at most this many more */
#define FROZEN_NS    (12 * ST_NS_PER_S)
#define STACK_BYTES  (256 * 1024)
#define FIRST_PID_NS 0xEFFFFFFC /* inode number of the first PID namespace, of each Linux since 3.8 */

struct st_tracer {
    const struct st_trace_module *module; /* NULL: the system's daemon is asked on `socket` */
    struct st_trace *trace;
    const char *socket;
    struct st_platform *platform;
    struct st_causes *causes;
    pid_t tid;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_bool ends;
    struct st_cause_event waiting[WAITING_MAX]; /* under mutex */
    size_t waiting_n;
    struct st_tracer_way *freezes; /* the last events are wanted there; NULL: nowhere */
    pthread_mutex_t ring;          /* all below */
    struct st_cause_event taken[WAITING_MAX];
    size_t events_n;
    struct st_trace_event
        events[]; /* EVENTS_MAX + SPARE, of which the first SPARE are dropped; none without module */
};

static void keep(void *ctx, const struct st_trace_event *event)
{
    struct st_tracer *tracer = ctx;
    if (tracer->events_n == EVENTS_MAX + SPARE) {
        memmove(tracer->events, tracer->events + SPARE, EVENTS_MAX * sizeof(*event));
        tracer->events_n = EVENTS_MAX;
    }
    tracer->events[tracer->events_n++] = *event;
}

/* left: how many may still be asked of the system's daemon. */
static int find(struct st_tracer *tracer, const struct st_cause_event *event, unsigned *left,
                struct st_trace_culprit *ret)
{
    const int64_t due_ns = event->at_ns - event->lateness_ns;
    struct st_platform *p = tracer->platform;
    if (tracer->module != NULL)
        return st_cpu_trace_find_culprit(tracer->events, tracer->events_n, (int)tracer->tid, event->cause,
                                         due_ns, event->at_ns, ret);
    if ((event->cause != ST_CAUSE_RUN_QUEUE && event->cause != ST_CAUSE_KERNEL) || *left == 0 ||
        tracer->ends || event->lateness_ns > ST_CULPRIT_SPAN_MAX_NS)
        return -ENOENT;
    const int64_t offset_ns = st_clock_wall_ns(&p->clock) - st_clock_now_ns(&p->clock);
    const int r =
        st_culprit_request(tracer->socket, tracer->tid, due_ns + offset_ns, event->at_ns + offset_ns, ret);
    *left = r == 0 || r == -ENOENT ? *left - 1 : 0; /* one that hangs is not asked again at once */
    return r;
}

static void name(struct st_tracer *tracer, size_t n)
{
    struct st_trace_culprit found = {.ns = 0};
    unsigned left = REQUESTS_MAX;
    ST_EACH_OF (late, tracer->taken, n) {
        char waited[80] = "the kernel's trace does not show when the loop was woken", turns[80] = "";
        if (find(tracer, late, &left, &found) != 0) {
            st_causes_take(tracer->causes, late, NULL);
            continue;
        }
        st_cpu_trace_complete_name(&tracer->platform->machine, &found);
        if (found.waking_was_seen)
            ST_PRINT(waited, "%lld ns of this time while the loop waited", (long long)found.waited_ns);
        if (found.turns_ns > 0)
            ST_PRINT(turns, "; the whole turns of this thread took %lld ns", (long long)found.turns_ns);
        ST_DBG("%s had CPU %d for %lld ns, %s, %lld ns according to the scheduler%s", found.name, found.cpu,
               (long long)found.ns, waited, (long long)late->runq_wait_ns, turns);
        st_causes_take(tracer->causes, late, &found);
    }
}

/* Those of the last seconds. */
static void give(struct st_tracer *tracer, struct st_tracer_way *way)
{
    const int64_t from_ns = st_posix_clock_ns(CLOCK_MONOTONIC) - FROZEN_NS;
    size_t first = 0;
    while (first < tracer->events_n && tracer->events[first].at_ns < from_ns)
        first++;
    way->frozen(way->frozen_ctx, tracer->events + first, tracer->events_n - first);
}

static void *run(void *ctx)
{
    struct st_tracer *tracer = ctx;
    pthread_mutex_lock(&tracer->mutex);
    while (!tracer->ends || tracer->waiting_n > 0 || tracer->freezes != NULL) {
        if (tracer->waiting_n == 0 && tracer->freezes == NULL)
            pthread_cond_wait(&tracer->wake, &tracer->mutex);
        struct st_tracer_way *freezes = tracer->freezes;
        const size_t n = tracer->waiting_n;
        tracer->freezes = NULL;
        memcpy(tracer->taken, tracer->waiting, n * sizeof(tracer->taken[0]));
        tracer->waiting_n = 0;
        pthread_mutex_unlock(&tracer->mutex);
        pthread_mutex_lock(&tracer->ring);
        if (tracer->module != NULL)
            (void)tracer->module->read(tracer->trace, keep, tracer); /* what is there already serves, too */
        name(tracer, n);
        if (freezes != NULL)
            give(tracer, freezes);
        pthread_mutex_unlock(&tracer->ring);
        pthread_mutex_lock(&tracer->mutex);
    }
    pthread_mutex_unlock(&tracer->mutex);
    return NULL;
}

/* Asks for the culprit of a late wake-up without waiting. false: too many requests wait. Threads: drain. */
static bool tracer_ask(struct st_tracer *tracer, const struct st_cause_event *late)
{
    pthread_mutex_lock(&tracer->mutex);
    const bool room = tracer->waiting_n < WAITING_MAX;
    if (room)
        tracer->waiting[tracer->waiting_n++] = *late;
    pthread_cond_signal(&tracer->wake);
    pthread_mutex_unlock(&tracer->mutex);
    return room;
}

/* The instance of a daemon that was killed; removing it also turns its events off. A daemon that traces holds
 * a file of its instance open: the kernel does not remove that one. FreeBSD has no tracefs: there the path
 * does not exist. */
void st_tracer_clear(void)
{
    static const char path[] = ST_TRACEFS "/instances/" ST_TRACE_INSTANCE;
    if (access(path, F_OK) != 0)
        return;
    if (rmdir(path) == 0)
        ST_WARN("removed the trace %s, which a killed sleeptuned left on: it slowed the system", path);
    else if (errno == EBUSY)
        ST_INFO("the kernel trace %s was not removed: another process uses it, such as another sleeptuned",
                path);
    else
        ST_WARN("cannot remove %s, which a killed sleeptuned left: %s. Run as root: rmdir %s", path,
                strerror(errno), path);
}

/* Does the system's daemon trace, and may it be asked? @return 0 or why not. */
static int try_remote(struct st_clock *clock, const char *socket, pid_t tid, char *why, size_t why_bytes)
{
    struct st_trace_culprit none;
    const int64_t now_ns = st_clock_wall_ns(clock);
    const int r = st_culprit_request(socket, tid, now_ns, now_ns, &none);
    if (r == 0 || r == -ENOENT)
        return 0;
    snprintf(why, why_bytes, "trace.enabled is off%s",
             r == -EACCES    ? ", and only members of its group may ask the system's sleeptuned"
             : r == -ENOTSUP ? ", also of the system's sleeptuned"
                             : " in the configuration");
    return r;
}

/* The kernel's trace has the numbers that threads have in the first PID namespace. */
static bool has_own_numbers(void)
{
    struct stat ns;
    return stat("/proc/self/ns/pid", &ns) == 0 && ns.st_ino != FIRST_PID_NS;
}

int st_tracer_start(struct st_platform *platform, const struct st_config *config, const char *socket,
                    pid_t tid, struct st_causes *causes, struct st_tracer **ret, char *why, size_t why_bytes)
{
    const struct st_trace_module *module = NULL;
    int r = 0;
    *ret = NULL;
    if (has_own_numbers()) {
        snprintf(why, why_bytes,
                 "sleeptuned runs in a container (PID namespace), where threads have other numbers than in "
                 "the kernel's trace. Run it outside, or without trace.enabled");
        return -ENOTSUP;
    }
    if (socket != NULL)
        r = try_remote(&platform->clock, socket, tid, why, why_bytes);
    else
        r = st_module_load("trace", ST_TRACE_SYMBOL, &module, why, why_bytes);
    if (r == 0 && module != NULL && strcmp(module->version, ST_VERSION) != 0) {
        snprintf(why, why_bytes,
                 "the module trace has version %s, sleeptuned has version %s. Restart sleeptuned.",
                 module->version, ST_VERSION);
        r = -ENOEXEC;
    }
    if (r != 0)
        return r;
    const size_t events_n = module != NULL ? EVENTS_MAX + SPARE : 0;
    struct st_tracer *tracer = calloc(1, sizeof(*tracer) + events_n * sizeof(tracer->events[0]));
    if (tracer == NULL) {
        snprintf(why, why_bytes, "%s", strerror(ENOMEM));
        return -ENOMEM;
    }
    tracer->module = module;
    tracer->socket = socket;
    tracer->platform = platform;
    tracer->causes = causes;
    tracer->tid = tid;
    if (module != NULL)
        r = module->open(config->trace.buffer_kb, &tracer->trace, why, why_bytes);
    if (r == 0) {
        pthread_mutex_init(&tracer->mutex, NULL);
        pthread_mutex_init(&tracer->ring, NULL);
        r = st_posix_condition_init(&tracer->wake);
        if (r == 0)
            r = st_posix_thread_start(&tracer->thread, STACK_BYTES, run, tracer);
        if (r != 0)
            snprintf(why, why_bytes, "the thread of the tracer cannot be started: %s", strerror(-r));
        if (r != 0 && module != NULL)
            module->close(tracer->trace);
    }
    if (r != 0) {
        free(tracer);
        return r;
    }
    *ret = tracer;
    return 0;
}

void st_tracer_stop(struct st_tracer *tracer)
{
    if (tracer == NULL)
        return;
    pthread_mutex_lock(&tracer->mutex);
    tracer->ends = true;
    pthread_cond_signal(&tracer->wake);
    pthread_mutex_unlock(&tracer->mutex);
    pthread_join(tracer->thread, NULL);
    if (tracer->module != NULL)
        tracer->module->close(tracer->trace);
    pthread_mutex_destroy(&tracer->ring);
    pthread_cond_destroy(&tracer->wake);
    pthread_mutex_destroy(&tracer->mutex);
    free(tracer);
}

/* --- late wake-ups on their way from the loop to the tracer and the sums --- */

static void on_cycle(void *ctx, ST_UNUSED uint64_t period_index, ST_UNUSED int64_t lateness_ns,
                     ST_UNUSED int64_t callback_ns)
{
    struct st_tracer_way *late = ctx;
    late->wakes_n++;
}

static void on_flush(void *ctx)
{
    struct st_tracer_way *late = ctx;
    st_causes_wakes(late->causes, late->wakes_n);
    late->wakes_n = 0;
}

static void on_late(void *ctx, const struct st_cause_event *event)
{
    struct st_tracer_way *late = ctx;
    if (late->tracer == NULL || !tracer_ask(late->tracer, event))
        st_causes_take(late->causes, event, NULL);
}

struct st_sink st_tracer_way_sink(struct st_tracer_way *late)
{
    return (struct st_sink){.cycle = on_cycle, .late = on_late, .flush = on_flush, .ctx = late};
}

int st_tracer_way_find(struct st_tracer_way *late, pid_t tid, int64_t due_ns, int64_t woke_ns,
                       struct st_trace_culprit *ret)
{
    int r = -ENOTSUP;
    struct st_tracer *tracer = late->tracer;
    if (tracer != NULL && tracer->module != NULL) {
        pthread_mutex_lock(&tracer->ring);
        (void)tracer->module->read(tracer->trace, keep, tracer);
        r = st_cpu_trace_find_culprit(tracer->events, tracer->events_n, (int)tid, ST_CAUSE_RUN_QUEUE, due_ns,
                                      woke_ns, ret);
        pthread_mutex_unlock(&tracer->ring);
        if (r == 0)
            st_cpu_trace_complete_name(&tracer->platform->machine, ret);
    }
    return r;
}

void st_tracer_way_freeze(struct st_tracer_way *late)
{
    struct st_tracer *tracer = late->tracer;
    if (tracer == NULL || tracer->module == NULL) {
        late->frozen(late->frozen_ctx, NULL, 0);
        return;
    }
    pthread_mutex_lock(&tracer->mutex);
    tracer->freezes = late;
    pthread_cond_signal(&tracer->wake);
    pthread_mutex_unlock(&tracer->mutex);
}

void st_tracer_way_use(struct st_tracer_way *late, struct st_tracer *tracer, const char *why)
{
    late->tracer = tracer;
    st_causes_set_untraced(late->causes, tracer != NULL ? "" : why);
}
