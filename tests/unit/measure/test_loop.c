/* The cycle loop and what the drain makes of it, on a scripted clock. */
#include "tests/unit/measure_fixture.h"
#include "tests/unit/unit.h"

#define PERIODS 1000

static struct bench b;

static void run(uint64_t periods, const int64_t *late_ns, size_t n, int64_t late_after_ns)
{
    bench_init(&b, 4096, periods);
    bench_script(&b, late_ns, n, late_after_ns);
    bench_run(&b);
}

static void on_time_run_balances_with_one_sleep_and_one_clock_read_a_cycle(void **state)
{
    run(PERIODS, NULL, 0, 14000);
    assert_true(b.result.books_balance);
    assert_int_equal(b.result.n, PERIODS);
    assert_int_equal(b.result.cycles, PERIODS);
    assert_int_equal(b.result.skipped_periods, 0);
    assert_int_equal(b.result.elapsed_periods, PERIODS);
    assert_int_equal(b.result.misses, 0);
    assert_int_equal(b.result.lateness.min_ns, 14000);
    assert_int_equal(b.result.lateness.max_ns, 14000);
    assert_int_equal(st_fake_sleeps_n(b.fake), PERIODS);
    assert_true(st_fake_clock_reads_n(b.fake) <= PERIODS + 4); /* and a few around the run */
    bench_finish(&b);
}

static void due_times_do_not_drift(void **state)
{
    bench_init(&b, 1 << 20, 675000); /* a quarter of an hour of periods of 1333333 1/3 ns */
    bench_script(&b, NULL, 0, 0);
    bench_run(&b);
    assert_int_equal(b.result.lateness.max_ns, 0);
    assert_int_equal(b.result.lateness.min_ns, 0);
    assert_int_equal(b.loop.end_ns - b.loop.t0_ns,
                     INT64_C(674999) * 4000000 / 3 + 1); /* rounded once */
    bench_finish(&b);
}

static void stall_of_200_ms_is_150_misses(void **state)
{
    int64_t late_ns[101] = {0};
    late_ns[100] = 200 * ST_NS_PER_MS;
    run(PERIODS, late_ns, 101, 0);
    assert_true(b.result.books_balance);
    assert_int_equal(b.result.misses, 150);
    assert_int_equal(b.result.skipped_periods, 149);
    assert_int_equal(b.result.cycles, PERIODS - 149);
    assert_int_equal(b.result.lateness.total_n, PERIODS - 149);
    assert_int_equal(b.result.response.total_n, PERIODS);
    /* without coordinated omission p99 of 1000 responses is the tenth worst: 200 ms - 9 or 10
     * periods */
    const int64_t exact_ns = 200 * ST_NS_PER_MS - 10 * 4000000 / 3;
    const int64_t p99_ns = st_hist_quantile(&b.result.response, 0.99);
    assert_true(p99_ns > exact_ns / 100 * 99 && p99_ns < exact_ns / 100 * 101);
    /* the late cycle does not sleep again, neither does the one it runs into */
    assert_int_equal(st_fake_sleeps_n(b.fake), PERIODS - 149 - 1);
    bench_finish(&b);
}

