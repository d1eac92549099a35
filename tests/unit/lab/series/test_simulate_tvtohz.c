/* lab/series/simulate: the ticks that a 4.4BSD kernel gives to a sleep. */
#include "lab/series/simulate.h"
#include "tests/unit/unit.h"

/* The article's table for hz = 100, and what the integer formula gives for exact microseconds. */
static const struct {
    double seconds;
    int64_t exact_us;
    int64_t published, exact, fixed; /* ticks */
} herman[] = {
    {0.9, 900000, 91, 91, 90},          {0.99, 990000, 100, 100, 99},
    {0.999, 999000, 101, 101, 100},     {1.0, 1000000, 101, 101, 100},
    {1.000001, 1000001, 101, 102, 101}, {1.000002, 1000002, 102, 102, 101},
    {1.001, 1001000, 102, 102, 101},
};

static void the_published_table_cuts_a_double_to_microseconds(void **state)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(herman); i++) {
        const int64_t cut_us = (int64_t)(herman[i].seconds * 1e6);
        assert_int_equal(st_simulate_tvtohz(cut_us, 100, ST_ROUNDING_TVTOHZ), herman[i].published);
    }
}

static void exact_microseconds_give_one_more_tick_in_one_row(void **state)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(herman); i++) {
        assert_int_equal(st_simulate_tvtohz(herman[i].exact_us, 100, ST_ROUNDING_TVTOHZ),
                         herman[i].exact);
        assert_int_equal(st_simulate_tvtohz(herman[i].exact_us, 100, ST_ROUNDING_TVTOHZ_FIXED),
                         herman[i].fixed);
    }
}

static void no_sleep_is_zero_ticks(void **state)
{
    assert_int_equal(st_simulate_tvtohz(0, 100, ST_ROUNDING_TVTOHZ), 1);
    assert_int_equal(st_simulate_tvtohz(0, 100, ST_ROUNDING_TVTOHZ_FIXED), 1);
    assert_int_equal(st_simulate_tvtohz(1, 100, ST_ROUNDING_TVTOHZ), 2);
}

static void a_tick_is_whole_microseconds(void **state)
{
    /* 1000000 / 1024 = 976 us: a second is 1025 of them and a bit */
    assert_int_equal(st_simulate_tvtohz(1000000, 1024, ST_ROUNDING_TVTOHZ_FIXED), 1025);
}

static void nonsense_is_refused(void **state)
{
    assert_int_equal(st_simulate_tvtohz(-1, 100, ST_ROUNDING_TVTOHZ), -ERANGE);
    assert_int_equal(st_simulate_tvtohz(1, 0, ST_ROUNDING_TVTOHZ), -ERANGE);
    assert_int_equal(st_simulate_tvtohz(1, 1000001, ST_ROUNDING_TVTOHZ), -ERANGE);
    assert_int_equal(st_simulate_tvtohz(INT64_MAX, 100, ST_ROUNDING_TVTOHZ), -ERANGE);
    assert_int_equal(st_simulate_tvtohz(1, 100, ST_ROUNDING_NONE), -ERANGE);
    enum st_rounding rounding = ST_ROUNDING_NONE;
    assert_int_equal(st_simulate_rounding_parse("tvtohz-broken", &rounding), -EINVAL);
}

static void names_go_both_ways(void **state)
{
    for (int i = ST_ROUNDING_NONE; i <= ST_ROUNDING_TVTOHZ_FIXED; i++) {
        enum st_rounding rounding;
        assert_int_equal(
            st_simulate_rounding_parse(st_simulate_rounding_name((enum st_rounding)i), &rounding),
            0);
        assert_int_equal(rounding, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_table_cuts_a_double_to_microseconds),
        cmocka_unit_test(exact_microseconds_give_one_more_tick_in_one_row),
        cmocka_unit_test(no_sleep_is_zero_ticks),
        cmocka_unit_test(a_tick_is_whole_microseconds),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
