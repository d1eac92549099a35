/* Events one by one, and in bursts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/stats/random.h"
#include "lab/compare/bursts.h"

/* Independent events are taken for that, in 199 of 200 sequences. */
static void test_one_by_one(void **state)
{
    (void)state;
    static const double rates[] = {0.001, 0.01, 0.1, 0.6};
    struct st_random random = {.state = 5};
    int shown_n = 0;
    for (int run = 0; run < 400; run++) {
        struct st_bursts bursts = {0};
        for (int i = 0; i < 5000; i++)
            st_bursts_add(&bursts, 1, st_random_unit(&random) < rates[run % 4]);
        shown_n += st_bursts_scatter(&bursts) > 1;
    }
    assert_true(shown_n <= 4); /* 2 expected at most */
}

/* Bursts count as their sizes do: also with holes in them, and as n at once. */
static void test_bursts(void **state)
{
    (void)state;
    struct st_bursts whole = {0}, holes = {0}, one_by_one = {0}, at_once = {0};
    for (int i = 0; i < 10; i++) {
        for (int k = 0; k < 1000 + 70 * i; k++) {
            st_bursts_add(&whole, 1, k < 20);
            st_bursts_add(&holes, 1, k < 40 && k % 2 == 1);
            st_bursts_add(&one_by_one, 1, k < 3 * i);
        }
        if (i > 0)
            st_bursts_add(&at_once, (uint64_t)i * 3, true);
        st_bursts_add(&at_once, (uint64_t)(1000 + 70 * i - 3 * i), false);
    }
    assert_true(fabs(st_bursts_scatter(&whole) - 20) < 1);
    assert_true(fabs(st_bursts_scatter(&holes) - 20) < 3);
    assert_true(fabs(st_bursts_scatter(&one_by_one) - 19) < 1); /* 9 x 285 / 135 */
    assert_true(fabs(st_bursts_scatter(&one_by_one) - st_bursts_scatter(&at_once)) < 1e-9);
}

/* None, one, and nothing but events. */
static void test_few(void **state)
{
    (void)state;
    struct st_bursts none = {0}, all = {0}, single = {0};
    assert_true(fabs(st_bursts_scatter(&none) - 1) < 1e-12);
    st_bursts_add(&none, 0, true);
    st_bursts_add(&single, 1, true);
    st_bursts_add(&all, UINT64_MAX / 2, true);
    assert_true(fabs(st_bursts_scatter(&none) - 1) < 1e-12);
    assert_true(fabs(st_bursts_scatter(&single) - 1) < 1e-12);
    assert_true(fabs(st_bursts_scatter(&all) - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_by_one),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