static void wake_in_the_next_period_is_a_miss_without_a_skip(void **state)
{
    const int64_t late_ns[] = {0, 2000000};
    run(10, late_ns, 2, 0);
    assert_int_equal(b.result.misses, 1);
    assert_int_equal(b.result.skipped_periods, 0);
    assert_int_equal(b.result.cycles, 10);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

static void done_exactly_at_the_next_due_time_is_no_miss(void **state)
{
    int64_t late_ns[1];
    bench_init(&b, 4096, 10);
    late_ns[0] = st_period_ns(&b.loop.period);
    bench_script(&b, late_ns, 1, 0);
    bench_run(&b);
    assert_int_equal(b.result.misses, 0);
    assert_int_equal(b.result.skipped_periods, 0);
    late_ns[0]++;
    bench_finish(&b);

    run(10, late_ns, 1, 0);
    assert_int_equal(b.result.misses, 1);
    bench_finish(&b);
}

static int sleep_not_at_all(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    return 0;
}

static void early_wake_is_negative_and_counted_apart(void **state)
{
    const int64_t late_ns[] = {100, -3000, 200};
    run(3, late_ns, 3, 0);
    assert_int_equal(b.result.early, 1);
    assert_int_equal(b.result.lateness.min_ns, -3000);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

static void sleeps_that_do_not_sleep_do_not_balance_the_books(void **state)
{
    bench_init(&b, 4096, 100);
    bench_script(&b, NULL, 0, 0);
    b.fake->sleep_until_ns = sleep_not_at_all;
    bench_run(&b);
    assert_int_equal(b.result.cycles, 100);
    assert_false(b.result.books_balance); /* the clock has not seen 100 periods */
    bench_finish(&b);
}

static void interrupted_sleep_is_taken_up_again(void **state)
{
    const int64_t late_ns[] = {0, INT64_MIN, 7000};
    run(5, late_ns, 3, 0);
    assert_int_equal(b.result.cycles, 5);
    assert_int_equal(b.result.misses, 0);
    assert_int_equal(b.result.lateness.max_ns, 7000);
    assert_int_equal(st_fake_sleeps_n(b.fake), 6);
    bench_finish(&b);
}

static void sleep_that_fails_ends_the_loop_with_its_error(void **state)
{
    bench_init(&b, 4096, 5);
    assert_int_equal(st_fake_fail_at(b.fake, "sleep_until_ns", 3, -22), 0);
    assert_int_equal(st_loop_run(&b.loop), -22);
    bench_finish(&b);
}

static void stall_of_minutes_needs_wide_records_and_keeps_its_exact_value(void **state)
{
    const int64_t stall_ns = 400 * ST_NS_PER_S + 17;
    const int64_t late_ns[] = {0, 0, stall_ns};
    run(301000, late_ns, 3, 0);
    assert_int_equal(b.result.lateness.max_ns, stall_ns);
    assert_int_equal(b.result.skipped_periods, 299999);
    assert_int_equal(b.result.misses, 300000);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

static void clock_that_jumps_by_ten_years_is_drained_at_once(void **state)
{
    const int64_t stall_ns = INT64_C(315360000) * ST_NS_PER_S + 17;
    const int64_t late_ns[] = {0, 0, stall_ns};
    run(UINT64_C(236520001000), late_ns, 3, 0);
    assert_int_equal(b.result.skipped_periods, INT64_C(236519999999));
    assert_int_equal(b.result.response.total_n, INT64_C(236520001000));
    assert_int_equal(b.result.response.over_n,
                     (stall_ns - ST_HIST_HIGHEST_NS) / 4 * 3 / 1000000 + 1);
    assert_int_equal(b.result.response.max_ns, stall_ns);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

static void full_ring_counts_what_it_lost_and_the_books_balance(void **state)
{
    int64_t late_ns[501] = {0};
    late_ns[500] = 20 * ST_NS_PER_MS; /* a skip while the ring is full */
    bench_init(&b, 64, PERIODS);
    bench_script(&b, late_ns, 501, 0);
    bench_run(&b);
    assert_int_equal(b.result.n, 64 - 3); /* START takes three words */
    assert_int_equal(b.result.records_lost, PERIODS - 14 - 61);
    assert_int_equal(b.result.skipped_periods, 14);
    assert_int_equal(b.result.elapsed_periods, PERIODS);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

/* Empties the ring every 200 callbacks, as a drain thread that is held up would. */
struct slow_drain {
    struct bench *bench;
    uint64_t calls;
};

static void drain_now_and_then(void *ctx) ST_NONBLOCKING
{
    struct slow_drain *slow = ctx;
    if (++slow->calls % 200 == 0)
        st_drain_step(&slow->bench->drain);
}

static void loss_is_told_through_the_ring_when_there_is_room_again(void **state)
{
    bench_init(&b, 128, PERIODS);
    struct slow_drain slow = {.bench = &b};
    b.loop.callback = drain_now_and_then;
    b.loop.callback_ctx = &slow;
    bench_script(&b, NULL, 0, 5000);
    bench_run(&b);
    assert_true(b.result.records_lost > 500);
    assert_int_equal(b.result.n + b.result.records_lost, PERIODS);
    assert_int_equal(b.result.cycles, PERIODS);
    assert_true(b.result.books_balance);
    assert_int_equal(b.result.lateness.max_ns, 5000); /* no word was taken for another */
    assert_int_equal(b.result.lateness.min_ns, 5000);
    bench_finish(&b);
}

static void warm_up_is_outside_all_counts(void **state)
{
    int64_t late_ns[200];
    ST_EACH (late_n, late_ns)
        *late_n = 900000;
    late_ns[50] = 10 * ST_NS_PER_MS;
    bench_init(&b, 4096, PERIODS);
    b.loop.warmup_cycles = 200;
    bench_script(
        &b, late_ns, 192,
        1000); /* the stall of 10 ms skips 6 periods and one more starts without sleeping */
    bench_run(&b);
    assert_int_equal(b.result.n, PERIODS);
    assert_int_equal(b.result.misses, 0);
    assert_int_equal(b.result.lateness.max_ns, 1000);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

struct work {
    struct st_platform *fake;
    int64_t ns;
};

static void spend_time(void *ctx) ST_NONBLOCKING
{
    const struct work *work = ctx;
    st_fake_advance(work->fake, work->ns);
}

static void callback_time_enters_the_response_but_not_the_lateness(void **state)
{
    bench_init(&b, 4096, 100);
    struct work work = {b.fake, 400000};
    b.loop.callback = spend_time;
    b.loop.callback_ctx = &work;
    bench_script(&b, NULL, 0, 1500);
    bench_run(&b);
    assert_int_equal(b.result.lateness.max_ns, 1500);
    assert_int_equal(b.result.response.min_ns, 401500);
    assert_int_equal(b.result.response.max_ns, 401500);
    assert_true(st_fake_clock_reads_n(b.fake) <= 2 * 100 + 4);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

static void callback_longer_than_the_period_is_its_own_cause(void **state)
{
    bench_init(&b, 4096, 100);
    struct work work = {b.fake, 3 * ST_NS_PER_MS};
    b.loop.callback = spend_time;
    b.loop.callback_ctx = &work;
    b.loop.cause_above_ns = 200000;
    bench_script(&b, NULL, 0, 0);
    bench_run(&b);
    assert_true(b.result.misses > 90);
    assert_true(b.result.books_balance);
    assert_true(b.result.causes[ST_CAUSE_OWN_WORK].n >= 1);
    assert_int_equal(b.result.causes[ST_CAUSE_RUN_QUEUE].n, 0);
    bench_finish(&b);
}

/* In cycle 2, which is late: a drain thread looks `drains` times while it is under way, then the
 * wait for the CPU is counted, as a kernel does when the thread gets it. Before that it looks after
 * each cycle, or never. */
struct watched {
    struct bench *bench;
    int drains;
    int64_t waited_ns;
    struct st_thread_counters counters;
};

static void look_while_late(void *ctx) ST_NONBLOCKING
{
    struct watched *w = ctx;
    for (int i = 0; i < w->drains; i++) {
        st_drain_step(&w->bench->drain);
        st_drain_baseline(&w->bench->drain);
        st_fake_advance(w->bench->fake, 1);
    }
    if (atomic_load(&w->bench->loop.cycles_seen) == w->bench->loop.warmup_cycles + 2) {
        w->counters.runq_wait_ns += w->waited_ns;
        st_fake_set_counters(w->bench->fake, &w->counters);
    }
}

/* One wake-up that is late by late_ns, and what is made of it. */
static void run_watched(uint64_t warmup, int drains, int64_t late_ns, int64_t waited_ns)
{
    bench_init(&b, 4096, 50);
    struct watched w = {.bench = &b, .drains = drains, .waited_ns = waited_ns};
    w.counters = (struct st_thread_counters){
        .valid = ST_COUNTER_CPU | ST_COUNTER_RUNQ_WAIT, .cpu_ns = 1000, .runq_wait_ns = 40000};
    st_fake_set_counters(b.fake, &w.counters);
    b.loop.cause_above_ns = 600000;
    b.loop.warmup_cycles = warmup;
    b.loop.counters = &b.counters;
    b.loop.callback = look_while_late;
    b.loop.callback_ctx = &w;
    int64_t script_ns[64] = {0};
    script_ns[warmup + 2] = late_ns;
    bench_script(&b, script_ns, (size_t)warmup + 3, 0);
    bench_run(&b);
    assert_int_equal(b.result.cause_late_n, 1);
    assert_int_equal(b.result.cause_explained_n, 1);
    assert_true(b.result.books_balance);
}

static void late_wake_takes_one_cause_record_against_the_latest_baseline(void **state)
{
    run_watched(0, 1, 750000, 700000);
    assert_int_equal(b.result.causes[ST_CAUSE_RUN_QUEUE].n, 1);
    assert_int_equal(b.result.causes[ST_CAUSE_RUN_QUEUE].max_ns, 750000);
    assert_int_equal(b.latest.runq_wait_ns, 700000);
    bench_finish(&b);
}

static void late_wake_before_the_first_drain_is_explained(void **state)
{
    for (uint64_t warmup = 0; warmup <= 50; warmup += 50) {
        run_watched(warmup, 0, 750000, 700000);
        assert_int_equal(b.result.causes[ST_CAUSE_RUN_QUEUE].n, 1);
        assert_int_equal(b.latest.runq_wait_ns, 700000);
        bench_finish(&b);
    }
}

static void late_wake_that_outlasts_many_drains_is_explained(void **state)
{
    run_watched(0, 5, 700 * ST_NS_PER_MS, 699 * ST_NS_PER_MS);
    assert_int_equal(b.result.causes[ST_CAUSE_UNKNOWN].n, 0);
    assert_int_equal(b.result.causes[ST_CAUSE_RUN_QUEUE].n, 1);
    assert_int_equal(b.latest.runq_wait_ns, 699 * ST_NS_PER_MS);
    bench_finish(&b);
}

/* Two late wake-ups and a sleep of the machine between two drains. */
static void sleep_in_between(void *ctx) ST_NONBLOCKING
{
    static const struct st_thread_counters waited = {.valid = ST_COUNTER_RUNQ_WAIT,
                                                     .runq_wait_ns = 740000};
    switch (atomic_load(&b.loop.cycles_seen)) {
    case 0:
        st_drain_step(&b.drain);
        st_drain_baseline(&b.drain);
        st_fake_advance(b.fake, 1);
        break;
    case 2:
        st_fake_set_counters(b.fake, &waited);
        break;
    case 4:
        st_fake_set_suspended_ns(b.fake, 4 * ST_NS_PER_S);
        break;
    default:
        break;
    }
}

static void late_wake_before_the_machine_slept_has_a_cause_of_its_own(void **state)
{
    const struct st_thread_counters counters = {.valid = ST_COUNTER_RUNQ_WAIT,
                                                .runq_wait_ns = 40000};
    const int64_t script_ns[] = {0, 0, 750000, 0, 60 * ST_NS_PER_MS};
    bench_init(&b, 4096, 400);
    st_fake_set_counters(b.fake, &counters);
    b.loop.cause_above_ns = 600000;
    b.loop.counters = &b.counters;
    b.loop.callback = sleep_in_between;
    b.loop.callback_ctx = &b;
    bench_script(&b, script_ns, 5, 0);
    bench_run(&b);
    assert_int_equal(b.result.cause_late_n, 2);
    assert_int_equal(b.result.causes[ST_CAUSE_RUN_QUEUE].n, 1);
    assert_int_equal(b.result.causes[ST_CAUSE_RUN_QUEUE].max_ns, 750000);
    assert_int_equal(b.result.causes[ST_CAUSE_SUSPEND].n, 1);
    assert_int_equal(b.result.causes[ST_CAUSE_SUSPEND].max_ns, 60 * ST_NS_PER_MS);
    assert_int_equal(b.result.suspends, 1);
    bench_finish(&b);
}

struct heard {
    uint64_t late_n, together_n;
    int64_t runq_wait_ns;
};

static void hear_late(void *ctx, const struct st_cause_event *event)
{
    struct heard *heard = ctx;
    heard->late_n++;
    heard->together_n += event->together_n > 1;
    heard->runq_wait_ns += event->runq_wait_ns;
}

static void machine_that_is_always_late_is_asked_why_at_most_eight_times_a_second(void **state)
{
    struct heard heard = {0};
    bench_init(&b, 1 << 16, 7500); /* ten seconds */
    b.drain.sink = (struct st_sink){.late = hear_late, .ctx = &heard};
    b.loop.cause_above_ns = 600000;
    b.loop.counters = &b.counters;
    const struct st_thread_counters counters = {.valid = ST_COUNTER_RUNQ_WAIT, .runq_wait_ns = 4};
    st_fake_set_counters(b.fake, &counters);
    bench_script(&b, NULL, 0, 700000);
    bench_run(&b);
    assert_int_equal(b.result.cause_late_n, 7500);
    /* asked for the first 64, then eight a second; the others share the answers, and each has a
     * cause */
    assert_int_equal(b.result.cause_explained_n, 7500);
    assert_int_equal(heard.late_n, 7500);
    assert_in_range(heard.late_n - heard.together_n, 63, 64 + 2);
    bench_finish(&b);
}

static void lateness_between_two_looks_is_shared_by_what_was_counted(void **state)
{
    struct heard heard = {0};
    int64_t script_ns[128];
    bench_init(&b, 4096, 80);
    b.drain.sink = (struct st_sink){.late = hear_late, .ctx = &heard};
    b.loop.cause_above_ns = 600000;
    b.loop.counters = &b.counters;
    struct st_thread_counters counters = {.valid = ST_COUNTER_RUNQ_WAIT, .runq_wait_ns = 1000};
    st_fake_set_counters(b.fake, &counters);
    for (size_t i = 0; i < 128; i++)
        script_ns[i] = i >= 70 ? 1000000 : 610000; /* the burst of 64 records is over by then */
    bench_script(&b, script_ns, 128, 0);
    assert_int_equal(st_loop_run(&b.loop), 0);
    st_drain_step(&b.drain);
    assert_int_equal(heard.runq_wait_ns, 0);
    counters.runq_wait_ns += 12 * ST_NS_PER_MS; /* 6 x 0.61 ms and 10 x 1 ms were late together */
    st_fake_set_counters(b.fake, &counters);
    st_drain_baseline(&b.drain);
    assert_int_equal(heard.late_n, 80);
    assert_in_range(heard.runq_wait_ns, 12 * ST_NS_PER_MS - 100, 12 * ST_NS_PER_MS);
    st_drain_finish(&b.drain);
    assert_int_equal(heard.late_n, 80);
    bench_finish(&b);
}

static void ask_stop(void *ctx) ST_NONBLOCKING
{
    struct st_loop *loop = ctx;
    if (atomic_load(&loop->cycles_seen) == 41)
        atomic_store(&loop->stop, true);
}

static void stop_ends_it_with_balanced_books(void **state)
{
    bench_init(&b, 4096, 0);
    b.loop.callback = ask_stop;
    b.loop.callback_ctx = &b.loop;
    bench_script(&b, NULL, 0, 0);
    bench_run(&b);
    assert_int_equal(b.result.cycles, 42);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

static void stop_in_warm_up_counts_nothing(void **state)
{
    bench_init(&b, 4096, PERIODS);
    b.loop.warmup_cycles = 200;
    b.loop.callback = ask_stop;
    b.loop.callback_ctx = &b.loop;
    bench_script(&b, NULL, 0, 0);
    bench_run(&b);
    assert_int_equal(st_fake_sleeps_n(b.fake), 42);
    assert_int_equal(b.result.cycles, 0);
    assert_int_equal(b.result.elapsed_periods, 0);
    assert_int_equal(b.result.duration_ns, 0);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

static void sleep_that_fails_in_warm_up_leaves_balanced_books(void **state)
{
    bench_init(&b, 4096, 5);
    b.loop.warmup_cycles = 20;
    assert_int_equal(st_fake_fail_at(b.fake, "sleep_until_ns", 3, -22), 0);
    assert_int_equal(st_loop_run(&b.loop), -22);
    st_drain_step(&b.drain);
    st_drain_finish(&b.drain);
    assert_int_equal(b.result.elapsed_periods, 0);
    assert_true(b.result.books_balance);
    bench_finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_time_run_balances_with_one_sleep_and_one_clock_read_a_cycle),
        cmocka_unit_test(due_times_do_not_drift),
        cmocka_unit_test(stall_of_200_ms_is_150_misses),
        cmocka_unit_test(wake_in_the_next_period_is_a_miss_without_a_skip),
        cmocka_unit_test(done_exactly_at_the_next_due_time_is_no_miss),
        cmocka_unit_test(early_wake_is_negative_and_counted_apart),
        cmocka_unit_test(sleeps_that_do_not_sleep_do_not_balance_the_books),
        cmocka_unit_test(interrupted_sleep_is_taken_up_again),
        cmocka_unit_test(sleep_that_fails_ends_the_loop_with_its_error),
        cmocka_unit_test(stall_of_minutes_needs_wide_records_and_keeps_its_exact_value),
        cmocka_unit_test(clock_that_jumps_by_ten_years_is_drained_at_once),
        cmocka_unit_test(full_ring_counts_what_it_lost_and_the_books_balance),
        cmocka_unit_test(loss_is_told_through_the_ring_when_there_is_room_again),
        cmocka_unit_test(warm_up_is_outside_all_counts),
        cmocka_unit_test(callback_time_enters_the_response_but_not_the_lateness),
        cmocka_unit_test(callback_longer_than_the_period_is_its_own_cause),
        cmocka_unit_test(late_wake_before_the_machine_slept_has_a_cause_of_its_own),
        cmocka_unit_test(late_wake_takes_one_cause_record_against_the_latest_baseline),
        cmocka_unit_test(late_wake_before_the_first_drain_is_explained),
        cmocka_unit_test(late_wake_that_outlasts_many_drains_is_explained),
        cmocka_unit_test(machine_that_is_always_late_is_asked_why_at_most_eight_times_a_second),
        cmocka_unit_test(lateness_between_two_looks_is_shared_by_what_was_counted),
        cmocka_unit_test(stop_ends_it_with_balanced_books),
        cmocka_unit_test(stop_in_warm_up_counts_nothing),
        cmocka_unit_test(sleep_that_fails_in_warm_up_leaves_balanced_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
