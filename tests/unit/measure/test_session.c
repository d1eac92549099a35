/* A whole measurement with its threads. Real clock: assertions hold on a machine of any speed. */
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "measure/session.h"
#include "tests/fake/fake.h"
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"

static void run(struct st_session_config *config, struct st_result *ret)
{
    struct st_session *session;
    assert_int_equal(st_session_start(st_platform_native(), config, &session), 0);
    st_session_join(session);
    assert_true(st_session_wait(session, 0));
    assert_int_equal(st_session_result(session, ret), 0);
    if (ret->elapsed_periods > 0) /* skipped and lost ones are among them */
        assert_int_equal(st_session_due_ns(session),
                         st_period_due_ns(&ret->period, ret->t0_ns, ret->elapsed_periods));
    st_session_free(session);
}

/* As a normal thread, without locked memory: needs no rights. */
static void short_config(struct st_session_config *config)
{
    st_session_defaults(config);
    config->policy = ST_POLICY_OTHER;
    config->lock_memory = false;
    config->warmup_cycles = 5;
    config->duration_ns = 100 * ST_NS_PER_MS;
    config->drain_every_ns = 20 * ST_NS_PER_MS;
}

static void session_runs_to_its_end_with_balanced_books(void **state)
{
    struct st_session_config config;
    struct st_result result;
    short_config(&config);
    run(&config, &result);
    assert_true(result.books_balance);
    assert_true(result.elapsed_periods >= 38); /* 100 ms of 2.667 ms: rounded up */
    assert_int_equal(result.cycles + result.skipped_periods, result.elapsed_periods);
    assert_false(result.interrupted);
    assert_false(result.running);
    assert_int_equal(result.policy, ST_POLICY_OTHER);
    assert_true(result.cpu_ns_per_cycle > 0);
    assert_true(result.conditions_n > 3);
    st_result_finish(&result);
}

static void warm_up_is_200_cycles_or_a_second(void **state)
{
    const struct {
        uint32_t frames;
        uint64_t cycles;
        int64_t max_ns;
        uint64_t expected;
    } rows[] = {
        {64, 200, ST_NS_PER_S, 200},     {1024, 200, ST_NS_PER_S, 46}, {16384, 200, ST_NS_PER_S, 2},
        {65536, 200, ST_NS_PER_S, 2},    {16384, 1, ST_NS_PER_S, 1},   {16384, 0, ST_NS_PER_S, 0},
        {1024, 200, 0 /* asked */, 200},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        struct st_session_config config;
        struct st_session *session;
        struct st_result result;
        st_session_defaults(&config);
        assert_int_equal(config.warmup_cycles, 200);
        assert_true(config.warmup_max_ns == ST_NS_PER_S);
        config.policy = ST_POLICY_OTHER;
        config.lock_memory = false;
        config.frames = rows[i].frames;
        config.warmup_cycles = rows[i].cycles;
        config.warmup_max_ns = rows[i].max_ns;
        assert_int_equal(st_session_start(st_platform_native(), &config, &session), 0);
        st_session_ask_stop(session);
        st_session_join(session);
        assert_int_equal(st_session_result(session, &result), 0);
        assert_int_equal(result.warmup_cycles, rows[i].expected);
        result.elapsed_periods = 0;
        result.error = 0;
        if (i == 2) /* it says what it would have taken */
            assert_string_equal(
                st_result_verdict(&result),
                "Nothing was measured: the measurement ended before the first counted period. "
                "Warm-up (2 cycles) takes 682.667 ms.");
        st_result_finish(&result);
        st_session_free(session);
    }
}

static void load_is_in_the_response_time(void **state)
{
    struct st_session_config config;
    struct st_result result;
    short_config(&config);
    config.load_percent = 10;
    run(&config, &result);
    assert_true(result.books_balance);
    assert_true(result.response.min_ns > result.lateness.min_ns);
    st_result_finish(&result);
}

static void a_loop_runs_on_the_cpu_that_was_asked_for(void **state)
{
    struct st_session_config config;
    struct st_platform *p = st_platform_native();
    struct st_result result;
    short_config(&config);
    assert_true(p->cpus_allowed(p, &config.cpu, 1) >= 1);
    run(&config, &result);
    assert_int_equal(result.cpu, config.cpu);
    assert_true(result.books_balance);
    assert_string_equal(result.degraded, "");
    st_result_finish(&result);
}

