/* A measurement with its threads. */
#include "measure/session.h"

#include <pthread.h>
#include <signal.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "core/tick.h"
#include "measure/drain.h"
#include "measure/loop.h"
#include "platform/posix/posix.h"

#define DRAIN_EVERY_NS    INT64_C(250000000)
#define RING_SPAN_NS      (60 * ST_NS_PER_S) /* a stall of the drain thread that loses nothing */
#define PERIOD_MIN_NS     (50 * ST_NS_PER_US)
#define PERIOD_MAX_NS     (10 * ST_NS_PER_S)
#define LOAD_MAX_PERCENT  90.0
#define LOAD_SAMPLES      64
#define WARMUP_CYCLES_MIN 2
#define STACK_BYTES       (256 * 1024)
#define STACK_TOUCH       (32 * 1024)

/* A synthetic DSP load: a chain of biquad filters over a small buffer; `rounds` passes are one callback. */
struct load {
    float samples[LOAD_SAMPLES];
    float state[4];
    uint64_t rounds;
};

/* One loop with everything around it. */
struct lane {
    struct st_session *session;
    size_t index;
    struct st_loop loop;
    struct st_ring ring;
    struct load load;
    struct st_drain drain;
    struct st_result result; /* under session->mutex while the session runs */
    struct st_counters_handle counters;
    bool counters_open;
    pthread_t thread;
    bool started;
    bool prepared; /* under session->mutex: its thread has set what the drain reads of it */
    bool ended;    /* under session->mutex */
    bool drained;
    _Atomic int tid;
};

struct st_session {
    struct st_platform *platform;
    struct st_session_config config;
    struct st_sink *sinks;
    struct lane *lanes;
    pthread_mutex_t mutex;
    pthread_cond_t wake_drain;   /* a loop has ended */
    pthread_cond_t wake_waiting; /* it is over */
    pthread_t drain_thread;
    bool drain_started;
    bool over; /* drain thread done; under mutex */
    _Atomic uint64_t drains_n;
    enum st_lock lock;
    int lock_error;
};

void st_session_defaults(struct st_session_config *config)
{
    *config = (struct st_session_config){
        .frames = 128,
        .rate_hz = 48000,
        .cpus = {-1},
        .cpus_n = 1,
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

/* Cost of one clock read: the least of batches, so that a preemption does not count. */
static int64_t clock_read_cost_ns(struct st_platform *platform)
{
    enum { BATCHES = 32, READS = 64 };
    int64_t best_ns = INT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        const int64_t start_ns = st_platform_now_ns(platform);
        for (int j = 0; j < READS; j++)
            (void)st_platform_now_ns(platform);
        const int64_t read_ns = (st_platform_now_ns(platform) - start_ns) / (READS + 1);
        best_ns = ST_MIN(best_ns, read_ns);
    }
    return best_ns;
}

/* The loop's stack must not fault later. */
static void touch_stack(void)
{
    volatile char stack[STACK_TOUCH];
    for (size_t i = 0; i < sizeof(stack); i += 512)
        stack[i] = 0;
}

/* --- the load --- */

static void one_round(struct load *load) ST_NONBLOCKING
{
    /* low-pass biquad (direct form II transposed), stable: the values stay in the range of the input */
    const float b0 = 0.067455f, b1 = 0.134911f, b2 = 0.067455f, a1 = -1.142980f, a2 = 0.412802f;
    float z1 = load->state[0], z2 = load->state[1];
    ST_EACH (sample, load->samples) {
        const float in = *sample;
        const float out = b0 * in + z1;
        z1 = b1 * in - a1 * out + z2;
        z2 = b2 * in - a2 * out;
        *sample = 0.5f * in + 0.5f * out;
    }
    load->state[0] = z1;
    load->state[1] = z2;
    load->samples[0] = 1.0f; /* keeps it from decaying into denormals */
}

static void run_load(void *ctx) ST_NONBLOCKING
{
    struct load *load = ctx;
    for (uint64_t i = 0; i < load->rounds; i++)
        one_round(load);
}

/* Finds how many rounds take load_percent of the period on this CPU at its speed of the moment: takes about
 * 10 ms. */
static void calibrate_load(struct load *load, struct st_platform *platform, const struct st_period *period,
                           double load_percent)
{
    enum { BATCHES = 20, ROUNDS = 1000 };
    memset(load, 0, sizeof(*load));
    int64_t best_ns = INT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        load->rounds = ROUNDS;
        const int64_t start_ns = st_platform_now_ns(platform);
        run_load(load);
        const int64_t ns = st_platform_now_ns(platform) - start_ns;
        if (ns < best_ns)
            best_ns = ns;
    }
    const double per_round_ns = best_ns > 0 ? (double)best_ns / (double)ROUNDS : 1.0;
    const double want_ns = st_period_seconds(period) * (double)ST_NS_PER_S * load_percent / 100.0;
    load->rounds = (uint64_t)(want_ns / per_round_ns) + 1;
}

