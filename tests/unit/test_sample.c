#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "lib/sample.h"

static void an_array_is_sorted_and_looked_up_by_rank(void **state)
{
    (void)state;
    int64_t values[] = {30, -10, 20, 50, 40};
    const struct st_sample sample = st_sample_of(values, 5);
    assert_int_equal(st_sample_n(&sample), 5);
    for (uint64_t rank = 1; rank <= 5; rank++)
        assert_int_equal(st_sample_at(&sample, rank), rank == 1 ? -10 : 10 * (int64_t)rank);
    assert_int_equal(st_sample_quantile(&sample, 0.5), 30);
    assert_int_equal(st_sample_quantile(&sample, 0.6), 30);
    assert_int_equal(st_sample_quantile(&sample, 0.61), 40);
    assert_int_equal(st_sample_quantile(&sample, 0), -10);
    assert_int_equal(st_sample_quantile(&sample, 1), 50);
}

static void a_histogram_has_the_same_value_at_every_rank(void **state)
{
    (void)state;
    struct st_hist hist;
    struct st_sample sample;
    assert_int_equal(st_hist_init(&hist, 3), 0);
    for (int64_t i = -2000; i < 3000; i++)
        st_hist_add_n(&hist, i * i * i, 1 + (uint64_t)(i & 3));
    st_hist_add_n(&hist, ST_HIST_HIGHEST_NS + 5, 3);
    st_hist_add_n(&hist, -ST_HIST_HIGHEST_NS - 9, 2);
    assert_int_equal(st_sample_of_hist(&hist, &sample), 0);
    assert_true(st_sample_n(&sample) == hist.total_n);
    for (uint64_t rank = 1; rank <= hist.total_n; rank += 7)
        assert_true(st_sample_at(&sample, rank) == st_hist_value_at_rank(&hist, rank));
    assert_true(st_sample_at(&sample, hist.total_n) == hist.max_ns);
    assert_true(st_sample_quantile(&sample, 0.99) == st_hist_quantile(&hist, 0.99));
    st_sample_finish(&sample);
    st_hist_finish(&hist);
}

static void an_empty_histogram_is_an_empty_sample(void **state)
{
    (void)state;
    struct st_hist hist;
    struct st_sample sample;
    assert_int_equal(st_hist_init(&hist, 3), 0);
    assert_int_equal(st_sample_of_hist(&hist, &sample), 0);
    assert_int_equal(st_sample_n(&sample), 0);
    st_sample_finish(&sample);
    st_hist_finish(&hist);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_is_sorted_and_looked_up_by_rank),
        cmocka_unit_test(a_histogram_has_the_same_value_at_every_rank),
        cmocka_unit_test(an_empty_histogram_is_an_empty_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
