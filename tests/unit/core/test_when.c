/* Points in time as people type them. */
#include "core/ns.h"
#include "core/when.h"
#include "tests/unit/unit.h"

#define NOW_S INT64_C(1795190400) /* 2026-11-20 16:00 UTC */

static void times_that_are_taken(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } rows[] = {
        {"now", NOW_S},
        {"90s", NOW_S - 90},
        {"1h30m", NOW_S - 5400},
        {"2d", NOW_S - 172800},
        {"1d12h", NOW_S - 129600},
        {"1w", NOW_S - 604800},
        {"0", 0},
        {"1700000000", 1700000000},
        {"1700000000000000000", 1700000000},
        {"2026-11-20", 1795132800},
        {"2026-11-20T15:04", 1795187040},
        {"2026-11-20 15:04:05", 1795187045},
        {"2026-11-20T15:04:05Z", 1795187045},
        {"2026-11-20 15:04Z", 1795187040},
        {"9:25", NOW_S - (6 * 60 + 35) * 60},
        {"16:00", NOW_S},
        {"16:00:01", NOW_S + 1 - 86400}, /* yesterday */
        {"2024-02-29", 1709164800},
        {"1970-01-01", 0},
    };
    ST_EACH (row, rows) {
        int64_t ns = -1;
        assert_int_equal(st_when_parse(row->text, NOW_S * ST_NS_PER_S, false, &ns), 0);
        assert_int_equal(ns, row->seconds * ST_NS_PER_S);
    }
}

static void what_is_no_time_is_refused_and_nothing_written(void **state)
{
    static const char *const rows[] = {"",
                                       "yesterday",
                                       "-1",
                                       "1x",
                                       "d",
                                       "1h junk",
                                       "2026-02-29",
                                       "2026-13-01",
                                       "2026-11-31",
                                       "2026-11-20T24:00",
                                       "2026-11-20T15",
                                       "2026-11-20T15:04:",
                                       "2026-11-20T15:04 UTC",
                                       "2026-11-20T15:04+99:00",
                                       "20261120T150405",
                                       "1.2.3",
                                       "9:60",
                                       "9:",
                                       "24:00",
                                       "99999999999999999999",
                                       "9223372036854775808",
                                       "99999999999w",
                                       "100000w",
                                       "9999999999"};
    ST_EACH (row, rows) {
        int64_t ns = 42;
        assert_int_not_equal(st_when_parse(*row, NOW_S * ST_NS_PER_S, false, &ns), 0);
        assert_int_equal(ns, 42);
    }
}

static void dates_without_a_zone_are_local_where_that_is_wanted(void **state)
{
    int64_t utc_ns, local_ns, summer_ns;
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    assert_int_equal(st_when_parse("2026-11-20 15:00", 0, false, &utc_ns), 0);
    assert_int_equal(st_when_parse("2026-11-20 15:00", 0, true, &local_ns), 0);
    assert_int_equal(utc_ns - local_ns, 3600 * ST_NS_PER_S);
    assert_int_equal(st_when_parse("2026-07-20 15:00", 0, false, &utc_ns), 0);
    assert_int_equal(st_when_parse("2026-07-20 15:00", 0, true, &summer_ns), 0);
    assert_int_equal(utc_ns - summer_ns, 7200 * ST_NS_PER_S);
}

static void a_time_was_last_today_or_yesterday(void **state)
{
    const int64_t four_ns = (NOW_S - 12 * 3600) * ST_NS_PER_S; /* 2026-11-20 04:00 UTC */
    const int64_t late_ns =
        INT64_C(1792967400) * ST_NS_PER_S; /* 2026-10-25 23:30 CET, a day of 25 hours */
    int64_t ns;
    setenv("TZ", "PST8", 1);
    tzset();
    assert_int_equal(st_when_parse("3:00Z", four_ns, true, &ns), 0);
    assert_int_equal(four_ns - ns, 3600 * ST_NS_PER_S);
    assert_int_equal(st_when_parse("19:00", four_ns, true, &ns), 0); /* the day before in UTC */
    assert_int_equal(four_ns - ns, 3600 * ST_NS_PER_S);
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    assert_int_equal(st_when_parse("23:15", late_ns, true, &ns), 0);
    assert_int_equal(late_ns - ns, 900 * ST_NS_PER_S);
    assert_int_equal(st_when_parse("23:45", late_ns, true, &ns), 0);
    assert_int_equal(late_ns - ns, (24 * 60 + 45) * 60 * ST_NS_PER_S);
}

static void lengths_have_days_and_weeks(void **state)
{
    int64_t ns;
    assert_int_equal(st_when_parse_length("1d", &ns), 0);
    assert_int_equal(ns, 86400 * ST_NS_PER_S);
    assert_int_equal(st_when_parse_length("2w", &ns), 0);
    assert_int_equal(ns, 1209600 * ST_NS_PER_S);
    assert_int_equal(st_when_parse_length("10m", &ns), 0);
    assert_int_equal(ns, 600 * ST_NS_PER_S);
    assert_int_equal(st_when_parse_length("1d1d", &ns), -EINVAL);
    assert_int_equal(st_when_parse_length("999999999999w", &ns), -ERANGE);
}

static void steps_read_well_and_are_not_too_many(void **state)
{
    static const struct {
        int64_t span_s, steps, step_s;
    } rows[] = {
        {3600, 100, 60}, {86400, 25, 3600}, {7 * 86400, 100, 10800}, {365 * 86400, 100, 604800},
        {60, 1, 300},    {1, 1, 60}};
    ST_EACH (row, rows)
        assert_int_equal(st_when_step(row->span_s * ST_NS_PER_S, row->steps),
                         row->step_s * ST_NS_PER_S);
}

static void texts_have_a_date_unless_it_is_today(void **state)
{
    const int64_t at_ns = INT64_C(1700000000) * ST_NS_PER_S, day_ns = 86400 * ST_NS_PER_S;
    assert_int_equal(setenv("TZ", "CET-1", 1), 0);
    tzset();
    assert_string_equal(st_when_text(at_ns), "2023-11-14 23:13:20");
    assert_string_equal(st_when_text_near(at_ns, at_ns + 2799 * ST_NS_PER_S), "23:13:20");
    assert_string_equal(st_when_text_near(at_ns, at_ns + 2800 * ST_NS_PER_S),
                        "2023-11-14 23:13:20"); /* midnight here */
    assert_string_equal(st_when_text_near(at_ns, at_ns - day_ns), "2023-11-14 23:13:20");
    assert_string_equal(st_when_text_near(at_ns, at_ns + 366 * day_ns), "2023-11-14 23:13:20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_that_are_taken),
        cmocka_unit_test(texts_have_a_date_unless_it_is_today),
        cmocka_unit_test(what_is_no_time_is_refused_and_nothing_written),
        cmocka_unit_test(dates_without_a_zone_are_local_where_that_is_wanted),
        cmocka_unit_test(a_time_was_last_today_or_yesterday),
        cmocka_unit_test(lengths_have_days_and_weeks),
        cmocka_unit_test(steps_read_well_and_are_not_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