/* --- the threads --- */

/* Sets the policy asked for, or what on_refused gets, or none, and stores it in the result. */
static void become_real_time(struct lane *lane, struct st_result *result)
{
    struct st_session *session = lane->session;
    struct st_platform *platform = session->platform;
    const struct st_session_config *config = &session->config;
    enum st_policy policy = ST_POLICY_OTHER;
    int r = 0, priority = 0;
    if (platform->get_policy(platform, &policy, &priority) == 0 && policy == ST_POLICY_OTHER)
        (void)platform->set_policy(platform, ST_POLICY_OTHER,
                                   0); /* no longer SCHED_BATCH (st_posix_give_way) */
    if (config->policy != ST_POLICY_OTHER)
        r = platform->set_policy(platform, config->policy, config->priority);
    const bool content = r == 0 || (config->on_refused != NULL &&
                                    config->on_refused(config->on_refused_ctx, platform->thread_id(platform),
                                                       config->priority) == 0);
    if (platform->get_policy(platform, &policy, &priority) == 0) {
        result->policy = policy;
        result->priority = priority;
    }
    if (content)
        return;
    char got[32] = "as a normal thread";
    if (policy != ST_POLICY_OTHER)
        ST_PRINT(got, "with SCHED_%s %d", policy == ST_POLICY_FIFO ? "FIFO" : "RR", priority);
    st_result_degrade(result, "no right to SCHED_%s at priority %d (%s): runs %s",
                      config->policy == ST_POLICY_FIFO ? "FIFO" : "RR", config->priority, strerror(-r), got);
}

static void prepare(struct lane *lane)
{
    struct st_session *session = lane->session;
    struct st_platform *p = session->platform;
    const struct st_session_config *config = &session->config;
    const int cpu = config->cpus[lane->index];
    pthread_mutex_lock(&session->mutex);
    struct st_result found =
        lane->result; /* the drain counts nothing before the loop runs, so no update is lost */
    pthread_mutex_unlock(&session->mutex);

    atomic_store_explicit(&lane->tid, (int)p->thread_id(p), memory_order_relaxed);
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
    lane->counters_open = p->counters_open(p, &lane->counters) == 0;
    if (lane->counters_open) {
        struct st_thread_counters first; /* the first call may fault */
        (void)p->counters_self(p, &lane->counters, &first);
        lane->loop.counters = &lane->counters;
    }
    found.clock_read_ns = clock_read_cost_ns(p);
    if (config->load_percent > 0) {
        calibrate_load(&lane->load, p, &lane->loop.period, config->load_percent);
        lane->loop.callback = run_load;
        lane->loop.callback_ctx = &lane->load;
    }
    become_real_time(lane, &found);
    if (session->lock_error != 0)
        st_result_degrade(&found, "memory is not locked (%s)", strerror(-session->lock_error));
    p->conditions(p, cpu, add_condition, &found);
    add_condition(&found, "wait", lane->loop.precise_wait ? "precise" : "plain");
    if (config->stress != NULL)
        add_condition(&found, "stress", config->stress);

    pthread_mutex_lock(&session->mutex);
    found.lock = session->lock;
    found.started_wall_ns = st_platform_wall_ns(p);
    lane->result = found;
    lane->prepared = true;
    pthread_mutex_unlock(&session->mutex);
}

