/* Starts and ends the threads of a measurement. */
#include "measure/session.h"

#include <pthread.h>
#include <signal.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "core/tick.h"
#include "measure/drain.h"
#include "platform/posix/posix.h"
#include "platform/tree.h"

#define DRAIN_EVERY_NS INT64_C(250000000)
/* time of samples that the ring holds: no sample is lost if the drain thread is late by less */
#define RING_SPAN_NS      ST_NS_PER_MINUTE
#define PERIOD_MIN_NS     (50 * ST_NS_PER_US)
#define PERIOD_MAX_NS     (10 * ST_NS_PER_S)
#define LOAD_MAX_PERCENT  90.0
#define WARMUP_CYCLES_MIN 2
#define STACK_BYTES       (256 * 1024)
#define STACK_TOUCH       (32 * 1024)

/* The state of a synthetic callback: a recursive filter, in which each value depends on the
 * previous one. */
struct load {
    float state;
    uint64_t rounds;
};

struct st_session {
    struct st_platform *platform;
    struct st_session_config config;
    struct st_loop loop;
    struct st_ring ring;
    struct load load;
    struct st_drain drain;
    struct st_result result; /* protected by mutex while the session runs */
    struct st_counters_handle counters;
    pthread_t loop_thread, drain_thread;
    bool loop_started, drain_started;
    bool prepared; /* the loop's thread has set what the drain reads; protected by mutex */
    bool ended;    /* the loop has ended; protected by mutex */
    _Atomic int tid;
    pthread_mutex_t mutex;
    pthread_cond_t wake_drain;   /* signalled when `ended` is set */
    pthread_cond_t wake_waiting; /* signalled when `over` is set */
    bool over;                   /* the drain thread has ended its work; protected by mutex */
    _Atomic uint64_t drains_n;
    enum st_lock lock;
    int lock_error;
};

void st_session_defaults(struct st_session_config *config)
{
    *config = (struct st_session_config){
        .frames = 128,
        .rate_hz = 48000,
        .cpu = -1,
        .policy = ST_POLICY_FIFO,
        .priority = 70,
        .warmup_cycles = 200,
        .warmup_max_ns = ST_NS_PER_S,
        .timer_slack_ns = -1,
        .lock_memory = true,
    };
}

int64_t st_session_cause_above_ns(const struct st_session_config *config)
{
    struct st_period period;
    if (config->cause_above_ns > 0 || st_period_init(&period, config->frames, config->rate_hz) != 0)
        return config->cause_above_ns;
    return st_period_ns(&period) / 2;
}

static void add_condition(void *ctx, const char *key, const char *value)
{
    struct st_result *result = ctx;
    if (result->conditions_n == ST_RESULT_CONDITIONS_MAX)
        return;
    struct st_test_condition *c = &result->conditions[result->conditions_n++];
    ST_PRINT(c->key, "%s", key);
    ST_PRINT(c->value, "%s", value);
}

/* Touches the stack of the loop's thread, so that it causes no page faults while the loop runs. */
static void touch_stack(void)
{
    volatile char stack[STACK_TOUCH];
    for (size_t i = 0; i < sizeof(stack); i += 512)
        stack[i] = 0;
}

/* --- the synthetic callback --- */

static void run_load(void *ctx) ST_NONBLOCKING
{
    struct load *load = ctx;
    for (uint64_t i = 0; i < load->rounds; i++)
        load->state = 0.9f * load->state + 0.1f;
}

/* Finds how many rounds of the synthetic callback take load_percent of the period on this CPU at
 * its current clock. Takes about 10 ms. */
static void calibrate_load(struct load *load, struct st_platform *platform,
                           const struct st_period *period, double load_percent)
{
    enum { BATCHES = 20, ROUNDS = 100000 };
    *load = (struct load){.rounds = ROUNDS};
    int64_t best_ns = INT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        const int64_t start_ns = st_platform_now_ns(platform);
        run_load(load);
        const int64_t ns = st_platform_now_ns(platform) - start_ns;
        best_ns = ST_MIN(ns, best_ns);
    }
    if (best_ns <= 0)
        best_ns = ROUNDS;
    const double want_ns = (double)st_period_ns(period) * load_percent / 100.0;
    load->rounds = (uint64_t)(want_ns * (double)ROUNDS / (double)best_ns) + 1;
}

