/* Late wake-ups whose wait the scheduler charged to the loop as CPU time. */
#include "tests/unit/measure_fixture.h"
#include "tests/unit/unit.h"

/* Each cycle takes 8 us of CPU time; the late one 0.7 ms more, which went by before it ran. */
static struct {
    struct bench *bench;
    struct st_thread_counters counters;
    uint64_t late_cycle;
    int (*sleep)(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
} charged;

static int sleep_and_be_charged(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    const uint64_t cycle = atomic_load(&charged.bench->loop.cycles_seen);
    charged.counters.cpu_ns += cycle == charged.late_cycle ? 708000 : 8000;
    st_fake_set_counters(charged.bench->fake, &charged.counters);
    return charged.sleep(platform, due_ns);
}

static void do_nothing(void *ctx) ST_NONBLOCKING {}

/* A loop whose cycle `late_cycle` is the late one, and whose sleep counts CPU time. */
static void prepare(struct bench *b, uint64_t periods_n, uint64_t late_cycle,
                    int (*sleep)(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING)
{
    bench_init(b, 4096, periods_n);
    charged.bench = b;
    charged.counters = (struct st_thread_counters){.valid = ST_COUNTER_CPU | ST_COUNTER_RUNQ_WAIT};
    st_fake_set_counters(b->fake, &charged.counters);
    charged.late_cycle = late_cycle;
    charged.sleep = b->fake->sleep_until_ns;
    b->fake->sleep_until_ns = sleep;
    b->loop.cause_above_ns = 600000;
    b->loop.counters = &b->counters;
}

/* 50 periods after 20 of warm-up, of which the 31st wakes 0.75 ms late, and the one 10 before it as
 * said. */
static void begin(struct bench *b, int64_t before_ns)
{
    prepare(b, 50, 20 + 30, sleep_and_be_charged);
    b->loop.warmup_cycles = 20;
    static int64_t script_ns[64]; /* read while the loop runs */
    memset(script_ns, 0, sizeof(script_ns));
    script_ns[charged.late_cycle - 10] = before_ns;
    script_ns[charged.late_cycle] = 750000;
    bench_script(b, script_ns, (size_t)charged.late_cycle + 1, 0);
}

/* The late one is counted, and nothing of it was charged. */
static void check_not_charged(const struct bench *b)
{
    assert_int_equal(b->result.cause_late_n, 1);
    assert_int_equal(b->result.causes[ST_CAUSE_KERNEL].n, 0);
    assert_int_equal(b->latest.charged_ns, 0);
}

static void late_wake_whose_wait_was_charged_as_cpu_time_is_explained(void **state)
{
    struct bench b;
    begin(&b, 50000); /* that long it may have waited, too */
    bench_run(&b);
    assert_int_equal(b.result.causes[ST_CAUSE_KERNEL].n, 1);
    assert_int_equal(b.latest.runq_wait_ns, 0);
    assert_int_equal(b.latest.charged_ns, 650000);
    assert_int_equal(b.result.causes[ST_CAUSE_KERNEL].explained_ns, 650000);
    bench_finish(&b);
}

static void cpu_time_of_a_callback_is_not_taken_for_a_wait(void **state)
{
    struct bench b;
    begin(&b, 0);
    b.loop.callback = do_nothing;
    bench_run(&b);
    check_not_charged(&b);
    bench_finish(&b);
}

/* The drain thread looks some time after it: what was counted meanwhile is not this wake-up's
 * alone. */
static void late_wake_that_did_not_look_itself_is_not_said_to_be_charged(void **state)
{
    struct bench b;
    begin(&b, 0);
    assert_int_equal(st_fake_fail_at(b.fake, "counters_self", 4, -EIO),
                     0); /* 2 for warm-up, 1 at the start */
    assert_int_equal(st_loop_run(&b.loop), 0);
    st_drain_step(&b.drain);
    assert_int_equal(b.drain.late.waiting_n, 1); /* no record came with it */
    st_drain_baseline(&b.drain);
    assert_int_equal(b.drain.late.waiting_n, 0);
    assert_int_equal(b.result.cause_explained_n, 1);
    check_not_charged(&b);
    st_drain_finish(&b.drain);
    bench_finish(&b);
}

#define LOOK_EVERY  50
#define LOOKS_N     11
#define LATE_BEHIND 187 /* cycles behind the last look, a quarter of a second */

/* ns a cycle between two looks: mostly 8 us, and up to 12 */
static const int64_t looks_ns[LOOKS_N - 1] = {8000, 8000, 9500,  8000, 12000,
                                              8000, 8000, 11000, 8000, 8000};

static struct {
    int64_t cycle_ns, more_ns; /* CPU time behind the last look; of the late cycle in addition */
} behind;

static int sleep_and_be_looked_at(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    struct bench *b = charged.bench;
    const uint64_t cycle = atomic_load(&b->loop.cycles_seen) - b->loop.warmup_cycles;
    if (cycle % LOOK_EVERY == 0 && cycle / LOOK_EVERY < LOOKS_N) {
        st_drain_step(&b->drain);
        st_drain_baseline(&b->drain);
        st_fake_advance(charged.bench->fake, 1);
    }
    const bool looked_at = cycle / LOOK_EVERY < LOOKS_N - 1;
    charged.counters.cpu_ns += looked_at ? looks_ns[cycle / LOOK_EVERY] : behind.cycle_ns;
    charged.counters.cpu_ns += cycle == charged.late_cycle ? behind.more_ns : 0;
    st_fake_set_counters(charged.bench->fake, &charged.counters);
    return charged.sleep(platform, due_ns);
}

/* One wake-up that is late, 187 cycles behind the last look. */
static void run_behind_looks(struct bench *b, int64_t lateness_ns, int64_t cycle_ns,
                             int64_t more_ns)
{
    prepare(b, 800, LOOK_EVERY * (LOOKS_N - 1) + LATE_BEHIND - 1, sleep_and_be_looked_at);
    behind.cycle_ns = cycle_ns;
    behind.more_ns = more_ns;
    static int64_t script_ns[800];
    memset(script_ns, 0, sizeof(script_ns));
    script_ns[charged.late_cycle] = lateness_ns;
    bench_script(b, script_ns, (size_t)charged.late_cycle + 1, 0);
    bench_run(b);
    assert_int_equal(b->result.cause_late_n, 1);
    assert_int_equal(b->result.cause_explained_n, 1);
}

static void cycles_that_take_more_than_usual_are_not_taken_for_a_wait(void **state)
{
    static const int64_t cycle_ns[] = {8000, 10000, 12000};
    ST_EACH (cycle_n, cycle_ns) {
        struct bench b;
        run_behind_looks(&b, 750000, *cycle_n, 0); /* the timer's: no CPU time in it */
        check_not_charged(&b);
        assert_int_equal(b.result.causes[ST_CAUSE_HYPERVISOR_OR_INTERRUPT].n, 1);
        bench_finish(&b);
    }
}

static void long_wait_among_them_is_found_all_the_same(void **state)
{
    struct bench b;
    run_behind_looks(&b, 2500000, 10000, 2500000);
    const int64_t explained_ns = b.result.causes[ST_CAUSE_KERNEL].explained_ns;
    assert_int_equal(b.result.causes[ST_CAUSE_KERNEL].n, 1);
    assert_true(explained_ns >= 2500000 / 10 * 8);
    assert_int_equal(explained_ns, 2500000 - LATE_BEHIND * 2000); /* 12 us a cycle were taken off */
    bench_finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_wake_whose_wait_was_charged_as_cpu_time_is_explained),
        cmocka_unit_test(cpu_time_of_a_callback_is_not_taken_for_a_wait),
        cmocka_unit_test(late_wake_that_did_not_look_itself_is_not_said_to_be_charged),
        cmocka_unit_test(cycles_that_take_more_than_usual_are_not_taken_for_a_wait),
        cmocka_unit_test(long_wait_among_them_is_found_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
