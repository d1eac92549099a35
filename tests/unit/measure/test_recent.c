/* measure/recent: the median and the highest of the last values. */
#include "measure/recent.h"
#include "tests/unit/unit.h"

static double median_after(struct st_recent *recent, double value)
{
    st_recent_add(recent, value);
    return st_recent_median(recent);
}

static void a_wild_value_is_forgotten_at_once(void **state)
{
    struct st_recent recent = {0};
    assert_true(st_recent_median(&recent) == 0);
    assert_true(median_after(&recent, 900) == 900); /* nothing else is known */
    assert_true(median_after(&recent, 9) == 9);     /* the lower one of two */
    assert_true(median_after(&recent, 8) == 9);
    assert_true(median_after(&recent, 7) == 8);
    assert_true(median_after(&recent, 1e12) == 9);
}

static void seven_wild_values_of_fifteen_do_no_harm(void **state)
{
    struct st_recent recent = {0};
    for (int i = 0; i < 8; i++)
        st_recent_add(&recent, 10 + i);
    for (int i = 0; i < 7; i++)
        st_recent_add(&recent, 1e9);
    assert_true(st_recent_median(&recent) == 17);
}

static void what_is_older_than_the_last_fifteen_is_gone(void **state)
{
    struct st_recent recent = {0};
    for (int i = 0; i < 100; i++)
        st_recent_add(&recent, 5000);
    for (int i = 0; i < 7; i++)
        assert_true(median_after(&recent, 20 - i) == 5000);
    for (int i = 0; i < 8; i++)
        st_recent_add(&recent, 20);
    assert_true(st_recent_median(&recent) == 20); /* 20, 19 .. 14, and eight times 20 */
    assert_int_equal(recent.n, 115);
}

static void the_highest_is_that_of_the_last_fifteen(void **state)
{
    struct st_recent recent = {0};
    assert_true(st_recent_max(&recent) == 0);
    st_recent_add(&recent, -3);
    assert_true(st_recent_max(&recent) == -3);
    st_recent_add(&recent, 12);
    for (int i = 0; i < 14; i++) {
        assert_true(st_recent_max(&recent) == 12);
        st_recent_add(&recent, 8);
    }
    assert_true(st_recent_max(&recent) == 12);
    st_recent_add(&recent, 9);
    assert_true(st_recent_max(&recent) == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wild_value_is_forgotten_at_once),
        cmocka_unit_test(seven_wild_values_of_fifteen_do_no_harm),
        cmocka_unit_test(what_is_older_than_the_last_fifteen_is_gone),
        cmocka_unit_test(the_highest_is_that_of_the_last_fifteen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
