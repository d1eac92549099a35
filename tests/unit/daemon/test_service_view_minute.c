/* Minute sums and the events of late wake-ups. */
#include "core/ns.h"
#include "daemon/causes/tracer.h"
#include "daemon/service_view.h"
#include "tests/fake/fake.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

static struct st_platform *fake;
static struct st_events events;
static struct st_causes *causes;
static struct st_cause_sums ended;
static struct st_history_minute minute;
static struct st_tracer_way late_wakes;

static int setup(void **state)
{
    fake = st_fake_new(ST_OS_LINUX, 0);
    if (fake == NULL || st_events_init(&events, NULL) != 0 ||
        st_causes_new(fake, &events, &causes) != 0)
        return -1;
    return st_tracer_way_init(&late_wakes, causes);
}

static int teardown(void **state)
{
    st_tracer_way_finish(&late_wakes);
    st_causes_free(causes);
    st_events_finish(&events);
    st_fake_free(fake);
    return 0;
}

/* What was measured until second s, by a wall clock that is an hour ahead. */
static struct st_history_minute until(int64_t s, struct st_history_minute counts)
{
    counts.measured_ns = s * ST_NS_PER_S;
    counts.to_wall_ns = (3600 + s) * ST_NS_PER_S;
    return counts;
}

static struct st_history_minute take(struct st_history_minute *before, struct st_history_minute now)
{
    struct st_history_minute ret;
    assert_true(st_service_view_minute_take(before, &now, &ret));
    return ret;
}

/* The latest wake-up since the last call. */
static int64_t latest_ns(void)
{
    struct st_hist lateness;
    assert_int_equal(st_hist_init(&lateness, ST_HISTORY_DIGITS), 0);
    st_tracer_way_end_minute(&late_wakes, &lateness);
    const int64_t ns = lateness.total_n > 0 ? lateness.max_ns : INT64_MIN;
    st_hist_finish(&lateness);
    return ns;
}

static void minute_has_differences_and_its_own_maximum(void **state)
{
    const struct st_sink functions = st_tracer_way_sink(&late_wakes);
    struct st_history_minute before =
        until(60, (struct st_history_minute){.cycles = 100, .misses = 3});
    functions.cycle(functions.ctx, 0, -500, 0);
    functions.cycle(functions.ctx, 1, 70000, 0);
    functions.cycle(functions.ctx, 2, 12, 0);
    functions.flush(functions.ctx);
    struct st_history_minute now = {
        .cycles = 103, .misses = 4, .skipped_periods = 2, .own_dropouts_n = 1};
    const struct st_history_minute first = take(&before, until(120, now));
    assert_int_equal(first.cycles, 3);
    assert_int_equal(first.misses, 1);
    assert_int_equal(first.skipped_periods, 2);
    assert_int_equal(first.own_dropouts_n, 1);
    assert_int_equal(latest_ns(), 70000);
    assert_int_equal(first.measured_ns, 60 * ST_NS_PER_S);
    assert_int_equal(first.from_wall_ns, 3660 * ST_NS_PER_S);
    assert_int_equal(first.to_wall_ns, 3720 * ST_NS_PER_S);
    functions.cycle(functions.ctx, 3, 15, 0);
    functions.flush(functions.ctx);
    now.cycles = 104;
    const struct st_history_minute second = take(&before, until(180, now));
    assert_int_equal(second.cycles, 1);
    assert_int_equal(latest_ns(), 15);
    assert_int_equal(latest_ns(), INT64_MIN);
}

static void clock_that_is_set_back_does_not_change_how_long_a_minute_was(void **state)
{
    struct st_history_minute counts = until(60, (struct st_history_minute){0});
    struct st_history_minute now = until(120, (struct st_history_minute){.cycles = 5});
    now.to_wall_ns -= 3600 * ST_NS_PER_S;
    now.measured_ns -= ST_NS_PER_S / 3; /* which the text rounds */
    const struct st_history_minute taken = take(&counts, now);
    assert_int_equal(
        strncmp(st_service_view_minute_text(&taken, INT64_MIN), "last 60 s: 5 cycles", 19), 0);
    assert_int_equal(taken.from_wall_ns, 3660 * ST_NS_PER_S);
    assert_int_equal(taken.to_wall_ns, 120 * ST_NS_PER_S);
}

static void counter_that_began_again_counts_from_zero(void **state)
{
    struct st_history_minute before = until(60, (struct st_history_minute){.cycles = 1000});
    const struct st_history_minute taken =
        take(&before, until(7, (struct st_history_minute){.cycles = 7}));
    assert_int_equal(taken.cycles, 7);
    assert_int_equal(taken.measured_ns, 7 * ST_NS_PER_S);
    assert_int_equal(taken.from_wall_ns, 3600 * ST_NS_PER_S);
}

