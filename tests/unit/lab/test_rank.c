#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/stats/random.h"
#include "lab/rank.h"
#include "tests/unit/noise.h"

/* Medians of the four, and how wide the interval of each difference is to either side. */
struct story {
    int64_t median_ns[4];
    int64_t half_ns;
    double steps[6]; /* a pair that differs by i ns is told up to this confidence, where it is above 0 */
    bool unknown;
    int error;
};

static int difference(const void *ctx, size_t a, size_t b, double confidence, struct st_quantile *ret)
{
    const struct story *s = ctx;
    const int64_t ns = s->median_ns[b] - s->median_ns[a];
    const bool step = ns > 0 && ns < 6 && s->steps[ns] > 0;
    const int64_t half_ns = !step ? s->half_ns : confidence <= s->steps[ns] ? 0 : ns;
    *ret = (struct st_quantile){.known = true,
                                .value_ns = ns,
                                .interval_known = !s->unknown,
                                .low_ns = ns - half_ns,
                                .high_ns = ns + half_ns};
    return s->error;
}

static int rank(const struct story *s, struct st_ranked *ret)
{
    struct st_ranked items[4];
    double confidence;
    for (size_t i = 0; i < 4; i++)
        items[i] = (struct st_ranked){.id = i, .median_ns = s->median_ns[i]};
    const int r = st_rank(items, 4, difference, s, &confidence);
    for (size_t i = 0; i < 4 && r == 0; i++)
        ret[items[i].id] = items[i];
    return r;
}

static void assert_ranks(const struct story *s, unsigned a, unsigned b, unsigned c, unsigned d)
{
    struct st_ranked ranks[4];
    assert_int_equal(rank(s, ranks), 0);
    assert_int_equal(ranks[0].rank, a);
    assert_int_equal(ranks[1].rank, b);
    assert_int_equal(ranks[2].rank, c);
    assert_int_equal(ranks[3].rank, d);
}

static void the_least_median_is_first(void **state)
{
    (void)state;
    assert_ranks(&(struct story){.median_ns = {400, 100, 300, 200}, .half_ns = 50}, 4, 1, 3, 2);
}

static void who_cannot_be_told_apart_shares_a_rank(void **state)
{
    (void)state;
    struct st_ranked ranks[4];
    /* 160 is not told from 100, nor 220 from 160, although from 100: one rank; 400 is told from all */
    const struct story chain = {.median_ns = {220, 100, 160, 400}, .half_ns = 100};
    assert_ranks(&chain, 1, 1, 1, 4);
    assert_int_equal(rank(&chain, ranks), 0);
    assert_int_equal(ranks[0].better_n, 1);
    assert_int_equal(ranks[1].better_n, 0);
    assert_int_equal(ranks[2].better_n, 0);
    assert_int_equal(ranks[3].better_n, 3);
    assert_ranks(&(struct story){.median_ns = {220, 100, 350, 400}, .half_ns = 100}, 2, 1, 3, 3);
    assert_ranks(&(struct story){.median_ns = {4, 1, 3, 2}, .half_ns = 50}, 1, 1, 1, 1);
}

static void an_interval_that_touches_zero_or_is_not_known_tells_nothing(void **state)
{
    (void)state;
    assert_ranks(&(struct story){.median_ns = {100, 200, 100, 301}, .half_ns = 100}, 1, 1, 1, 4);
    assert_ranks(&(struct story){.median_ns = {1, 2000, 30000, 400000}, .unknown = true}, 1, 1, 1, 1);
}

/* Holm: 6 pairs, and a pair that is told makes room for the next. */
static void all_pairs_are_counted_less_those_that_are_told(void **state)
{
    (void)state;
    struct story s = {.median_ns = {0, 0, 0, 5}, .half_ns = 1000, .steps = {[5] = 1 - 0.0084}};
    assert_ranks(&s, 1, 1, 1, 1); /* 1 - 0.05 / 6 = 0.99167 is not reached */
    s.steps[5] = 1 - 0.0083;
    assert_ranks(&s, 1, 1, 1, 4); /* the three of 5 */
    s.median_ns[2] = 1;           /* then 4 is one of 5 left, and 1 needs 1 - 0.05 / 3 */
    s.steps[4] = 1 - 0.0124;
    assert_ranks(&s, 1, 1, 1, 4);
    s.steps[1] = 1 - 0.0167;
    assert_ranks(&s, 1, 1, 1, 4);
    s.steps[1] = 1 - 0.0166;
    assert_ranks(&s, 1, 1, 3, 4);
}

static void an_error_ends_it(void **state)
{
    (void)state;
    struct st_ranked ranks[4];
    double confidence;
    assert_int_equal(rank(&(struct story){.median_ns = {1, 2, 3, 4}, .error = -ENOMEM}, ranks), -ENOMEM);
    assert_int_equal(st_rank(NULL, 0, difference, NULL, &confidence), 0);
    assert_int_equal(st_rank(ranks, ST_RANK_MAX_N + 1, difference, NULL, &confidence), -E2BIG);
}

/* --- what benches rank: values block by block --- */

#define METHODS_MAX 30
#define BLOCKS_MAX  60
#define RUNS        1000

struct run {
    int64_t ns[METHODS_MAX][BLOCKS_MAX];
    size_t blocks_n;
};

