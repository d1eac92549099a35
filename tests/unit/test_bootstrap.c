#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bootstrap.h"

#define BLOCKS      12
#define BLOCK_N     20
#define RUNS        1000 /* of a simulation; the share of 95 % hits has a standard deviation of 0.7 % */
#define VALUES_MAX  4000
#define COVERED_MIN 0.93
#define COVERED_MAX 0.97

static double normal(struct st_random *random)
{
    return sqrt(-2 * log(1 - st_random_unit(random))) * cos(6.283185307179586 * st_random_unit(random));
}

/* Late wakes: a floor and an exponential tail. Mean floor + scale, quantile p floor - scale ln(1 - p). */
static int64_t late_ns(struct st_random *random, double floor_ns, double scale_ns)
{
    return llround(floor_ns - scale_ns * log(1 - st_random_unit(random)));
}

static double late_quantile(double floor_ns, double scale_ns, double p)
{
    return floor_ns - scale_ns * log(1 - p);
}

static void assert_covered(int hits, int runs, const char *what)
{
    const double share = hits / (double)runs;
    print_message("# %s: %.3f of %d intervals hold the truth\n", what, share, runs);
    assert_true(share >= COVERED_MIN && share <= COVERED_MAX);
}

static bool holds(const struct st_estimate *estimate, double truth)
{
    assert_true(estimate->known);
    assert_true(estimate->low <= estimate->high);
    return estimate->low <= truth && truth <= estimate->high;
}

static void quantiles_are_covered(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double p;
        size_t a_n, b_n;
        enum st_effect effect;
    } rows[] = {
        {"median, difference", 0.5, 100, 150, ST_EFFECT_DIFFERENCE},
        {"median, ratio", 0.5, 40, 40, ST_EFFECT_RATIO},
        {"p99 at the least n, difference", 0.99, 1000, 1000, ST_EFFECT_DIFFERENCE},
        {"p99, ratio", 0.99, 4000, 2000, ST_EFFECT_RATIO},
        {"p90, difference", 0.9, 300, 100, ST_EFFECT_DIFFERENCE},
    };
    static int64_t a_ns[VALUES_MAX], b_ns[VALUES_MAX];
    for (size_t row = 0; row < ST_ARRAY_LEN(rows); row++) {
        const double from = late_quantile(14000, 5000, rows[row].p);
        const double to = late_quantile(20000, 9000, rows[row].p);
        const double truth = rows[row].effect == ST_EFFECT_RATIO ? to / from : to - from;
        int hits = 0;
        for (int run = 0; run < RUNS; run++) {
            struct st_random random = {(uint64_t)run};
            for (size_t i = 0; i < rows[row].a_n; i++)
                a_ns[i] = late_ns(&random, 14000, 5000);
            for (size_t i = 0; i < rows[row].b_n; i++)
                b_ns[i] = late_ns(&random, 20000, 9000);
            const struct st_sample a = st_sample_of(a_ns, rows[row].a_n);
            const struct st_sample b = st_sample_of(b_ns, rows[row].b_n);
            struct st_estimate estimate;
            assert_int_equal(st_bootstrap_quantile(&a, &b, rows[row].p, rows[row].effect, &random, &estimate),
                             0);
            hits += holds(&estimate, truth);
        }
        assert_covered(hits, RUNS, rows[row].name);
    }
}

/* Blocks that drift together, and each arm a little on its own, as on a shared machine. */
static void fill_blocks(struct st_random *random, double drift_ns, int64_t *a_ns, int64_t *b_ns,
                        double effect_ns)
{
    for (size_t block = 0; block < BLOCKS; block++) {
        const double drift = drift_ns * normal(random);
        const double own_a = 1500 * normal(random), own_b = 1500 * normal(random);
        for (size_t i = block * BLOCK_N; i < (block + 1) * BLOCK_N; i++) {
            a_ns[i] = llround(60000 + drift + own_a + 1000 * normal(random));
            b_ns[i] = llround(60000 + effect_ns + drift + own_b + 1000 * normal(random));
        }
    }
}

static double block_median(const int64_t *values_ns)
{
    int64_t copy[BLOCK_N];
    memcpy(copy, values_ns, sizeof(copy));
    const struct st_sample sample = st_sample_of(copy, BLOCK_N);
    return (double)st_sample_quantile(&sample, 0.5);
}

