/* Two waits compared, on a scripted clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "daemon/loop/wait_comparison.h"
#include "tests/fake/fake.h"

static void both_waits_are_measured_where_there_are_two(void **state)
{
    (void)state;
    struct st_platform *fake = st_fake_new(ST_OS_FREEBSD, 1000);
    struct st_period period;
    int64_t late_ns[1 + ST_WAIT_COMPARISON_SLEEPS] = {0}, plain_ns, precise_ns;
    /* the first sleep finds out that there is a precise one; its due time has passed */
    for (size_t i = 0; i < ST_ARRAY_LEN(late_ns); i++)
        late_ns[i] = 78000;
    late_ns[7] = 900000000; /* one stall does not move a median */
    late_ns[9] = INT64_MIN; /* nor does a signal */
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    assert_int_equal(st_fake_script_sleeps(fake, late_ns, ST_ARRAY_LEN(late_ns), 2000), 0);
    assert_int_equal(st_wait_comparison_run(fake, &period, 70, &plain_ns, &precise_ns), 0);
    assert_int_equal(plain_ns, 78000);
    assert_int_equal(precise_ns, 2000);
    enum st_policy policy;
    int priority;
    assert_int_equal(fake->get_policy(fake, &policy, &priority), 0);
    assert_int_equal(policy, ST_POLICY_OTHER);
    st_fake_free(fake);
}

static void nothing_is_measured_where_the_plain_wait_is_exact(void **state)
{
    (void)state;
    struct st_platform *fake = st_fake_new(ST_OS_LINUX, 0);
    struct st_period period;
    int64_t plain_ns = 1, precise_ns = 2;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    assert_int_equal(st_wait_comparison_run(fake, &period, 70, &plain_ns, &precise_ns), -ENOTSUP);
    assert_int_equal(plain_ns, 1);
    assert_int_equal(precise_ns, 2);
    assert_int_equal(st_fake_sleeps_n(fake), 0);
    st_fake_free(fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_waits_are_measured_where_there_are_two),
        cmocka_unit_test(nothing_is_measured_where_the_plain_wait_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
