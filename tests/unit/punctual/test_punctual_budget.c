/* The library sleeptune on a scripted clock: what a share of a CPU buys, with signals and without.
 * Here the clock, the sleep and the signals are the test's. */
#include "core/ns.h"
#include "platform/posix/posix.h"
#include "punctual/exact_sleep.h"
#include "tests/unit/noise.h"
#include "tests/unit/unit.h"
#include <sleeptune/punctual.h>

#define PERIOD_NS     INT64_C(1333333)
#define CLOCK_COST_NS 20
#define SHARE         0.02

/* The machine. */
static int64_t clock_ns;
static int64_t signal_every_ns; /* 0: no signals */
static double late_ns;          /* what a wake takes, mostly */
static struct st_random chance;

int64_t st_posix_now_ns(struct st_platform *platform) ST_NONBLOCKING
{
    return clock_ns += CLOCK_COST_NS;
}

static int64_t draw(void)
{
    return (int64_t)(late_ns * (0.5 + 0.5 * exp(0.4 * noise_normal(&chance))));
}

/* A signal wakes the thread, too, and as late; when the timer has fired by then, the sleep is
 * over. */
int st_exact_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    if (signal_every_ns > 0) {
        const int64_t signal_ns = (clock_ns / signal_every_ns + 1) * signal_every_ns;
        if (signal_ns < due_ns) {
            clock_ns = signal_ns + draw();
            return clock_ns < due_ns ? -EINTR : 0;
        }
    }
    clock_ns = (due_ns > clock_ns ? due_ns : clock_ns) + draw();
    return 0;
}

static void start(int64_t signals_ns, double wake_ns)
{
    clock_ns = 5 * ST_NS_PER_S;
    signal_every_ns = signals_ns;
    late_ns = wake_ns;
    chance = (struct st_random){.state = 7};
}

/* Spinning is never more than the share of the time so far; with the free setting it is not looked
 * at. */
static struct st_punctual_stats within_budget(const struct st_punctual *punctual, double share)
{
    struct st_punctual_stats stats;
    st_punctual_get_stats(punctual, &stats, sizeof(stats));
    if (share > 0)
        assert_true((double)stats.spin_ns <= share * (double)stats.span_ns + 1);
    return stats;
}

static void wait_for(struct st_punctual *punctual, int64_t due_ns, double share)
{
    int64_t woke_ns = 0;
    while (st_punctual_wait_until(punctual, due_ns, &woke_ns) == -EINTR)
        continue;
    assert_true(woke_ns >= due_ns);
    (void)within_budget(punctual, share);
}

static void run(struct st_punctual *punctual, int waits_n, int past_n, double share)
{
    const int64_t start_ns = st_punctual_now_ns();
    for (int k = 1; k <= waits_n; k++) {
        for (int i = 0; i < past_n; i++) /* of other things, that are due already */
            wait_for(punctual, start_ns + (k - 1) * PERIOD_NS, share);
        wait_for(punctual, start_ns + k * PERIOD_NS, share);
    }
}

static struct st_punctual *punctual_of(double share)
{
    struct st_punctual *punctual;
    assert_int_equal(st_punctual_new(share, &punctual), 0);
    return punctual;
}

static double spent(const struct st_punctual_stats *stats)
{
    return (double)stats->spin_ns / (double)stats->span_ns;
}

static double on_time(const struct st_punctual_stats *stats)
{
    return (double)stats->on_time_n / (double)stats->waits_n;
}

static struct st_punctual_stats measured(double share, int64_t signals_ns, int past_n)
{
    start(signals_ns, 60000);
    struct st_punctual *punctual = punctual_of(share);
    run(punctual, 3000, past_n, share);
    const struct st_punctual_stats stats = within_budget(punctual, share);
    print_message(
        "# signals each %lld us, %d past: %.1f %% on time, %.2f %% spent, margin %lld ns\n",
        (long long)signals_ns / 1000, past_n, 100 * on_time(&stats), 100 * spent(&stats),
        (long long)stats.margin_ns);
    st_punctual_free(punctual);
    return stats;
}

static void budget_is_spent_and_not_more(void **state)
{
    const struct st_punctual_stats stats = measured(SHARE, 0, 0);
    assert_true(spent(&stats) > 0.95 * SHARE);
    assert_true(on_time(&stats) > 0.9);
    assert_int_equal(stats.interrupted_n, 0);
}