/* --- the threads --- */

/* Sets the requested policy and priority of the loop's thread. If the kernel refuses them, calls
 * config->on_refused. Stores in *result the policy that the thread has at the end. */
static void become_real_time(struct st_session *session, struct st_result *result)
{
    static const char *const names[] = {[ST_POLICY_FIFO] = "FIFO", [ST_POLICY_RR] = "RR"};
    struct st_platform *platform = session->platform;
    const struct st_session_config *config = &session->config;
    enum st_policy policy = ST_POLICY_OTHER;
    int r = 0, priority = 0;
    if (platform->get_policy(platform, &policy, &priority) == 0 && policy == ST_POLICY_OTHER)
        /* Ends SCHED_BATCH, which the thread has inherited (st_posix_give_way). */
        (void)platform->set_policy(platform, ST_POLICY_OTHER, 0);
    if (config->policy != ST_POLICY_OTHER)
        r = platform->set_policy(platform, config->policy, config->priority);
    const bool content =
        r == 0 || (config->on_refused != NULL &&
                   config->on_refused(config->on_refused_ctx, platform->thread_id(platform),
                                      config->priority) == 0);
    if (platform->get_policy(platform, &policy, &priority) == 0) {
        result->policy = policy;
        result->priority = priority;
    }
    if (content)
        return;
    const char *got = "without real-time priority";
    if (policy != ST_POLICY_OTHER)
        got = st_text("with SCHED_%s %d", names[policy], priority);
    st_result_degrade(result,
                      "no right to real-time priority SCHED_%s %d (%s): the timing test runs %s",
                      names[config->policy], config->priority, strerror(-r), got);
}

static void prepare(struct st_session *session)
{
    struct st_platform *p = session->platform;
    const struct st_session_config *config = &session->config;
    const int cpu = config->cpu;
    pthread_mutex_lock(&session->mutex);
    /* Works on a copy of the result, and writes it back below. The drain thread cannot change the
     * result in between, since it counts nothing before the loop runs. */
    struct st_result found = session->result;
    pthread_mutex_unlock(&session->mutex);

    atomic_store_explicit(&session->tid, (int)p->thread_id(p), memory_order_relaxed);
    (void)p->set_name(p, "st-loop");
    if (cpu >= 0) {
        const int r = p->pin(p, cpu);
        if (r != 0)
            st_result_degrade(&found, "cannot pin to CPU %d (%s)", cpu, strerror(-r));
    }
    if (config->timer_slack_ns >= 0) {
        const int r = p->set_timer_slack_ns(p, config->timer_slack_ns);
        if (r != 0)
            st_result_degrade(&found, "cannot set the timer slack (%s)", strerror(-r));
        else
            found.timer_slack_set_ns = config->timer_slack_ns;
    }
    touch_stack();
    if (p->counters_open(p, &session->counters) == 0) {
        /* read once now, since the first reading may cause page faults */
        struct st_thread_counters first;
        (void)p->counters_self(p, &session->counters, &first);
        session->loop.counters = &session->counters;
    }
    if (config->load_percent > 0) {
        calibrate_load(&session->load, p, &session->loop.period, config->load_percent);
        session->loop.callback = run_load;
        session->loop.callback_ctx = &session->load;
    }
    become_real_time(session, &found);
    if (session->lock_error != 0)
        st_result_degrade(&found, "the test's memory is not locked (%s)",
                          strerror(-session->lock_error));
    p->conditions(p, cpu, add_condition, &found);
    add_condition(&found, "wait", session->loop.precise_wait ? "precise" : "plain");
    if (config->stress != NULL)
        add_condition(&found, "stress", config->stress);

    pthread_mutex_lock(&session->mutex);
    found.lock = session->lock;
    found.started_wall_ns = st_platform_wall_ns(p);
    session->result = found;
    session->prepared = true;
    pthread_mutex_unlock(&session->mutex);
    st_text_forget(); /* frees the texts of the conditions */
}

