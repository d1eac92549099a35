/* lab/stats/long_series and its analysis: figures against sorting, and what is found behind the first
 * samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/analyse/series_analysis.h"
#include "tests/unit/noise.h"

#define LONG_N (ST_LONG_SERIES_HEAD_N * 4)

static struct st_period period;

static int set_period(void **state)
{
    (void)state;
    return st_period_init(&period, 32, 48000);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t *noise_values(enum noise noise, uint64_t seed, size_t n)
{
    struct st_random random = {.state = seed};
    bool mode = false;
    int64_t *values = calloc(n, sizeof(*values));
    assert_non_null(values);
    for (size_t i = 0; i < n; i++)
        values[i] = llrint(fmax(fmin(noise_value(noise, &random, &mode), 3.6e12), -3.6e12));
    return values;
}

static struct st_long_series long_of(const int64_t *values, size_t n)
{
    struct st_long_series all;
    assert_int_equal(st_long_series_init(&all, &period, ST_LONG_SERIES_HEAD_N), 0);
    for (size_t first = 0; first < n; first += 1500)
        assert_int_equal(st_long_series_add(&all, first, values + first, n - first < 1500 ? n - first : 1500),
                         0);
    return all;
}

/* Every quantile that is printed, and many more. */
static void check_quantiles(int64_t *values, size_t n, double within)
{
    struct st_long_series all = long_of(values, n);
    struct st_sample sample;
    assert_int_equal(st_long_series_sample(&all, &sample), 0);
    qsort(values, n, sizeof(*values), compare);
    for (double p = 1e-5; p < 1 - 1e-6; p = p < 0.9 ? p + 1e-3 : 1 - (1 - p) * 0.9) {
        const double exact = (double)values[st_hist_quantile_rank(n, p) - 1];
        assert_true(fabs((double)st_sample_quantile(&sample, p) - exact) <= within * fabs(exact));
    }
    assert_int_equal(all.hist.min_ns, values[0]);
    assert_int_equal(all.hist.max_ns, values[n - 1]);
    st_sample_finish(&sample);
    st_long_series_finish(&all);
}

static void quantiles_are_within_a_tenth_of_a_percent_of_sorting(void **state)
{
    (void)state;
    for (enum noise noise = 0; noise < NOISE_COUNT; noise++) {
        int64_t *values = noise_values(noise, 7, LONG_N);
        check_quantiles(values, LONG_N, 1e-3);
        free(values);
    }
}

/* All octaves up to an hour, both signs; and the worst place of all, the first value of the widest bucket
 * against its size. The bound is that of the layout: half of a bucket, 1 in 16384 of its lowest value, so
 * 0.0031 %. */
static void the_worst_case_of_the_buckets_is_far_below(void **state)
{
    (void)state;
    struct st_random random = {.state = 3};
    int64_t *values = calloc(LONG_N, sizeof(*values));
    assert_non_null(values);
    for (size_t i = 0; i < LONG_N; i++) {
        const int64_t size =
            (int64_t)(st_random_below(&random, 3600000000000) >> st_random_below(&random, 42));
        values[i] = i % 4 == 0 ? -size : i % 4 == 1 ? INT64_C(1) << (15 + i % 26) : size;
    }
    check_quantiles(values, LONG_N, 1.0 / 32768);
    free(values);
}

static void a_short_one_is_exact(void **state)
{
    (void)state;
    int64_t *values = noise_values(NOISE_LOGNORMAL, 3, 10000);
    check_quantiles(values, 10000, 0);
    free(values);
}

