/* lab/stats/moments: one pass, in pieces, against two passes in wider arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "core/stats/random.h"
#include "lab/stats/moments.h"
#include "tests/unit/cannot.h"

#define N 100000

static int64_t values[N];

/* Values around a level that is large against their spread, which sums of squares lose. */
static void fill(int64_t level, uint64_t spread, uint64_t seed)
{
    struct st_random random = {.state = seed};
    for (size_t i = 0; i < N; i++)
        values[i] = level + (int64_t)st_random_below(&random, spread);
}

static void check(size_t piece_n)
{
    struct st_moments moments = {0};
    for (size_t first = 0; first < N; first += piece_n)
        st_moments_add(&moments, values + first, N - first < piece_n ? N - first : piece_n);
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
    assert_true(fabs(st_moments_sd(&moments) - sd) <= 1e-9 * sd + 0x1p-52 * fabs((double)mean));
}

static void any_pieces_give_the_mean_and_spread_of_all(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG)
        ST_CANNOT("no wider arithmetic here");
    static const struct {
        int64_t level;
        uint64_t spread;
    } rows[] = {{9000, 16000}, {0, 3}, {-5000, 10000}, {INT64_C(3000000000000), 100}, {1, 3600000000000}};
    static const size_t pieces[] = {1, 2, 3, 5, 64, 1500, N};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        fill(rows[i].level, rows[i].spread, i);
        for (size_t k = 0; k < ST_ARRAY_LEN(pieces); k++)
            check(pieces[k]);
    }
}

static void few_values_have_no_spread(void **state)
{
    (void)state;
    struct st_moments moments = {0};
    st_moments_add(&moments, values, 0);
    assert_int_equal(moments.n, 0);
    const int64_t one = 7;
    st_moments_add(&moments, &one, 1);
    assert_true(moments.mean >= 7 && moments.mean <= 7);
    assert_true(st_moments_sd(&moments) <= 0);
}

static void extremes_do_not_overflow(void **state)
{
    (void)state;
    struct st_moments moments = {0};
    const int64_t ends[] = {INT64_MIN, INT64_MAX};
    st_moments_add(&moments, ends, 2);
    assert_true(fabs(moments.mean) <= 1024);
    assert_true(fabs(st_moments_sd(&moments) / (0x1p63 * M_SQRT2) - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pieces_give_the_mean_and_spread_of_all),
        cmocka_unit_test(few_values_have_no_spread),
        cmocka_unit_test(extremes_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
