/* Did events come at one rate all the time? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/stats/random.h"
#include "evidence/steady.h"

static void a_busy_half_is_found(void **state)
{
    (void)state;
    const uint64_t half[ST_STEADY_PARTS] = {0, 0, 0, 0, 0, 2, 2, 2, 2, 2};
    struct st_steady steady = st_steady_of(half);
    assert_true(steady.changed);
    assert_int_equal(steady.first, 5);
    assert_int_equal(steady.end, 10);
    assert_true(steady.scatter <= 1); /* chi-squared alone does not see it */

    const uint64_t one[ST_STEADY_PARTS] = {2, 1, 12, 2, 0, 1, 2, 1, 2, 2};
    steady = st_steady_of(one);
    assert_true(steady.changed && steady.scatter > 1);
    assert_int_equal(steady.first, 2);
    assert_int_equal(steady.end, 3);
}

static void a_few_events_show_nothing(void **state)
{
    (void)state;
    const uint64_t none[ST_STEADY_PARTS] = {0}, two[ST_STEADY_PARTS] = {0, 0, 0, 2};
    struct st_steady steady = st_steady_of(none);
    assert_true(!steady.changed && steady.scatter <= 1 && steady.first == 0 && steady.end == 10);
    steady = st_steady_of(two);
    assert_true(!steady.changed && steady.scatter <= 1);
}

static void loads_in_turn_scatter(void **state)
{
    (void)state;
    const uint64_t turns[ST_STEADY_PARTS] = {10, 40, 10, 40, 10, 40, 10, 40, 10, 40};
    const struct st_steady steady = st_steady_of(turns);
    assert_true(steady.scatter > 5 && steady.changed && steady.end == steady.first + 1);
}

/* One rate: each of the tests is wrong in 1 % of the runs. */
static void one_rate_is_steady(void **state)
{
    (void)state;
    static const size_t events[] = {5, 20, 200, 2000};
    for (size_t e = 0; e < 4; e++) {
        struct st_random random = {.state = e + 1};
        size_t changed = 0, scattered = 0;
        for (int run = 0; run < 2000; run++) {
            uint64_t n[ST_STEADY_PARTS] = {0};
            for (size_t i = 0; i < events[e]; i++)
                n[st_random_below(&random, ST_STEADY_PARTS)]++;
            const struct st_steady steady = st_steady_of(n);
            changed += steady.changed && steady.scatter <= 1;
            scattered += steady.scatter > 1;
        }
        assert_true(changed <= 40 && scattered <= 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_half_is_found),
        cmocka_unit_test(a_few_events_show_nothing),
        cmocka_unit_test(loads_in_turn_scatter),
        cmocka_unit_test(one_rate_is_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
