/* lab/stats/series: samples in order, and what is usual among them. */
#include "core/stats/random.h"
#include "lab/stats/sample.h"
#include "lab/stats/series.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

static void setup(struct st_series *series)
{
    const struct st_period period = period_of(64, 48000);
    st_series_init(series, &period);
}

static void indices_ascend(void **state)
{
    struct st_series series;
    setup(&series);
    assert_int_equal(st_series_span(&series), 0);
    assert_int_equal(st_series_add(&series, 5, 1), 0);
    assert_int_equal(st_series_add(&series, 5, 1), -EINVAL);
    assert_int_equal(st_series_add(&series, 4, 1), -EINVAL);
    assert_int_equal(st_series_add(&series, 9, 1), 0);
    assert_int_equal(series.n, 2);
    assert_int_equal(st_series_span(&series), 5);
    st_series_finish(&series);
}

static void outliers_do_not_move_what_is_usual(void **state)
{
    struct st_series series;
    struct st_series_bulk bulk;
    setup(&series);
    assert_int_equal(st_series_bulk(&series, &bulk), -ENODATA);
    for (uint64_t i = 0; i < 101; i++)
        assert_int_equal(st_series_add(&series, i,
                                       i == 0     ? INT64_MIN
                                       : i == 100 ? INT64_MAX
                                                  : (int64_t)i),
                         0);
    assert_int_equal(st_series_bulk(&series, &bulk), 0);
    assert_int_equal(bulk.low_ns, 5);
    assert_int_equal(bulk.median_ns, 50);
    assert_int_equal(bulk.high_ns, 95);
    assert_int_equal(bulk.clip_low_ns, 50 - 180);
    assert_int_equal(bulk.clip_high_ns, 50 + 180);
    st_series_finish(&series);
}

/* Against sorting, on values of which many are equal. */
static void quantiles_are_those_of_the_sorted_values(void **state)
{
    struct st_random random = {.state = 5};
    for (size_t n = 1; n < 300; n++) {
        struct st_series series;
        struct st_series_bulk bulk;
        int64_t values[300];
        setup(&series);
        for (size_t i = 0; i < n; i++) {
            values[i] = (int64_t)st_random_below(&random, 1 + n / 3) - 20;
            assert_int_equal(st_series_add(&series, i, values[i]), 0);
        }
        (void)st_sample_of(values, n); /* sorts */
        assert_int_equal(st_series_bulk(&series, &bulk), 0);
        assert_int_equal(bulk.low_ns, values[(n - 1) / 20]);
        assert_int_equal(bulk.median_ns, values[(n - 1) / 2]);
        assert_int_equal(bulk.high_ns, values[n - 1 - (n - 1) / 20]);
        st_series_finish(&series);
    }
}

static void absurd_widths_saturate(void **state)
{
    struct st_series series;
    struct st_series_bulk bulk;
    setup(&series);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(st_series_add(&series, i, i < 50 ? INT64_MIN : INT64_MAX), 0);
    assert_int_equal(st_series_bulk(&series, &bulk), 0);
    assert_true(bulk.clip_low_ns == INT64_MIN);
    st_series_finish(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_ascend),
        cmocka_unit_test(outliers_do_not_move_what_is_usual),
        cmocka_unit_test(quantiles_are_those_of_the_sorted_values),
        cmocka_unit_test(absurd_widths_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