static void *run_loop(void *arg)
{
    struct st_session *session = arg;
    struct st_platform *platform = session->platform;
    /* Waits until st_session_start has started both threads and locked memory. */
    pthread_mutex_lock(&session->mutex);
    pthread_mutex_unlock(&session->mutex);
    prepare(session);
    const int r = st_loop_run(&session->loop);
    /* give up real-time priority before any call that may take long */
    (void)platform->set_policy(platform, ST_POLICY_OTHER, 0);

    pthread_mutex_lock(&session->mutex);
    session->result.error = r;
    session->ended = true;
    pthread_cond_signal(&session->wake_drain);
    pthread_mutex_unlock(&session->mutex);
    return NULL;
}

static int read_number(struct st_platform *machine, const char *key, int64_t lowest,
                       int64_t highest, int64_t *ret)
{
    char text[32];
    size_t len;
    const int r = machine->read_sysctl(machine, key, text, sizeof(text), &len);
    if (r != 0)
        return r;
    return st_number_i64(text, lowest, highest, ret);
}

/* The longest time that FreeBSD's kernel may add to a sleep until the next period (ns), as in the
 * rules freebsd-eventtimer and freebsd-alloweddeviation; 0 on other systems. */
static int64_t stretch_ns(struct st_platform *machine, const struct st_loop *loop)
{
    int64_t hz, periodic, mul, precise, percent;
    struct st_tick_late late;
    if (read_number(machine, "kern.hz", 1, ST_TICK_HZ_MAX, &hz) != 0 ||
        read_number(machine, "kern.eventtimer.periodic", 0, 1, &periodic) != 0)
        return 0;
    if (periodic == 1 &&
        read_number(machine, "kern.eventtimer.singlemul", 1, ST_TICK_HZ_MAX, &mul) == 0)
        return ST_NS_PER_S / (hz * st_tick_singlemul(hz, mul));
    const int r = read_number(machine, "kern.timecounter.nanosleep_precise", 0, 1, &precise);
    if (periodic == 1 || loop->precise_wait || (r != 0 && r != -ENOENT) ||
        (r == 0 && precise == 1) ||
        read_number(machine, "kern.timecounter.alloweddeviation", 1, INT32_MAX, &percent) != 0 ||
        st_tick_late(percent, hz, (double)st_period_ns(&loop->period), &late) != 0)
        return 0;
    return (int64_t)late.max_ns;
}

/* Drains the ring once. Call with the mutex held. @return true: the loop has ended and the last
 * words were drained. */
static bool drain(struct st_session *session)
{
    int64_t *stretched_ns = &session->drain.late.machine.stretch_ns;
    const int64_t now_ns = stretch_ns(session->platform, &session->loop);
    /* if the user changed kern.timecounter or kern.eventtimer since the last drain, the wake-ups
     * since that drain are judged with the larger of the two values */
    if (now_ns > *stretched_ns)
        *stretched_ns = now_ns;
    st_drain_step(&session->drain);
    *stretched_ns = now_ns;
    if (!session->ended) {
        if (session->prepared)
            st_drain_baseline(&session->drain);
        return false;
    }
    st_drain_finish(&session->drain);
    session->result.running = false;
    session->result.interrupted =
        session->loop.max_periods != 0 && session->loop.elapsed_periods < session->loop.max_periods;
    if (session->loop.counters != NULL)
        session->platform->counters_close(session->platform, &session->counters);
    return true;
}

static void *run_drain(void *arg)
{
    struct st_session *session = arg;
    sigset_t continued;
    sigemptyset(&continued);
    sigaddset(&continued, SIGCONT);
    /* lets this thread receive SIGCONT, by which platform->pauses() notices that the process was
     * stopped */
    (void)pthread_sigmask(SIG_UNBLOCK, &continued, NULL);
    (void)session->platform->set_name(session->platform, "st-drain");
    const int64_t every_ns =
        session->config.drain_every_ns > 0 ? session->config.drain_every_ns : DRAIN_EVERY_NS;
    pthread_mutex_lock(&session->mutex);
    while (!drain(session)) {
        st_text_forget();
        atomic_fetch_add_explicit(&session->drains_n, 1, memory_order_relaxed);
        const struct timespec until = st_ns_to_timespec(st_posix_now_ns(NULL) + every_ns);
        (void)pthread_cond_timedwait(&session->wake_drain, &session->mutex, &until);
    }
    session->over = true;
    pthread_cond_broadcast(&session->wake_waiting);
    pthread_mutex_unlock(&session->mutex);
    st_text_forget();
    return NULL;
}