static void *loop_thread(void *arg)
{
    struct lane *lane = arg;
    struct st_session *session = lane->session;
    struct st_platform *platform = session->platform;
    pthread_mutex_lock(&session->mutex); /* until all threads are there and memory is locked */
    pthread_mutex_unlock(&session->mutex);
    prepare(lane);
    const int r = st_loop_run(&lane->loop);
    (void)platform->set_policy(platform, ST_POLICY_OTHER, 0); /* before anything slow */

    pthread_mutex_lock(&session->mutex);
    lane->result.error = r;
    lane->ended = true;
    pthread_cond_signal(&session->wake_drain);
    pthread_mutex_unlock(&session->mutex);
    return NULL;
}

static int read_number(struct st_platform *machine, const char *key, int64_t lowest, int64_t highest,
                       int64_t *ret)
{
    char text[32];
    size_t len;
    const int r = machine->read_sysctl(machine, key, text, sizeof(text), &len);
    return r != 0 ? r : st_number_i64(text, lowest, highest, ret);
}

/* What FreeBSD's kernel may add to a sleep until the next period: rules freebsd-eventtimer and
 * freebsd-alloweddeviation. */
static int64_t stretch_ns(struct st_platform *machine, const struct st_loop *loop)
{
    int64_t hz, periodic, mul, precise, percent;
    struct st_tick_late late;
    if (read_number(machine, "kern.hz", 1, ST_TICK_HZ_MAX, &hz) != 0 ||
        read_number(machine, "kern.eventtimer.periodic", 0, 1, &periodic) != 0)
        return 0;
    if (periodic == 1)
        return read_number(machine, "kern.eventtimer.singlemul", 1, ST_TICK_HZ_MAX, &mul) == 0
                   ? ST_NS_PER_S / (hz * st_tick_singlemul(hz, mul))
                   : 0;
    const int r = read_number(machine, "kern.timecounter.nanosleep_precise", 0, 1, &precise);
    if (loop->precise_wait || (r != 0 && r != -ENOENT) || (r == 0 && precise == 1))
        return 0;
    return read_number(machine, "kern.timecounter.alloweddeviation", 1, INT32_MAX, &percent) == 0 &&
                   st_tick_late(percent, hz, (double)st_period_ns(&loop->period), &late) == 0
               ? (int64_t)late.max_ns
               : 0;
}

/* One drain of every loop. @return true when all have ended and were drained to the last word. Under the
 * mutex. */
static bool drain_all(struct st_session *session)
{
    bool over = true;
    ST_EACH_OF (lane, session->lanes, session->config.cpus_n) {
        int64_t *stretched_ns = &lane->drain.late.machine.stretch_ns;
        if (lane->drained)
            continue;
        const int64_t now_ns = stretch_ns(session->platform, &lane->loop);
        if (now_ns > *stretched_ns) /* a change since the last drain: the longer one explains more */
            *stretched_ns = now_ns;
        st_drain_step(&lane->drain);
        *stretched_ns = now_ns;
        if (!lane->ended) {
            if (lane->prepared)
                st_drain_baseline(&lane->drain);
            over = false;
            continue;
        }
        lane->drained = true;
        st_drain_finish(&lane->drain);
        lane->result.running = false;
        lane->result.interrupted =
            lane->loop.max_periods != 0 && lane->loop.elapsed_periods < lane->loop.max_periods;
        if (lane->counters_open)
            session->platform->counters_close(session->platform, &lane->counters);
    }
    return over;
}

