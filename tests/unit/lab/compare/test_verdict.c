/* The rule: what is shown, what is not, and what cannot be told. */
#include "lab/compare/verdict.h"
#include "tests/unit/unit.h"

static void assert_near(double got, double wanted, double within)
{
    assert_true(fabs(got - wanted) <= within);
}

/* Holm's own procedure, by hand. */
static void test_correction(void **state)
{
    static const double ps[] = {0.04, 0.01, 0.03, 0.005, 0.5},
                        wanted[] = {0.09, 0.04, 0.09, 0.025, 0.5};
    struct st_figure figures[ST_ARRAY_LEN(ps) + 1] = {0}, *list[ST_ARRAY_LEN(ps) + 1];
    for (size_t i = 0; i <= ST_ARRAY_LEN(ps); i++) {
        list[i] = &figures[i];
        figures[i].difference.known = i < ST_ARRAY_LEN(ps);
        figures[i].difference.value = 1;
        figures[i].p_value = i < ST_ARRAY_LEN(ps) ? ps[i] : 0;
    }
    assert_int_equal(st_verdict_judge(list, ST_ARRAY_LEN(list)), ST_ARRAY_LEN(ps));
    for (size_t i = 0; i < ST_ARRAY_LEN(ps); i++) {
        assert_near(figures[i].p_corrected, wanted[i], 1e-12);
        assert_int_equal(figures[i].verdict,
                         wanted[i] <= 0.05 ? ST_VERDICT_WORSE : ST_VERDICT_NONE);
    }
    assert_int_equal(figures[ST_ARRAY_LEN(ps)].verdict, ST_VERDICT_TOO_SHORT);
}

/* By one figure, in each direction, beside the drift. */
static void test_drift(void **state)
{
    static const struct {
        double value, p, drifts;
        enum st_verdict verdict;
    } rows[] = {
        {-3, 0.001, 0, ST_VERDICT_BETTER},   {3, 0.001, 0, ST_VERDICT_WORSE},
        {-3, 0.001, 2.9, ST_VERDICT_BETTER}, {3, 0.001, 2.9, ST_VERDICT_WORSE},
        {-3, 0.001, 3, ST_VERDICT_DRIFTING}, {3, 0.001, 9, ST_VERDICT_DRIFTING},
        {3, 0.051, 9, ST_VERDICT_NONE},      {3, 0.05, 0, ST_VERDICT_WORSE},
        {0, 1, 0, ST_VERDICT_NONE},
    };
    for (size_t row = 0; row < ST_ARRAY_LEN(rows); row++) {
        struct st_figure figure = {.difference = {true, rows[row].value, rows[row].value,
                                                  rows[row].value},
                                   .p_value = rows[row].p,
                                   .drifts = rows[row].drifts,
                                   .error = 0.1},
                         *list[] = {&figure};
        assert_int_equal(st_verdict_judge(list, 1), 1);
        assert_int_equal(figure.verdict, rows[row].verdict);
        assert_int_equal(st_verdict_shows(&figure),
                         figure.verdict == ST_VERDICT_BETTER || figure.verdict == ST_VERDICT_WORSE);
        /* no data shows what a run does by itself */
        assert_true(st_verdict_detectable(&figure, 1) >= rows[row].drifts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_correction),
        cmocka_unit_test(test_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
