/* Does a run change by itself, by more than chance? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/compare/drift.h"
#include "tests/unit/noise.h"

static void assert_near(double got, double wanted, double within)
{
    assert_true(fabs(got - wanted) <= within);
}

/* Against tables of the F distribution: 4.893 has 1 % above it with 4 and 15 degrees of freedom. */
static void test_known(void **state)
{
    double figures[20];
    /* sections of four blocks, each -1 1 -1 1 around its mean; means 0 m 0 -m 0: sums of squares 8
     * m^2 and 20 */
    const double m = sqrt(4.893 * 20 / 15 * 4 / 8);
    static const double means[ST_DRIFT_SECTIONS] = {0, 1, 0, -1, 0};
    for (size_t k = 0; k < 20; k++)
        figures[k] = m * means[st_drift_section(k, 20)] + (k % 2 == 0 ? -1 : 1);
    assert_near(st_drift_p(figures, 20), 0.01, 1e-4);
}

static void test_few(void **state)
{
    static const double climbs[10] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4},
                        equal[10] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    assert_near(st_drift_p(climbs, 9), 1, 0);
    assert_near(st_drift_p(climbs, 10), 0, 0);
    assert_near(st_drift_p(equal, 10), 1, 0);
    for (size_t n = 5; n <= 64; n++) { /* sections differ by one block at most, in order */
        size_t blocks_n[ST_DRIFT_SECTIONS] = {0};
        for (size_t k = 0; k < n; k++)
            blocks_n[st_drift_section(k, n)]++;
        for (size_t i = 0; i < ST_DRIFT_SECTIONS; i++)
            assert_true(blocks_n[i] == n / 5 || blocks_n[i] == n / 5 + 1);
    }
}

/* Of 4000 runs that do not drift, 1 % pass a level of 1 %, for normal and for skewed blocks: 40 +-
 * 4 sd of 6.3. */
static void test_level(void **state)
{
    struct st_random random = {.state = 11};
    for (int skewed = 0; skewed < 2; skewed++) {
        int passed_n = 0;
        for (int i = 0; i < 4000; i++) {
            double figures[64];
            const size_t n = i % 2 == 0 ? 16 : 64;
            for (size_t k = 0; k < n; k++)
                figures[k] = skewed ? noise_exponential(&random) : noise_normal(&random);
            passed_n += st_drift_p(figures, n) <= 0.01;
        }
        assert_true(passed_n >= 15 && passed_n <= 65);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
