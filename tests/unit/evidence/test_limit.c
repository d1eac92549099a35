/* Limits: bounds against a table, and how often they are wrong for one who looks all the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "evidence/limit.h"

#define RUNS  1000
#define LOOKS 2000

/* Source: the usual tables of exact limits of a Poisson mean, 90 % two-sided. */
static void bounds_of_a_fixed_end_are_those_of_the_table(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double low, high;
    } rows[] = {{0, 0, 2.996}, {1, 0.051, 4.744}, {2, 0.355, 6.296}, {10, 5.425, 16.962}};
    ST_EACH (row, rows) {
        struct st_limit limit = {.events_n = row->n, .hours = 2};
        for (int side = -1; side <= 1; side += 2) {
            limit.per_hour = (row->high + side * 0.001) / 2;
            assert_int_equal(st_limit_judge(&limit), side > 0 ? ST_LIMIT_KEPT : ST_LIMIT_UNDECIDED);
            limit.per_hour = (row->low + side * 0.001) / 2;
            if (row->n > 0)
                assert_int_equal(st_limit_judge(&limit), side < 0 ? ST_LIMIT_BROKEN : ST_LIMIT_UNDECIDED);
        }
    }
}

static void a_run_that_is_too_short_cannot_be_kept(void **state)
{
    (void)state;
    for (int any_time = 0; any_time <= 1; any_time++) {
        struct st_limit none = {.per_hour = 20, .any_time = any_time};
        const double shortest = st_limit_shortest(20, any_time);
        none.hours = shortest * 1.0001;
        assert_int_equal(st_limit_judge(&none), ST_LIMIT_KEPT);
        none.hours = shortest * 0.9999;
        assert_int_equal(st_limit_judge(&none), ST_LIMIT_UNDECIDED);
    }
    assert_true(fabs(st_limit_shortest(1, false) - log(20)) < 1e-9); /* hours */
    assert_true(st_limit_shortest(1, true) > 4 && st_limit_shortest(1, true) < 4.3);
}

/* Runs of a true rate, looked at each tenth of an hour; the share that is ever called so. */
static double share(double true_per_hour, bool any_time, int looks_n, enum st_limit_verdict wanted)
{
    struct st_random random = {.state = 7};
    int n = 0;
    for (int i = 0; i < RUNS; i++) {
        struct st_limit limit = {.per_hour = 1, .any_time = any_time};
        enum st_limit_verdict verdict = ST_LIMIT_UNDECIDED;
        double next = -log(1 - st_random_unit(&random)) / true_per_hour;
        for (int k = 1; k <= looks_n && verdict == ST_LIMIT_UNDECIDED; k++) {
            limit.hours = 0.1 * k;
            for (; next <= limit.hours; next -= log(1 - st_random_unit(&random)) / true_per_hour)
                limit.events_n++;
            verdict = st_limit_judge(&limit);
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
    assert_true(share(1, true, LOOKS, ST_LIMIT_BROKEN) + share(1, true, LOOKS, ST_LIMIT_KEPT) <= most);
    assert_true(share(1, false, 200, ST_LIMIT_BROKEN) >
                2 * most); /* so the other bounds may not be looked at */
    assert_true(share(3, true, LOOKS, ST_LIMIT_BROKEN) > 0.95);
    assert_true(share(0.3, true, LOOKS, ST_LIMIT_KEPT) > 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_a_fixed_end_are_those_of_the_table),
        cmocka_unit_test(a_run_that_is_too_short_cannot_be_kept),
        cmocka_unit_test(looking_all_the_time_is_wrong_in_one_run_of_twenty_at_most),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
