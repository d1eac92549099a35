#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/stats/random.h"
#include "lab/syscall/outliers.h"

#define N 500

static int64_t values[N], scratch[N];

/* Sums of 12 uniform values: near enough to normal ones. */
static void steady(struct st_random *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 12; k++)
            sum += st_random_unit(random);
        values[i] = (int64_t)(6600 + 200 * (sum - 6));
    }
}

static void the_first_calls_of_b2_are_set_apart(void **state)
{
    (void)state;
    static const int64_t cycle[] = {61, 64, 63, 66, 67};
    for (size_t i = 0; i < N; i++)
        values[i] = cycle[i % ST_ARRAY_LEN(cycle)];
    values[0] = 15940;
    values[1] = 164;
    assert_int_equal(st_outliers_warm_up_n(values, N, scratch), 2);
    assert_int_equal(values[0], 15940); /* the order stays */
}

static void a_long_warm_up_with_cheap_calls_in_it_is_found(void **state)
{
    (void)state;
    struct st_random random = {.state = 5};
    steady(&random, N);
    for (size_t i = 0; i < 120; i++)
        values[i] += i % 5 == 1 ? 0 : 5000;
    assert_int_equal(st_outliers_warm_up_n(values, N, scratch), 120);
}

/* One that comes later is a stall, not a warm-up. */
static void an_outlier_in_the_middle_is_none(void **state)
{
    (void)state;
    struct st_random random = {.state = 6};
    steady(&random, N);
    values[0] = values[1] = values[2] = 6600;
    values[40] = 900000;
    values[41] = 900000;
    assert_int_equal(st_outliers_warm_up_n(values, N, scratch), 0);
}

static void steady_noise_rarely_has_one(void **state)
{
    (void)state;
    struct st_random random = {.state = 7};
    int found_n = 0;
    for (int t = 0; t < 1000; t++) {
        steady(&random, 100);
        found_n += st_outliers_warm_up_n(values, 100, scratch) > 0;
    }
    assert_true(found_n <= 20); /* 0.35 % normal, more as the fence is one of 50 values */
}

static void few_and_equal_values_have_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++)
        values[i] = 20;
    assert_int_equal(st_outliers_warm_up_n(values, N, scratch), 0);
    values[0] = 9999;
    assert_int_equal(st_outliers_warm_up_n(values, N, scratch), 1);
    assert_int_equal(st_outliers_warm_up_n(values, ST_WARM_UP_MIN_N - 1, scratch), 0);
    assert_int_equal(st_outliers_warm_up_n(values, 0, scratch), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_calls_of_b2_are_set_apart),
        cmocka_unit_test(a_long_warm_up_with_cheap_calls_in_it_is_found),
        cmocka_unit_test(an_outlier_in_the_middle_is_none),
        cmocka_unit_test(steady_noise_rarely_has_one),
        cmocka_unit_test(few_and_equal_values_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
