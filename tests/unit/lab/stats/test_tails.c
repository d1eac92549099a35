/* Tails against the tables. */
#include "lab/stats/tails.h"
#include "tests/unit/unit.h"

static void assert_within(double got, double wanted, double share)
{
    assert_true(fabs(got - wanted) <= share * wanted);
}

static void test_tails(void **state)
{
    assert_within(st_tails_student_p(2.3646, 7), 0.05, 0.01);
    assert_within(st_tails_student_t(1.959963984540054, 7), 2.3646, 0.003);
    assert_within(st_tails_student_t(1.959963984540054, 30), 2.0423, 0.001);
    assert_within(st_tails_chi_squared_p(14.067, 7), 0.05, 0.01);
    assert_within(st_tails_chi_squared_p(24.322, 7), 0.001, 0.1);
    assert_within(st_tails_chi_squared_p(103.442, 63), 0.001, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
