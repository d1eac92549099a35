/* lab/stats/levels: medians of blocks. */
#include "lab/stats/levels.h"
#include "tests/unit/noise.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static struct st_period second(void)
{
    const struct st_period period = period_of_ns(1000000000, 1);
    return period;
}

static double sorted_median(int64_t *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    return n % 2 == 1 ? (double)values[n / 2]
                      : ((double)values[n / 2 - 1] + (double)values[n / 2]) / 2;
}

static bool equal(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void a_series_has_medians_of_equal_blocks(void **state)
{
    const struct st_period period = second();
    struct st_series series;
    struct st_levels levels;
    st_series_init(&series, &period);
    assert_int_equal(st_levels_of(&series, &levels), -ENODATA);
    assert_int_equal(noise_series(NOISE_UNIFORM, 1, &period, 2 * ST_LEVELS_MAX + 1, 0, 0, &series),
                     0);
    assert_int_equal(st_levels_of(&series, &levels), 0);
    assert_int_equal(levels.n, (2 * ST_LEVELS_MAX + 1) / 3);
    for (size_t i = 0; i < levels.n; i++) {
        assert_true(equal(levels.level[i].value_ns, sorted_median(series.lateness_ns + 3 * i, 3)));
        assert_int_equal(levels.level[i].first, series.index[3 * i]);
        assert_int_equal(levels.level[i].last, series.index[3 * i + 2]);
    }
    st_levels_finish(&levels);
    st_series_finish(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_series_has_medians_of_equal_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
