/* lab/analyse/outlier_sizes: sizes that outliers prefer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "lab/analyse/outlier_sizes.h"
#include "tests/unit/noise.h"

/* 7500 samples of noise of which every 100th is an outlier: exponential with a mean of mean_ns, and `special`
 * of them between low_ns and high_ns. */
static struct st_outlier_sizes find(uint64_t seed, double mean_ns, size_t special, double low_ns,
                                    double high_ns)
{
    struct st_random random = {.state = seed};
    struct st_period period;
    struct st_series series;
    struct st_outlier_sizes clusters;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    assert_int_equal(noise_series(NOISE_NORMAL, seed, &period, 7500, 0, 0, &series), 0);
    for (size_t i = 50; i < series.n; i += 100) {
        double late_ns = mean_ns * noise_exponential(&random);
        if (i / 100 < special)
            late_ns = low_ns + (high_ns - low_ns) * st_random_unit(&random);
        series.lateness_ns[i] += llrint(late_ns);
    }
    assert_int_equal(st_outlier_sizes_find(&series, &clusters), 0);
    st_series_finish(&series);
    return clusters;
}

/* As on a virtual machine whose host schedules in slices of 20 ms. */
static void ten_of_seventy_five_at_a_quantum_are_a_cluster(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct st_outlier_sizes clusters = find(seed, 2e6, 10, 20.0e6, 20.8e6);
        assert_true(clusters.outliers_n >= 60);
        assert_int_equal(clusters.n, 1);
        assert_in_range(clusters.cluster[0].n, 10, 11);
        assert_true(fabs(clusters.cluster[0].center_ns - 20.4e6) < 0.2e6);
        assert_true(clusters.cluster[0].low_ns > 19.9e6 && clusters.cluster[0].high_ns < 21.2e6);
    }
}

static void a_falling_tail_has_none(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t seed = 0; seed < 150; seed++)
        found += find(seed, 3e6, 0, 0, 0).n > 0;
    assert_in_range(found, 0, 1);
}

/* As large as it may be under the assumption: all sizes up to a limit equally likely. */
static void an_even_spread_has_none(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t seed = 0; seed < 150; seed++)
        found += find(seed, 0, 75, 0, 10e6).n > 0;
    assert_in_range(found, 0, 1);
}

static void no_outlier_no_cluster(void **state)
{
    (void)state;
    struct st_period period;
    struct st_series series;
    struct st_outlier_sizes clusters;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    assert_int_equal(noise_series(NOISE_UNIFORM, 1, &period, 7500, 0, 0, &series), 0);
    assert_int_equal(st_outlier_sizes_find(&series, &clusters), 0);
    assert_int_equal(clusters.outliers_n, 0);
    assert_int_equal(clusters.n, 0);
    st_series_finish(&series);
    st_series_init(&series, &period);
    assert_int_equal(st_outlier_sizes_find(&series, &clusters), -ENODATA);
}

/* More outliers than a table of a fixed size, and all samples equal but for them. */
static void two_clusters_on_a_constant(void **state)
{
    (void)state;
    struct st_period period;
    struct st_series series;
    struct st_outlier_sizes clusters;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    st_series_init(&series, &period);
    for (uint64_t i = 0; i < 20000; i++)
        assert_int_equal(st_series_add(&series, i, i % 100 == 0 ? 50000000 : i % 100 == 50 ? 4000000 : 0), 0);
    assert_int_equal(st_outlier_sizes_find(&series, &clusters), 0);
    assert_int_equal(clusters.outliers_n, 400);
    assert_int_equal(clusters.n, 2);
    assert_int_equal(clusters.cluster[0].n, 200);
    assert_int_equal(clusters.cluster[1].n, 200);
    st_series_finish(&series);
}

/* A histogram of values that it tells apart shows what the series shows. */
static void a_histogram_shows_the_same(void **state)
{
    (void)state;
    struct st_period period;
    struct st_series series;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct st_outlier_sizes of_series, of_hist;
        struct st_hist hist;
        assert_int_equal(noise_series(NOISE_TWO_MODES, seed, &period, 20000, 0, 0, &series), 0);
        for (size_t i = 0; i < 20; i++)
            series.lateness_ns[i * 900] = 20000000 + (int64_t)i * 1000;
        assert_int_equal(st_hist_init(&hist, 4), 0);
        st_hist_add_values(&hist, series.lateness_ns, series.n);
        assert_int_equal(st_outlier_sizes_find(&series, &of_series), 0);
        assert_int_equal(st_outlier_sizes_of(&hist, &of_hist), 0);
        assert_int_equal(of_series.n, 1);
        assert_int_equal(of_hist.n, 1);
        assert_int_equal(of_hist.cluster[0].n, of_series.cluster[0].n);
        assert_true(fabs(of_hist.cluster[0].center_ns / of_series.cluster[0].center_ns - 1) < 1e-4);
        assert_true(fabs((double)of_hist.above_ns / (double)of_series.above_ns - 1) < 1e-3);
        st_hist_finish(&hist);
        st_series_finish(&series);
    }
}

/* Outliers a hundredth of the median above it: 3 digits do not tell them apart, 4 digits do. */
static void a_histogram_that_is_too_coarse_says_so(void **state)
{
    (void)state;
    for (int digits = 3; digits <= 4; digits++) {
        struct st_outlier_sizes clusters;
        struct st_hist hist;
        assert_int_equal(st_hist_init(&hist, digits), 0);
        assert_int_equal(st_outlier_sizes_of(&hist, &clusters), -ENODATA);
        for (int64_t i = 0; i < 1000; i++)
            st_hist_add(&hist, INT64_C(2000000000) + i * 10000);
        assert_int_equal(st_outlier_sizes_of(&hist, &clusters), digits == 3 ? -ERANGE : 0);
        st_hist_finish(&hist);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_of_seventy_five_at_a_quantum_are_a_cluster),
        cmocka_unit_test(a_falling_tail_has_none),
        cmocka_unit_test(an_even_spread_has_none),
        cmocka_unit_test(no_outlier_no_cluster),
        cmocka_unit_test(two_clusters_on_a_constant),
        cmocka_unit_test(a_histogram_shows_the_same),
        cmocka_unit_test(a_histogram_that_is_too_coarse_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
