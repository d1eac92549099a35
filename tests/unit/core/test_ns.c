

#include "core/ns.h"
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"

static void timespec_becomes_ns(void **state)
{
    assert_int_equal(st_ns_from_timespec(&(struct timespec){.tv_sec = 3, .tv_nsec = 7}),
                     3000000007);
    assert_int_equal(st_ns_from_timespec(&(struct timespec){.tv_sec = -1, .tv_nsec = 999999999}),
                     -1);
    assert_int_equal(st_ns_from_timespec(&(struct timespec){0}), 0);
}

static int64_t from_seconds(int64_t s, long rest_ns)
{
    return st_ns_from_timespec(&(struct timespec){.tv_sec = (time_t)s, .tv_nsec = rest_ns});
}

static void timespec_beyond_292_years_saturates(void **state)
{
    if (sizeof(time_t) < sizeof(int64_t))
        ST_CANNOT("such times end in 2038");
    assert_int_equal(from_seconds(9223372036, 854775807), INT64_MAX);
    assert_int_equal(from_seconds(9223372036, 854775808), INT64_MAX);
    assert_int_equal(from_seconds(INT64_MAX, 0), INT64_MAX);
    assert_int_equal(from_seconds(INT64_MIN, 0), INT64_MIN);
}

static void the_lowest_timespec_is_exact_although_its_seconds_overflow(void **state)
{
    if (sizeof(time_t) < sizeof(int64_t))
        ST_CANNOT("such times end in 2038");
    /* INT64_MIN ns = -9223372037 s + 145224192 ns */
    assert_int_equal(from_seconds(-9223372037, 145224192), INT64_MIN);
    assert_int_equal(from_seconds(-9223372037, 145224193), INT64_MIN + 1);
    assert_int_equal(from_seconds(-9223372037, 145224191), INT64_MIN);
}

static void ns_becomes_a_timespec_with_nsec_in_range_and_back(void **state)
{
    static const int64_t values[] = {
        0,           1,           -1,        999999999, 1000000000,    -999999999,
        -1000000000, -1000000001, INT64_MAX, INT64_MIN, INT64_MIN + 1,
    };
    const bool wide = sizeof(time_t) == sizeof(int64_t);
    for (size_t i = 0; i < (wide ? ST_ARRAY_LEN(values) : 8); i++) {
        const struct timespec ts = st_ns_to_timespec(values[i]);
        assert_in_range(ts.tv_nsec, 0, 999999999);
        assert_int_equal(st_ns_from_timespec(&ts), values[i]);
    }
}

static void a_time_that_32_bits_cannot_hold_is_their_last(void **state)
{
    const struct timespec ts = st_ns_to_timespec(INT64_MAX);
    assert_int_equal(ts.tv_sec,
                     sizeof(time_t) < sizeof(int64_t) ? INT32_MAX : INT64_MAX / ST_NS_PER_S);
}