static void signals_do_not_starve_it(void **state)
{
    static const struct {
        int64_t each_ns;
        double on_time;
    } rows[] = {{40000, 0.8},  {100000, 0.8}, {250000, 0.9},
                {333000, 0.9}, {700000, 0.9}, {5000000, 0.9}};
    ST_EACH (row, rows) {
        const struct st_punctual_stats stats = measured(SHARE, row->each_ns, 0);
        assert_int_equal(stats.waits_n, 3000);
        assert_true(stats.interrupted_n > 700);
        assert_true(spent(&stats) > 0.95 * SHARE);
        assert_true(on_time(&stats) > row->on_time);
    }
}

static void free_setting_stays_free(void **state)
{
    const struct st_punctual_stats without = measured(0, 0, 0), with = measured(0, 250000, 0);
    assert_true(spent(&without) < 0.001);
    assert_true(with.interrupted_n > 10000);
    assert_true(spent(&with) < 0.001);
}

static void waits_of_the_past_do_not_dilute_it(void **state)
{
    const struct st_punctual_stats stats = measured(SHARE, 0, 3);
    assert_int_equal(stats.past_n, 3 * 3000);
    assert_true(spent(&stats) > 0.95 * SHARE);
    assert_true(on_time(&stats) > 0.9);
}

static void budget_holds_when_wakes_become_quick(void **state)
{
    start(0, 60000);
    struct st_punctual *punctual = punctual_of(SHARE);
    run(punctual, 3000, 0, SHARE);
    late_ns = 5000; /* what was learned makes it wake much too early */
    run(punctual, 3000, 0, SHARE);
    st_punctual_free(punctual);
}

static void what_was_saved_in_a_long_pause_is_not_spent_at_once(void **state)
{
    struct st_punctual_stats before, after;
    start(0, 60000);
    struct st_punctual *punctual = punctual_of(SHARE);
    run(punctual, 3000, 0, SHARE);
    clock_ns += 3600 * ST_NS_PER_S;
    st_punctual_get_stats(punctual, &before, sizeof(before));
    late_ns = 5000;
    run(punctual, 3000, 0, SHARE);
    st_punctual_get_stats(punctual, &after, sizeof(after));
    /* eight reviews' worth, of 64 waits each, beside what comes in */
    assert_true((double)(after.spin_ns - before.spin_ns) <=
                SHARE * (3000 + 8 * 64 + 2) * (double)PERIOD_NS);
    st_punctual_free(punctual);
}

static void no_wait_spins_for_more_than_half_of_it(void **state)
{
    static const int64_t signals_ns[] = {0, 15000};
    for (size_t i = 0; i < 2; i++) {
        int64_t spun_ns = 0, most_ns = 0;
        start(signals_ns[i], 60000);
        struct st_punctual *punctual = punctual_of(0.5);
        for (int k = 0; k < 2000; k++) {
            wait_for(punctual, clock_ns + 100000, 0.5);
            const int64_t sum_ns = within_budget(punctual, 0.5).spin_ns;
            most_ns = sum_ns - spun_ns > most_ns ? sum_ns - spun_ns : most_ns;
            spun_ns = sum_ns;
        }
        assert_in_range(most_ns, 10000, 50000);
        st_punctual_free(punctual);
    }
}

static void moment_that_passed_while_a_signal_was_handled_was_one_to_wait_for(void **state)
{
    struct st_punctual_stats stats;
    int64_t woke_ns;
    start(250000, 10000);
    struct st_punctual *punctual = punctual_of(SHARE);
    const int64_t due_ns = clock_ns + ST_NS_PER_MS;
    assert_int_equal(st_punctual_wait_until(punctual, due_ns, &woke_ns), -EINTR);
    clock_ns = due_ns + 5000;
    assert_int_equal(st_punctual_wait_until(punctual, due_ns, &woke_ns), 0);
    assert_int_equal(st_punctual_wait_until(punctual, due_ns, &woke_ns), 0); /* and this one not */
    st_punctual_get_stats(punctual, &stats, sizeof(stats));
    assert_int_equal(stats.waits_n, 1);
    assert_int_equal(stats.past_n, 1);
    assert_int_equal(stats.interrupted_n, 1);
    assert_in_range(stats.lateness_max_ns, 5000, 5100);
    st_punctual_free(punctual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budget_is_spent_and_not_more),
        cmocka_unit_test(signals_do_not_starve_it),
        cmocka_unit_test(free_setting_stays_free),
        cmocka_unit_test(waits_of_the_past_do_not_dilute_it),
        cmocka_unit_test(budget_holds_when_wakes_become_quick),
        cmocka_unit_test(what_was_saved_in_a_long_pause_is_not_spent_at_once),
        cmocka_unit_test(no_wait_spins_for_more_than_half_of_it),
        cmocka_unit_test(moment_that_passed_while_a_signal_was_handled_was_one_to_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
