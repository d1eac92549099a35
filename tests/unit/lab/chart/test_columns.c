#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/stats/random.h"
#include "lab/chart/columns.h"

static struct st_columns columns;

static void each_sample_has_a_column_while_there_is_room(void **state)
{
    (void)state;
    st_columns_init(&columns);
    for (uint64_t i = 0; i < ST_COLUMNS_MAX; i++)
        st_columns_add(&columns, 1000 + i, (int64_t)i - 7, i == 5);
    assert_int_equal(columns.n, ST_COLUMNS_MAX);
    assert_int_equal(columns.periods, 1);
    assert_int_equal(columns.first, 1000);
    assert_int_equal(columns.column[0].min_ns, -7);
    assert_int_equal(columns.column[5].missed_n, 1);
    st_columns_add(&columns, 1000 + ST_COLUMNS_MAX, 1, false);
    assert_int_equal(columns.periods, 2);
    assert_int_equal(columns.n, ST_COLUMNS_MAX / 2 + 1);
    assert_int_equal(columns.column[0].min_ns, -7);
    assert_int_equal(columns.column[0].max_ns, -6);
    assert_int_equal(columns.column[2].missed_n, 1);
}

/* Against the plain way: the least and greatest of each column's periods. */
static void no_value_is_left_out(void **state)
{
    enum { N = 50000 };
    static int64_t values[N];
    struct st_random random = {7};
    (void)state;
    st_columns_init(&columns);
    for (size_t i = 0; i < N; i++) {
        values[i] = (int64_t)(st_random_u64(&random) % 1000000) - 500000;
        st_columns_add(&columns, i, values[i], values[i] > 499000);
    }
    assert_true(columns.n <= ST_COLUMNS_MAX && columns.n > ST_COLUMNS_MAX / 2);
    for (size_t i = 0; i < columns.n; i++) {
        int64_t min = INT64_MAX, max = INT64_MIN;
        uint64_t n = 0, missed_n = 0;
        for (uint64_t k = i * columns.periods; k < (i + 1) * columns.periods && k < N; k++, n++) {
            min = values[k] < min ? values[k] : min;
            max = values[k] > max ? values[k] : max;
            missed_n += values[k] > 499000;
        }
        assert_int_equal(columns.column[i].n, n);
        assert_int_equal(columns.column[i].min_ns, min);
        assert_int_equal(columns.column[i].max_ns, max);
        assert_int_equal(columns.column[i].missed_n, missed_n);
    }
}

static void missed_periods_are_counted_where_they_were(void **state)
{
    uint64_t missed_n = 0;
    (void)state;
    st_columns_init(&columns);
    st_columns_add(&columns, 0, 1, false);
    st_columns_missed(&columns, 1, 9999);
    st_columns_add(&columns, 10000, 2, false);
    assert_int_equal(columns.periods, 8);
    assert_int_equal(columns.column[0].missed_n, 7);
    assert_int_equal(columns.column[1].missed_n, 8);
    for (size_t i = 0; i < columns.n; i++)
        missed_n += columns.column[i].missed_n;
    assert_int_equal(missed_n, 9999);
    st_columns_missed(&columns, 10001, UINT64_MAX); /* as hostile files say */
    assert_true(columns.n <= ST_COLUMNS_MAX);
}

static void what_lies_before_the_first_period_is_left_out(void **state)
{
    (void)state;
    st_columns_init(&columns);
    st_columns_add(&columns, 10, 1, false);
    st_columns_add(&columns, 9, 5, false);
    st_columns_missed(&columns, 3, 2);
    assert_int_equal(columns.n, 1);
    assert_int_equal(columns.column[0].max_ns, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sample_has_a_column_while_there_is_room),
        cmocka_unit_test(no_value_is_left_out),
        cmocka_unit_test(missed_periods_are_counted_where_they_were),
        cmocka_unit_test(what_lies_before_the_first_period_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
