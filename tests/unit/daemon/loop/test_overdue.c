/* Whether the loop gets to run, by its heartbeat and by what was due. */
#include "core/ns.h"
#include "daemon/loop/overdue.h"
#include "tests/unit/unit.h"

#define PERIOD_NS INT64_C(2666667)
#define T0_NS     (100 * ST_NS_PER_S)

static struct st_overdue stall;

static void begin(int64_t period_ns)
{
    stall = (struct st_overdue){.period_ns = period_ns, .heard_ns = T0_NS, .checked_ns = T0_NS};
}

static int setup(void **state)
{
    begin(PERIOD_NS);
    return 0;
}

/* A check that finds the loop running: the drain was 200 ms ago. */
static void runs(uint64_t heartbeat, int64_t now_ns)
{
    st_overdue_check(&stall, heartbeat, now_ns - 200 * ST_NS_PER_MS, now_ns);
    assert_int_equal(st_overdue_ns(&stall, heartbeat, now_ns - 200 * ST_NS_PER_MS, now_ns), 0);
}

static void
loop_without_a_cpu_is_told_after_two_seconds_and_until_what_it_missed_is_known(void **state)
{
    const int64_t due_ns = T0_NS + 1500 * ST_NS_PER_MS;
    runs(375, T0_NS + ST_NS_PER_S);
    for (int s = 2; s <= 12; s++) {
        const int64_t now_ns = T0_NS + s * ST_NS_PER_S;
        st_overdue_check(&stall, 560, due_ns, now_ns);
        assert_int_equal(st_overdue_ns(&stall, 560, due_ns, now_ns), s >= 4 ? now_ns - due_ns : 0);
    }
    /* it cycled, and was not drained yet */
    const int64_t back_ns = T0_NS + 12500 * ST_NS_PER_MS;
    assert_int_equal(st_overdue_ns(&stall, 561, due_ns, back_ns), back_ns - due_ns);
    assert_int_equal(st_overdue_ns(&stall, 600, back_ns, back_ns + 200 * ST_NS_PER_MS), 0);
    runs(700, T0_NS + 13 * ST_NS_PER_S);
}

static void daemon_that_was_stopped_as_a_whole_finds_nothing_overdue(void **state)
{
    const int64_t due_ns = T0_NS + 900 * ST_NS_PER_MS, back_ns = T0_NS + 3600 * ST_NS_PER_S;
    runs(375, T0_NS + ST_NS_PER_S);
    /* the loop had no turn since: a look, the first check, a look */
    assert_int_equal(st_overdue_ns(&stall, 375, due_ns, back_ns), 0);
    st_overdue_check(&stall, 375, due_ns, back_ns);
    assert_int_equal(st_overdue_ns(&stall, 375, due_ns, back_ns), 0);
    runs(376, back_ns + ST_NS_PER_S);
}

static void period_of_seconds_is_waited_for_twice(void **state)
{
    const int64_t due_ns = T0_NS + 10 * ST_NS_PER_S;
    begin(10 * ST_NS_PER_S);
    for (int s = 1; s <= 40; s++) {
        const int64_t now_ns = T0_NS + s * ST_NS_PER_S;
        st_overdue_check(&stall, 1, due_ns, now_ns);
        assert_int_equal(st_overdue_ns(&stall, 1, due_ns, now_ns), s >= 32 ? now_ns - due_ns : 0);
    }
}

static void loop_that_never_begins_is_told_and_one_that_warms_up_is_not(void **state)
{
    for (int s = 1; s <= 5; s++)
        st_overdue_check(&stall, 0, INT64_MIN, T0_NS + s * ST_NS_PER_S);
    assert_int_equal(st_overdue_ns(&stall, 0, INT64_MIN, T0_NS + 5 * ST_NS_PER_S),
                     5 * ST_NS_PER_S - PERIOD_NS);
    assert_int_equal(st_overdue_ns(&stall, 1, INT64_MIN, T0_NS + 5 * ST_NS_PER_S), 0);
    begin(1500 * ST_NS_PER_MS); /* a warm-up of minutes */
    for (int s = 1; s <= 60; s++) {
        const uint64_t heartbeat = (uint64_t)(s * 2 / 3);
        st_overdue_check(&stall, heartbeat, INT64_MIN, T0_NS + s * ST_NS_PER_S);
        assert_int_equal(st_overdue_ns(&stall, heartbeat, INT64_MIN, T0_NS + s * ST_NS_PER_S), 0);
    }
}

static void drain_that_has_no_turn_says_nothing_of_the_loop(void **state)
{
    for (int s = 1; s <= 60; s++) {
        const int64_t now_ns = T0_NS + s * ST_NS_PER_S;
        st_overdue_check(&stall, (uint64_t)s * 375, T0_NS, now_ns);
        assert_int_equal(st_overdue_ns(&stall, (uint64_t)s * 375, T0_NS, now_ns), 0);
    }
    /* and where the loop stands then, it does so since it was heard last */
    for (int s = 61; s <= 64; s++)
        st_overdue_check(&stall, 60 * 375 + 1, T0_NS, T0_NS + s * ST_NS_PER_S);
    assert_int_equal(st_overdue_ns(&stall, 60 * 375 + 1, T0_NS, T0_NS + 64 * ST_NS_PER_S),
                     4 * ST_NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(
            loop_without_a_cpu_is_told_after_two_seconds_and_until_what_it_missed_is_known, setup),
        cmocka_unit_test_setup(daemon_that_was_stopped_as_a_whole_finds_nothing_overdue, setup),
        cmocka_unit_test_setup(period_of_seconds_is_waited_for_twice, setup),
        cmocka_unit_test_setup(loop_that_never_begins_is_told_and_one_that_warms_up_is_not, setup),
        cmocka_unit_test_setup(drain_that_has_no_turn_says_nothing_of_the_loop, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