static void blocks_are_covered_where_single_values_are_not(void **state)
{
    (void)state;
    enum { N = BLOCKS * BLOCK_N };
    static const double drifts_ns[] = {0, 1000, 8000};
    int64_t a_ns[N], b_ns[N];
    uint32_t of[N];
    for (size_t i = 0; i < N; i++)
        of[i] = (uint32_t)(i / BLOCK_N);
    for (size_t row = 0; row < ST_ARRAY_LEN(drifts_ns); row++) {
        int together = 0, pairs = 0, naive = 0, false_alarms = 0;
        for (int run = 0; run < RUNS; run++) {
            struct st_random random = {(uint64_t)run};
            struct st_estimate estimate;
            const double effect_ns = run % 2 == 0 ? 0 : -5000;
            fill_blocks(&random, drifts_ns[row], a_ns, b_ns, effect_ns);
            const struct st_blocked a = {a_ns, of, N}, b = {b_ns, of, N};
            if (run < RUNS / 4) { /* the slow one */
                assert_int_equal(st_bootstrap_quantile_blocked(&a, &b, BLOCKS, 0.9, ST_EFFECT_DIFFERENCE,
                                                               ST_CONFIDENCE_95, &random, &estimate),
                                 0);
                together += holds(&estimate, effect_ns);
            }
            double a_medians[BLOCKS], b_medians[BLOCKS];
            for (size_t i = 0; i < BLOCKS; i++) {
                a_medians[i] = block_median(&a_ns[i * BLOCK_N]);
                b_medians[i] = block_median(&b_ns[i * BLOCK_N]);
            }
            st_effect_of_pairs(a_medians, b_medians, BLOCKS, ST_EFFECT_DIFFERENCE, &estimate);
            pairs += holds(&estimate, effect_ns);
            false_alarms += run % 2 == 0 && st_estimate_shows(&estimate, ST_EFFECT_DIFFERENCE);
            const struct st_sample sample_a = st_sample_of(a_ns, N), sample_b = st_sample_of(b_ns, N);
            assert_int_equal(
                st_bootstrap_quantile(&sample_a, &sample_b, 0.5, ST_EFFECT_DIFFERENCE, &random, &estimate),
                0);
            naive += holds(&estimate, effect_ns);
        }
        print_message("# drift %.0f: together %.3f, single values %.3f\n", drifts_ns[row],
                      together / (RUNS / 4.0), naive / (double)RUNS);
        assert_covered(pairs, RUNS, "medians of pairs of blocks");
        assert_true(together >= COVERED_MIN * RUNS / 4);
        assert_true(drifts_ns[row] > 0 || together <= 0.99 * RUNS / 4);
        assert_true(false_alarms <= RUNS / 2 * 7 / 100);
        assert_true(drifts_ns[row] > 0 || naive < 0.8 * RUNS);
    }
}

static void ratios_of_few_pairs_are_covered(void **state)
{
    (void)state;
    static const size_t ns[] = {5, 10, 40};
    for (size_t row = 0; row < ST_ARRAY_LEN(ns); row++) {
        int hits = 0;
        for (int run = 0; run < RUNS; run++) {
            struct st_random random = {(uint64_t)run};
            struct st_estimate estimate;
            double a[40], b[40];
            for (size_t i = 0; i < ns[row]; i++) {
                a[i] = 14000 * exp(0.3 * normal(&random));
                b[i] = a[i] * 1.25 * exp(0.1 * normal(&random));
            }
            st_effect_of_pairs(a, b, ns[row], ST_EFFECT_RATIO, &estimate);
            hits += holds(&estimate, 1.25);
        }
        assert_covered(hits, RUNS, "geometric mean of ratios");
    }
}

/* One pair in six is struck by a stall on either side. */
static void struck_pairs_do_not_move_the_median_of_pairs(void **state)
{
    (void)state;
    int hits = 0, found = 0, found_by_mean = 0;
    for (int run = 0; run < RUNS; run++) {
        struct st_random random = {(uint64_t)run};
        struct st_estimate estimate;
        double a[12], b[12];
        for (size_t i = 0; i < 12; i++) {
            a[i] = 60000 + 2000 * normal(&random);
            b[i] = a[i] - 10000 + 2000 * normal(&random);
            *(st_random_unit(&random) < 0.5 ? &a[i] : &b[i]) +=
                st_random_unit(&random) < 1.0 / 6 ? 500000 : 0;
        }
        assert_int_equal(
            st_median_effect_of_pairs(a, b, 12, ST_EFFECT_DIFFERENCE, ST_CONFIDENCE_95, &estimate), 0);
        hits += holds(&estimate, -10000);
        found += st_estimate_shows(&estimate, ST_EFFECT_DIFFERENCE);
        st_effect_of_pairs(a, b, 12, ST_EFFECT_DIFFERENCE, &estimate);
        found_by_mean += st_estimate_shows(&estimate, ST_EFFECT_DIFFERENCE);
    }
    assert_covered(hits, RUNS, "median of pairs");
    print_message("# effect found: %d, by the mean %d of %d\n", found, found_by_mean, RUNS);
    assert_true(found > RUNS * 8 / 10);
    assert_true(found_by_mean < RUNS / 2);
    struct st_estimate estimate;
    const double ones[6] = {1, 1, 1, 1, 1, 1}, up[6] = {1, 2, 3, 4, 5, 6};
    assert_int_equal(st_median_effect_of_pairs(ones, up, 6, ST_EFFECT_RATIO, ST_CONFIDENCE_95, &estimate), 0);
    assert_true(estimate.known && fabs(estimate.value - 3.5) < 1e-9 && estimate.low <= 1 &&
                estimate.high >= 6);
    assert_int_equal(st_median_effect_of_pairs(ones, up, 5, ST_EFFECT_RATIO, ST_CONFIDENCE_95, &estimate), 0);
    assert_false(estimate.known);
}

