/* lab/series/bench_series on the fake platform: due times, what is left out, what is no sample. */
#include "core/ns.h"
#include "lab/series/bench_series.h"
#include "tests/fake/fake.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

static struct st_platform *fake;

static int setup(void **state)
{
    fake = st_fake_new(ST_OS_LINUX, 1000);
    return fake == NULL;
}

static int teardown(void **state)
{
    st_fake_free(fake);
    return 0;
}

static struct st_bench_series_config config(const char *method, int64_t period_ns, uint64_t count)
{
    struct st_bench_series_config c = {.method = st_fake_sleep_method(fake, method),
                                       .count = count};
    assert_non_null(c.method);
    c.period = period_of_ns((uint64_t)period_ns, 1);
    return c;
}

static void absolute_and_relative_sleeps_keep_the_same_due_times(void **state)
{
    static const char *const names[] = {"timerfd-abs", "nanosleep"};
    static const int64_t late_ns[] = {1000, 7000, 500000, -200};
    ST_EACH (name, names) {
        const struct st_bench_series_config c = config(*name, 1000000, 8);
        struct st_bench_series bench;
        assert_int_equal(st_fake_script_method(fake, *name, late_ns, 4), 0);
        assert_int_equal(st_bench_series_measure(fake, &c, &bench), 0);
        assert_int_equal(bench.series.n, 8);
        for (size_t i = 0; i < 8; i++) {
            assert_int_equal(bench.series.lateness_ns[i], late_ns[i % 4]);
            assert_int_equal(bench.series.index[i], i); /* also behind the one that woke early */
        }
        st_series_finish(&bench.series);
    }
}

static void due_times_that_passed_are_left_out(void **state)
{
    static const int64_t late_ns[] = {2500000, 0};
    const struct st_bench_series_config c = config("timerfd-abs", 1000000, 4);
    struct st_bench_series bench;
    assert_int_equal(st_fake_script_method(fake, "timerfd-abs", late_ns, 2), 0);
    assert_int_equal(st_bench_series_measure(fake, &c, &bench), 0);
    assert_int_equal(bench.series.lateness_ns[0], 2500000);
    assert_int_equal(bench.series.index[1], 3); /* 1 and 2 were due before it woke */
    assert_int_equal(bench.series.index[2], 4);
    assert_int_equal(bench.series.index[3], 7);
    st_series_finish(&bench.series);
}

/* The fake's wall clock is its own; it starts 1 us behind a full second. */
static void due_times_can_begin_at_a_full_second(void **state)
{
    static const int64_t late_ns[] = {7000};
    for (int full = 0; full < 2; full++) {
        struct st_bench_series_config c = config("timerfd-abs", 250 * ST_NS_PER_MS, 2);
        struct st_bench_series bench;
        c.full_second = full == 1;
        assert_int_equal(st_fake_script_method(fake, "timerfd-abs", late_ns, 1), 0);
        const int64_t start_ns = st_platform_wall_ns(fake);
        assert_int_equal(st_bench_series_measure(fake, &c, &bench), 0);
        assert_int_equal(bench.series.lateness_ns[0], 7000);
        assert_int_equal(bench.series.index[0], 0);
        if (full == 1) /* the second sample is due a quarter of a second behind a full one */
            assert_int_equal(st_platform_wall_ns(fake) % ST_NS_PER_S, 250 * ST_NS_PER_MS + 7000);
        else
            assert_int_equal(st_platform_wall_ns(fake) - start_ns, 500 * ST_NS_PER_MS + 7000);
        st_series_finish(&bench.series);
    }
}

static bool until_two(void *ctx, uint64_t n, int64_t latest_ns)
{
    *(int *)ctx += 1;
    assert_int_equal(latest_ns, n == 0 ? 0 : 1000);
    return n < 2;
}

static void it_stops_when_it_is_told_to(void **state)
{
    struct st_bench_series_config c = config("timerfd-abs", 1000000, 100);
    struct st_bench_series bench;
    static const int64_t late_ns[] = {1000};
    int asked = 0;
    assert_int_equal(st_fake_script_method(fake, "timerfd-abs", late_ns, 1), 0);
    c.go_on = until_two;
    c.ctx = &asked;
    assert_int_equal(st_bench_series_measure(fake, &c, &bench), 0);
    assert_true(bench.stopped);
    assert_int_equal(bench.series.n, 2);
    assert_int_equal(asked, 3);
    st_series_finish(&bench.series);
}

static void a_sleep_that_a_signal_ends_is_no_sample(void **state)
{
    static const int64_t late_ns[] = {INT64_MIN, 1000};
    const struct st_bench_series_config c = config("timerfd-abs", 1000000, 3);
    struct st_bench_series bench;
    assert_int_equal(st_fake_script_method(fake, "timerfd-abs", late_ns, 2), 0);
    assert_int_equal(st_bench_series_measure(fake, &c, &bench), 0);
    assert_int_equal(bench.interrupted_n, 3);
    assert_int_equal(bench.series.n, 3);
    assert_int_equal(bench.series.lateness_ns[2], 1000);
    st_series_finish(&bench.series);
}

static void what_cannot_sleep_is_refused(void **state)
{
    struct st_bench_series bench;
    struct st_bench_series_config c = config("nanosleep", 1000000, 3);
    assert_int_equal(st_fake_fail_method(fake, "nanosleep", -ENOTSUP), 0);
    assert_int_equal(st_bench_series_measure(fake, &c, &bench), -ENOTSUP);
    assert_int_equal(bench.series.n, 0);
    st_series_finish(&bench.series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(absolute_and_relative_sleeps_keep_the_same_due_times),
        TEST(due_times_that_passed_are_left_out),
        TEST(due_times_can_begin_at_a_full_second),
        TEST(it_stops_when_it_is_told_to),
        TEST(a_sleep_that_a_signal_ends_is_no_sample),
        TEST(what_cannot_sleep_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