static void stop_ends_an_endless_run_early_and_keeps_what_it_has(void **state)
{
    struct st_session_config config;
    short_config(&config);
    config.duration_ns = 3600 * ST_NS_PER_S;
    struct st_session *session;
    assert_int_equal(st_session_start(st_platform_native(), &config, &session), 0);
    while (st_session_heartbeat(session) < 30)
        (void)0;
    struct st_result result;
    assert_int_equal(st_session_result(session, &result), 0); /* a look at a run that goes on */
    assert_true(result.running);
    assert_true(result.books_balance);
    st_result_finish(&result);
    assert_true(st_session_tid(session) > 0);
    st_session_ask_stop(session);
    st_session_join(session);
    assert_int_equal(st_session_result(session, &result), 0);
    assert_true(result.interrupted);
    assert_true(result.books_balance);
    assert_true(result.cycles >= 25);
    st_result_finish(&result);
    st_session_free(session);
}

struct seen {
    uint64_t cycles, skipped, next;
    bool in_order;
};

static void wait_for_a_loop_that_does_not_end_has_an_end(void **state)
{
    struct st_platform *p = st_platform_native();
    struct st_session_config config;
    struct st_session *session;
    short_config(&config);
    config.frames = 144000; /* 3 s, in which this thread gets a CPU somewhere */
    config.warmup_cycles = 0;
    config.duration_ns = 0;
    assert_int_equal(st_session_start(p, &config, &session), 0);
    while (st_session_heartbeat(session) == 0)
        (void)p->sleep_until_ns(p, st_platform_now_ns(p) + ST_NS_PER_MS);
    st_session_ask_stop(session);
    assert_false(st_session_wait(session, 20 * ST_NS_PER_MS));
    st_session_release(session);
    assert_true(st_session_wait(session, 60 * ST_NS_PER_S));
    assert_true(st_session_wait(session, 0));
    st_session_join(session);
    st_session_free(session);
}

static void no_period_is_due_while_the_loop_warms_up(void **state)
{
    struct st_session_config config;
    struct st_session *session;
    short_config(&config);
    config.warmup_cycles = 1000000;
    config.duration_ns = 0;
    assert_int_equal(st_session_start(st_platform_native(), &config, &session), 0);
    const int64_t due_ns = st_session_due_ns(session);
    if (st_session_heartbeat(session) < config.warmup_cycles)
        assert_int_equal(due_ns, INT64_MIN);
    st_session_ask_stop(session);
    st_session_join(session);
    st_session_free(session);
}

static void see_cycle(void *ctx, uint64_t index, int64_t lateness_ns, int64_t callback_ns)
{
    struct seen *seen = ctx;
    seen->in_order = seen->in_order && index == seen->next && callback_ns == 0;
    seen->next = index + 1;
    seen->cycles++;
}

static void see_skipped(void *ctx, uint64_t first, uint64_t n, int64_t late_ns)
{
    struct seen *seen = ctx;
    seen->in_order = seen->in_order && first == seen->next && late_ns > 0;
    seen->next += n;
    seen->skipped += n;
}

static void sink_gets_every_period_in_order(void **state)
{
    struct st_session_config config;
    struct st_result result;
    struct seen seen = {.in_order = true};
    const struct st_sink sink = {.cycle = see_cycle, .skipped = see_skipped, .ctx = &seen};
    short_config(&config);
    config.sink = &sink;
    run(&config, &result);
    assert_true(seen.in_order);
    assert_int_equal(seen.cycles, result.cycles);
    assert_int_equal(seen.skipped, result.skipped_periods);
    assert_int_equal(seen.next, result.elapsed_periods);
    st_result_finish(&result);
}

/* The seam of the native platform, with one function refused. */
static int refuse_policy(struct st_platform *platform, enum st_policy policy, int priority)
{
    return policy == ST_POLICY_OTHER ? 0 : -EPERM;
}

static int refuse_lock(struct st_platform *platform, enum st_lock *ret)
{
    return -ENOMEM;
}