static void *drain_thread(void *arg)
{
    struct st_session *session = arg;
    sigset_t continued;
    sigemptyset(&continued);
    sigaddset(&continued, SIGCONT);
    (void)pthread_sigmask(SIG_UNBLOCK, &continued, NULL); /* pauses() */
    (void)session->platform->set_name(session->platform, "st-drain");
    const int64_t every_ns =
        session->config.drain_every_ns > 0 ? session->config.drain_every_ns : DRAIN_EVERY_NS;
    pthread_mutex_lock(&session->mutex);
    while (!drain_all(session)) {
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
    *ret = (struct st_cause_machine){.virtualised = machine->virtualised(machine, &yes) == 0 ? yes : -1};
    if (read_number(machine, "kernel.sched_rt_period_us", 0, INT64_MAX / ST_NS_PER_US, &period_us) == 0 &&
        read_number(machine, "kernel.sched_rt_runtime_us", 1, INT64_MAX / ST_NS_PER_US, &runtime_us) == 0 &&
        period_us > runtime_us)
        ret->rt_hole_ns = (period_us - runtime_us) * ST_NS_PER_US;
}

/* With long cycles, warm-up must not take a minute. */
static uint64_t warmup_cycles(const struct st_session_config *config, int64_t period_ns)
{
    const uint64_t fit = (uint64_t)(config->warmup_max_ns / period_ns);
    const uint64_t most = fit > WARMUP_CYCLES_MIN ? fit : WARMUP_CYCLES_MIN;
    return config->warmup_max_ns > 0 && most < config->warmup_cycles ? most : config->warmup_cycles;
}

static int init_lane(struct st_session *session, size_t i, const struct st_cause_machine *machine)
{
    const struct st_session_config *config = &session->config;
    struct st_platform *p = session->platform;
    struct lane *lane = &session->lanes[i];
    struct st_result *result = &lane->result;
    lane->session = session;
    lane->index = i;

    struct st_loop *loop = &lane->loop;
    loop->platform = p;
    loop->ring = &lane->ring;
    int r = st_period_init(&loop->period, config->frames, config->rate_hz);
    if (r != 0)
        return r;
    const int64_t period_ns = st_period_ns(&loop->period);
    if (period_ns < PERIOD_MIN_NS || period_ns > PERIOD_MAX_NS)
        return -ERANGE;
    loop->warmup_cycles = warmup_cycles(config, period_ns);
    loop->max_periods =
        config->duration_ns > 0 ? st_period_index_at(&loop->period, 0, config->duration_ns - 1) + 1 : 0;
    loop->cause_above_ns = st_session_cause_above_ns(config);
    loop->precise_wait = config->precise_wait && p->sleep_until_precise_ns(p, 0) != -ENOTSUP;

    const uint64_t words_a_cycle = config->load_percent > 0 ? 2 : 1;
    r = st_ring_init(&lane->ring, ((uint64_t)(RING_SPAN_NS / period_ns) + 64) * words_a_cycle);
    if (r != 0)
        return r;
    *result = (struct st_result){
        .period = loop->period,
        .frames = config->frames,
        .rate_hz = config->rate_hz,
        .warmup_cycles = loop->warmup_cycles,
        .cpu = config->cpus[i],
        .load_percent = config->load_percent,
        .has_callback = config->load_percent > 0,
        .policy_asked = config->policy,
        .priority_asked = config->priority,
        .timer_slack_set_ns = -1,
        .running = true,
        .ring_words = lane->ring.mask + 1,
        .cause_above_ns = loop->cause_above_ns,
        .cpu_ns_per_cycle = -1,
        .clock_read_ns = -1,
        .faults_minor = -1,
        .faults_major = -1,
        .switches_involuntary = -1,
        .books_balance = true,
    };
    struct st_cause_machine known = *machine;
    known.stretch_ns = stretch_ns(p, loop);
    r = st_result_init(result, config->duration_ns == 0);
    if (r == 0)
        st_drain_init(&lane->drain, loop, result, session->sinks != NULL ? &session->sinks[i] : NULL, &known);
    return r;
}

/* Under the mutex, which the threads wait for. SIGCONT is for the drain thread alone: blocked in the caller
 * from now on, and so in the loops. */
static int start_threads(struct st_session *session)
{
    sigset_t continued;
    sigemptyset(&continued);
    sigaddset(&continued, SIGCONT);
    (void)pthread_sigmask(SIG_BLOCK, &continued, NULL);
    int r = 0;
    for (size_t i = 0; i < session->config.cpus_n && r == 0; i++) {
        struct lane *lane = &session->lanes[i];
        r = st_posix_thread_start(&lane->thread, STACK_BYTES, loop_thread, lane);
        lane->started = r == 0;
    }
    if (r == 0)
        r = st_posix_thread_start(&session->drain_thread, STACK_BYTES, drain_thread, session);
    session->drain_started = r == 0;
    return r;
}

static int check(const struct st_session_config *config)
{
    if (config->cpus_n < 1 || config->cpus_n > ST_SESSION_CPUS_MAX)
        return -EINVAL;
    if (!(config->load_percent >= 0 && config->load_percent <= LOAD_MAX_PERCENT))
        return -ERANGE;
    return config->duration_ns < 0 ? -EINVAL : 0;
}

int st_session_start(struct st_platform *platform, const struct st_session_config *config,
                     struct st_session **ret)
{
    int r = check(config);
    if (r != 0)
        return r;
    struct st_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return -ENOMEM;
    session->platform = platform;
    session->config = *config;
    pthread_mutex_init(&session->mutex, NULL);
    r = st_posix_condition_init(&session->wake_drain);
    if (r == 0)
        r = st_posix_condition_init(&session->wake_waiting);

    struct st_cause_machine machine;
    ask_machine(platform, &machine);
    session->lanes = aligned_alloc(ST_CACHE_LINE_BYTES, config->cpus_n * sizeof(*session->lanes));
    if (session->lanes == NULL)
        r = -ENOMEM;
    else
        memset(session->lanes, 0, config->cpus_n * sizeof(*session->lanes));
    if (r == 0 && config->sinks != NULL) {
        session->sinks = calloc(config->cpus_n, sizeof(*session->sinks));
        if (session->sinks == NULL)
            r = -ENOMEM;
        else
            memcpy(session->sinks, config->sinks, config->cpus_n * sizeof(*session->sinks));
    }
    session->config.sinks = NULL;
    for (size_t i = 0; i < config->cpus_n && r == 0; i++)
        r = init_lane(session, i, &machine);
    if (r == 0) {
        /* Locks memory after all that the loops need is allocated, their stacks included. */
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

static size_t lanes_n(const struct st_session *session)
{
    return session->lanes != NULL ? session->config.cpus_n : 0;
}

void st_session_ask_stop(struct st_session *session)
{
    ST_EACH_OF (lane, session->lanes, lanes_n(session))
        atomic_store_explicit(&lane->loop.stop, true, memory_order_relaxed);
}

void st_session_release(struct st_session *session)
{
    struct st_platform *platform = session->platform;
    ST_EACH_OF (lane, session->lanes, session->config.cpus_n) {
        const int tid = atomic_load_explicit(&lane->tid, memory_order_relaxed);
        if (tid == 0)
            continue;
        (void)platform->demote(platform, tid);
        (void)platform->unpin(platform, tid);
    }
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
    ST_EACH_OF (lane, session->lanes, lanes_n(session)) {
        if (lane->started)
            pthread_join(lane->thread, NULL);
        lane->started = false;
    }
    if (session->drain_started)
        pthread_join(session->drain_thread, NULL);
    session->drain_started = false;
}

void st_session_free(struct st_session *session)
{
    if (session == NULL)
        return;
    ST_EACH_OF (lane, session->lanes, lanes_n(session)) {
        st_ring_finish(&lane->ring);
        st_result_finish(&lane->result);
    }
    pthread_cond_destroy(&session->wake_drain);
    pthread_cond_destroy(&session->wake_waiting);
    pthread_mutex_destroy(&session->mutex);
    free(session->lanes);
    free(session->sinks);
    free(session);
}

int st_session_result(struct st_session *session, size_t i, struct st_result *ret)
{
    pthread_mutex_lock(&session->mutex);
    const int r = st_result_copy(ret, &session->lanes[i].result);
    pthread_mutex_unlock(&session->mutex);
    if (r == 0 && ret->running && ret->elapsed_periods > 0)
        ret->duration_ns = st_period_due_ns(&ret->period, 0, ret->elapsed_periods);
    return r;
}

uint64_t st_session_heartbeat(const struct st_session *session)
{
    return atomic_load_explicit(&session->lanes[0].loop.cycles_seen, memory_order_relaxed);
}

pid_t st_session_tid(const struct st_session *session)
{
    return atomic_load_explicit(&session->lanes[0].tid, memory_order_relaxed);
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
