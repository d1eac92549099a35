

#include "core/stats/random.h"
#include "tests/unit/unit.h"

static void the_stream_is_splitmix64(void **state)
{
    /* the first outputs of the published generator for seed 1234567 */
    static const uint64_t wanted[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                      UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                      UINT64_C(16408922859458223821)};
    struct st_random random = {1234567};
    for (size_t i = 0; i < ST_ARRAY_LEN(wanted); i++)
        assert_true(st_random_u64(&random) == wanted[i]);
}

static void units_fill_their_range_evenly(void **state)
{
    enum { N = 100000, BINS = 20 };
    struct st_random random = {7};
    unsigned counts[BINS] = {0};
    for (int i = 0; i < N; i++) {
        const double unit = st_random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
        counts[(int)(unit * (double)BINS)]++;
    }
    const double expected = (double)N / (double)BINS;
    double chi2 = 0;
    for (int i = 0; i < BINS; i++)
        chi2 += (counts[i] - expected) * (counts[i] - expected) / expected;
    assert_true(chi2 < 43.8); /* 99.9 % of chi-squared with 19 degrees of freedom */
}

static void below_is_below_for_any_n(void **state)
{
    static const uint64_t ns[] = {1, 2, 3, 10, UINT32_MAX};
    struct st_random random = {3};
    ST_EACH (n, ns) {
        uint64_t largest = 0;
        for (int i = 0; i < 1000; i++) {
            const uint64_t value = st_random_below(&random, *n);
            assert_true(value < *n);
            largest = value > largest ? value : largest;
        }
        assert_true(largest >= (*n - 1) / 100 * 97); /* the upper end is reached, too */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_is_splitmix64),
        cmocka_unit_test(units_fill_their_range_evenly),
        cmocka_unit_test(below_is_below_for_any_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
