/* Limits: bounds against a table, and how often they are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/stats/random.h"
#include "evidence/limit.h"

#define RUNS 1000

/* Source: the usual tables of exact limits of a Poisson mean, 90 % two-sided. */
static void bounds_are_those_of_the_table(void **state)
{
    static const struct {
        uint64_t n;
        double low, high;
    } rows[] = {
        {0, 0, ST_LIMIT_LEAST_N}, {1, 0.051, 4.744}, {2, 0.355, 6.296}, {10, 5.425, 16.962}};
    ST_EACH (row, rows) {
        assert_int_equal(st_limit_judge(row->high + 0.001, row->n), ST_LIMIT_KEPT);
        assert_int_equal(st_limit_judge(row->high - 0.001, row->n), ST_LIMIT_UNDECIDED);
        assert_int_equal(st_limit_judge(row->low + 0.001, row->n), ST_LIMIT_UNDECIDED);
        if (row->n > 0)
            assert_int_equal(st_limit_judge(row->low - 0.001, row->n), ST_LIMIT_BROKEN);
    }
}

static double share(double true_n, double allowed_n, enum st_limit_verdict wanted)
{
    struct st_random random = {.state = 7};
    int n = 0;
    for (int i = 0; i < RUNS; i++) {
        uint64_t events_n = 0;
        for (double at = -log(1 - st_random_unit(&random)); at < true_n;
             at -= log(1 - st_random_unit(&random)))
            events_n++;
        n += st_limit_judge(allowed_n, events_n) == wanted;
    }
    return (double)n / RUNS;
}

/* At the limit itself either verdict is wrong: 5 % and three times the scatter of 1000 runs. A run
 * that ends as soon as it is broken is one that would be at its end. */
static void one_run_of_twenty_is_judged_wrongly_at_most(void **state)
{
    const double most = 0.05 + 3 * sqrt(0.05 * 0.95 / RUNS);
    for (double allowed_n = 3; allowed_n < 100; allowed_n *= 2) {
        assert_true(share(allowed_n, allowed_n, ST_LIMIT_BROKEN) <= most);
        assert_true(share(allowed_n, allowed_n, ST_LIMIT_KEPT) <= most);
        assert_true(share(4 * allowed_n, allowed_n, ST_LIMIT_BROKEN) > 0.9);
    }
    assert_true(share(3, 12, ST_LIMIT_KEPT) > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_those_of_the_table),
        cmocka_unit_test(one_run_of_twenty_is_judged_wrongly_at_most),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