static void ask_machine(struct st_platform *machine, struct st_cause_machine *ret)
{
    bool yes;
    int64_t period_us, runtime_us;
    *ret = (struct st_cause_machine){.virtualised = -1};
    if (st_tree_virtualised(machine, &yes) == 0)
        ret->virtualised = yes;
    if (read_number(machine, "kernel.sched_rt_period_us", 0, INT64_MAX / ST_NS_PER_US,
                    &period_us) == 0 &&
        read_number(machine, "kernel.sched_rt_runtime_us", 1, INT64_MAX / ST_NS_PER_US,
                    &runtime_us) == 0 &&
        period_us > runtime_us)
        ret->rt_hole_ns = (period_us - runtime_us) * ST_NS_PER_US;
}

/* Number of warm-up cycles: config->warmup_cycles, or as many as fit into warmup_max_ns. Without
 * that limit, long periods would make warm-up take a minute. */
static uint64_t warmup_cycles(const struct st_session_config *config, int64_t period_ns)
{
    const uint64_t fit = (uint64_t)(config->warmup_max_ns / period_ns),
                   most = ST_MAX(fit, WARMUP_CYCLES_MIN);
    if (config->warmup_max_ns <= 0)
        return config->warmup_cycles;
    return ST_MIN(most, config->warmup_cycles);
}

static int init(struct st_session *session)
{
    const struct st_session_config *config = &session->config;
    struct st_platform *p = session->platform;
    struct st_result *result = &session->result;
    struct st_loop *loop = &session->loop;
    struct st_cause_machine machine;
    loop->platform = p;
    loop->ring = &session->ring;
    int r = st_period_init(&loop->period, config->frames, config->rate_hz);
    if (r != 0)
        return r;
    const int64_t period_ns = st_period_ns(&loop->period);
    if (period_ns < PERIOD_MIN_NS || period_ns > PERIOD_MAX_NS)
        return -ERANGE;
    loop->warmup_cycles = warmup_cycles(config, period_ns);
    if (config->duration_ns > 0)
        loop->max_periods = st_period_index_at(&loop->period, 0, config->duration_ns - 1) + 1;
    loop->cause_above_ns = st_session_cause_above_ns(config);
    loop->precise_wait = config->precise_wait && p->sleep_until_precise_ns(p, 0) != -ENOTSUP;

    const uint64_t words_a_cycle = 1 + (config->load_percent > 0);
    r = st_ring_init(&session->ring, ((uint64_t)(RING_SPAN_NS / period_ns) + 64) * words_a_cycle);
    if (r != 0)
        return r;
    *result = (struct st_result){
        .period = loop->period,
        .frames = config->frames,
        .rate_hz = config->rate_hz,
        .warmup_cycles = loop->warmup_cycles,
        .cpu = config->cpu,
        .load_percent = config->load_percent,
        .timer_slack_set_ns = -1,
        .running = true,
        .cause_above_ns = loop->cause_above_ns,
        .cpu_ns_per_cycle = -1,
        .faults_n = -1,
        .books_balance = true,
    };
    ask_machine(p, &machine);
    machine.stretch_ns = stretch_ns(p, loop);
    r = st_result_init(result, config->duration_ns == 0);
    if (r == 0)
        st_drain_init(&session->drain, loop, result, config->sink, &machine);
    return r;
}

/* Starts the threads, which wait for the mutex that the caller holds. Only the drain thread handles
 * SIGCONT: the signal is blocked in the caller from now on, and so in the loop's thread. */
static int start_threads(struct st_session *session)
{
    sigset_t continued;
    sigemptyset(&continued);
    sigaddset(&continued, SIGCONT);
    (void)pthread_sigmask(SIG_BLOCK, &continued, NULL);
    int r = st_posix_thread_start(&session->loop_thread, STACK_BYTES, run_loop, session);
    session->loop_started = r == 0;
    if (r == 0)
        r = st_posix_thread_start(&session->drain_thread, STACK_BYTES, run_drain, session);
    session->drain_started = r == 0;
    return r;
}