static void refused_fifo_and_lock_are_said_in_the_result(void **state)
{
    struct st_platform refusing = *st_platform_native();
    refusing.set_policy = refuse_policy;
    refusing.lock_memory = refuse_lock;
    struct st_session_config config;
    short_config(&config);
    config.policy = ST_POLICY_FIFO;
    config.lock_memory = true;
    struct st_session *session;
    struct st_result result;
    assert_int_equal(st_session_start(&refusing, &config, &session), 0);
    st_session_join(session);
    assert_int_equal(st_session_result(session, &result), 0);
    assert_int_equal(result.policy, ST_POLICY_OTHER);
    assert_int_equal(result.lock, ST_LOCK_NONE);
    assert_has(result.degraded, "SCHED_FIFO");
    assert_has(result.degraded, "; the test's memory is not locked");
    assert_has(st_result_verdict(&result), "without real-time priority");
    st_result_finish(&result);
    st_session_free(session);
}

/* alloweddeviation of a FreeBSD machine below a loop of Linux, whose counters are not read. */
static const char *precise;
static const char *_Atomic deviation_first; /* loop and drain read it */

static int read_freebsd_sysctl(struct st_platform *machine, const char *name, char *buf,
                               size_t buf_bytes, size_t *ret_len)
{
    const char *const deviation = deviation_first;
    const char *const values[][2] = {{"kern.hz", "1000"},
                                     {"kern.eventtimer.periodic", "0"},
                                     {"kern.timecounter.alloweddeviation", deviation},
                                     {"kern.timecounter.nanosleep_precise", precise}};
    ST_EACH (value, values) {
        if (strcmp(name, (*value)[0]) == 0 && (*value)[1] != NULL) {
            *ret_len = (size_t)snprintf(buf, buf_bytes, "%s", (*value)[1]);
            if ((*value)[1] == deviation)
                deviation_first = "50"; /* someone sets it while the loop runs */
            return 0;
        }
    }
    return -ENOENT;
}

static int count_nothing(struct st_platform *platform, const struct st_counters_handle *h,
                         struct st_thread_counters *ret)
{
    *ret = (struct st_thread_counters){0};
    return 0;
}

static void sleeps_that_freebsd_stretches_are_known_by_its_sysctls(void **state)
{
    for (int stretched = 0; stretched < 3; stretched++) {
        struct st_platform freebsd = *st_platform_native();
        freebsd.os = ST_OS_FREEBSD;
        deviation_first = stretched == 2 ? "0" : "50";
        freebsd.read_sysctl = read_freebsd_sysctl;
        freebsd.counters_self = freebsd.counters_other = count_nothing;
        /* before FreeBSD 15 there is no such sysctl */
        precise = (const char *const[]){"1", NULL, "0"}[stretched];
        struct st_session_config config;
        short_config(&config);
        config.cause_above_ns = 1; /* each wake-up, which is less than 2 * 2.3 ms late */
        struct st_session *session;
        struct st_result result;
        assert_int_equal(st_session_start(&freebsd, &config, &session), 0);
        st_session_join(session);
        assert_int_equal(st_session_result(session, &result), 0);
        if (stretched)
            assert_int_not_equal(result.causes[ST_CAUSE_STRETCHED].n, 0);
        else
            assert_int_equal(result.causes[ST_CAUSE_STRETCHED].n, 0);
        st_result_finish(&result);
        st_session_free(session);
    }
}

static int64_t resident_when_locked;

static int64_t resident_bytes(void)
{
    long long all_pages, resident_pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm == NULL)
        return -1; /* FreeBSD */
    assert_int_equal(fscanf(statm, "%lld %lld", &all_pages, &resident_pages), 2);
    fclose(statm);
    return resident_pages * sysconf(_SC_PAGESIZE);
}

static int lock_and_look(struct st_platform *platform, enum st_lock *ret)
{
    resident_when_locked = resident_bytes();
    *ret = ST_LOCK_ON_FAULT;
    return 0;
}

