

#include "core/stats/stats.h"
#include "tests/unit/unit.h"

/* cmocka compares floats only. */
static void assert_near(double got, double wanted, double tolerance)
{
    assert_true(fabs(got - wanted) <= tolerance);
}

/* P(low <= X <= high) for X binomial (n, p), one term after the other from log-gamma. */
static double binomial_between(uint64_t n, double p, uint64_t low, uint64_t high)
{
    double sum = 0;
    for (uint64_t i = low; i <= high; i++) {
        const double log_term = lgamma((double)n + 1) - lgamma((double)i + 1) -
                                lgamma((double)(n - i) + 1) + (double)i * log(p) +
                                (double)(n - i) * log1p(-p);
        sum += exp(log_term);
    }
    return sum;
}

static void rank_intervals_cover_exactly_as_much_as_asked(void **state)
{
    static const double ps[] = {0.5, 0.9, 0.99, 0.999, 0.1, 0.25};
    static const uint64_t ns[] = {20, 33, 100, 999, 1000, 3000, 10000, 100000};
    int checked = 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(ps); i++) {
        for (size_t k = 0; k < ST_ARRAY_LEN(ns); k++) {
            const uint64_t n = ns[k];
            const double p = ps[i];
            uint64_t low, high;
            if ((double)n * p * (1 - p) > 1000 ||
                st_stats_quantile_ranks(n, p, 0.95, &low, &high) != 0)
                continue;
            checked++;
            /* X_(low) <= quantile <= X_(high) when low <= (number below it) <= high - 1 */
            assert_true(binomial_between(n, p, low, high - 1) >= 0.95 - 1e-9);
            /* and each side is as near as a tail of 2.5 % lets it be */
            assert_true(binomial_between(n, p, 0, low - 1) <= 0.025 + 1e-9);
            assert_true(binomial_between(n, p, 0, low) > 0.025 - 1e-9);
            assert_true(binomial_between(n, p, high, n) <= 0.025 + 1e-9);
            assert_true(binomial_between(n, p, high - 1, n) > 0.025 - 1e-9);
        }
    }
    assert_int_equal(checked, 29);
}

static void ranks_of_the_median_of_ten_are_2_and_9(void **state)
{
    uint64_t low, high;
    assert_int_equal(st_stats_quantile_ranks(10, 0.5, 0.95, &low, &high), 0);
    assert_int_equal(low, 2); /* textbook: 97.9 % */
    assert_int_equal(high, 9);
}

static void the_approximation_of_large_n_covers_enough_and_not_much_more(void **state)
{
    static const struct {
        uint64_t n;
        double p;
    } rows[] = {{4100, 0.5},      {11200, 0.9},       {101500, 0.99},
                {1002000, 0.999}, {10002000, 0.9999}, {1002000, 0.001}};
    ST_EACH (row, rows) {
        const uint64_t n = row->n;
        const double p = row->p;
        assert_true((double)n * p * (1 - p) > 1000);
        uint64_t low, high;
        assert_int_equal(st_stats_quantile_ranks(n, p, 0.95, &low, &high), 0);
        const double covered = binomial_between(n, p, low, high - 1);
        assert_true(covered >= 0.95);
        assert_true(covered < 0.962);
        /* neither side: a rare event has a skewed count */
        assert_true(binomial_between(n, p, low > 1000 ? low - 1000 : 0, low - 1) <= 0.025);
        assert_true(binomial_between(n, p, high, high + 1000 < n ? high + 1000 : n) <= 0.025);
        assert_true(st_stats_quantile_ranks(n, p, 0.999, &low, &high) == 0);
        assert_true(binomial_between(n, p, low, high - 1) >= 0.999);
    }
}

