/* The last seconds, what the next sink gets, and the order of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "daemon/causes/events.h"
#include "daemon/status/live.h"

#define T0_NS (5 * ST_NS_PER_S) /* periods of 10 ms: a hundred a second */

static struct st_live live;
static struct st_sink sink;

static int setup(void **state)
{
    (void)state;
    struct st_period period;
    if (st_live_init(&live) != 0 || st_period_init(&period, 480, 48000) != 0)
        return 1;
    sink = st_live_sink(&live, &period, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    st_live_finish(&live);
    return 0;
}

static void cycles(uint64_t first, uint64_t n, int64_t lateness_ns)
{
    for (uint64_t k = first; k < first + n; k++)
        sink.cycle(sink.ctx, k, lateness_ns, 0);
}

static struct st_live_look look_at(int64_t now_ns)
{
    struct st_live_look look;
    sink.flush(sink.ctx);
    st_live_take(&live, now_ns, &look);
    return look;
}

static void nothing_is_known_before_the_loop_begins(void **state)
{
    (void)state;
    const struct st_live_look look = look_at(T0_NS);
    assert_int_equal(look.n, 0);
    assert_int_equal(live.next_due_ns, INT64_MIN);
}

static void second_has_the_periods_that_were_due_in_it(void **state)
{
    (void)state;
    sink.start(sink.ctx, T0_NS);
    cycles(0, 99, 1000);
    cycles(99, 1, 7000000);   /* the last one of the first second, done in the next */
    cycles(100, 1, 11000000); /* a miss: later than its period */
    cycles(101, 99, 2000);
    const struct st_live_look early = look_at(T0_NS + 1900 * ST_NS_PER_MS);
    assert_int_equal(early.n, 1); /* the second one is not whole yet */
    cycles(200, 1, 0);
    const struct st_live_look look = look_at(T0_NS + 2010 * ST_NS_PER_MS);
    assert_int_equal(look.n, 2);
    assert_int_equal(look.seconds[0].index, 5);
    assert_int_equal(look.seconds[0].cycles, 100);
    assert_int_equal(look.seconds[0].max_ns, 7000000);
    assert_in_range(look.seconds[0].median_ns, 990, 1010);
    assert_int_equal(look.seconds[0].misses, 0);
    assert_int_equal(look.seconds[1].misses, 1);
    assert_int_equal(look.seconds[1].max_ns, 11000000);
    assert_int_equal(live.next_due_ns, T0_NS + 2010 * ST_NS_PER_MS);
}

static void stall_is_overdue_first_and_misses_in_its_seconds_then(void **state)
{
    (void)state;
    sink.start(sink.ctx, T0_NS);
    cycles(0, 150, 1000);
    const struct st_live_look during = look_at(T0_NS + 4500 * ST_NS_PER_MS);
    assert_int_equal(live.next_due_ns, T0_NS + 1500 * ST_NS_PER_MS);
    assert_int_equal(during.n, 4); /* one whole, three of which nothing is known */
    assert_int_equal(during.seconds[3].cycles + during.seconds[3].misses, 0);
    assert_int_equal(during.seconds[3].max_ns, INT64_MIN);
    sink.cycle(sink.ctx, 150, 3001 * ST_NS_PER_MS, 0);
    sink.skipped(sink.ctx, 151, 299, 2991 * ST_NS_PER_MS);
    cycles(450, 51, 1000);
    const struct st_live_look after = look_at(T0_NS + 5100 * ST_NS_PER_MS);
    assert_int_equal(after.n, 5);
    const uint64_t misses[] = {0, 50, 100, 100, 50};
    for (size_t i = 0; i < ST_ARRAY_LEN(misses); i++)
        assert_int_equal(after.seconds[i].misses, misses[i]);
    assert_int_equal(after.seconds[1].max_ns, 3001 * ST_NS_PER_MS);
    assert_int_equal(after.seconds[2].cycles, 0);
}

static void next_loop_is_not_overdue_by_the_one_before(void **state)
{
    (void)state;
    struct st_period period;
    assert_int_equal(st_period_init(&period, 48000, 48000), 0);
    sink.start(sink.ctx, T0_NS);
    sink.flush(sink.ctx);
    assert_int_equal(live.next_due_ns, T0_NS); /* not one cycle */
    cycles(0, 100, 1000);
    sink.flush(sink.ctx);
    assert_int_equal(live.next_due_ns, T0_NS + ST_NS_PER_S);
    sink = st_live_sink(&live, &period, NULL);
    sink.flush(sink.ctx);
    assert_int_equal(live.next_due_ns, INT64_MIN); /* it warms up */
    sink.start(sink.ctx, T0_NS + 100 * ST_NS_PER_S);
    cycles(0, 2, 1000);
    sink.flush(sink.ctx);
    assert_int_equal(live.next_due_ns, T0_NS + 102 * ST_NS_PER_S);
}

static void lost_records_are_neither_cycles_nor_misses(void **state)
{
    (void)state;
    sink.start(sink.ctx, T0_NS);
    cycles(0, 50, 1000);
    sink.lost(sink.ctx, 50, 100);
    cycles(150, 51, 1000);
    const struct st_live_look look = look_at(T0_NS + 2100 * ST_NS_PER_MS);
    assert_int_equal(look.seconds[0].lost, 50);
    assert_int_equal(look.seconds[0].cycles, 50);
    assert_int_equal(look.seconds[1].lost, 50);
    assert_int_equal(look.seconds[1].misses, 0);
}

static void only_the_last_two_minutes_are_kept(void **state)
{
    (void)state;
    sink.start(sink.ctx, T0_NS);
    cycles(0, 30000, 1000);
    sink.skipped(sink.ctx, 30000, 1000000, 0); /* hours at once */
    cycles(1030000, 101, 1000);
    const struct st_live_look look = look_at(T0_NS + 10301 * ST_NS_PER_S);
    assert_int_equal(look.n, ST_LIVE_SECONDS);
    assert_int_equal(look.seconds[ST_LIVE_SECONDS - 1].cycles, 100);
    assert_int_equal(look.seconds[ST_LIVE_SECONDS - 2].misses, 100);
    assert_int_equal(look.seconds[0].misses, 100);
    assert_int_equal(look.seconds[0].index, 5 + 10301 - ST_LIVE_SECONDS);
}

static void median_of_few_cycles_is_not_known(void **state)
{
    (void)state;
    sink.start(sink.ctx, T0_NS);
    cycles(0, 19, 1000);
    sink.skipped(sink.ctx, 19, 81, 0);
    cycles(100, 1, 1000);
    const struct st_live_look look = look_at(T0_NS + 1500 * ST_NS_PER_MS);
    assert_int_equal(look.seconds[0].median_ns, INT64_MIN);
    assert_int_equal(look.seconds[0].max_ns, 1000);
}

static void count_late(void *ctx, const struct st_cause_event *event)
{
    *(int64_t *)ctx += event->lateness_ns;
}

static void count_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    (void)period_index;
    (void)callback_ns;
    *(int64_t *)ctx += lateness_ns;
}