/* No effect, again and again: how many intervals of 99 % leave 0 out. */
static void ninety_nine_of_a_hundred_hold(void **state)
{
    (void)state;
    struct st_random random = {5};
    unsigned medians = 0, p90s = 0;
    for (unsigned run = 0; run < 1600; run++) {
        double a[12], b[12];
        int64_t late_ns[2][240];
        uint32_t of[240];
        struct st_estimate estimate;
        for (size_t i = 0; i < 240; i++) {
            of[i] = (uint32_t)(i / 20);
            late_ns[0][i] = (int64_t)st_random_below(&random, 10000);
            late_ns[1][i] = (int64_t)st_random_below(&random, 10000);
            a[of[i]] = st_random_unit(&random);
            b[of[i]] = st_random_unit(&random);
        }
        const struct st_blocked left = {late_ns[0], of, 240}, right = {late_ns[1], of, 240};
        assert_int_equal(
            st_median_effect_of_pairs(a, b, 12, ST_EFFECT_DIFFERENCE, ST_CONFIDENCE_99, &estimate), 0);
        medians += st_estimate_shows(&estimate, ST_EFFECT_DIFFERENCE);
        if (run % 8 != 0)
            continue;
        assert_int_equal(st_bootstrap_quantile_blocked(&left, &right, 12, 0.9, ST_EFFECT_DIFFERENCE,
                                                       ST_CONFIDENCE_99, &random, &estimate),
                         0);
        p90s += st_estimate_shows(&estimate, ST_EFFECT_DIFFERENCE);
    }
    assert_in_range(medians, 1, 24); /* of 1600: at most 1 % and two standard deviations of luck */
    assert_in_range(p90s, 0, 6);     /* of 200 */
    const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, up[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct st_estimate estimate;
    assert_int_equal(
        st_median_effect_of_pairs(ones, up, 7, ST_EFFECT_DIFFERENCE, ST_CONFIDENCE_99, &estimate), 0);
    assert_false(estimate.known);
    assert_int_equal(
        st_median_effect_of_pairs(ones, up, 8, ST_EFFECT_DIFFERENCE, ST_CONFIDENCE_99, &estimate), 0);
    assert_true(estimate.known && estimate.low <= 0 && estimate.high >= 7);
}

static void means_are_covered(void **state)
{
    (void)state;
    static const enum st_effect effects[] = {ST_EFFECT_DIFFERENCE, ST_EFFECT_RATIO};
    for (size_t row = 0; row < ST_ARRAY_LEN(effects); row++) {
        const double truth = effects[row] == ST_EFFECT_RATIO ? 29000.0 / 19000 : 10000;
        int hits = 0;
        for (int run = 0; run < RUNS / 4; run++) {
            struct st_random random = {(uint64_t)run};
            struct st_estimate estimate;
            int64_t a_ns[60], b_ns[40];
            for (size_t i = 0; i < 60; i++)
                a_ns[i] = late_ns(&random, 14000, 5000);
            for (size_t i = 0; i < 40; i++)
                b_ns[i] = late_ns(&random, 20000, 9000);
            assert_int_equal(st_bootstrap_mean(a_ns, 60, b_ns, 40, effects[row], &random, &estimate), 0);
            hits += holds(&estimate, truth);
        }
        assert_covered(hits, RUNS / 4, "mean");
    }
}

static void rates_are_covered(void **state)
{
    (void)state;
    static const enum st_effect effects[] = {ST_EFFECT_DIFFERENCE, ST_EFFECT_RATIO};
    for (size_t row = 0; row < ST_ARRAY_LEN(effects); row++) {
        int hits = 0;
        for (int run = 0; run < RUNS; run++) {
            struct st_random random = {(uint64_t)run};
            struct st_estimate estimate;
            uint64_t a = 0, b = 0;
            for (int i = 0; i < 2000; i++) {
                a += st_random_unit(&random) < 0.01;
                b += st_random_unit(&random) < 0.02;
            }
            assert_int_equal(st_rate_effect(a, 2000, b, 2000, effects[row], &estimate), 0);
            hits += holds(&estimate, effects[row] == ST_EFFECT_RATIO ? 2 : 0.01);
        }
        assert_covered(hits, RUNS, "rate");
    }
}

static void the_same_seed_gives_the_same_interval(void **state)
{
    (void)state;
    int64_t a_ns[200], b_ns[200];
    struct st_random random = {11};
    for (size_t i = 0; i < 200; i++) {
        a_ns[i] = late_ns(&random, 0, 5000);
        b_ns[i] = late_ns(&random, 9000, 5000);
    }
    const struct st_sample a = st_sample_of(a_ns, 200), b = st_sample_of(b_ns, 200);
    struct st_estimate first, second;
    struct st_random one = {5}, again = {5};
    assert_int_equal(st_bootstrap_quantile(&a, &b, 0.5, ST_EFFECT_DIFFERENCE, &one, &first), 0);
    assert_int_equal(st_bootstrap_quantile(&a, &b, 0.5, ST_EFFECT_DIFFERENCE, &again, &second), 0);
    assert_memory_equal(&first, &second, sizeof(first));
    assert_true(st_estimate_shows(&first, ST_EFFECT_DIFFERENCE));
    assert_true(fabs(first.value - (double)(b_ns[99] - a_ns[99])) < 0.5);
    /* A against itself */
    assert_int_equal(st_bootstrap_quantile(&a, &a, 0.5, ST_EFFECT_DIFFERENCE, &one, &second), 0);
    assert_true(holds(&second, 0) && !st_estimate_shows(&second, ST_EFFECT_DIFFERENCE));
    assert_int_equal(st_bootstrap_quantile(&a, &a, 0.5, ST_EFFECT_RATIO, &one, &second), 0);
    assert_true(holds(&second, 1) && !st_estimate_shows(&second, ST_EFFECT_RATIO));
    assert_true(fabs(st_estimate_resolution(&second) - (second.high - second.low) / 2) < 1e-12);
}

/* 130 million values: the ranks of two days, in a few look-ups. */
static void a_histogram_of_many_values_is_as_quick(void **state)
{
    (void)state;
    struct st_hist hist;
    struct st_sample sample;
    struct st_estimate estimate;
    struct st_random random = {1};
    assert_int_equal(st_hist_init(&hist, 3), 0);
    for (int64_t v = 10000; v < 20000; v++)
        st_hist_add_n(&hist, v, 13000);
    assert_int_equal(st_sample_of_hist(&hist, &sample), 0);
    assert_int_equal(st_bootstrap_quantile(&sample, &sample, 0.999, ST_EFFECT_DIFFERENCE, &random, &estimate),
                     0);
    assert_true(holds(&estimate, 0));
    assert_true(estimate.high < 20); /* sd of a rank 360, of the value 0.03 ns: the buckets are wider */
    st_sample_finish(&sample);
    st_hist_finish(&hist);
}

static void what_cannot_be_known_is_not_known(void **state)
{
    (void)state;
    int64_t values[999], zeros[100] = {0};
    uint32_t of[999];
    struct st_random random = {1};
    struct st_estimate estimate = {.known = true};
    for (size_t i = 0; i < 999; i++) {
        values[i] = (int64_t)i + 1;
        of[i] = (uint32_t)(i % 5);
    }
    const struct st_sample few = st_sample_of(values, 999), none = st_sample_of(zeros, 100);
    assert_int_equal(st_bootstrap_quantile(&few, &few, 0.99, ST_EFFECT_DIFFERENCE, &random, &estimate), 0);
    assert_false(estimate.known); /* 1000 it needs */
    assert_false(st_estimate_shows(&estimate, ST_EFFECT_DIFFERENCE));
    assert_int_equal(st_bootstrap_quantile(&none, &few, 0.5, ST_EFFECT_RATIO, &random, &estimate), 0);
    assert_false(estimate.known); /* nothing is how many times 0 */
    assert_int_equal(st_bootstrap_quantile(&few, &few, 1, ST_EFFECT_RATIO, &random, &estimate), -EINVAL);
    assert_int_equal(st_bootstrap_quantile(&few, &few, (double)NAN, ST_EFFECT_RATIO, &random, &estimate),
                     -EINVAL);

    const struct st_blocked blocked = {values, of, 999};
    const enum st_effect difference = ST_EFFECT_DIFFERENCE;
    assert_int_equal(st_bootstrap_quantile_blocked(&blocked, &blocked, 5, 0.5, difference, ST_CONFIDENCE_95,
                                                   &random, &estimate),
                     0);
    assert_true(holds(&estimate, 0));
    assert_int_equal(st_bootstrap_quantile_blocked(&blocked, &blocked, 6, 0.5, difference, ST_CONFIDENCE_95,
                                                   &random, &estimate),
                     0);
    assert_false(estimate.known); /* block 5 is empty */
    of[7] = 6;
    assert_int_equal(st_bootstrap_quantile_blocked(&blocked, &blocked, 6, 0.5, difference, ST_CONFIDENCE_95,
                                                   &random, &estimate),
                     -EINVAL);
    assert_int_equal(st_bootstrap_quantile_blocked(&blocked, &blocked, 4, 0.5, difference, ST_CONFIDENCE_95,
                                                   &random, &estimate),
                     0);
    assert_false(estimate.known);

    const double ones[5] = {1, 1, 1, 1, 1}, one_zero[5] = {1, 2, 3, 0, 1};
    st_effect_of_pairs(ones, one_zero, 4, ST_EFFECT_RATIO, &estimate);
    assert_false(estimate.known); /* 5 pairs it needs */
    st_effect_of_pairs(ones, one_zero, 5, ST_EFFECT_RATIO, &estimate);
    assert_false(estimate.known);
    st_effect_of_pairs(ones, one_zero, 5, ST_EFFECT_DIFFERENCE, &estimate);
    assert_true(holds(&estimate, 0.4) && !st_estimate_shows(&estimate, ST_EFFECT_DIFFERENCE));
    assert_int_equal(st_bootstrap_mean(values, 4, values, 999, difference, &random, &estimate), 0);
    assert_false(estimate.known);
}

static void no_event_on_a_side_still_has_an_interval(void **state)
{
    (void)state;
    struct st_estimate estimate;
    assert_int_equal(st_rate_effect(0, 1000, 0, 1000, ST_EFFECT_DIFFERENCE, &estimate), 0);
    assert_true(holds(&estimate, 0) && estimate.low < -0.003 && estimate.high > 0.003);
    /* Newcombe 1998, table II, case 56/70 against 48/80, method 10: 0.0524 .. 0.3339 */
    assert_int_equal(st_rate_effect(48, 80, 56, 70, ST_EFFECT_DIFFERENCE, &estimate), 0);
    assert_true(fabs(estimate.low - 0.0524) < 5e-5 && fabs(estimate.high - 0.3339) < 5e-5);
    assert_int_equal(st_rate_effect(0, 1000, 0, 1000, ST_EFFECT_RATIO, &estimate), 0);
    assert_false(estimate.known);
    assert_int_equal(st_rate_effect(0, 1000, 20, 1000, ST_EFFECT_RATIO, &estimate), 0);
    assert_true(estimate.known && isinf(estimate.high) && estimate.low > 4 && estimate.low < 20);
    assert_int_equal(st_rate_effect(20, 1000, 0, 1000, ST_EFFECT_RATIO, &estimate), 0);
    assert_true(estimate.low <= 0 && estimate.low >= 0 && estimate.high < 0.25);
    assert_int_equal(st_rate_effect(3, 2, 0, 10, ST_EFFECT_RATIO, &estimate), -EINVAL);
    assert_int_equal(st_rate_effect(0, 0, 0, 10, ST_EFFECT_RATIO, &estimate), 0);
    assert_false(estimate.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_covered),
        cmocka_unit_test(blocks_are_covered_where_single_values_are_not),
        cmocka_unit_test(ratios_of_few_pairs_are_covered),
        cmocka_unit_test(ninety_nine_of_a_hundred_hold),
        cmocka_unit_test(struck_pairs_do_not_move_the_median_of_pairs),
        cmocka_unit_test(means_are_covered),
        cmocka_unit_test(rates_are_covered),
        cmocka_unit_test(the_same_seed_gives_the_same_interval),
        cmocka_unit_test(a_histogram_of_many_values_is_as_quick),
        cmocka_unit_test(what_cannot_be_known_is_not_known),
        cmocka_unit_test(no_event_on_a_side_still_has_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