static void memory_is_locked_when_what_the_loop_needs_is_there(void **state)
{
    struct st_platform looking = *st_platform_native();
    looking.lock_memory = lock_and_look;
    struct st_session_config config;
    short_config(&config);
    config.lock_memory = true;
    config.frames = 3; /* 62.5 us: a ring of a minute, 8 MiB */
    config.load_percent = 1;
    struct st_session *session;
    struct st_result result;
    const int64_t before = resident_bytes();
    if (before < 0)
        ST_CANNOT("the memory in use cannot be read");
    assert_int_equal(st_session_start(&looking, &config, &session), 0);
    st_session_ask_stop(session);
    st_session_join(session);
    assert_true(resident_when_locked - before > 6 << 20);
    assert_int_equal(st_session_result(session, &result), 0);
    assert_int_equal(result.lock, ST_LOCK_ON_FAULT);
    st_result_finish(&result);
    st_session_free(session);
}

static atomic_int policy_state; /* 1: the loop's thread sets its policy, 2: it has set it */

static int set_policy_slowly(struct st_platform *platform, enum st_policy policy, int priority)
{
    const struct timespec until_the_start_fails = {.tv_nsec = 20 * ST_NS_PER_MS};
    atomic_store(&policy_state, 1);
    (void)nanosleep(&until_the_start_fails, NULL);
    atomic_store(&policy_state, 2);
    return 0;
}

/* With one thread more each time, until there is one for the loop and none for the drain. */
static bool loop_alone_has_ended(void)
{
    struct st_platform slow = *st_platform_native();
    struct st_session_config config;
    struct st_session *session;
    struct rlimit limit = {.rlim_max = 10};
    int r = -EAGAIN;
    slow.set_policy = set_policy_slowly;
    short_config(&config);
    while (r == -EAGAIN && atomic_load(&policy_state) == 0 && limit.rlim_cur++ < limit.rlim_max) {
        setrlimit(RLIMIT_NPROC, &limit);
        r = st_session_start(&slow, &config, &session);
    }
    return r == -EAGAIN && atomic_load(&policy_state) == 2;
}

static void a_loop_whose_drain_cannot_start_has_ended(void **state)
{
    int status = 0;
    if (geteuid() != 0 || st_platform_native()->os != ST_OS_LINUX)
        ST_CANNOT("needs root, and a limit that counts threads");
    const pid_t child = fork();
    if (child == 0) /* as a user without other processes */
        _exit(setuid(20000 + (uid_t)getpid() % 40000) != 0 ? 77 : !loop_alone_has_ended());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        ST_CANNOT("there is no other user");
    assert_int_equal(status, 0);
}

static void settings_out_of_range_are_refused(void **state)
{
    struct st_session_config config;
    struct st_session *session = NULL;
    short_config(&config);
    config.frames = 1; /* 1.3 us at 768 kHz */
    config.rate_hz = 768000;
    assert_int_equal(st_session_start(st_platform_native(), &config, &session), -ERANGE);
    short_config(&config);
    config.load_percent = 91;
    assert_int_equal(st_session_start(st_platform_native(), &config, &session), -ERANGE);
    short_config(&config);
    config.duration_ns = -1;
    assert_int_equal(st_session_start(st_platform_native(), &config, &session), -EINVAL);
    assert_null(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warm_up_is_200_cycles_or_a_second),
        cmocka_unit_test(session_runs_to_its_end_with_balanced_books),
        cmocka_unit_test(load_is_in_the_response_time),
        cmocka_unit_test(a_loop_runs_on_the_cpu_that_was_asked_for),
        cmocka_unit_test(stop_ends_an_endless_run_early_and_keeps_what_it_has),
        cmocka_unit_test(wait_for_a_loop_that_does_not_end_has_an_end),
        cmocka_unit_test(no_period_is_due_while_the_loop_warms_up),
        cmocka_unit_test(sink_gets_every_period_in_order),
        cmocka_unit_test(refused_fifo_and_lock_are_said_in_the_result),
        cmocka_unit_test(sleeps_that_freebsd_stretches_are_known_by_its_sysctls),
        cmocka_unit_test(memory_is_locked_when_what_the_loop_needs_is_there),
        cmocka_unit_test(a_loop_whose_drain_cannot_start_has_ended),
        cmocka_unit_test(settings_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
