/* Missed periods of two runs: the test and its interval. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/compare/missed.h"
#include "lab/compare/verdict.h"
#include "tests/unit/noise.h"

static void assert_near(double got, double wanted, double within)
{
    assert_true(fabs(got - wanted) <= within);
}

static void judge(uint64_t missed_a, uint64_t periods_a, uint64_t missed_b, uint64_t periods_b,
                  struct st_figure *ret)
{
    st_missed_judge(&(struct st_missed){.events = {(double)missed_a, (double)missed_b},
                                        .trials = {(double)periods_a, (double)periods_b},
                                        .scatter = 1},
                    ret);
}

/* Misses against the exact test, by hand. */
static void test_exact(void **state)
{
    (void)state;
    struct st_figure f;
    judge(0, 1000, 5, 1000, &f);
    assert_near(f.p_value, 0.062188, 1e-6); /* 2 x (1000 over 5) / (2000 over 5) */
    assert_near(f.difference.value, 0.005, 1e-12);
    judge(0, 1000, 0, 3000, &f);
    assert_near(f.p_value, 1, 0);
    assert_true(f.difference.known && f.difference.low < 0 && f.difference.high > 0);
    judge(3, 4, 1, 4, &f); /* Fisher's tea: 17 of 70 */
    assert_near(f.p_value, 34.0 / 70, 1e-9);
    judge(1, 1000, 0, 30000, &f); /* one of 31 is A's in 1 of 31 cases */
    assert_near(f.p_value, 2.0 / 31, 1e-9);
    judge(7, 7, 900, 900, &f);
    assert_near(f.p_value, 1, 0);
    judge(UINT64_MAX / 4, UINT64_MAX / 2, UINT64_MAX / 3, UINT64_MAX / 2, &f);
    assert_true(f.p_value < 1e-9 && f.difference.low > 0 && f.difference.high < 1);
}

/* More misses never make it less sure, and the interval leaves 0 out where the test does. */
static void test_agrees(void **state)
{
    (void)state;
    static const uint64_t periods[][2] = {{2000, 2000}, {1000, 30000}, {50, 60}, {300000, 200000}};
    for (size_t row = 0; row < ST_ARRAY_LEN(periods); row++) {
        for (uint64_t a = 0; a < 50; a = 2 * a + 1) {
            double before = 1;
            for (uint64_t b = 0; b <= 50; b++) {
                const uint64_t n_a = periods[row][0], n_b = periods[row][1];
                struct st_figure f;
                judge(a, n_a, b, n_b, &f);
                const struct st_estimate *d = &f.difference;
                assert_true(d->low <= d->value && d->value <= d->high);
                assert_int_equal(estimate_shows(d), f.p_value <= ST_VERDICT_LEVEL);
                if (b * n_a > a * n_b) { /* B misses more */
                    assert_true(f.p_value <= before);
                    before = f.p_value;
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
