/* Missed periods of two runs: the test, its interval, and its power. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "core/stats/random.h"
#include "evidence/missed.h"
#include "evidence/verdict.h"

static void assert_near(double got, double wanted, double within)
{
    assert_true(fabs(got - wanted) <= within);
}

/* Misses against the exact test, by hand. */
static void test_exact(void **state)
{
    (void)state;
    struct st_figure f;
    assert_int_equal(st_missed_compare(0, 1000, 5, 1000, &f), 0);
    assert_near(f.p_value, 0.062188, 1e-6); /* 2 x (1000 over 5) / (2000 over 5) */
    assert_near(f.difference.value, 0.005, 1e-12);
    assert_int_equal(st_missed_compare(0, 1000, 0, 3000, &f), 0);
    assert_near(f.p_value, 1, 0);
    assert_true(f.difference.known && f.difference.low < 0 && f.difference.high > 0);
    assert_int_equal(st_missed_compare(2, 1, 0, 1, &f), -EINVAL);
    assert_int_equal(st_missed_compare(3, 4, 1, 4, &f), 0); /* Fisher's tea: 17 of 70 */
    assert_near(f.p_value, 34.0 / 70, 1e-9);
    assert_int_equal(st_missed_compare(1, 1000, 0, 30000, &f), 0); /* one of 31 is A's in 1 of 31 cases */
    assert_near(f.p_value, 2.0 / 31, 1e-9);
    assert_int_equal(st_missed_compare(7, 7, 900, 900, &f), 0);
    assert_near(f.p_value, 1, 0);
    assert_int_equal(st_missed_compare(UINT64_MAX / 4, UINT64_MAX / 2, UINT64_MAX / 3, UINT64_MAX / 2, &f),
                     0);
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
                assert_int_equal(st_missed_compare(a, n_a, b, n_b, &f), 0);
                const struct st_estimate *d = &f.difference;
                assert_true(d->low <= d->value && d->value <= d->high);
                assert_int_equal(st_estimate_shows(d), f.p_value <= ST_VERDICT_LEVEL);
                if (b * n_a > a * n_b) { /* B misses more */
                    assert_true(f.p_value <= before);
                    before = f.p_value;
                }
            }
        }
    }
}

/* Misses of n periods at random. */
static uint64_t missed_of(struct st_random *random, uint64_t n, double rate)
{
    uint64_t missed_n = 0;
    for (uint64_t i = 0; i < n; i++)
        missed_n += st_random_unit(random) < rate;
    return missed_n;
}

/* Is it shown as one of four figures of which the others show nothing? */
static bool missed_shown(uint64_t a, uint64_t b, uint64_t n)
{
    struct st_figure figures[ST_FIGURES], *list[ST_FIGURES];
    for (size_t i = 0; i < ST_FIGURES; i++) {
        list[i] = &figures[i];
        assert_int_equal(st_missed_compare(0, n, 0, n, &figures[i]), 0);
    }
    assert_int_equal(st_missed_compare(a, n, b, n, &figures[ST_FIGURE_MISSED]), 0);
    (void)st_verdict_judge(list, ST_FIGURES);
    return st_verdict_shows(&figures[ST_FIGURE_MISSED]);
}

/* As many more misses as are said to have been shown are, in 4 of 5 cases, and so are those that so much more
 * data would show. */
static void test_power(void **state)
{
    (void)state;
    enum { PAIRS = 300 };
    static const struct {
        uint64_t n;
        double rate, more; /* periods, share of them that A misses, and more that B does */
    } rows[] = {{2000, 0, 0}, {2000, 0.004, 0.004}, {5000, 0.01, 0.003}, {3000, 0.1, 0.02}, {1000, 0.97, 0}};
    for (size_t row = 0; row < ST_ARRAY_LEN(rows); row++) {
        struct st_random random = {.state = 70 + row};
        const uint64_t n = rows[row].n;
        const double rate = rows[row].rate;
        int shown_n = 0, more_shown_n = 0, asked_n = 0;
        for (int i = 0; i < PAIRS / (row > 0 ? 5 : 1); i++) {
            struct st_figure f;
            const uint64_t a = missed_of(&random, n, rate);
            assert_int_equal(st_missed_compare(a, n, a, n, &f), 0);
            const double more = st_verdict_detectable(&f, ST_FIGURES);
            asked_n++;
            shown_n += missed_shown(missed_of(&random, n, rate),
                                    missed_of(&random, n, rate > 0.5 ? rate - more : rate + more), n);
            if (rows[row].more > 0) {
                const double times = st_verdict_more_data(&f, ST_FIGURES, rows[row].more);
                const uint64_t many = (uint64_t)ceil(times * (double)n);
                more_shown_n += missed_shown(missed_of(&random, many, rate),
                                             missed_of(&random, many, rate + rows[row].more), many);
            }
        }
        assert_true(shown_n >= asked_n * 72 / 100 && shown_n <= asked_n * 95 / 100);
        assert_true(rows[row].more <= 0 || more_shown_n >= asked_n * 72 / 100);
    }
}

/* No rate of B is shown where there are too few periods. */
static void test_not_detectable(void **state)
{
    (void)state;
    struct st_figure f;
    assert_int_equal(st_missed_compare(0, 3, 0, 3, &f), 0);
    assert_true(isnan(st_verdict_detectable(&f, ST_FIGURES)));
    assert_int_equal(st_missed_compare(0, 8, 0, 8, &f), 0);
    assert_true(st_verdict_detectable(&f, 1) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_agrees),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_not_detectable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
