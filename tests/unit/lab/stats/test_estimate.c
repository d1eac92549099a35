

#include "lab/stats/estimate.h"
#include "tests/unit/noise.h"
#include "tests/unit/unit.h"

enum { RUNS = 1000, PAIRS = 20 };

/* A stall in one of 12 blocks or so: the interval holds the truth, and shows what is there. */
static void struck_pairs_do_not_move_the_median_of_pairs(void **state)
{
    int hits = 0, found = 0;
    for (int run = 0; run < RUNS; run++) {
        struct st_random random = {(uint64_t)run};
        struct st_estimate estimate;
        double a[PAIRS], b[PAIRS];
        for (size_t i = 0; i < PAIRS; i++) {
            a[i] = 60000 + 2000 * noise_normal(&random);
            b[i] = a[i] - 10000 + 2000 * noise_normal(&random);
            *(st_random_unit(&random) < 0.5 ? &a[i] : &b[i]) +=
                st_random_unit(&random) < 1.0 / 6 ? 500000 : 0;
        }
        assert_int_equal(st_estimate_of_pairs(a, b, PAIRS, &estimate), 0);
        assert_true(estimate.known && estimate.low <= estimate.value &&
                    estimate.value <= estimate.high);
        hits += estimate.low <= -10000 && estimate.high >= -10000;
        found += estimate_shows(&estimate);
    }
    assert_true(hits >= RUNS * 98 / 100);
    assert_true(found > RUNS * 8 / 10);
}

static void few_pairs_have_no_interval(void **state)
{
    const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, up[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct st_estimate estimate;
    assert_int_equal(st_estimate_of_pairs(ones, up, 7, &estimate), 0);
    assert_false(estimate.known);
    assert_false(estimate_shows(&estimate));
    assert_int_equal(st_estimate_of_pairs(ones, up, 8, &estimate), 0);
    assert_true(estimate.known && fabs(estimate.value - 3.5) < 1e-9 && estimate.low <= 0 &&
                estimate.high >= 7);
}

/* No effect, again and again: how many intervals of 99 % leave 0 out. */
static void ninety_nine_of_a_hundred_hold(void **state)
{
    struct st_random random = {5};
    unsigned medians = 0;
    for (unsigned run = 0; run < 1600; run++) {
        double a[PAIRS], b[PAIRS];
        struct st_estimate estimate;
        for (size_t i = 0; i < PAIRS; i++) {
            a[i] = st_random_unit(&random);
            b[i] = st_random_unit(&random);
        }
        assert_int_equal(st_estimate_of_pairs(a, b, PAIRS, &estimate), 0);
        medians += estimate_shows(&estimate);
    }
    assert_in_range(medians, 1, 24); /* of 1600: at most 1 % and two standard deviations of luck */
}

/* Shares at which the coverage is exact arithmetic, summed over all counts: 95 % on average. */
static void shares_are_covered(void **state)
{
    double low, high, sum = 0;
    enum { N = 200, SHARES = 40 };
    for (int k = 1; k <= SHARES; k++) {
        const double share = 0.5 * k / (double)SHARES;
        double term = pow(1 - share, N), covered = 0;
        for (int events = 0; events <= N; events++) {
            st_estimate_share(events, N, &low, &high);
            assert_true(0 <= low && low <= high && high <= 1);
            covered += low <= share && share <= high ? term : 0;
            term *= (double)(N - events) / (events + 1) * share / (1 - share);
        }
        assert_true(covered > 0.92);
        sum += covered;
    }
    assert_true(fabs(sum / (double)SHARES - 0.95) < 0.01);
    st_estimate_share(0, 10, &low, &high);
    assert_true(low == 0 && high > 0.2 && high < 0.35);
    st_estimate_share(10, 10, &low, &high);
    assert_true(high == 1 && low > 0.65 && low < 0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(struck_pairs_do_not_move_the_median_of_pairs),
        cmocka_unit_test(few_pairs_have_no_interval),
        cmocka_unit_test(ninety_nine_of_a_hundred_hold),
        cmocka_unit_test(shares_are_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
