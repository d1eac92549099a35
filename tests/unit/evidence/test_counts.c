/* Did events become fewer, or more? Equal runs come out equal as often as promised, also when their
 * blocks depend on each other; a difference is shown, with its size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "evidence/counts.h"
#include "tests/unit/noise.h"

#define PAIRS  200
#define BLOCKS 64

/* How a run's rate changes from block to block. */
enum load { LOAD_NONE, LOAD_REGIMES, LOAD_WANDERS, LOAD_BURSTS, LOADS };

static uint64_t poisson(double mean, struct st_random *random)
{
    uint64_t n = 0;
    for (double at = -log(1 - st_random_unit(random)); at < mean;
         at -= log(1 - st_random_unit(random)))
        n++;
    return n;
}

/* Blocks of half a second, joined to sections. */
static void run_of(enum load load, double mean, struct st_random *random, uint64_t *ret)
{
    double level = 0;
    memset(ret, 0, ST_COUNTS_SECTIONS * sizeof(*ret));
    for (size_t i = 0; i < 100 + BLOCKS; i++) {
        double rate = mean;
        if (load == LOAD_REGIMES && st_random_unit(random) < 0.5)
            level = floor(3 * st_random_unit(random)) - 1;
        if (load == LOAD_WANDERS)
            level = 0.7 * level + 0.4 * noise_normal(random);
        rate *= exp(level);
        if (load == LOAD_BURSTS)
            rate = st_random_unit(random) < 0.1 ? 10 * mean : 0;
        if (i >= 100) /* by then it has forgotten how it began */
            ret[(i - 100) * ST_COUNTS_SECTIONS / BLOCKS] += poisson(rate, random);
    }
}

static struct st_counts_difference differ(enum load load, double before, double now, uint64_t seed)
{
    struct st_random random = {.state = seed};
    struct st_counts_difference difference;
    uint64_t events_n[2][ST_COUNTS_SECTIONS];
    run_of(load, before, &random, events_n[0]);
    run_of(load, now, &random, events_n[1]);
    assert_int_equal(st_counts_compare(events_n[0], events_n[1], &difference), 0);
    return difference;
}

/* A difference is shown in at most 5 % of equal runs: of 800 pairs, in 40. */
static void equal_runs_are_equal(void **state)
{
    size_t shown_n = 0;
    for (enum load load = 0; load < LOADS; load++) {
        for (uint64_t seed = 0; seed < PAIRS; seed++) {
            const enum st_counts_verdict verdict =
                differ(load, load == LOAD_NONE ? 0.7 : 5, load == LOAD_NONE ? 0.7 : 5,
                       1000 * load + seed)
                    .verdict;
            shown_n += verdict == ST_COUNTS_FEWER || verdict == ST_COUNTS_MORE;
        }
    }
    assert_true(shown_n <= LOADS * PAIRS * 5 / 100);
}

/* The interval has the true ratio in 90 % of all pairs, and a difference that is there is seen. */
static void a_difference_is_shown_with_its_size(void **state)
{
    static const struct {
        enum load load;
        double before, now;
        size_t least_n;
    } rows[] = {
        {LOAD_NONE, 2, 1, 150},     {LOAD_NONE, 0.2, 1, 190},   {LOAD_NONE, 1, 0, 200},
        {LOAD_REGIMES, 5, 20, 150}, {LOAD_WANDERS, 5, 15, 100},
    };
    ST_EACH (row, rows) {
        size_t shown_n = 0, wrong_n = 0, covered_n = 0;
        for (uint64_t seed = 0; seed < PAIRS; seed++) {
            const struct st_counts_difference d =
                differ(row->load, row->before, row->now, 7000 + seed);
            const bool more = row->now > row->before;
            shown_n += d.verdict == (more ? ST_COUNTS_MORE : ST_COUNTS_FEWER);
            wrong_n += d.verdict == (more ? ST_COUNTS_FEWER : ST_COUNTS_MORE);
            covered_n += d.low <= row->now / row->before && row->now / row->before <= d.high;
            assert_true(d.low <= d.fold && d.fold <= d.high);
        }
        if (shown_n < row->least_n || wrong_n > 0 || (row->now > 0 && covered_n < PAIRS * 90 / 100))
            fail_msg("row %zu: %zu shown, %zu wrong, %zu covered", (size_t)(row - rows), shown_n,
                     wrong_n, covered_n);
    }
}