static void sums_and_differences_saturate(void **state)
{
    assert_int_equal(st_ns_add(2, 3), 5);
    assert_int_equal(st_ns_add(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(st_ns_add(INT64_MIN, -1), INT64_MIN);
    assert_int_equal(st_ns_add(INT64_MAX, INT64_MIN), -1);
    assert_int_equal(st_ns_sub(2, 3), -1);
    assert_int_equal(st_ns_sub(INT64_MIN, 1), INT64_MIN);
    assert_int_equal(st_ns_sub(INT64_MAX, -1), INT64_MAX);
    assert_int_equal(st_ns_sub(0, INT64_MIN), INT64_MAX);
    assert_int_equal(st_ns_sub(-1, INT64_MIN), INT64_MAX);
    assert_int_equal(st_ns_sub(-2, INT64_MIN), INT64_MAX - 1);
}

static void durations_are_read_as_people_type_them(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        {"30s", 30000000000},
        {"2.5s", 2500000000},
        {"500ms", 500000000},
        {"250us", 250000},
        {"250\xc2\xb5s", 250000},
        {"250\xce\xbcs", 250000},
        {"17ns", 17},
        {"10m", 600000000000},
        {"10min", 600000000000},
        {"1h", 3600000000000},
        {"1h30m", 5400000000000},
        {"1h30m15.5s", 5415500000000},
        {"5", 5000000000},
        {"0", 0},
        {".5", 500000000},
        {"0.1s", 100000000},
        {"0.0000000005s", 1},           /* half a ns rounds up */
        {"0.00000000049999999999s", 0}, /* more digits than fit are not rounded up */
        {"1.3333333333333333333333ms", 1333333},
        {"9223372036.854775807", INT64_MAX},
        {"9223372036854775807ns", INT64_MAX},
    };
    ST_EACH (row, rows) {
        int64_t ns = -1;
        assert_int_equal(st_ns_parse(row->text, &ns), 0);
        assert_int_equal(ns, row->ns);
    }
}

static void what_is_no_duration_is_refused_and_nothing_is_written(void **state)
{
    static const char *const texts[] = {
        "",     "s",    ".",   ".s",   "-1s",  "+1s",  " 1s",   "1s ",  "1 s",  "1x",  "1.s2",
        "1..5", "1,5s", "nan", "1e3s", "0x10", "1h30", "30m1h", "1s1s", "5h5h", "inf", "1h-5m",
    };
    ST_EACH (text, texts) {
        int64_t ns = 77;
        assert_int_equal(st_ns_parse(*text, &ns), -EINVAL);
        assert_int_equal(ns, 77);
    }
}

static void a_duration_beyond_292_years_is_out_of_range(void **state)
{
    static const char *const texts[] = {
        "9223372036.854775808",     "9223372036854775808ns", "18446744073709551616ns",
        "99999999999999999999999h", "2562047h60m",
    };
    ST_EACH (text, texts) {
        int64_t ns = 77;
        assert_int_equal(st_ns_parse(*text, &ns), -ERANGE);
        assert_int_equal(ns, 77);
    }
}

static void durations_are_printed_in_the_unit_that_fits(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } rows[] = {
        {0, "0 ns"},
        {412, "412 ns"},
        {999, "999 ns"},
        {1000, "1.0 \xc2\xb5s"},
        {83333, "83.3 \xc2\xb5s"},
        {-83350, "-83.4 \xc2\xb5s"},
        {999949, "999.9 \xc2\xb5s"},
        {999950, "1.000 ms"}, /* rounded up into the next unit */
        {1333333, "1.333 ms"},
        {999999499, "999.999 ms"},
        {999999500, "1.00 s"},
        {2000000000, "2.00 s"},
        {-1, "-1 ns"},
        {119990000000, "119.99 s"},
        {600000000000, "10.0 min"},
        {7200000000000, "2.0 h"},
        {INT64_MIN, "-2562047.8 h"},
    };
    ST_EACH (row, rows) {
        assert_string_equal(st_ns_text(row->ns), row->text);
    }
    assert_string_equal(st_ns_short(9995000), "10.0 ms"); /* three digits */
    assert_string_equal(st_ns_short(99950000), "100 ms");
    assert_string_equal(st_ns_long(1600000000), "2 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timespec_becomes_ns),
        cmocka_unit_test(timespec_beyond_292_years_saturates),
        cmocka_unit_test(the_lowest_timespec_is_exact_although_its_seconds_overflow),
        cmocka_unit_test(ns_becomes_a_timespec_with_nsec_in_range_and_back),
        cmocka_unit_test(a_time_that_32_bits_cannot_hold_is_their_last),
        cmocka_unit_test(sums_and_differences_saturate),
        cmocka_unit_test(durations_are_read_as_people_type_them),
        cmocka_unit_test(what_is_no_duration_is_refused_and_nothing_is_written),
        cmocka_unit_test(a_duration_beyond_292_years_is_out_of_range),
        cmocka_unit_test(durations_are_printed_in_the_unit_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
