/* lab/stats/moments: against wider arithmetic. */
#include <float.h>

#include "core/stats/random.h"
#include "lab/stats/moments.h"
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"

#define N 100000

static int64_t values[N];

/* Values around a level that is large against their spread, which sums of squares lose. */
static void fill(int64_t level, uint64_t spread, uint64_t seed)
{
    struct st_random random = {.state = seed};
    for (size_t i = 0; i < N; i++)
        values[i] = level + (int64_t)st_random_below(&random, spread);
}

static void check(void)
{
    const struct st_moments moments = st_moments_of(values, N);
    long double sum = 0, square = 0;
    for (size_t i = 0; i < N; i++)
        sum += (long double)values[i];
    const long double mean = sum / N;
    for (size_t i = 0; i < N; i++)
        square += ((long double)values[i] - mean) * ((long double)values[i] - mean);
    const double sd = (double)sqrtl(square / (N - 1));
    assert_int_equal(moments.n, N);
    assert_true(fabs(moments.mean - (double)mean) <= 1e-12 * fabs((double)mean) + 1e-9 * sd);
    /* a value has no more digits than that */
    assert_true(fabs(moments.sd - sd) <= 1e-9 * sd + 0x1p-52 * fabs((double)mean));
}

static void the_mean_and_the_spread_are_exact(void **state)
{
    if (LDBL_MANT_DIG <= DBL_MANT_DIG)
        ST_CANNOT("no wider arithmetic here");
    static const struct {
        int64_t level;
        uint64_t spread;
    } rows[] = {
        {9000, 16000}, {0, 3}, {-5000, 10000}, {INT64_C(3000000000000), 100}, {1, 3600000000000}};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        fill(rows[i].level, rows[i].spread, i);
        check();
    }
}

static void few_values_have_no_spread(void **state)
{
    assert_int_equal(st_moments_of(values, 0).n, 0);
    const int64_t one = 7;
    const struct st_moments moments = st_moments_of(&one, 1);
    assert_true(moments.mean >= 7 && moments.mean <= 7);
    assert_true(moments.sd <= 0);
}

static void extremes_do_not_overflow(void **state)
{
    const int64_t ends[] = {INT64_MIN, INT64_MAX};
    const struct st_moments moments = st_moments_of(ends, 2);
    assert_true(fabs(moments.mean) <= 1024);
    assert_true(fabs(moments.sd / (0x1p63 * M_SQRT2) - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_and_the_spread_are_exact),
        cmocka_unit_test(few_values_have_no_spread),
        cmocka_unit_test(extremes_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
