/* The demoting watchdog: when it acts, and that it acts on the right thread.
 * Real clock: two threads look after a third; each is waited for. */
#include <poll.h>
#include <stdatomic.h>

#include "core/ns.h"
#include "daemon/loop/watchdog.h"
#include "tests/unit/unit.h"

static struct st_events events;

static void six_silent_checks_in_a_row_are_starvation(void **state)
{
    struct st_watchdog_judge judge = {0};
    assert_false(st_watchdog_starved(&judge, 5));
    for (int i = 0; i < ST_WATCHDOG_SILENT_CHECKS - 1; i++)
        assert_false(st_watchdog_starved(&judge, 5));
    assert_true(st_watchdog_starved(&judge, 5));
}

static void one_cheep_forgives_all_silence_before(void **state)
{
    struct st_watchdog_judge judge = {0};
    for (uint64_t cheeps = 0; cheeps < 50; cheeps++) {
        for (int i = 0; i < ST_WATCHDOG_SILENT_CHECKS - 1; i++)
            assert_false(st_watchdog_starved(&judge, cheeps + 1));
    }
}

static void half_a_cpu_is_allowed_and_more_only_for_a_moment(void **state)
{
    struct st_watchdog_judge judge = {0};
    for (int i = 0; i < 100; i++)
        assert_false(st_watchdog_busy(&judge, 0.5));
    assert_false(st_watchdog_busy(&judge, 0.9));
    assert_false(st_watchdog_busy(&judge, 0.1));
    assert_false(st_watchdog_busy(&judge, 0.9));
    assert_true(st_watchdog_busy(&judge, 0.9));
}

static void loop_that_used_little_is_not_guilty_of_starvation(void **state)
{
    const int64_t silent_ns = INT64_C(3000000000);
    assert_false(st_watchdog_guilty(0, silent_ns));
    assert_false(st_watchdog_guilty(silent_ns / 2, silent_ns));
    assert_true(st_watchdog_guilty(silent_ns / 2 + 1000, silent_ns));
    assert_true(st_watchdog_guilty(-1, silent_ns)); /* nobody knows: the machine comes first */
}

static _Atomic int demoted_tid;
static int demote_result;

static int record_demote(struct st_platform *platform, pid_t tid)
{
    atomic_store(&demoted_tid, (int)tid);
    return demote_result;
}

static pid_t tid_of_loop(void *ctx)
{
    return *(pid_t *)ctx;
}

static uint64_t no_cheep(void *ctx)
{
    return 0;
}

/* Runs the real thread and lets the loop be too busy. */
static void be_busy(pid_t loop_tid, struct st_watchdog_view *view)
{
    struct st_platform platform = *st_platform_native();
    platform.demote = record_demote;
    struct st_watchdog *watchdog;
    atomic_store(&demoted_tid, 0);
    const struct st_watchdog_loop loop = {.tid = tid_of_loop, .cheeps = no_cheep, .ctx = &loop_tid};
    assert_int_equal(st_watchdog_start(&platform, 70, &loop, &events, &watchdog), 0);
    for (int i = 1; i <= 1 + ST_WATCHDOG_BUSY_CHECKS; i++) /* 4 of each 5 s */
        st_watchdog_report_cpu(watchdog, 4e9 * i, 5 * ST_NS_PER_S * i);
    st_watchdog_look(watchdog, view);
    st_watchdog_stop(watchdog);
}

static void busy_loop_is_demoted_by_its_thread_id(void **state)
{
    struct st_watchdog_view view;
    demote_result = 0;
    be_busy(4711, &view);
    assert_int_equal(atomic_load(&demoted_tid), 4711);
    assert_true(view.demoted);
    assert_has(view.reason, "more than half of a CPU");
}

static void failed_demotion_is_not_called_demoted(void **state)
{
    struct st_watchdog_view view;
    demote_result = -EPERM;
    be_busy(4711, &view);
    assert_false(view.demoted);
    assert_has(view.reason, "cannot take");
}

static void demotion_that_works_at_the_second_try_is_told(void **state)
{
    struct st_platform platform = *st_platform_native();
    platform.demote = record_demote;
    pid_t loop_tid = 4711;
    struct st_watchdog *watchdog;
    const uint64_t before = events.added_n;
    const struct st_watchdog_loop loop = {.tid = tid_of_loop, .cheeps = no_cheep, .ctx = &loop_tid};
    assert_int_equal(st_watchdog_start(&platform, 70, &loop, &events, &watchdog), 0);
    demote_result = -EPERM;
    st_watchdog_demote(watchdog, ST_WATCHDOG_BUSY);
    st_watchdog_demote(watchdog, ST_WATCHDOG_BUSY);
    assert_int_equal(events.added_n - before, 1);
    demote_result = 0;
    st_watchdog_demote(watchdog, ST_WATCHDOG_BUSY);
    st_watchdog_demote(watchdog, ST_WATCHDOG_BUSY);
    assert_int_equal(events.added_n - before, 2);
    st_watchdog_stop(watchdog);
}

static void loop_that_does_not_run_is_left_alone(void **state)
{
    struct st_watchdog_view view;
    demote_result = 0;
    be_busy(0, &view);
    assert_int_equal(atomic_load(&demoted_tid), 0);
    assert_false(view.demoted);
    assert_string_equal(view.reason, "");
}

static uint64_t cheep(void *ctx)
{
    static _Atomic uint64_t cheeps_n;
    return atomic_fetch_add(&cheeps_n, 1);
}

/* Two real threads; what the loop used of the CPU is not known. */
static void only_a_silent_canary_costs_the_loop_its_priority(void **state)
{
    struct st_platform platform = *st_platform_native();
    platform.demote = record_demote;
    demote_result = 0;
    pid_t loop_tid = INT_MAX;
    const struct st_watchdog_loop silent = {
        .tid = tid_of_loop, .cheeps = no_cheep, .ctx = &loop_tid};
    const struct st_watchdog_loop heard = {.tid = tid_of_loop, .cheeps = cheep, .ctx = &loop_tid};
    struct st_watchdog *of_silent, *of_heard;
    struct st_watchdog_view view;
    assert_int_equal(st_watchdog_start(&platform, 70, &heard, &events, &of_heard), 0);
    assert_int_equal(st_watchdog_start(&platform, 70, &silent, &events, &of_silent), 0);
    do { /* the test's limit ends it */
        (void)poll(NULL, 0, 50);
        st_watchdog_look(of_silent, &view);
    } while (!view.demoted);
    assert_has(view.reason, "programs without real-time priority got no CPU");
    st_watchdog_stop(of_silent);
    st_watchdog_look(of_heard, &view);
    assert_false(view.demoted);
    st_watchdog_stop(of_heard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_silent_checks_in_a_row_are_starvation),
        cmocka_unit_test(one_cheep_forgives_all_silence_before),
        cmocka_unit_test(half_a_cpu_is_allowed_and_more_only_for_a_moment),
        cmocka_unit_test(loop_that_used_little_is_not_guilty_of_starvation),
        cmocka_unit_test(busy_loop_is_demoted_by_its_thread_id),
        cmocka_unit_test(failed_demotion_is_not_called_demoted),
        cmocka_unit_test(demotion_that_works_at_the_second_try_is_told),
        cmocka_unit_test(loop_that_does_not_run_is_left_alone),
        cmocka_unit_test(only_a_silent_canary_costs_the_loop_its_priority),
    };
    if (st_events_init(&events, NULL) != 0)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    st_events_finish(&events);
    return failed;
}
