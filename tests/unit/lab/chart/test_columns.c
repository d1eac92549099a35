/* lab/chart/columns: where each value is, and that none is left out. */
#include "core/stats/random.h"
#include "lab/chart/columns.h"
#include "tests/unit/unit.h"

static struct st_columns columns;

static struct st_series series_of(size_t n, uint64_t first)
{
    struct st_random random = {7};
    struct st_series series = {.n = 0};
    for (size_t i = 0; i < n; i++)
        assert_int_equal(
            st_series_add(&series, first + i, (int64_t)(st_random_u64(&random) % 1000000) - 500000),
            0);
    return series;
}

static void each_sample_has_a_column_while_there_is_room(void **state)
{
    struct st_series series = series_of(ST_COLUMNS_MAX + 1, 1000);
    series.n--;
    st_columns_of(&series, &columns);
    assert_int_equal(columns.n, ST_COLUMNS_MAX);
    assert_int_equal(columns.periods, 1);
    assert_int_equal(columns.column[5].min_ns, series.lateness_ns[5]);
    series.n++;
    st_columns_of(&series, &columns);
    assert_int_equal(columns.periods, 2);
    assert_int_equal(columns.n, ST_COLUMNS_MAX / 2 + 1);
    st_series_finish(&series);
}

/* Against the plain way: the least and greatest of each column's periods. */
static void no_value_is_left_out(void **state)
{
    enum { N = 50000 };
    struct st_series series = series_of(N, 0);
    const int64_t *values = series.lateness_ns;
    st_columns_of(&series, &columns);
    assert_true(columns.n <= ST_COLUMNS_MAX && columns.n > ST_COLUMNS_MAX / 2);
    for (size_t i = 0; i < columns.n; i++) {
        int64_t min = INT64_MAX, max = INT64_MIN;
        uint64_t n = 0;
        for (uint64_t k = i * columns.periods; k < (i + 1) * columns.periods && k < N; k++, n++) {
            min = values[k] < min ? values[k] : min;
            max = values[k] > max ? values[k] : max;
        }
        assert_int_equal(columns.column[i].n, n);
        assert_int_equal(columns.column[i].min_ns, min);
        assert_int_equal(columns.column[i].max_ns, max);
    }
    st_series_finish(&series);
}

static void periods_without_a_value_have_room(void **state)
{
    struct st_series series = {.n = 0};
    assert_int_equal(st_series_add(&series, 0, 1), 0);
    assert_int_equal(st_series_add(&series, 10000, 2), 0);
    assert_int_equal(st_series_add(&series, UINT64_MAX, 3), 0); /* as hostile files say */
    st_columns_of(&series, &columns);
    assert_true(columns.n <= ST_COLUMNS_MAX);
    assert_int_equal(columns.column[columns.n - 1].max_ns, 3);
    series.n = 2;
    st_columns_of(&series, &columns);
    assert_int_equal(columns.periods, 5);
    assert_int_equal(columns.column[0].n + columns.column[10000 / 5].n, 2);
    st_series_finish(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sample_has_a_column_while_there_is_room),
        cmocka_unit_test(no_value_is_left_out),
        cmocka_unit_test(periods_without_a_value_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
