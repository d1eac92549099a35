#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "lib/pass.h"

#define PERIOD_NS 1000000

enum { QUANTILES = ST_PASS_P99 + 1 };

static struct st_pass run_of(void)
{
    struct st_period period;
    struct st_pass run;
    assert_int_equal(st_period_init_ns(&period, PERIOD_NS, 1), 0);
    st_pass_init(&run, &period);
    return run;
}

static void a_miss_is_a_cycle_done_after_the_next_due_time_or_a_skipped_period(void **state)
{
    (void)state;
    struct st_pass run = run_of();
    st_pass_cycle(&run, 0, 100, PERIOD_NS - 100); /* done at due(1): in time */
    st_pass_cycle(&run, 1, 100, PERIOD_NS - 99);  /* 1 ns past it */
    st_pass_cycle(&run, 2, 2 * PERIOD_NS + 5, 0); /* late, and two periods go by */
    st_pass_skipped(&run, 3, 1);
    st_pass_cycle(&run, 4, 50, 0);
    st_pass_lost(&run, 5, 3);
    st_pass_cycle(&run, 8, -20, 0); /* early */
    assert_int_equal(run.error, 0);
    assert_int_equal(run.n, 5);
    assert_int_equal(run.missed_n, 3);
    assert_int_equal(run.missed_len, 1); /* 1, 2 and 3 are one stretch */
    assert_int_equal(run.missed[0].first, 1);
    assert_int_equal(run.missed[0].n, 3);
    assert_int_equal(run.lost_n, 3);
    assert_int_equal(run.end, 9);
    st_pass_finish(&run);
}

static void what_is_too_long_is_refused_and_stays_refused(void **state)
{
    (void)state;
    struct st_pass run = run_of();
    st_pass_cycle(&run, 7, 1, INT64_MAX); /* no overflow: a miss */
    assert_int_equal(run.missed_n, 1);
    st_pass_skipped(&run, 8, UINT64_MAX);
    assert_int_equal(run.error, -EFBIG);
    st_pass_cycle(&run, 9, 1, 0);
    st_pass_lost(&run, UINT64_MAX, 1);
    assert_int_equal(run.n, 1);
    assert_int_equal(run.end, 8);
    st_pass_finish(&run);

    struct st_pass empty = run_of(), one = run_of();
    struct st_random random = {1};
    struct st_pass_difference difference;
    st_pass_cycle(&one, 0, 1, 0);
    assert_int_equal(st_pass_compare(&empty, &one, &random, &difference), -EINVAL);
    assert_int_equal(st_pass_compare(&one, &one, &random, &difference), 0);
    for (int k = 0; k < QUANTILES; k++) {
        assert_false(difference.figures[k].known[0]);
        assert_false(difference.figures[k].difference.known);
    }
    st_pass_finish(&one);
}

/* Lateness of about 10 us with a slow wave: neighbours are alike, as on a machine whose load comes and goes.
 */
static void fill(struct st_pass *run, struct st_random *random, uint64_t n, int64_t more_ns)
{
    double wave_ns = 0;
    for (uint64_t k = 0; k < n; k++) {
        if (k % 100 == 0)
            wave_ns = 4000 * st_random_unit(random);
        const double noise_ns = 2000 * st_random_unit(random);
        st_pass_cycle(run, k, 8000 + (int64_t)(wave_ns + noise_ns) + more_ns, 0);
    }
}

static void runs_of_the_same_machine_differ_by_nothing_in_19_of_20(void **state)
{
    (void)state;
    enum { PAIRS = 60 };
    int shown[QUANTILES] = {0};
    for (uint64_t seed = 0; seed < PAIRS; seed++) {
        struct st_random noise = {seed * 7919 + 1}, random = {seed};
        struct st_pass first = run_of(), second = run_of();
        struct st_pass_difference difference;
        fill(&first, &noise, 10000, 0);
        fill(&second, &noise, 10000, 0);
        assert_int_equal(st_pass_compare(&first, &second, &random, &difference), 0);
        assert_int_equal(difference.blocks_n, 10);
        for (int k = 0; k < QUANTILES; k++) {
            assert_true(difference.figures[k].difference.known);
            shown[k] += st_estimate_shows(&difference.figures[k].difference, ST_EFFECT_DIFFERENCE);
        }
        st_pass_finish(&first);
        st_pass_finish(&second);
    }
    for (int k = 0; k < QUANTILES; k++) /* 3 expected; more than 10 has a chance of 1 in 2000 */
        assert_in_range(shown[k], 0, 10);
}

