/* Names the culprits of the loop's late wake-ups with the kernel's trace, and adds them to the sums
 * of causes. */
#include "daemon/causes/tracer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "daemon/causes/culprit_request.h"
#include "platform/module.h"
#include "platform/posix/posix.h"
#include "st_config.h"

#define LOG_MODULE "trace"

/* least number of the latest events that stay in tracer->events */
#define EVENTS_MAX ST_CPU_EVENTS_MAX
/* room for further events, so that the array drops old events in groups, not one by one */
#define SPARE     (EVENTS_MAX / 4)
#define FROZEN_NS (12 * ST_NS_PER_S)
/* longest time for which one call of st_tracer_way_turn asks the system's daemon about late
 * wake-ups */
#define ASK_NS       (100 * ST_NS_PER_MS)
#define ASK_AGAIN_NS (10 * ST_NS_PER_S) /* wait after the system's daemon did not answer */
/* inode number of the first PID namespace, of each Linux since 3.8 */
#define FIRST_PID_NS 0xEFFFFFFC

struct st_tracer {
    const struct st_trace_module
        *module; /* NULL: the system's daemon is asked on `socket` instead */
    struct st_trace *trace;
    const char *socket;
    struct st_platform *platform;
    struct st_causes *causes;
    pid_t tid;
    /* a pipe: the drain thread writes a byte when a late wake-up waits for its culprit */
    int told[2];
    int64_t ask_from_ns; /* the system's daemon is not asked before this time, CLOCK_MONOTONIC */
    size_t events_n;
    /* Room for EVENTS_MAX + SPARE events; when it is full, the first SPARE events are dropped. It
     * has no elements where sleeptune's module for tracing is not installed. */
    struct st_trace_event events[];
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

/* Moves the events from the kernel's buffer to tracer->events. Ignores an error, since the events
 * that were read before it can still name a culprit. */
static void read_ring(struct st_tracer *tracer)
{
    if (tracer->module != NULL)
        (void)tracer->module->read(tracer->trace, keep, tracer);
}

static int find(struct st_tracer *tracer, const struct st_cause_event *event, int64_t until_ns,
                struct st_trace_culprit *ret)
{
    const int64_t due_ns = event->at_ns - event->lateness_ns;
    struct st_platform *platform = tracer->platform;
    const int64_t now_ns = st_platform_now_ns(platform),
                  offset_ns = st_platform_wall_ns(platform) - now_ns;
    if (tracer->module != NULL)
        return st_cpu_trace_find_culprit(tracer->events, tracer->events_n, (int)tracer->tid,
                                         event->cause, due_ns, event->at_ns, ret);
    if ((event->cause != ST_CAUSE_RUN_QUEUE && event->cause != ST_CAUSE_KERNEL) ||
        now_ns >= until_ns || now_ns < tracer->ask_from_ns ||
        event->lateness_ns > ST_CULPRIT_SPAN_MAX_NS)
        return -ENOENT;
    const int r = st_culprit_request(tracer->socket, tracer->tid, due_ns + offset_ns,
                                     event->at_ns + offset_ns, ret);
    if (r != 0 && r != -ENOENT)
        tracer->ask_from_ns = now_ns + ASK_AGAIN_NS;
    return r;
}

/* Names the culprits of late wake-ups and adds them to the sums. @param until_ns the system's
 * daemon is asked until this time (CLOCK_MONOTONIC). */
static void name(struct st_tracer *tracer, const struct st_cause_event *events, size_t n,
                 int64_t until_ns)
{
    struct st_trace_culprit found = {.ns = 0};
    read_ring(tracer);
    ST_EACH_OF (late, events, n) {
        const char *waited = "the kernel's trace does not show when the timing test was woken",
                   *turns = "";
        if (find(tracer, late, until_ns, &found) != 0) {
            st_causes_take(tracer->causes, late, NULL);
            continue;
        }
        st_cpu_trace_complete_name(tracer->platform, &found);
        if (found.waking_was_seen)
            waited = st_text("%lld ns of this time while the timing test waited",
                             (long long)found.waited_ns);
        if (found.turns_ns > 0)
            turns = st_text("; in all this program ran for %lld ns", (long long)found.turns_ns);
        ST_DBG("%s had CPU %d for %lld ns, %s; by the kernel's count the timing test waited %lld "
               "ns for a CPU%s",
               found.name, found.cpu, (long long)found.ns, waited, (long long)late->runq_wait_ns,
               turns);
        st_causes_take(tracer->causes, late, &found);
    }
}

/* Removes the tracefs instance of a daemon that was killed, which also turns its events off. A
 * daemon that runs keeps a file of its instance open, so the kernel does not remove that one.
 * FreeBSD has no tracefs, so the path does not exist there. */
void st_tracer_clear(void)
{
    static const char path[] = ST_TRACEFS "/instances/" ST_TRACE_INSTANCE;
    if (access(path, F_OK) != 0)
        return;
    if (rmdir(path) == 0)
        ST_WARN("removed the kernel trace %s, which a killed sleeptuned had left on, because it "
                "slowed the system",
                path);
    else if (errno == EBUSY)
        ST_INFO("the kernel trace %s was not removed: another program uses it, such as another "
                "sleeptuned",
                path);
    else
        ST_WARN("cannot remove the kernel trace %s, which a killed sleeptuned left on: %s. Run as "
                "root: rmdir %s",
                path, strerror(errno), path);
}

/* Does the system's daemon trace, and does it answer this user? @return NULL: yes; otherwise why
 * not. */
static const char *try_remote(struct st_platform *platform, const char *socket, pid_t tid)
{
    struct st_trace_culprit none;
    const int64_t now_ns = st_platform_wall_ns(platform);
    const int r = st_culprit_request(socket, tid, now_ns, now_ns, &none);
    if (r == 0 || r == -ENOENT)
        return NULL;
    return r == -EACCES ? "trace.enabled is off here, and this user is not in the group that may "
                          "ask the system's sleeptuned"
           : r == -ENOTSUP ? "trace.enabled is off, also of the system's sleeptuned"
                           : "trace.enabled is off in the configuration";
}

/* Does this process run in a PID namespace of its own? The kernel's trace has the thread numbers
 * of the first namespace, so they would not match the numbers of this process's threads. */
static bool has_own_numbers(void)
{
    struct stat ns;
    return stat("/proc/self/ns/pid", &ns) == 0 && ns.st_ino != FIRST_PID_NS;
}

static void free_tracer(struct st_tracer *tracer)
{
    (void)close(tracer->told[0]);
    (void)close(tracer->told[1]);
    free(tracer);
}

const char *st_tracer_start(struct st_platform *platform, const struct st_config *config,
                            const char *socket, pid_t tid, struct st_causes *causes,
                            struct st_tracer **ret)
{
    const struct st_trace_module *module = NULL;
    char why[512];
    *ret = NULL;
    if (has_own_numbers())
        return "sleeptuned runs in a container (PID namespace), where threads have other numbers "
               "than in the kernel's trace. Run sleeptuned outside, or without trace.enabled";
    const char *error = socket != NULL ? try_remote(platform, socket, tid)
                                       : st_module_load("trace", ST_TRACE_SYMBOL, &module);
    if (error != NULL)
        return error;
    if (module != NULL && strcmp(module->version, ST_VERSION) != 0)
        return st_text(
            "the module trace has version %s, sleeptuned has version %s. Restart sleeptuned.",
            module->version, ST_VERSION);
    const size_t events_n = module != NULL ? EVENTS_MAX + SPARE : 0;
    struct st_tracer *tracer = calloc(1, sizeof(*tracer) + events_n * sizeof(tracer->events[0]));
    if (tracer == NULL || pipe2(tracer->told, O_CLOEXEC | O_NONBLOCK) != 0) {
        error = strerror(errno);
        free(tracer);
        return error;
    }
    tracer->module = module;
    tracer->socket = socket;
    tracer->platform = platform;
    tracer->causes = causes;
    tracer->tid = tid;
    if (module == NULL ||
        module->open(config->trace.buffer_kb, &tracer->trace, why, sizeof(why)) == 0) {
        *ret = tracer;
        return NULL;
    }
    free_tracer(tracer);
    return st_text("%s", why);
}

void st_tracer_stop(struct st_tracer *tracer)
{
    if (tracer == NULL)
        return;
    if (tracer->module != NULL)
        tracer->module->close(tracer->trace);
    free_tracer(tracer);
}

/* --- the way of late wake-ups from the loop to the tracer and the sums --- */

int st_tracer_way_init(struct st_tracer_way *way, struct st_causes *causes)
{
    *way = (struct st_tracer_way){.causes = causes};
    const int r = st_hist_init(&way->minute, ST_HISTORY_DIGITS);
    if (r == 0)
        st_hist_touch(&way->minute);
    return r;
}

void st_tracer_way_finish(struct st_tracer_way *way)
{
    st_hist_finish(&way->minute);
}

void st_tracer_way_end_minute(struct st_tracer_way *way, struct st_hist *ret)
{
    /* cannot fail for another reason than different digits, which are equal here */
    if (st_hist_merge(ret, &way->minute) == 0)
        st_hist_reset(&way->minute);
}

static void on_cycle(void *ctx, ST_UNUSED uint64_t period_index, int64_t lateness_ns,
                     ST_UNUSED int64_t callback_ns)
{
    struct st_tracer_way *way = ctx;
    st_hist_add(&way->minute, lateness_ns);
    way->wakes_n++;
}

static void on_flush(void *ctx)
{
    struct st_tracer_way *way = ctx;
    st_causes_wakes(way->causes, way->wakes_n);
    way->wakes_n = 0;
}

static void on_late(void *ctx, const struct st_cause_event *event)
{
    struct st_tracer_way *way = ctx;
    if (way->tracer == NULL || way->waiting_n == ST_TRACER_WAITING_MAX) {
        st_causes_take(way->causes, event, NULL);
        return;
    }
    if (way->waiting_n == 0)
        (void)!write(way->tracer->told[1], "", 1);
    way->waiting[way->waiting_n++] = *event;
}

struct st_sink st_tracer_way_sink(struct st_tracer_way *way)
{
    return (struct st_sink){.cycle = on_cycle, .late = on_late, .flush = on_flush, .ctx = way};
}

void st_tracer_way_wait(const struct st_tracer_way *way, struct st_wait *wait)
{
    if (way->tracer != NULL)
        st_wait_to_read(wait, way->tracer->told[0]);
}

void st_tracer_way_turn(struct st_tracer_way *way, struct st_session *session,
                        const struct st_wait *wait)
{
    struct st_cause_event taken[ST_TRACER_WAITING_MAX];
    struct st_tracer *tracer = way->tracer;
    if (tracer == NULL || !st_wait_can_read(wait, tracer->told[0]))
        return;
    st_session_hold(session);
    const size_t n = way->waiting_n;
    memcpy(taken, way->waiting, n * sizeof(taken[0]));
    way->waiting_n = 0;
    (void)!read(tracer->told[0], (char[8]){0}, 8);
    st_session_let_go(session);
    name(tracer, taken, n, st_platform_now_ns(tracer->platform) + ASK_NS);
}

int st_tracer_way_find(struct st_tracer_way *way, pid_t tid, int64_t due_ns, int64_t woke_ns,
                       struct st_trace_culprit *ret)
{
    struct st_tracer *tracer = way->tracer;
    if (tracer == NULL || tracer->module == NULL)
        return -ENOTSUP;
    read_ring(tracer);
    const int r = st_cpu_trace_find_culprit(tracer->events, tracer->events_n, (int)tid,
                                            ST_CAUSE_RUN_QUEUE, due_ns, woke_ns, ret);
    if (r == 0)
        st_cpu_trace_complete_name(tracer->platform, ret);
    return r;
}

const struct st_trace_event *st_tracer_way_freeze(struct st_tracer_way *way, size_t *ret_n)
{
    struct st_tracer *tracer = way->tracer;
    size_t first = 0;
    *ret_n = 0;
    if (tracer == NULL || tracer->module == NULL)
        return NULL;
    read_ring(tracer);
    const int64_t from_ns = st_platform_now_ns(tracer->platform) - FROZEN_NS;
    while (first < tracer->events_n && tracer->events[first].at_ns < from_ns)
        first++;
    *ret_n = tracer->events_n - first;
    return tracer->events + first;
}

void st_tracer_way_use(struct st_tracer_way *way, struct st_tracer *tracer, const char *why)
{
    /* The old tracer names the culprits that its own trace shows. Because of this time limit it
     * does not ask the system's daemon any more. */
    if (way->tracer != NULL)
        name(way->tracer, way->waiting, way->waiting_n, INT64_MIN);
    way->waiting_n = 0;
    way->tracer = tracer;
    st_causes_set_untraced(way->causes, tracer != NULL ? "" : why);
}