static int blocks_difference(const void *ctx, size_t a, size_t b, double confidence, struct st_quantile *ret)
{
    const struct run *run = ctx;
    int64_t values[BLOCKS_MAX];
    for (size_t i = 0; i < run->blocks_n; i++)
        values[i] = run->ns[b][i] - run->ns[a][i];
    *ret = st_summary_median_interval(values, run->blocks_n, confidence);
    return 0;
}

/* Noise of each, a drift that all have in common, and what each is later by; in steps of a clock. */
static void make_run(struct run *run, size_t methods_n, enum noise noise, int64_t step_ns,
                     const double *later_ns, struct st_random *random)
{
    bool mode[METHODS_MAX] = {false};
    for (size_t b = 0; b < run->blocks_n; b++) {
        const double drift_ns = 20e3 * sin((double)b / 5);
        for (size_t m = 0; m < methods_n; m++)
            run->ns[m][b] =
                (int64_t)((noise_value(noise, random, &mode[m]) + drift_ns + later_ns[m]) / (double)step_ns) *
                step_ns;
    }
}

static double rank_run(const struct run *run, size_t methods_n, struct st_ranked *items)
{
    double confidence;
    for (size_t m = 0; m < methods_n; m++) {
        int64_t copy[BLOCKS_MAX];
        memcpy(copy, run->ns[m], run->blocks_n * sizeof(copy[0]));
        items[m] = (struct st_ranked){
            .id = m, .median_ns = st_summary_median_interval(copy, run->blocks_n, 0.95).value_ns};
    }
    assert_int_equal(st_rank(items, methods_n, blocks_difference, run, &confidence), 0);
    return confidence;
}

/* How many of so many runs have another rank than 1, of methods that are all the same. */
static int false_alarms(size_t methods_n, size_t blocks_n, enum noise noise, int64_t step_ns, int runs)
{
    const double same[METHODS_MAX] = {0};
    struct st_random random = {.state = 1000 * methods_n + blocks_n + (uint64_t)noise};
    int alarms = 0;
    for (int i = 0; i < runs; i++) {
        struct run run = {.blocks_n = blocks_n};
        struct st_ranked items[METHODS_MAX];
        make_run(&run, methods_n, noise, step_ns, same, &random);
        rank_run(&run, methods_n, items);
        alarms += items[methods_n - 1].rank > 1;
    }
    return alarms;
}

static void methods_that_are_the_same_have_rank_1_in_95_of_100_runs(void **state)
{
    (void)state;
    static const size_t methods_n[] = {2, 5, 12}, blocks_n[] = {8, 12, 20, 60};
    static const enum noise noises[] = {NOISE_NORMAL, NOISE_PARETO, NOISE_TWO_MODES};
    for (size_t m = 0; m < ST_ARRAY_LEN(methods_n); m++) {
        for (size_t b = 0; b < ST_ARRAY_LEN(blocks_n); b++) {
            for (size_t k = 0; k < ST_ARRAY_LEN(noises); k++)
                assert_in_range(false_alarms(methods_n[m], blocks_n[b], noises[k], 1, RUNS), 0, RUNS / 20);
        }
    }
    assert_in_range(false_alarms(5, 20, NOISE_NORMAL, 4000, RUNS), 0, RUNS / 20); /* many ties */
    assert_in_range(false_alarms(METHODS_MAX, 20, NOISE_NORMAL, 1, 200), 0, 200 / 20);
}

/* Some later by about a standard deviation of the noise each: whatever the ranks, those of two that are not
 * told apart are the same, and better_n counts those that are. */
static void other_ranks_are_a_difference_that_is_shown(void **state)
{
    (void)state;
    static const double later_ns[METHODS_MAX] = {0, 0, 3e3, 6e3, 9e3, 12e3, 30e3, 30e3};
    struct st_random random = {.state = 4};
    size_t ranks_n = 0, false_n = 0;
    for (int i = 0; i < 300; i++) {
        const size_t n = 8;
        struct run run = {.blocks_n = 40};
        struct st_ranked items[METHODS_MAX];
        make_run(&run, n, NOISE_NORMAL, 1, later_ns, &random);
        const double confidence = rank_run(&run, n, items);
        for (size_t b = 0; b < n; b++) {
            size_t better_n = 0;
            for (size_t a = 0; a < b; a++) {
                struct st_quantile later;
                assert_int_equal(blocks_difference(&run, items[a].id, items[b].id, confidence, &later), 0);
                better_n += later.low_ns > 0;
                assert_true(items[a].rank <= items[b].rank);
                if (items[a].rank != items[b].rank)
                    assert_true(later.low_ns > 0);
            }
            assert_int_equal(items[b].better_n, better_n);
            ranks_n += items[b].rank == b + 1;
        }
        assert_in_range(items[n - 1].rank, 7, 8); /* 30 us are seen in every run */
        false_n += items[n - 1].rank == 8;        /* and the two are the same */
    }
    assert_true(ranks_n > 300 * 2); /* not all of them are the first and the seventh */
    assert_in_range(false_n, 0, 300 / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_median_is_first),
        cmocka_unit_test(who_cannot_be_told_apart_shares_a_rank),
        cmocka_unit_test(an_interval_that_touches_zero_or_is_not_known_tells_nothing),
        cmocka_unit_test(all_pairs_are_counted_less_those_that_are_told),
        cmocka_unit_test(an_error_ends_it),
        cmocka_unit_test(methods_that_are_the_same_have_rank_1_in_95_of_100_runs),
        cmocka_unit_test(other_ranks_are_a_difference_that_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