static void gaps_count_and_order_is_checked(void **state)
{
    (void)state;
    struct st_long_series all;
    struct st_sample sample;
    const int64_t values[] = {1, 2, 3};
    assert_int_equal(st_long_series_init(&all, &period, ST_LONG_SERIES_HEAD_N), 0);
    assert_int_equal(st_long_series_span(&all), 0);
    assert_int_equal(st_long_series_sample(&all, &sample), -ENODATA);
    assert_int_equal(st_long_series_add(&all, 10, values, 3), 0);
    assert_int_equal(st_long_series_add(&all, 100, values, 0), 0);
    assert_int_equal(st_long_series_add(&all, 12, values, 3), -EINVAL);
    assert_int_equal(st_long_series_add(&all, 20, values, 3), 0);
    assert_int_equal(all.n, 6);
    assert_int_equal(st_long_series_span(&all), 13);
    assert_int_equal(all.head.n, 6);
    assert_int_equal(all.head.index[3], 20);
    assert_true(st_long_series_is_short(&all));
    st_long_series_finish(&all);
}

/* A series as a whole: what it was before, in other hands. */
static void a_series_becomes_the_head(void **state)
{
    (void)state;
    struct st_series series;
    struct st_long_series all;
    assert_int_equal(noise_series(NOISE_NORMAL, 1, &period, 5000, 0, 0, &series), 0);
    series.index[4999] += 7;
    const int64_t last_ns = series.lateness_ns[4999];
    assert_int_equal(st_long_series_of(&series, &all), 0);
    assert_int_equal(series.n, 0);
    assert_int_equal(all.n, 5000);
    assert_int_equal(st_long_series_span(&all), 5007);
    assert_int_equal(all.head.lateness_ns[4999], last_ns);
    st_long_series_finish(&all);
}

/* --- analysis: of what only the rest shows */

static struct st_analysis analyse(const int64_t *values, size_t n)
{
    struct st_long_series all = long_of(values, n);
    struct st_analysis a;
    assert_int_equal(st_series_analysis_of_long(&all, 0, false, &a), 0);
    assert_int_equal(a.samples_n, n);
    assert_int_equal(a.head_n, ST_LONG_SERIES_HEAD_N);
    st_long_series_finish(&all);
    return a;
}

static void a_step_behind_the_head_is_found(void **state)
{
    (void)state;
    int64_t *values = noise_values(NOISE_NORMAL, 11, LONG_N);
    for (size_t i = LONG_N / 4 * 3; i < LONG_N; i++)
        values[i] += 2000;
    const struct st_analysis a = analyse(values, LONG_N);
    assert_int_equal(a.changes.steps_n, 1);
    assert_true(fabs(a.changes.steps[0].size_ns - 2000) < 100);
    assert_true(fabs((double)a.changes.steps[0].index - LONG_N / 4 * 3) < 4 * ST_LEVELS_MEDIAN_OF);
    assert_false(a.changes.trend_found);
    free(values);
}

static void a_slow_trend_is_found(void **state)
{
    (void)state;
    int64_t *values = noise_values(NOISE_UNIFORM, 12, LONG_N);
    for (size_t i = 0; i < LONG_N; i++)
        values[i] += (int64_t)i * 3000 / LONG_N; /* 3 us in all, in noise of 20 us */
    const struct st_analysis a = analyse(values, LONG_N);
    assert_true(a.changes.trend_found);
    assert_true(fabs(a.changes.slope_ns_per_s * a.span_s - 3000) < 300);
    assert_int_equal(a.changes.steps_n, 0);
    free(values);
}

static void long_noise_shows_nothing(void **state)
{
    (void)state;
    for (enum noise noise = 0; noise < NOISE_COUNT; noise++) {
        int64_t *values = noise_values(noise, 100, LONG_N);
        const struct st_analysis a = analyse(values, LONG_N);
        assert_int_equal(a.findings_n, 0);
        free(values);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_within_a_tenth_of_a_percent_of_sorting),
        cmocka_unit_test(the_worst_case_of_the_buckets_is_far_below),
        cmocka_unit_test(a_short_one_is_exact),
        cmocka_unit_test(gaps_count_and_order_is_checked),
        cmocka_unit_test(a_series_becomes_the_head),
        cmocka_unit_test(a_step_behind_the_head_is_found),
        cmocka_unit_test(a_slow_trend_is_found),
        cmocka_unit_test(long_noise_shows_nothing),
    };
    return cmocka_run_group_tests(tests, set_period, NULL);
}
