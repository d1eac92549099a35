

#include "lab/chart/axis.h"
#include "tests/unit/unit.h"

static void an_axis_holds_its_values(void **state)
{
    static const double ends[][2] = {{0, 0},      {5, 5},     {-5, -5},
                                     {-3, 8},     {1, 1e9},   {1e9, 1e9 + 1},
                                     {-1e12, -1}, {0.5, 0.6}, {15.6e6, 15.7e6}};
    ST_EACH (end, ends) {
        for (int log = 0; log < 2; log++) {
            const struct st_axis axis = st_axis_fit((*end)[0], (*end)[1], log == 1);
            assert_true(axis.low <= (*end)[0] && axis.high >= (*end)[1]);
            assert_true(axis.low < axis.high);
            assert_true(!axis.log || axis.low > 0);
        }
    }
}

static void ticks_are_round_ascend_and_lie_within(void **state)
{
    static const double lows[] = {-1e9, -3456, -1, 0, 0.3, 7, 1234, 5e6};
    for (size_t k = 0; k < ST_ARRAY_LEN(lows); k++) {
        const double low = lows[k];
        for (double span = 1; span < 1e10; span *= 7) {
            for (int log = 0; log < 2; log++) {
                const struct st_axis axis = st_axis_fit(low, low + span, log == 1);
                double ticks[ST_AXIS_TICKS_MAX];
                const double room = 1e-6 * (axis.high - axis.low);
                const size_t n = st_axis_ticks(&axis, 6, ticks);
                assert_in_range(n, 2, ST_AXIS_TICKS_MAX);
                for (size_t i = 0; i < n; i++) {
                    assert_true(ticks[i] >= axis.low - room && ticks[i] <= axis.high + room);
                    assert_true(i == 0 || ticks[i] > ticks[i - 1]);
                }
            }
        }
    }
}

static void places_go_from_0_to_1(void **state)
{
    const struct st_axis line = {false, 10, 20}, log = {true, 1, 10000};
    assert_float_equal(st_axis_at(&line, 15), 0.5, 1e-9);
    assert_float_equal(st_axis_at(&line, 5), 0, 1e-9);
    assert_float_equal(st_axis_at(&line, 50), 1, 1e-9);
    assert_float_equal(st_axis_at(&log, 100), 0.5, 1e-9);
    assert_float_equal(st_axis_at(&log, -3), 0, 1e-9);
}

static void texts_have_their_unit(void **state)
{
    char text[32];
    const char *unit;
    const struct st_axis line = {false, 0, 200000}, log = {true, 10, 1e9};
    assert_float_equal(st_axis_time_unit(&line, &unit), 1e3, 0);
    assert_string_equal(unit, "µs");
    assert_string_equal(st_axis_time_text(&line, 50000, 50000, text, sizeof(text)), "50");
    assert_string_equal(st_axis_time_text(&line, 200, 200, text, sizeof(text)), "0.2");
    assert_string_equal(st_axis_time_text(&line, -1e-9, 50000, text, sizeof(text)), "0");
    assert_string_equal(st_axis_time_text(&log, 1000, 0, text, sizeof(text)), "1 µs");
    assert_string_equal(st_axis_time_text(&log, 500, 0, text, sizeof(text)), "500 ns");
    assert_string_equal(st_axis_time_text(&log, 1e9, 0, text, sizeof(text)), "1 s");
}

static void logarithmic_only_above_zero_and_where_it_is_wide(void **state)
{
    assert_true(st_axis_wants_log(1, 10, 1000));
    assert_false(st_axis_wants_log(0, 10, 1000));
    assert_false(st_axis_wants_log(-1, 10, 1000));
    assert_false(st_axis_wants_log(1, 150, 1000));
    assert_false(st_axis_fit(-5, 10, true).log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_holds_its_values),
        cmocka_unit_test(ticks_are_round_ascend_and_lie_within),
        cmocka_unit_test(places_go_from_0_to_1),
        cmocka_unit_test(texts_have_their_unit),
        cmocka_unit_test(logarithmic_only_above_zero_and_where_it_is_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
