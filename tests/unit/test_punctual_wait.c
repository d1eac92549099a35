/* The punctual wait on a scripted clock: never early, one sleep at most, spinning bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/ns.h"
#include "platform/punctual_wait.h"
#include "tests/fake/fake.h"

#define START_NS  (5 * ST_NS_PER_S)
#define PERIOD_NS INT64_C(1333333)

static struct st_platform *machine(int64_t late_ns)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, START_NS);
    assert_non_null(p);
    st_fake_set_clock_cost_ns(p, 20);
    assert_int_equal(st_fake_script_sleeps(p, NULL, 0, late_ns), 0);
    return p;
}

static void wakes_on_time_once_it_has_learned(void **state)
{
    (void)state;
    struct st_platform *p = machine(14000);
    struct st_margin margin;
    int64_t woke_ns = START_NS;
    st_margin_init(&margin, 0.99);
    for (int k = 1; k <= 200; k++) {
        const int64_t due_ns = START_NS + k * PERIOD_NS;
        assert_int_equal(st_punctual_wait(&margin, p, p->sleep_until_ns, woke_ns, due_ns, &woke_ns), 0);
        assert_true(woke_ns >= due_ns); /* never early */
        if (k <= 32)
            assert_int_equal(woke_ns - due_ns, 14000);
        else if (k > 33)
            assert_in_range(woke_ns - due_ns, 0, 20);
    }
    assert_int_equal(st_fake_sleeps_n(p), 200);
    st_fake_free(p);
}

static void wait_that_is_over_neither_sleeps_nor_learns(void **state)
{
    (void)state;
    struct st_platform *p = machine(14000);
    struct st_margin margin;
    int64_t woke_ns;
    st_margin_init(&margin, 0.99);
    assert_int_equal(st_punctual_wait(&margin, p, p->sleep_until_ns, START_NS, START_NS - 5, &woke_ns), 0);
    assert_int_equal(woke_ns, START_NS);
    assert_int_equal(st_fake_sleeps_n(p), 0);
    assert_true(margin.overshoot_ns == INT64_MIN);
    st_fake_free(p);
}

static void early_wake_is_spun_out(void **state)
{
    (void)state;
    struct st_platform *p = machine(-3000);
    struct st_margin margin;
    int64_t woke_ns;
    st_margin_init(&margin, 0.01);
    assert_int_equal(
        st_punctual_wait(&margin, p, p->sleep_until_ns, START_NS, START_NS + PERIOD_NS, &woke_ns), 0);
    assert_in_range(woke_ns, START_NS + PERIOD_NS, START_NS + PERIOD_NS + 20);
    assert_int_equal(margin.overshoot_ns, -3000);
    st_fake_free(p);
}

static void spins_at_most_half_of_the_wait(void **state)
{
    (void)state;
    struct st_platform *p = machine(0);
    struct st_margin margin;
    int64_t woke_ns;
    st_margin_init_fixed(&margin, 100 * ST_NS_PER_MS);
    assert_int_equal(
        st_punctual_wait(&margin, p, p->sleep_until_ns, START_NS, START_NS + PERIOD_NS, &woke_ns), 0);
    assert_int_equal(st_fake_sleeps_n(p), 1);
    /* a read each 20 ns for half of it, the one that was due and the one after the sleep */
    assert_in_range(st_fake_clock_reads_n(p), PERIOD_NS / 2 / 20 - 2, PERIOD_NS / 2 / 20 + 3);
    st_fake_free(p);
}

static void signal_is_handed_on_and_not_learned(void **state)
{
    (void)state;
    struct st_platform *p = machine(14000);
    struct st_margin margin;
    int64_t woke_ns = 17;
    st_margin_init(&margin, 0.99);
    assert_int_equal(st_fake_fail_at(p, "sleep_until_ns", 1, -EINTR), 0);
    assert_int_equal(
        st_punctual_wait(&margin, p, p->sleep_until_ns, START_NS, START_NS + PERIOD_NS, &woke_ns), -EINTR);
    assert_int_equal(woke_ns, 17);
    assert_true(margin.overshoot_ns == INT64_MIN);
    st_fake_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wakes_on_time_once_it_has_learned),
        cmocka_unit_test(wait_that_is_over_neither_sleeps_nor_learns),
        cmocka_unit_test(early_wake_is_spun_out),
        cmocka_unit_test(spins_at_most_half_of_the_wait),
        cmocka_unit_test(signal_is_handed_on_and_not_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
