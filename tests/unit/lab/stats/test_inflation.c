/* lab/stats/inflation: by hand. */
#include "lab/stats/inflation.h"
#include "tests/unit/unit.h"

static void independent_values_are_not_inflated_and_equal_neighbours_are(void **state)
{
    static const double turns[] = {1, -1, 1, -1, 1, -1, 1, -1},
                        pairs[] = {1, 1, -1, -1, 1, 1, -1, -1};
    static const double rising[] = {-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5};
    assert_true(st_inflation(turns, 8, 0, 4) <= 1);
    assert_true(st_inflation(pairs, 8, 0, 4) <= 1); /* lag 2 takes away more than lag 1 adds */
    /* lags 1 and 2: 26.25 + 11.5 of 42; lags 3 and 4 together: negative */
    assert_true(fabs(st_inflation(rising, 8, 0, 4) - (1 + 2 * 37.75 / 42)) < 1e-12);
    assert_true(fabs(st_inflation(rising, 8, 0, 2) - (1 + 2 * 37.75 / 42)) < 1e-12);
    assert_true(st_inflation(rising, 8, 0, 1) <= 1); /* no pair of lags */
    static const double constant[] = {2, 2, 2, 2};
    assert_true(st_inflation(constant, 4, 2, 2) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_values_are_not_inflated_and_equal_neighbours_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
