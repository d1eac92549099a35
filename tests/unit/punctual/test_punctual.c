/* The library sleeptune on the real clock: what holds on any machine, however slow. */
#include <signal.h>
#include <sys/time.h>

#include <sleeptune/punctual.h>

#include "tests/unit/unit.h"

static void what_is_no_share_is_refused(void **state)
{
    static const double shares[] = {-0.01, 0.51, (double)NAN, (double)INFINITY};
    struct st_punctual *punctual = NULL;
    ST_EACH (share, shares)
        assert_int_equal(st_punctual_new(*share, &punctual), -EINVAL);
    assert_int_equal(st_punctual_new(0, NULL), -EINVAL);
    assert_null(punctual);
    st_punctual_free(NULL);
    assert_int_equal(st_punctual_version(), ST_PUNCTUAL_VERSION);
}

static void never_early_and_all_is_counted(void **state)
{
    static const double shares[] = {0, 0.05};
    for (size_t i = 0; i < 2; i++) {
        struct st_punctual *punctual;
        struct st_punctual_stats stats;
        int64_t lateness_max_ns = 0, past_n = 0;
        assert_int_equal(st_punctual_new(shares[i], &punctual), 0);
        const int64_t start_ns = st_punctual_now_ns();
        for (int64_t k = 1; k <= 300; k++) {
            const int64_t due_ns = start_ns + k * 300000, before_ns = st_punctual_now_ns();
            int64_t woke_ns = 0;
            assert_int_equal(st_punctual_wait_until(punctual, due_ns, &woke_ns), 0);
            assert_true(woke_ns >= due_ns && woke_ns >= before_ns);
            if (before_ns > due_ns)
                past_n++;
            else if (woke_ns - due_ns > lateness_max_ns)
                lateness_max_ns = woke_ns - due_ns;
        }
        st_punctual_get_stats(punctual, &stats, sizeof(stats));
        assert_int_equal(stats.waits_n + stats.past_n, 300);
        assert_true(stats.past_n >= (uint64_t)past_n); /* the clock went on between the two looks */
        assert_true(stats.lateness_max_ns <= lateness_max_ns);
        assert_true(stats.on_time_n <= stats.waits_n);
        assert_true(stats.span_ns >= 299 * 300000 / 2 && stats.spin_ns <= stats.span_ns / 2);
        if (shares[i] > 0)
            assert_true((double)stats.spin_ns <= shares[i] * (double)stats.span_ns);
        st_punctual_reset(punctual);
        st_punctual_get_stats(punctual, &stats, sizeof(stats));
        assert_int_equal(stats.waits_n, 0);
        assert_int_equal(stats.margin_ns, 0);
        st_punctual_free(punctual);
    }
}

static void past_moment_is_over_at_once(void **state)
{
    struct st_punctual *punctual;
    struct st_punctual_stats stats;
    assert_int_equal(st_punctual_new(0.05, &punctual), 0);
    assert_int_equal(st_punctual_wait_until(punctual, 0, NULL), 0);
    assert_int_equal(st_punctual_wait_until(punctual, INT64_MIN, NULL), 0);
    st_punctual_get_stats(punctual, &stats, sizeof(stats));
    assert_int_equal(stats.past_n, 2);
    assert_int_equal(stats.waits_n, 0);
    assert_int_equal(stats.lateness_max_ns, 0);
    st_punctual_free(punctual);
}

static void on_alarm(int signal_number) {}

static void signal_is_told(void **state)
{
    struct st_punctual *punctual;
    struct st_punctual_stats stats;
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval soon = {.it_value = {.tv_usec = 20000},
                                   .it_interval = {.tv_usec = 20000}};
    assert_int_equal(st_punctual_new(0, &punctual), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    int64_t woke_ns = 17;
    assert_int_equal(
        st_punctual_wait_until(punctual, st_punctual_now_ns() + INT64_C(3600000000000), &woke_ns),
        -EINTR);
    const struct itimerval never = {0};
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(woke_ns, 17);
    st_punctual_get_stats(punctual, &stats, sizeof(stats));
    assert_int_equal(stats.interrupted_n, 1);
    assert_int_equal(stats.waits_n, 0);
    st_punctual_free(punctual);
}

static void programs_of_other_versions_get_what_they_know(void **state)
{
    struct st_punctual *punctual;
    struct {
        struct st_punctual_stats stats;
        uint64_t later;
    } more;
    memset(&more, 0xff, sizeof(more));
    assert_int_equal(st_punctual_new(0, &punctual), 0);
    assert_int_equal(st_punctual_wait_until(punctual, st_punctual_now_ns() + 1000000, NULL), 0);
    st_punctual_get_stats(punctual, &more.stats, sizeof(more));
    assert_int_equal(more.stats.waits_n, 1);
    assert_int_equal(more.later, 0); /* of a later header */
    memset(&more, 0xff, sizeof(more));
    st_punctual_get_stats(punctual, &more.stats, sizeof(uint64_t)); /* of an earlier one */
    assert_int_equal(more.stats.waits_n, 1);
    assert_true(more.stats.on_time_n == UINT64_MAX);
    st_punctual_free(punctual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_share_is_refused),
        cmocka_unit_test(never_early_and_all_is_counted),
        cmocka_unit_test(past_moment_is_over_at_once),
        cmocka_unit_test(signal_is_told),
        cmocka_unit_test(programs_of_other_versions_get_what_they_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
