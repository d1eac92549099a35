

#include "tests/unit/unit.h"
#include "xruns/helpers/thread_window.h"

#define MS ST_NS_PER_MS

/* Seconds pass, in each of which the program uses so much. @return the pause after them, ms. */
static int64_t pause_ms(struct st_thread_pace *pace, int seconds, int64_t used_ms, int threads_n)
{
    int64_t pause_ns = 0;
    for (int i = 0; i < seconds; i++)
        pause_ns =
            st_thread_window_pause(pace, pace->at_ns + ST_NS_PER_S, pace->cpu_ns + used_ms * MS, threads_n);
    return pause_ns / MS;
}

static struct st_thread_pace begun(void)
{
    struct st_thread_pace pace = {.slower = 1};
    assert_int_equal(st_thread_window_pause(&pace, 1000 * ST_NS_PER_S, 900 * MS, 1), 20 * MS); /* its start */
    return pace;
}

static void many_threads_are_sampled_half_as_often(void **state)
{
    struct st_thread_pace pace = begun();
    assert_int_equal(pause_ms(&pace, 1, 5, ST_THREAD_PACE_MANY - 1), 20);
    assert_int_equal(pause_ms(&pace, 1, 5, ST_THREAD_PACE_MANY), 40);
}

static void what_costs_too_much_is_done_less_often(void **state)
{
    struct st_thread_pace pace = begun();
    assert_int_equal(pause_ms(&pace, 5, 20, 1), 20); /* 2 % */
    assert_int_equal(pause_ms(&pace, 1, 21, 1), 40);
    assert_int_equal(pause_ms(&pace, 1, 21, 1), 80);
    assert_int_equal(pause_ms(&pace, 9, 500, 1), 80); /* no more than that */
    assert_int_equal(pause_ms(&pace, 1, 500, 10), 160);
}

static void it_is_done_as_before_when_it_costs_little(void **state)
{
    struct st_thread_pace pace = begun();
    assert_int_equal(pause_ms(&pace, 2, 50, 1), 80);
    assert_int_equal(pause_ms(&pace, 9, 7, 1), 80); /* 0.7 %: it would cost more if it was done more often */
    assert_int_equal(pause_ms(&pace, 1, 6, 1), 40);
    assert_int_equal(pause_ms(&pace, 1, 6, 1), 20);
    assert_int_equal(pause_ms(&pace, 1, 6, 1), 20);
}

static void a_moment_decides_nothing(void **state)
{
    struct st_thread_pace pace = begun();
    for (int64_t ms = 20; ms < 1000; ms += 20)
        assert_int_equal(st_thread_window_pause(&pace, 1000 * ST_NS_PER_S + ms * MS, 1400 * MS, 1), 20 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_are_sampled_half_as_often),
        cmocka_unit_test(what_costs_too_much_is_done_less_often),
        cmocka_unit_test(it_is_done_as_before_when_it_costs_little),
        cmocka_unit_test(a_moment_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
