/* When the next period is due, what the next sink gets, and the order of events. */
#include "core/ns.h"
#include "daemon/causes/events.h"
#include "daemon/status/live.h"
#include "store/history/history.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

#define T0_NS (5 * ST_NS_PER_S) /* periods of 10 ms: a hundred a second */

static struct st_live live;
static struct st_sink sink;

static int setup(void **state)
{
    struct st_period period;
    if (st_live_init(&live) != 0 || st_period_init(&period, 480, 48000) != 0)
        return 1;
    sink = st_live_sink(&live, &period, NULL);
    return 0;
}

static int teardown(void **state)
{
    st_live_finish(&live);
    return 0;
}

static void cycles(uint64_t first, uint64_t n, int64_t lateness_ns)
{
    for (uint64_t k = first; k < first + n; k++)
        sink.cycle(sink.ctx, k, lateness_ns, 0);
}

static void stall_is_overdue(void **state)
{
    sink.flush(sink.ctx);
    assert_int_equal(live.next_due_ns, INT64_MIN); /* before the loop begins */
    sink.start(sink.ctx, T0_NS);
    cycles(0, 150, 1000);
    sink.flush(sink.ctx);
    assert_int_equal(live.next_due_ns, T0_NS + 1500 * ST_NS_PER_MS);
    sink.cycle(sink.ctx, 150, 3001 * ST_NS_PER_MS, 0);
    sink.skipped(sink.ctx, 151, 299, 2991 * ST_NS_PER_MS);
    sink.flush(sink.ctx);
    assert_int_equal(live.next_due_ns, T0_NS + 4500 * ST_NS_PER_MS);
    sink.lost(sink.ctx, 450, 100);
    sink.flush(sink.ctx);
    assert_int_equal(live.next_due_ns, T0_NS + 5500 * ST_NS_PER_MS);
    struct st_hist minute;
    assert_int_equal(st_hist_init(&minute, ST_HISTORY_DIGITS), 0);
    st_live_end_minute(&live, &minute);
    assert_int_equal(minute.total_n, 151); /* what was lost or skipped has no lateness */
    assert_int_equal(minute.max_ns, 3001 * ST_NS_PER_MS);
    assert_int_equal(live.minute.total_n, 0);
    st_hist_finish(&minute);
}

static void next_loop_is_not_overdue_by_the_one_before(void **state)
{
    const struct st_period period = period_of(48000, 48000);
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

static void count_late(void *ctx, const struct st_cause_event *event)
{
    *(int64_t *)ctx += event->lateness_ns;
}

static void count_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    *(int64_t *)ctx += lateness_ns;
}

static void count_flush(void *ctx)
{
    *(int64_t *)ctx += 1000;
}

static void next_sink_gets_cycles_late_ones_and_flushes(void **state)
{
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
}

static void events_are_listed_by_their_times_the_newest_first(void **state)
{
    static const int64_t added[] = {3, 1, 2, 2, 5, 4}; /* s; one that was held back comes late */
    static const char *const listed[] = {"4", "5", "0", "3", "2", "1"};
    struct st_events events;
    assert_int_equal(st_events_init(&events, NULL), 0);
    for (int i = 0; i < (int)ST_ARRAY_LEN(added); i++)
        st_events_add(&events, ST_LOG_DBG, added[i] * ST_NS_PER_S, ST_EVENT_PAUSE, "%d", i);
    json_t *list = st_events_json(&events, 0);
    assert_int_equal(json_array_size(list), ST_ARRAY_LEN(listed));
    for (size_t i = 0; i < ST_ARRAY_LEN(listed); i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(list, i), "text")),
                            listed[i]);
    json_decref(list);
    st_events_finish(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(stall_is_overdue),
        TEST(next_loop_is_not_overdue_by_the_one_before),
        TEST(next_sink_gets_cycles_late_ones_and_flushes),
        TEST(events_are_listed_by_their_times_the_newest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
