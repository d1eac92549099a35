/* Tails against the tables. */
#include "core/stats/distribution.h"
#include "tests/unit/unit.h"

static void assert_within(double got, double wanted, double share)
{
    assert_true(fabs(got - wanted) <= share * wanted);
}

static void test_tails(void **state)
{
    assert_within(st_distribution_normal_p(ST_DISTRIBUTION_NORMAL_975), 0.05, 1e-12);
    assert_within(st_distribution_normal_z(0.025), ST_DISTRIBUTION_NORMAL_975, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