/* Periods of 10 ms from 1000 s on; what a drain knows of the loop. */
static struct st_history_minute drained(uint64_t elapsed, uint64_t skipped, int64_t now_s)
{
    struct st_result result = {.t0_ns = 1000 * ST_NS_PER_S,
                               .elapsed_periods = elapsed,
                               .cycles = elapsed - skipped,
                               .skipped_periods = skipped,
                               .misses = skipped};
    result.period = period_of(480, 48000);
    return st_service_view_minute_so_far(&result, (1000 + now_s) * ST_NS_PER_S,
                                         (5000 + now_s) * ST_NS_PER_S);
}

static void loop_that_does_not_sleep_measures_no_longer_than_time_went_by(void **state)
{
    struct st_history_minute counts = {0};
    const struct st_history_minute taken = take(&counts, drained(100000000, 0, 60));
    assert_int_equal(taken.measured_ns, 60 * ST_NS_PER_S + 10 * ST_NS_PER_MS);
    assert_int_equal(taken.to_wall_ns, 5060 * ST_NS_PER_S + 10 * ST_NS_PER_MS);
}

static void minute_without_the_loop_goes_on_until_it_is_back(void **state)
{
    struct st_history_minute counts = {0}, now = drained(0, 0, 30);
    assert_false(st_service_view_minute_take(&counts, &now, &minute)); /* it did not begin */
    /* it gets no CPU from 58 s on, for 142 s */
    const struct st_history_minute first = take(&counts, drained(5800, 0, 60));
    assert_int_equal(first.cycles, 5800);
    assert_int_equal(first.measured_ns, 58 * ST_NS_PER_S);
    assert_int_equal(first.from_wall_ns, 5000 * ST_NS_PER_S);
    assert_int_equal(first.to_wall_ns, 5058 * ST_NS_PER_S);
    for (int s = 120; s <= 180; s += 60) {
        now = drained(5800, 0, s);
        assert_false(st_service_view_minute_take(&counts, &now, &minute));
    }
    const struct st_history_minute second = take(&counts, drained(24000, 14199, 240));
    assert_int_equal(second.cycles, 4001);
    assert_int_equal(second.misses, 14199);
    assert_int_equal(second.measured_ns, 182 * ST_NS_PER_S);
    assert_int_equal(second.cycles + second.skipped_periods,
                     second.measured_ns / (10 * ST_NS_PER_MS));
    assert_int_equal(second.from_wall_ns, first.to_wall_ns);
    assert_int_equal(second.to_wall_ns, 5240 * ST_NS_PER_S);
    assert_int_equal(
        strncmp(st_service_view_minute_text(&second, INT64_MIN), "last 182 s: 4001", 16), 0);
}

static void flood_of_late_wakes_is_counted_and_one_event(void **state)
{
    const struct st_sink functions = st_tracer_way_sink(&late_wakes);
    const struct st_cause_event event = {.cause = ST_CAUSE_RUN_QUEUE,
                                         .lateness_ns = 2 * ST_NS_PER_MS};
    for (int i = 0; i < 25; i++)
        functions.late(functions.ctx, &event);
    functions.flush(functions.ctx);
    st_causes_tick(causes, -1);
    assert_int_equal(events.added_n, 1);
    assert_int_equal(events.events[0].event.kind, ST_EVENT_LATE_WAKE);
    assert_int_equal(events.events[0].event.count_n, 25);
    st_causes_end_minute(causes, &ended, &minute);
    assert_int_equal(minute.late_wakes, 25);
}

static void events_are_listed_newest_first_and_the_oldest_are_dropped(void **state)
{
    for (int i = 0; i < ST_EVENTS_MAX + 5; i++)
        st_events_add(&events, ST_LOG_DBG, i, ST_EVENT_PAUSE, "number %d", i);
    json_t *list = st_events_json(&events, 0);
    assert_int_equal(json_array_size(list), ST_EVENTS_MAX);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "time_ns")),
                     ST_EVENTS_MAX + 4);
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(list, ST_EVENTS_MAX - 1), "time_ns")), 5);
    json_decref(list);
}

static void events_are_listed_by_their_times_the_newest_first(void **state)
{
    static const int64_t added[] = {3, 1, 2, 2, 5, 4}; /* s; one that was held back comes late */
    static const char *const listed[] = {"4", "5", "0", "3", "2", "1"};
    for (int i = 0; i < (int)ST_ARRAY_LEN(added); i++)
        st_events_add(&events, ST_LOG_DBG, added[i] * ST_NS_PER_S, ST_EVENT_PAUSE, "%d", i);
    json_t *list = st_events_json(&events, 0);
    assert_int_equal(json_array_size(list), ST_ARRAY_LEN(listed));
    for (size_t i = 0; i < ST_ARRAY_LEN(listed); i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(list, i), "text")),
                            listed[i]);
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(minute_has_differences_and_its_own_maximum),
        TEST(clock_that_is_set_back_does_not_change_how_long_a_minute_was),
        TEST(counter_that_began_again_counts_from_zero),
        TEST(loop_that_does_not_sleep_measures_no_longer_than_time_went_by),
        TEST(minute_without_the_loop_goes_on_until_it_is_back),
        TEST(flood_of_late_wakes_is_counted_and_one_event),
        TEST(events_are_listed_by_their_times_the_newest_first),
        TEST(events_are_listed_newest_first_and_the_oldest_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
