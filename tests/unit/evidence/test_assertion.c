/* Assertions: bounds against a table, and how often they are wrong for one who looks all the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "evidence/assertion.h"

#define RUNS  1000
#define LOOKS 2000

static void misses_less_than_a_second_apart_are_one_episode(void **state)
{
    (void)state;
    struct st_assertion assertion = {.limit_per_hour = 1};
    st_assertion_miss(&assertion, 0, 0);
    st_assertion_miss(&assertion, ST_NS_PER_S - 1, 5 * ST_NS_PER_S);
    assert_int_equal(assertion.episodes_n, 1);
    st_assertion_miss(&assertion, 6 * ST_NS_PER_S, 6 * ST_NS_PER_S);
    assert_int_equal(assertion.episodes_n, 2);
}

/* Source: the usual tables of exact limits of a Poisson mean, 90 % two-sided. */
static void bounds_of_a_fixed_end_are_those_of_the_table(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double low, high;
    } rows[] = {{0, 0, 2.996}, {1, 0.051, 4.744}, {2, 0.355, 6.296}, {10, 5.425, 16.962}};
    ST_EACH (row, rows) {
        const struct st_assertion assertion = {.limit_per_hour = 1, .episodes_n = row->n};
        double low, high;
        st_assertion_bounds(&assertion, 2, &low, &high);
        assert_true(fabs(low * 2 - row->low) < 0.001);
        assert_true(fabs(high * 2 - row->high) < 0.001);
    }
}

static void a_run_that_is_too_short_cannot_be_kept(void **state)
{
    (void)state;
    for (int any_time = 0; any_time <= 1; any_time++) {
        const struct st_assertion none = {.limit_per_hour = 20, .any_time = any_time};
        const double shortest = st_assertion_shortest(20, any_time);
        assert_int_equal(st_assertion_judge(&none, shortest * 1.0001), ST_ASSERTION_KEPT);
        assert_int_equal(st_assertion_judge(&none, shortest * 0.9999), ST_ASSERTION_UNDECIDED);
    }
    assert_true(fabs(st_assertion_shortest(1, false) - log(20)) < 1e-9); /* hours */
    assert_true(st_assertion_shortest(1, true) > 4 && st_assertion_shortest(1, true) < 4.3);
}

static void what_decides_is_offered(void **state)
{
    (void)state;
    const struct st_assertion few = {.limit_per_hour = 20, .episodes_n = 1}, near = {20, false, 20, 0};
    assert_int_equal(st_assertion_judge(&few, 0.2), ST_ASSERTION_UNDECIDED);
    assert_true(st_assertion_decides_after(&few, 0.2) == 0.4);
    assert_true(st_assertion_decides_after(&near, 1) == 0);
}

/* Runs of a true rate, looked at each tenth of an hour; the share that is ever called so. */
static double share(double true_per_hour, bool any_time, int looks_n, enum st_assertion_verdict wanted)
{
    struct st_random random = {.state = 7};
    int n = 0;
    for (int i = 0; i < RUNS; i++) {
        struct st_assertion assertion = {.limit_per_hour = 1, .any_time = any_time};
        enum st_assertion_verdict verdict = ST_ASSERTION_UNDECIDED;
        double next = -log(1 - st_random_unit(&random)) / true_per_hour;
        for (int k = 1; k <= looks_n && verdict == ST_ASSERTION_UNDECIDED; k++) {
            const double hours = 0.1 * k;
            for (; next <= hours; next -= log(1 - st_random_unit(&random)) / true_per_hour)
                assertion.episodes_n++;
            verdict = st_assertion_judge(&assertion, hours);
        }
        n += verdict == wanted;
    }
    return (double)n / RUNS;
}

static void looking_all_the_time_is_wrong_in_one_run_of_twenty_at_most(void **state)
{
    (void)state;
    /* at the limit itself both verdicts are wrong; 5 % and three times the scatter of 1000 runs */
    const double most = 0.05 + 3 * sqrt(0.05 * 0.95 / RUNS);
    assert_true(share(1, true, LOOKS, ST_ASSERTION_BROKEN) + share(1, true, LOOKS, ST_ASSERTION_KEPT) <=
                most);
    assert_true(share(1, false, 200, ST_ASSERTION_BROKEN) >
                2 * most); /* so the other bounds may not be looked at */
    assert_true(share(3, true, LOOKS, ST_ASSERTION_BROKEN) > 0.95);
    assert_true(share(0.3, true, LOOKS, ST_ASSERTION_KEPT) > 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misses_less_than_a_second_apart_are_one_episode),
        cmocka_unit_test(bounds_of_a_fixed_end_are_those_of_the_table),
        cmocka_unit_test(a_run_that_is_too_short_cannot_be_kept),
        cmocka_unit_test(what_decides_is_offered),
        cmocka_unit_test(looking_all_the_time_is_wrong_in_one_run_of_twenty_at_most),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