static void count_flush(void *ctx)
{
    *(int64_t *)ctx += 1000;
}

static void next_sink_gets_cycles_late_ones_and_flushes(void **state)
{
    (void)state;
    int64_t heard_ns = 0;
    const struct st_sink next = {
        .cycle = count_cycle, .late = count_late, .flush = count_flush, .ctx = &heard_ns};
    const struct st_cause_event event = {.lateness_ns = 5};
    sink.late(sink.ctx, &event); /* without one */
    sink = st_live_sink(&live, &live.period, &next);
    sink.start(sink.ctx, T0_NS);
    sink.cycle(sink.ctx, 0, 500, 0);
    sink.skipped(sink.ctx, 1, 99, 0);
    sink.lost(sink.ctx, 100, 100);
    sink.late(sink.ctx, &event);
    sink.cycle(sink.ctx, 200, 500, 0);
    sink.flush(sink.ctx);
    assert_int_equal(heard_ns, 2005);
    const struct st_live_look look = look_at(T0_NS + 2 * ST_NS_PER_S);
    assert_int_equal(look.n, 2);
    assert_int_equal(look.seconds[0].misses, 99);
    assert_int_equal(look.seconds[1].lost, 100);
}

static void events_are_listed_by_their_times_the_newest_first(void **state)
{
    (void)state;
    static const int64_t added[] = {3, 1, 2, 2, 5, 4}; /* s; one that was held back comes late */
    static const char *const listed[] = {"4", "5", "0", "3", "2", "1"};
    struct st_events events;
    assert_int_equal(st_events_init(&events, NULL), 0);
    for (int i = 0; i < (int)ST_ARRAY_LEN(added); i++)
        st_events_add(&events, ST_LOG_DBG, added[i] * ST_NS_PER_S, ST_EVENT_PAUSE, "%d", i);
    json_t *list = st_events_json(&events, 0);
    assert_int_equal(json_array_size(list), ST_ARRAY_LEN(listed));
    for (size_t i = 0; i < ST_ARRAY_LEN(listed); i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(list, i), "text")), listed[i]);
    json_decref(list);
    st_events_finish(&events);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_known_before_the_loop_begins),
        TEST(second_has_the_periods_that_were_due_in_it),
        TEST(stall_is_overdue_first_and_misses_in_its_seconds_then),
        TEST(next_loop_is_not_overdue_by_the_one_before),
        TEST(lost_records_are_neither_cycles_nor_misses),
        TEST(only_the_last_two_minutes_are_kept),
        TEST(median_of_few_cycles_is_not_known),
        TEST(next_sink_gets_cycles_late_ones_and_flushes),
        TEST(events_are_listed_by_their_times_the_newest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
