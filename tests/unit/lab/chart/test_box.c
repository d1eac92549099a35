

#include "lab/chart/box.h"
#include "tests/unit/unit.h"

static struct st_box box_of(int64_t *values, size_t n)
{
    struct st_box box;
    const struct st_sample sample = st_sample_of(values, n);
    st_box_of(&sample, &box);
    return box;
}

static void whiskers_end_at_values_and_the_rest_is_counted(void **state)
{
    int64_t values[100];
    for (int i = 0; i < 100; i++)
        values[i] = 101 + i; /* quartiles 125, 150, 175: fences 50 and 250 */
    values[0] = 49;
    values[1] = 50;
    values[98] = 251;
    values[99] = 9000;
    const struct st_box box = box_of(values, 100);
    assert_true(box.known);
    assert_int_equal(box.q1_ns, 125);
    assert_int_equal(box.median_ns, 150);
    assert_int_equal(box.q3_ns, 175);
    assert_int_equal(box.low_ns, 50);
    assert_int_equal(box.high_ns, 198);
    assert_int_equal(box.outliers_n, 3);
    assert_int_equal(box.max_ns, 9000);
}

static void equal_values_have_no_outliers(void **state)
{
    int64_t values[50];
    for (int i = 0; i < 50; i++)
        values[i] = -3;
    struct st_box box = box_of(values, 50);
    assert_int_equal(box.low_ns, -3);
    assert_int_equal(box.high_ns, -3);
    assert_int_equal(box.outliers_n, 0);
    box = box_of(values, 1);
    assert_false(box.known);
    assert_int_equal(box.min_ns, -3);
    int64_t few[] = {1, 2, 9};
    box = box_of(few, 3);
    assert_true(box.mean_known && box.mean_ns == 4);
}

static void extreme_values_do_not_overflow(void **state)
{
    int64_t values[40];
    for (int i = 0; i < 40; i++)
        values[i] = i % 2 == 0 ? INT64_MIN : INT64_MAX;
    const struct st_box box = box_of(values, 40);
    assert_int_equal(box.outliers_n, 0);
    assert_true(box.low_ns == INT64_MIN && box.high_ns == INT64_MAX);
}

static void figures_alone_tell_outliers_only_when_there_are_none(void **state)
{
    struct st_box box = {.n = 100,
                         .known = true,
                         .min_ns = 90,
                         .q1_ns = 100,
                         .median_ns = 105,
                         .q3_ns = 110,
                         .max_ns = 900};
    st_box_of_figures(&box);
    assert_int_equal(box.low_ns, 90);
    assert_int_equal(box.high_ns, 125);
    assert_false(box.outliers_known);
    box.max_ns = 125;
    st_box_of_figures(&box);
    assert_true(box.outliers_known);
    assert_int_equal(box.high_ns, 125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whiskers_end_at_values_and_the_rest_is_counted),
        cmocka_unit_test(equal_values_have_no_outliers),
        cmocka_unit_test(extreme_values_do_not_overflow),
        cmocka_unit_test(figures_alone_tell_outliers_only_when_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