static void a_run_that_drifts_shows_no_less_than_its_drift(void **state)
{
    uint64_t events_n[2][ST_COUNTS_SECTIONS] = {{77, 78, 79, 77, 78, 79, 77, 78},
                                                {80, 120, 180, 240, 300, 360, 420, 480}};
    struct st_counts_difference d;
    assert_int_equal(st_counts_compare(events_n[0], events_n[1], &d), 0);
    assert_int_equal(d.verdict, ST_COUNTS_DRIFTING);
    for (size_t i = 0; i < ST_COUNTS_SECTIONS; i++)
        events_n[0][i] = 7 + i % 3;
    assert_int_equal(st_counts_compare(events_n[0], events_n[1], &d), 0);
    assert_int_equal(d.verdict, ST_COUNTS_MORE);
}

/* The p-value of two groups, by trying all ways to choose the sections since the change. */
static double by_all_choices(const struct st_counts_group *groups)
{
    unsigned all = 0, below = 0, above = 0;
    int sum = 0;
    for (size_t g = 0; g < 2; g++) {
        for (size_t i = groups[g].before_n; i < groups[g].n; i++)
            sum += groups[g].scores[i];
    }
    for (unsigned bits = 0; bits < 1U << (groups[0].n + groups[1].n); bits++) {
        size_t chosen[2] = {0};
        int s = 0;
        for (size_t i = 0; i < groups[0].n + groups[1].n; i++) {
            const size_t g = i >= groups[0].n;
            if ((bits >> i & 1U) == 0)
                continue;
            chosen[g]++;
            s += groups[g].scores[i - g * groups[0].n];
        }
        if (chosen[0] != groups[0].n - groups[0].before_n ||
            chosen[1] != groups[1].n - groups[1].before_n)
            continue;
        all++;
        below += s <= sum;
        above += s >= sum;
    }
    return fmin(2.0 * (below < above ? below : above) / all, 1);
}

static void two_groups_are_judged_exactly(void **state)
{
    static const struct st_counts_group groups[][2] = {
        {{2, 5, {1, 3, 7, 9, 4}}, {3, 6, {0, 2, 5, 6, 8, 3}}},
        {{4, 7, {8, 9, 11, 7, 1, 0, 2}}, {3, 5, {9, 12, 10, 3, 4}}},
        {{3, 4, {5, 5, 5, 5}}, {2, 6, {1, 2, 3, 4, 5, 6}}},
    };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double p;
        bool more;
        assert_int_equal(st_counts_judge(groups[i], 2, &p, &more), 0);
        assert_true(fabs(p - by_all_choices(groups[i])) < 1e-12);
    }
}

static void little_shows_nothing(void **state)
{
    uint64_t events_n[2][ST_COUNTS_SECTIONS] = {0};
    struct st_counts_difference d;
    assert_int_equal(st_counts_compare(events_n[0], events_n[1], &d), 0); /* no event at all */
    assert_int_equal(d.verdict, ST_COUNTS_SAME);
    assert_true(d.none && d.fold >= 1 && d.fold <= 1);
    events_n[0][3] = 300; /* one stall */
    assert_int_equal(st_counts_compare(events_n[0], events_n[1], &d), 0);
    assert_int_equal(d.verdict, ST_COUNTS_SAME);
    assert_false(d.none);
    d = (struct st_counts_difference){
        .verdict = ST_COUNTS_FEWER, .fold = 0.25, .low = 0.2, .high = 0.5};
    assert_string_equal(st_counts_text(&d),
                        "4.0 times fewer late wake-ups than before (95 %: 2.0 to 5.0)");
    d = (struct st_counts_difference){
        .verdict = ST_COUNTS_MORE, .fold = 3.2, .low = 2.1, .high = 4.8};
    assert_string_equal(st_counts_text(&d),
                        "3.2 times as many late wake-ups as before (95 %: 2.1 to 4.8)");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_drifts_shows_no_less_than_its_drift),
        cmocka_unit_test(two_groups_are_judged_exactly),
        cmocka_unit_test(little_shows_nothing),
    };
    /* Seconds of simulations: a test of their own (simulated_cases in meson.build). */
    const struct CMUnitTest simulated[] = {
        cmocka_unit_test(equal_runs_are_equal),
        cmocka_unit_test(a_difference_is_shown_with_its_size),
    };
    if (argc > 1 && strcmp(argv[1], "simulated") == 0)
        return cmocka_run_group_tests(simulated, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