static void a_shift_is_found_in_its_size(void **state)
{
    (void)state;
    struct st_random noise = {42}, random = {43};
    struct st_pass first = run_of(), second = run_of();
    struct st_pass_difference difference;
    fill(&first, &noise, 20000, 0);
    fill(&second, &noise, 20000, -3000);
    assert_int_equal(st_pass_compare(&first, &second, &random, &difference), 0);
    for (int k = 0; k < QUANTILES; k++) {
        const struct st_estimate *estimate = &difference.figures[k].difference;
        assert_true(st_pass_shows(&difference.figures[k]));
        assert_true(estimate->low <= -3000 && estimate->high >= -3000);
        assert_true(estimate->low > -5000 && estimate->high < -1000);
    }
    st_pass_finish(&first);
    st_pass_finish(&second);
}

/* A machine whose load changed in the middle of a run: it changes by itself. */
static void what_a_run_does_by_itself_is_no_difference(void **state)
{
    (void)state;
    struct st_random noise = {7}, random = {8};
    struct st_pass first = run_of(), second = run_of();
    struct st_pass_difference difference;
    fill(&first, &noise, 20000, 0);
    fill(&second, &noise, 10000, 0);
    for (uint64_t k = 10000; k < 20000; k++)
        st_pass_cycle(&second, k, second.lateness_ns[k - 10000] + 6000, 0);
    assert_int_equal(st_pass_compare(&first, &second, &random, &difference), 0);
    const struct st_pass_figure *median = &difference.figures[ST_PASS_MEDIAN];
    assert_true(median->drift > 5000 && median->drift < 7000);
    assert_true(st_estimate_shows(&median->difference, ST_EFFECT_DIFFERENCE));
    assert_false(st_pass_shows(median));
    assert_true(st_pass_resolution(median) >= median->drift);
    st_pass_finish(&first);
    st_pass_finish(&second);
}

/* 120 misses in one burst are one event, not 120. */
static void a_burst_of_misses_is_less_certain_than_as_many_one_by_one(void **state)
{
    (void)state;
    struct st_pass none = run_of(), burst = run_of(), single = run_of();
    struct st_pass_difference in_burst, one_by_one;
    struct st_random random = {5};
    for (uint64_t k = 0; k < 12000; k++) {
        st_pass_cycle(&none, k, 10, 0);
        st_pass_cycle(&single, k, k % 100 == 3 ? 2 * PERIOD_NS : 10, 0);
        if (k == 3000)
            st_pass_skipped(&burst, k, 120);
        else if (k < 3000 || k >= 3120)
            st_pass_cycle(&burst, k, 10, 0);
    }
    assert_int_equal(burst.missed_n, 120);
    assert_int_equal(st_pass_compare(&none, &burst, &random, &in_burst), 0);
    assert_int_equal(st_pass_compare(&none, &single, &random, &one_by_one), 0);
    assert_true(st_pass_shows(&one_by_one.figures[ST_PASS_MISSED]));
    assert_false(st_pass_shows(&in_burst.figures[ST_PASS_MISSED]));
    assert_true(in_burst.figures[ST_PASS_MISSED].difference.value > 0.0099 &&
                in_burst.figures[ST_PASS_MISSED].difference.value < 0.0101);
    st_pass_finish(&none);
    st_pass_finish(&burst);
    st_pass_finish(&single);
}

static void a_span_over_block_borders_counts_in_each_once(void **state)
{
    (void)state;
    struct st_pass first = run_of(), second = run_of();
    struct st_pass_difference difference;
    struct st_random random = {6};
    for (uint64_t k = 0; k < 1003; k++) /* not a multiple of the blocks */
        st_pass_cycle(&first, k, 10, 0);
    st_pass_skipped(&second, 0, 1003);
    assert_int_equal(st_pass_compare(&first, &second, &random, &difference), 0);
    const struct st_pass_figure *missed = &difference.figures[ST_PASS_MISSED];
    assert_true(missed->difference.value == 1);
    assert_true(missed->difference.low > 0.99 && missed->difference.high <= 1);
    assert_true(missed->drift < 1e-9);
    assert_false(difference.figures[ST_PASS_MEDIAN].known[1]);
    st_pass_finish(&first);
    st_pass_finish(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_is_a_cycle_done_after_the_next_due_time_or_a_skipped_period),
        cmocka_unit_test(what_is_too_long_is_refused_and_stays_refused),
        cmocka_unit_test(runs_of_the_same_machine_differ_by_nothing_in_19_of_20),
        cmocka_unit_test(a_shift_is_found_in_its_size),
        cmocka_unit_test(what_a_run_does_by_itself_is_no_difference),
        cmocka_unit_test(a_burst_of_misses_is_less_certain_than_as_many_one_by_one),
        cmocka_unit_test(a_span_over_block_borders_counts_in_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
