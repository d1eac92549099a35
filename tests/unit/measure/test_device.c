#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "measure/device.h"

static const int64_t start_ns = INT64_C(5000000000);

static struct st_period period_64(void)
{
    struct st_period period;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    return period;
}

static struct st_device device_of(uint32_t periods)
{
    const struct st_period period = period_64();
    struct st_device device;
    assert_int_equal(st_device_init(&device, &period, periods, start_ns), 0);
    return device;
}

static int64_t due(uint64_t k)
{
    const struct st_period period = period_64();
    return st_period_due_ns(&period, start_ns, k);
}

static void punctual_cycles_have_no_xrun(void **state)
{
    (void)state;
    struct st_device device = device_of(2);
    for (uint64_t k = 0; k < 100000; k++)
        assert_int_equal(st_device_cycle(&device, due(k) + 50000), 0);
    assert_int_equal(device.xruns_n, 0);
    assert_int_equal(device.silence_ns, 0);
}

static void a_cycle_may_take_all_of_its_period_and_not_1_ns_more(void **state)
{
    (void)state;
    struct st_device device = device_of(2);
    for (uint64_t k = 0; k < 1000; k++)
        assert_int_equal(st_device_cycle(&device, due(k + 1)), 0);
    assert_int_equal(st_device_cycle(&device, due(1001) + 1), 1);
    assert_int_equal(device.xruns_n, 1);
}

static void more_periods_bear_more_lateness(void **state)
{
    (void)state;
    for (uint32_t periods = 2; periods <= 64; periods++) {
        struct st_device device = device_of(periods);
        assert_int_equal(st_device_cycle(&device, due(periods - 1)), 0);
        device = device_of(periods);
        assert_int_equal(st_device_cycle(&device, due(periods - 1) + 1), 1);
    }
}

/* The loop's rule: what is due when a cycle is done is skipped. */
static uint64_t next_cycle(const struct st_period *period, uint64_t k, int64_t done_ns)
{
    const uint64_t at = st_period_index_at(period, start_ns, done_ns);
    return at > k + 1 ? at : k + 1;
}

static void a_stop_of_200_ms_is_one_xrun(void **state)
{
    (void)state;
    const struct st_period period = period_64();
    struct st_device device = device_of(2);
    const int64_t stop_ns = 200000000;
    uint64_t skipped = 0;
    for (uint64_t k = 0; k < 5000;) {
        const int64_t done_ns = due(k) + (k == 1000 ? stop_ns : 30000);
        st_device_cycle(&device, done_ns);
        const uint64_t next = next_cycle(&period, k, done_ns);
        skipped += next - k - 1;
        k = next;
    }
    assert_int_equal(skipped, 149);
    assert_int_equal(device.xruns_n, 1);
    /* queued when it should have been done: one period; dry from due(1001) on */
    assert_int_equal(device.silence_ns, due(1000) + stop_ns - due(1001));
    assert_int_equal(device.silence_max_ns, device.silence_ns);
}

static void after_an_xrun_the_device_starts_when_that_cycle_was_done(void **state)
{
    (void)state;
    struct st_device device = device_of(2);
    const int64_t done_ns = due(10) + 7000000;
    for (uint64_t k = 0; k < 10; k++)
        assert_int_equal(st_device_cycle(&device, due(k)), 0);
    assert_int_equal(st_device_cycle(&device, done_ns), done_ns - due(11));
    assert_int_equal(device.start_ns, done_ns);
    assert_int_equal(device.cycles_since_start, 0);
    /* the cycle after that is n = 0: periods - 1 periods of time, counted from the restart */
    struct st_device late = device;
    assert_int_equal(st_device_cycle(&device, done_ns + 1333333), 0);
    assert_int_equal(device.cycles_since_start, 1);
    assert_int_equal(st_device_cycle(&late, done_ns + 1333334), 1);
}

static void the_silence_of_all_xruns_is_summed_and_the_longest_kept(void **state)
{
    (void)state;
    struct st_device device = device_of(3);
    assert_int_equal(st_device_cycle(&device, due(2) + 500), 500);
    const int64_t second = due(2) + 500;
    assert_int_equal(st_device_cycle(&device, second + 2666667 + 900), 900);
    const int64_t third = device.start_ns;
    assert_int_equal(st_device_cycle(&device, third + 2666667 + 100), 100);
    assert_int_equal(device.xruns_n, 3);
    assert_int_equal(device.silence_ns, 1500);
    assert_int_equal(device.silence_max_ns, 900);
}

static void periods_beyond_2_to_64_are_refused(void **state)
{
    (void)state;
    const struct st_period period = period_64();
    struct st_device device;
    assert_int_equal(st_device_init(&device, &period, 1, 0), -ERANGE);
    assert_int_equal(st_device_init(&device, &period, 65, 0), -ERANGE);
    assert_int_equal(st_device_init(&device, &period, 64, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(punctual_cycles_have_no_xrun),
        cmocka_unit_test(a_cycle_may_take_all_of_its_period_and_not_1_ns_more),
        cmocka_unit_test(more_periods_bear_more_lateness),
        cmocka_unit_test(a_stop_of_200_ms_is_one_xrun),
        cmocka_unit_test(after_an_xrun_the_device_starts_when_that_cycle_was_done),
        cmocka_unit_test(the_silence_of_all_xruns_is_summed_and_the_longest_kept),
        cmocka_unit_test(periods_beyond_2_to_64_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
