

#include "core/period.h"
#include "tests/unit/unit.h"

#define WEEK_NS UINT64_C(604800000000000)

/* k * num / den rounded half up, from the fraction as given: its whole part and its rest apart, so
 * that no product passes 64 bits */
static int64_t exact_offset(uint64_t num, uint64_t den, uint64_t k)
{
    uint64_t whole_ns;
    uint64_t rest;
    assert_false(__builtin_mul_overflow(k, num / den, &whole_ns));
    assert_false(__builtin_mul_overflow(k, num % den, &rest));
    const uint64_t half = rest % den >= den - rest % den;
    return (int64_t)(whole_ns + rest / den + half);
}

static void check(const struct st_period *period, uint64_t num, uint64_t den, int64_t t0_ns,
                  uint64_t k)
{
    const int64_t due_ns = t0_ns + exact_offset(num, den, k);
    assert_int_equal(st_period_due_ns(period, t0_ns, k), due_ns);
    assert_int_equal(st_period_index_at(period, t0_ns, due_ns), k);
    if (k > 0)
        assert_int_equal(st_period_index_at(period, t0_ns, due_ns - 1), k - 1);
}

/* A week, one cycle in `step` of it, and every cycle of the first and the last `dense`. */
static void check_week(const struct st_period *period, uint64_t num, uint64_t den, uint64_t step)
{
    const int64_t t0_ns = INT64_C(123456789012345);
    const uint64_t last = WEEK_NS / num * den + WEEK_NS % num * den / num;
    const uint64_t dense = 20000;
    for (uint64_t k = 0; k < dense; k++)
        check(period, num, den, t0_ns, k);
    for (uint64_t k = dense; k < last; k += step)
        check(period, num, den, t0_ns, k);
    for (uint64_t k = last - dense; k <= last; k++)
        check(period, num, den, t0_ns, k);
}

static void due_times_are_exact_for_a_week_at_audio_rates(void **state)
{
    static const uint32_t rates[] = {44100, 48000};
    static const uint32_t frames[] = {16, 64, 128, 1024, 441};
    ST_EACH (rate, rates) {
        ST_EACH (frame, frames) {
            struct st_period period;
            assert_int_equal(st_period_init(&period, *frame, *rate), 0);
            check_week(&period, *frame * UINT64_C(1000000000), *rate, 8191);
        }
    }
}

static void due_times_are_exact_for_a_week_with_thirds_of_a_ns(void **state)
{
    static const uint64_t nums[] = {4000000, 4000001, 1000001, 2999999};
    ST_EACH (num, nums) {
        struct st_period period;
        assert_int_equal(st_period_init_ns(&period, *num, 3), 0);
        check_week(&period, *num, 3, 16381);
    }
}

static void adding_rounded_periods_would_have_drifted(void **state)
{
    struct st_period period;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    const uint64_t k = WEEK_NS * 3 / 4000000;
    assert_int_equal(st_period_due_ns(&period, 0, k), WEEK_NS);
    assert_int_equal(st_period_ns(&period), 1333333);
    assert_int_equal(WEEK_NS - k * 1333333,
                     151200000); /* what the check above could not see otherwise */
}

static void spot_values_hold(void **state)
{
    struct st_period period;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    assert_int_equal(period.num, 4000000);
    assert_int_equal(period.den, 3);
    assert_int_equal(st_period_due_ns(&period, 0, 1), 1333333);
    assert_int_equal(st_period_due_ns(&period, 0, 2), 2666667);
    assert_int_equal(st_period_due_ns(&period, 0, 3), 4000000);
    assert_int_equal(st_period_due_ns(&period, -5, 1), 1333328);
    assert_int_equal(st_period_init(&period, 128, 44100), 0);
    assert_int_equal(st_period_due_ns(&period, 0, 1), 2902494); /* 2902494.33 */
    assert_int_equal(st_period_due_ns(&period, 0, 208372500),
                     604800000000000); /* a week is a whole number of them */
    assert_true(fabs(st_period_seconds(&period) - 128.0 / 44100) < 1e-15);
    assert_int_equal(st_period_init_ns(&period, 5, 2), 0);
    assert_int_equal(st_period_due_ns(&period, 0, 1), 3); /* 2.5 rounds up */
    assert_int_equal(st_period_due_ns(&period, 0, 2), 5);
}

