/* Suspend, clock jumps and pauses are told apart. */
#include "core/ns.h"
#include "daemon/loop/clockwatch.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

static struct st_platform *fake;
static struct st_events events;
static struct st_clockwatch watch;
static int64_t wall_offset_ns, stopped_ns;

/* The fake's wall clock is its clock; a person sets it. */
static int64_t set_wall_ns(struct st_platform *platform)
{
    if (stopped_ns > 0) /* the thread is taken off its CPU before this read, once */
        st_fake_advance(fake, stopped_ns);
    stopped_ns = 0;
    return platform->now_ns(platform) + wall_offset_ns;
}

static int setup(void **state)
{
    fake = st_fake_new(ST_OS_LINUX, 100 * ST_NS_PER_S);
    fake->wall_ns = set_wall_ns;
    wall_offset_ns = stopped_ns = 0;
    watch = (struct st_clockwatch){0};
    st_clockwatch_tick(&watch, fake, &events);
    return st_events_init(&events, NULL);
}

static int teardown(void **state)
{
    st_fake_free(fake);
    st_events_finish(&events);
    return 0;
}

static const char *last_event(void)
{
    return events.added_n > 0
               ? st_event_kind_name(events.events[(events.added_n - 1) % ST_EVENTS_MAX].event.kind)
               : "";
}

static void ordinary_ticks_are_no_event(void **state)
{
    for (int i = 0; i < 100; i++) {
        st_fake_advance(fake, ST_NS_PER_S + i * ST_NS_PER_MS);
        wall_offset_ns +=
            i % 2 ? 20 * ST_NS_PER_MS : -20 * ST_NS_PER_MS; /* a clock that is slewed */
        st_clockwatch_tick(&watch, fake, &events);
    }
    assert_int_equal(events.added_n, 0);
}

static void suspend_is_one_event_and_no_clock_jump(void **state)
{
    st_fake_advance(fake, ST_NS_PER_S);
    st_fake_set_suspended_ns(fake, 3600 * ST_NS_PER_S);
    wall_offset_ns += 3600 * ST_NS_PER_S; /* the wall clock went on */
    st_clockwatch_tick(&watch, fake, &events);
    assert_int_equal(events.added_n, 1);
    assert_string_equal(last_event(), "suspend");
    st_fake_advance(fake, ST_NS_PER_S);
    st_clockwatch_tick(&watch, fake, &events);
    assert_int_equal(events.added_n, 1);
}

static void clock_that_is_set_is_a_jump_in_both_directions(void **state)
{
    wall_offset_ns = -7200 * ST_NS_PER_S;
    st_fake_advance(fake, ST_NS_PER_S);
    st_clockwatch_tick(&watch, fake, &events);
    assert_string_equal(last_event(), "clock-jump");
    assert_has(events.events[0].event.detail, "back");
    wall_offset_ns = 0;
    st_fake_advance(fake, ST_NS_PER_S);
    st_clockwatch_tick(&watch, fake, &events);
    assert_int_equal(events.added_n, 2);
    assert_has(events.events[1].event.detail, "forward");
    wall_offset_ns = ST_CLOCKWATCH_JUMP_NS; /* the smallest jump */
    st_fake_advance(fake, ST_NS_PER_S);
    st_clockwatch_tick(&watch, fake, &events);
    assert_int_equal(events.added_n, 3);
}

static void thread_that_is_stopped_between_two_clocks_is_no_jump(void **state)
{
    st_fake_advance(fake, ST_NS_PER_S);
    stopped_ns = 2 * ST_NS_PER_S;
    st_clockwatch_tick(&watch, fake, &events);
    st_fake_advance(fake, ST_NS_PER_S);
    st_clockwatch_tick(&watch, fake, &events);
    assert_int_equal(events.added_n, 0);
}

static void long_silence_is_a_pause(void **state)
{
    st_fake_advance(fake, ST_CLOCKWATCH_PAUSE_NS - 1);
    st_clockwatch_tick(&watch, fake, &events);
    assert_int_equal(events.added_n, 0);
    st_fake_advance(fake, ST_CLOCKWATCH_PAUSE_NS);
    st_clockwatch_tick(&watch, fake, &events);
    assert_int_equal(events.added_n, 1);
    assert_string_equal(last_event(), "pause");
}

static void tick_that_is_to_come_later_is_no_pause(void **state)
{
    watch.rest_ns = 9 * ST_NS_PER_S;
    for (int i = 0; i < 2; i++) {
        st_fake_advance(fake, 10 * ST_NS_PER_S);
        st_clockwatch_tick(&watch, fake, &events);
    }
    assert_int_equal(events.added_n, 0);
    st_fake_advance(fake, 14 * ST_NS_PER_S);
    st_clockwatch_tick(&watch, fake, &events);
    assert_string_equal(last_event(), "pause");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ordinary_ticks_are_no_event),
        TEST(suspend_is_one_event_and_no_clock_jump),
        TEST(clock_that_is_set_is_a_jump_in_both_directions),
        TEST(thread_that_is_stopped_between_two_clocks_is_no_jump),
        TEST(long_silence_is_a_pause),
        TEST(tick_that_is_to_come_later_is_no_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
