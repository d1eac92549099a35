/* Minute sums and the events of late wake-ups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "daemon/minute.h"
#include "lib/ns.h"
#include "platform/fake/fake.h"

static struct st_platform *fake;
static struct st_events events;
static struct st_causes *causes;
static struct st_causes_minute ended;
static struct st_minute_sink sink;
static struct st_hist lateness;

static int setup(void **state)
{
    (void)state;
    fake = st_fake_new(ST_OS_LINUX, 0);
    return fake == NULL || st_events_init(&events) != 0 || st_causes_new(fake, &events, &causes) != 0 ||
           st_minute_sink_init(&sink, causes) != 0 || st_hist_init(&lateness, ST_MINUTE_DIGITS) != 0;
}

static int teardown(void **state)
{
    (void)state;
    st_minute_sink_finish(&sink);
    st_hist_finish(&lateness);
    st_causes_free(causes);
    st_events_finish(&events);
    st_fake_free(fake);
    return 0;
}

static void minute_has_differences_and_its_own_maximum(void **state)
{
    (void)state;
    const struct st_sink functions = st_minute_sink_functions(&sink);
    struct st_minute_counts before = {.cycles = 100, .misses = 3};
    functions.cycle(functions.ctx, 0, -500, 0);
    functions.cycle(functions.ctx, 1, 70000, 0);
    functions.cycle(functions.ctx, 2, 12, 0);
    functions.flush(functions.ctx);
    const struct st_minute_counts now = {.cycles = 103, .misses = 4, .skipped_periods = 2, .own_xruns = 1};
    const struct st_minute first =
        st_minute_take(&sink, &before, &now, 0, 60 * ST_NS_PER_S, 60 * ST_NS_PER_S, &lateness);
    assert_int_equal(first.cycles, 3);
    assert_int_equal(first.misses, 1);
    assert_int_equal(first.skipped_periods, 2);
    assert_int_equal(first.own_xruns, 1);
    assert_int_equal(first.lateness_max_ns, 70000);
    functions.cycle(functions.ctx, 3, 15, 0);
    functions.flush(functions.ctx);
    const struct st_minute second =
        st_minute_take(&sink, &before, &now, 0, 60 * ST_NS_PER_S, 60 * ST_NS_PER_S, &lateness);
    assert_int_equal(second.cycles, 0);
    assert_int_equal(second.lateness_max_ns, 15);
}

static void minute_without_a_cycle_has_no_maximum(void **state)
{
    (void)state;
    struct st_minute_counts counts = {0};
    const struct st_minute_counts now = {0};
    char text[256];
    const struct st_minute minute =
        st_minute_take(&sink, &counts, &now, 0, 60 * ST_NS_PER_S, 60 * ST_NS_PER_S, &lateness);
    assert_int_equal(minute.lateness_max_ns, INT64_MIN);
    assert_non_null(strstr(st_minute_text(&minute, text, sizeof(text)), "last 60 s: 0 cycles"));
}

static void clock_that_is_set_back_does_not_change_how_long_a_minute_was(void **state)
{
    (void)state;
    struct st_minute_counts counts = {0};
    const struct st_minute_counts now = {.cycles = 5};
    char text[256];
    const struct st_minute minute = st_minute_take(&sink, &counts, &now, 7200 * ST_NS_PER_S,
                                                   3660 * ST_NS_PER_S, 60 * ST_NS_PER_S, &lateness);
    assert_int_equal(strncmp(st_minute_text(&minute, text, sizeof(text)), "last 60 s: 5 cycles", 19), 0);
}

static void counter_that_began_again_counts_from_zero(void **state)
{
    (void)state;
    struct st_minute_counts before = {.cycles = 1000};
    const struct st_minute_counts now = {.cycles = 7};
    assert_int_equal(st_minute_take(&sink, &before, &now, 0, 1, 1, &lateness).cycles, 7);
}

static void flood_of_late_wakes_is_counted_but_told_ten_times_a_minute(void **state)
{
    (void)state;
    const struct st_sink functions = st_minute_sink_functions(&sink);
    const struct st_cause_event event = {.cause = ST_CAUSE_RUN_QUEUE, .lateness_ns = 2 * ST_NS_PER_MS};
    struct st_minute_counts counts = {0};
    const struct st_minute_counts now = {0};
    for (int i = 0; i < 25; i++)
        functions.late(functions.ctx, &event);
    functions.flush(functions.ctx);
    assert_int_equal(events.added_n, ST_CAUSES_EVENTS_A_MINUTE);
    assert_string_equal(events.events[0].name, "late-wake");
    assert_non_null(strstr(events.events[0].text, "2.0"));
    assert_int_equal(st_minute_take(&sink, &counts, &now, 0, 1, 1, &lateness).late_wakes, 25);
    st_causes_end_minute(causes, &ended);
    functions.late(functions.ctx, &event); /* the next minute tells again */
    assert_int_equal(events.added_n, ST_CAUSES_EVENTS_A_MINUTE + 1);
}

static void events_are_listed_newest_first_and_the_oldest_are_dropped(void **state)
{
    (void)state;
    for (int i = 0; i < ST_EVENTS_MAX + 5; i++)
        st_events_add(&events, ST_LOG_DBG, i, "pause", NULL, 0, "number %d", i);
    json_t *list = st_events_json(&events);
    assert_int_equal(json_array_size(list), ST_EVENTS_MAX);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "time_ns")),
                     ST_EVENTS_MAX + 4);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, ST_EVENTS_MAX - 1), "time_ns")),
                     5);
    json_decref(list);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(minute_has_differences_and_its_own_maximum),
        TEST(minute_without_a_cycle_has_no_maximum),
        TEST(clock_that_is_set_back_does_not_change_how_long_a_minute_was),
        TEST(counter_that_began_again_counts_from_zero),
        TEST(flood_of_late_wakes_is_counted_but_told_ten_times_a_minute),
        TEST(events_are_listed_newest_first_and_the_oldest_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