static void due_times_are_exact_where_the_product_passes_64_bits(void **state)
{
    struct st_period period;
    assert_int_equal(st_period_init(&period, 128, 44100), 0);
    assert_int_equal(period.num, 1280000000);
    assert_int_equal(period.den, 441);
    const uint64_t edge = UINT64_MAX / period.num;
    for (uint64_t k = edge - 2000; k < edge + 2000; k++)
        check(&period, 1280000000, 441, -1000000000, k);
    /* the product fits and the half of the divisor does not: 2^64 - 1 and den 3 */
    assert_int_equal(st_period_init_ns(&period, UINT64_MAX, UINT64_MAX - 2), 0);
    for (uint64_t k = 0; k < 100; k++)
        check(&period, UINT64_MAX, UINT64_MAX - 2, 0, k);
}

static void periods_of_about_a_ns_are_exact(void **state)
{
    static const uint64_t fractions[][2] = {
        {1, 1}, {4, 3}, {3, 2}, {5, 3}, {UINT64_MAX, UINT64_MAX / 2}};
    ST_EACH (fraction, fractions) {
        struct st_period period;
        assert_int_equal(st_period_init_ns(&period, (*fraction)[0], (*fraction)[1]), 0);
        for (uint64_t k = 0; k < 1000; k++)
            check(&period, (*fraction)[0], (*fraction)[1], -7, k);
    }
}

static void due_saturates_instead_of_wrapping(void **state)
{
    struct st_period period;
    assert_int_equal(st_period_init_ns(&period, UINT64_C(3600000000000), 1), 0);
    assert_int_equal(st_period_due_ns(&period, 0, UINT64_MAX), INT64_MAX);
    assert_int_equal(st_period_due_ns(&period, INT64_MAX, 1), INT64_MAX);
    assert_int_equal(st_period_due_ns(&period, INT64_MAX - 3600000000000, 1), INT64_MAX);
    assert_int_equal(st_period_due_ns(&period, INT64_MAX - 3600000000001, 1), INT64_MAX - 1);
    assert_int_equal(st_period_init_ns(&period, 1, 1), 0);
    assert_int_equal(st_period_due_ns(&period, INT64_MIN, UINT64_MAX), INT64_MAX);
    assert_int_equal(st_period_index_at(&period, INT64_MIN, INT64_MAX), UINT64_MAX);
}

static void before_the_start_the_index_is_0(void **state)
{
    struct st_period period;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    assert_int_equal(st_period_index_at(&period, 1000, 999), 0);
    assert_int_equal(st_period_index_at(&period, 1000, 1000), 0);
    assert_int_equal(st_period_index_at(&period, INT64_MAX, INT64_MIN), 0);
}

static void periods_out_of_range_are_refused(void **state)
{
    struct st_period period = {.num = 7, .den = 5};
    assert_int_equal(st_period_init(&period, 0, 48000), -ERANGE);
    assert_int_equal(st_period_init(&period, 64, 0), -ERANGE);
    assert_int_equal(st_period_init(&period, (1U << 22) + 1, 48000), -ERANGE);
    assert_int_equal(st_period_init(&period, 64, (1U << 22) + 1), -ERANGE);
    assert_int_equal(st_period_init(&period, 3601, 1), -ERANGE);
    assert_int_equal(st_period_init_ns(&period, 0, 1), -ERANGE);
    assert_int_equal(st_period_init_ns(&period, 1, 0), -ERANGE);
    assert_int_equal(st_period_init_ns(&period, 2, 3), -ERANGE);
    assert_int_equal(st_period_init_ns(&period, 3600000000001, 1), -ERANGE);
    assert_int_equal(period.num, 7);
    assert_int_equal(period.den, 5);
    assert_int_equal(st_period_init(&period, 3600, 1), 0);
    assert_int_equal(st_period_init(&period, 1, 1U << 22), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due_times_are_exact_for_a_week_at_audio_rates),
        cmocka_unit_test(due_times_are_exact_for_a_week_with_thirds_of_a_ns),
        cmocka_unit_test(adding_rounded_periods_would_have_drifted),
        cmocka_unit_test(spot_values_hold),
        cmocka_unit_test(due_times_are_exact_where_the_product_passes_64_bits),
        cmocka_unit_test(periods_of_about_a_ns_are_exact),
        cmocka_unit_test(due_saturates_instead_of_wrapping),
        cmocka_unit_test(before_the_start_the_index_is_0),
        cmocka_unit_test(periods_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