static void too_few_values_have_no_interval(void **state)
{
    uint64_t low = 77, high = 78;
    assert_int_equal(st_stats_quantile_ranks(0, 0.5, 0.95, &low, &high), -ENODATA);
    assert_int_equal(st_stats_quantile_ranks(5, 0.5, 0.95, &low, &high),
                     -ENODATA); /* 1 - 2 / 32 = 93.75 % */
    assert_int_equal(st_stats_quantile_ranks(1000, 0.999, 0.95, &low, &high), -ENODATA);
    assert_int_equal(low, 77);
    assert_int_equal(high, 78);
    assert_int_equal(st_stats_quantile_ranks(6, 0.5, 0.95, &low, &high), 0); /* 96.9 % */
    assert_int_equal(low, 1);
    assert_int_equal(high, 6);
    /* the largest of n is above the p99.9 with 97.5 % from n = ln 0.025 / ln 0.999 = 3688 on */
    assert_int_equal(st_stats_quantile_ranks(3687, 0.999, 0.95, &low, &high), -ENODATA);
    assert_int_equal(st_stats_quantile_ranks(3688, 0.999, 0.95, &low, &high), 0);
    assert_int_equal(high, 3688);
}

static void impossible_probabilities_are_refused(void **state)
{
    uint64_t low, high;
    static const double bad[] = {0, 1, -0.5, 1.5, (double)NAN};
    ST_EACH (text, bad) {
        assert_int_equal(st_stats_quantile_ranks(1000, *text, 0.95, &low, &high), -EINVAL);
        assert_int_equal(st_stats_quantile_ranks(1000, 0.5, *text, &low, &high), -EINVAL);
    }
}

static void percentiles_need_ten_values_beyond_them(void **state)
{
    assert_int_equal(st_stats_quantile_min_n(0.5), 20);
    assert_int_equal(st_stats_quantile_min_n(0.9), 100);
    assert_int_equal(st_stats_quantile_min_n(0.99), 1000);
    assert_int_equal(st_stats_quantile_min_n(0.999), 10000);
    assert_int_equal(st_stats_quantile_min_n(0.9999), 100000);
    assert_int_equal(st_stats_quantile_min_n(1), UINT64_MAX);
}

static void a_percentile_is_not_known_one_value_too_early(void **state)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, 3), 0);
    for (int64_t v = 1; v <= 999; v++)
        st_hist_add(&hist, v);
    struct st_quantile q = st_stats_quantile(&hist, 0.99);
    assert_false(q.known);
    assert_false(q.interval_known);
    assert_int_equal(q.n, 999);
    st_hist_add(&hist, 1000);
    q = st_stats_quantile(&hist, 0.99);
    assert_true(q.known);
    assert_int_equal(q.value_ns, 990);
    assert_true(q.interval_known);
    uint64_t low, high;
    assert_int_equal(st_stats_quantile_ranks(1000, 0.99, 0.95, &low, &high), 0);
    assert_int_equal(q.low_ns, low); /* value = rank here */
    assert_int_equal(q.high_ns, high);
    st_hist_finish(&hist);
}

static void no_event_in_n_means_at_most_3_in_n(void **state)
{
    assert_near(st_stats_rate_max95(0), 2.995732273553991, 1e-12);
}

static void the_bound_for_some_events_is_the_exact_poisson_one(void **state)
{
    /* half the 95 % point of chi-squared with 2 k + 2 degrees of freedom, from tables */
    assert_near(st_stats_rate_max95(1), 4.743864518390, 1e-9);
    assert_near(st_stats_rate_max95(2), 6.295793622, 1e-8);
    assert_near(st_stats_rate_max95(10), 16.962219, 1e-5);
    /* exact and approximated meet */
    const double exact = st_stats_rate_max95(1000), approximated = st_stats_rate_max95(1001);
    assert_true(approximated - exact > 1.0);
    assert_true(approximated - exact < 1.06);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_intervals_cover_exactly_as_much_as_asked),
        cmocka_unit_test(ranks_of_the_median_of_ten_are_2_and_9),
        cmocka_unit_test(the_approximation_of_large_n_covers_enough_and_not_much_more),
        cmocka_unit_test(too_few_values_have_no_interval),
        cmocka_unit_test(impossible_probabilities_are_refused),
        cmocka_unit_test(percentiles_need_ten_values_beyond_them),
        cmocka_unit_test(a_percentile_is_not_known_one_value_too_early),
        cmocka_unit_test(no_event_in_n_means_at_most_3_in_n),
        cmocka_unit_test(the_bound_for_some_events_is_the_exact_poisson_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