int st_session_start(struct st_platform *platform, const struct st_session_config *config,
                     struct st_session **ret)
{
    if (!(config->load_percent >= 0 && config->load_percent <= LOAD_MAX_PERCENT))
        return -ERANGE;
    if (config->duration_ns < 0)
        return -EINVAL;
    struct st_session *session = aligned_alloc(ST_CACHE_LINE_BYTES, sizeof(*session));
    if (session == NULL)
        return -ENOMEM;
    memset(session, 0, sizeof(*session));
    session->platform = platform;
    session->config = *config;
    pthread_mutex_init(&session->mutex, NULL);
    int r = st_posix_condition_init(&session->wake_drain);
    if (r == 0)
        r = st_posix_condition_init(&session->wake_waiting);
    if (r == 0)
        r = init(session);
    if (r == 0) {
        /* Memory is locked after everything that the loop needs was allocated, including its
         * stack. */
        pthread_mutex_lock(&session->mutex);
        r = start_threads(session);
        if (r == 0 && config->lock_memory)
            session->lock_error = platform->lock_memory(platform, &session->lock);
        pthread_mutex_unlock(&session->mutex);
    }
    if (r != 0) {
        st_session_ask_stop(session);
        st_session_join(session);
        st_session_free(session);
        return r;
    }
    *ret = session;
    return 0;
}

void st_session_ask_stop(struct st_session *session)
{
    atomic_store_explicit(&session->loop.stop, true, memory_order_relaxed);
}

void st_session_release(struct st_session *session)
{
    struct st_platform *platform = session->platform;
    const int tid = st_session_tid(session);
    if (tid == 0)
        return;
    (void)platform->demote(platform, tid);
    (void)platform->unpin(platform, tid);
}

bool st_session_wait(struct st_session *session, int64_t timeout_ns)
{
    const struct timespec until = st_ns_to_timespec(st_ns_add(st_posix_now_ns(NULL), timeout_ns));
    pthread_mutex_lock(&session->mutex);
    int r = 0;
    while (!session->over && r == 0)
        r = pthread_cond_timedwait(&session->wake_waiting, &session->mutex, &until);
    const bool over = session->over;
    pthread_mutex_unlock(&session->mutex);
    return over;
}

void st_session_join(struct st_session *session)
{
    if (session->loop_started)
        pthread_join(session->loop_thread, NULL);
    session->loop_started = false;
    if (session->drain_started)
        pthread_join(session->drain_thread, NULL);
    session->drain_started = false;
}

void st_session_free(struct st_session *session)
{
    if (session == NULL)
        return;
    st_ring_finish(&session->ring);
    st_result_finish(&session->result);
    pthread_cond_destroy(&session->wake_drain);
    pthread_cond_destroy(&session->wake_waiting);
    pthread_mutex_destroy(&session->mutex);
    free(session);
}

int st_session_result(struct st_session *session, struct st_result *ret)
{
    pthread_mutex_lock(&session->mutex);
    const int r = st_result_copy(ret, &session->result);
    pthread_mutex_unlock(&session->mutex);
    if (r == 0 && ret->running && ret->elapsed_periods > 0)
        ret->duration_ns = st_period_due_ns(&ret->period, 0, ret->elapsed_periods);
    return r;
}

uint64_t st_session_heartbeat(const struct st_session *session)
{
    return atomic_load_explicit(&session->loop.cycles_seen, memory_order_relaxed);
}

int64_t st_session_due_ns(struct st_session *session)
{
    const struct st_result *result = &session->result;
    int64_t due_ns = INT64_MIN;
    pthread_mutex_lock(&session->mutex);
    if (session->drain.counting)
        due_ns = st_period_due_ns(&result->period, result->t0_ns, result->elapsed_periods);
    pthread_mutex_unlock(&session->mutex);
    return due_ns;
}

pid_t st_session_tid(const struct st_session *session)
{
    return atomic_load_explicit(&session->tid, memory_order_relaxed);
}

uint64_t st_session_drains(const struct st_session *session)
{
    return atomic_load_explicit(&session->drains_n, memory_order_relaxed);
}

void st_session_hold(struct st_session *session)
{
    if (session != NULL)
        pthread_mutex_lock(&session->mutex);
}

void st_session_let_go(struct st_session *session)
{
    if (session != NULL)
        pthread_mutex_unlock(&session->mutex);
}
