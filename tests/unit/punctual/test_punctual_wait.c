/* The punctual wait on a scripted clock: never early, one sleep at most, spinning bounded. */
#include "core/base.h"

/* A machine whose clock is slow: what a read and a turn of an empty loop take. */
static int64_t slow_ns, read_ns, turn_ns;
static void turn(void) ST_NONBLOCKING
{
    slow_ns += turn_ns;
}
#define ST_PUNCTUAL_TURN() turn()

#include "core/ns.h"
#include "punctual/punctual_wait.h"
#include "tests/fake/fake.h"
#include "tests/unit/noise.h"
#include "tests/unit/unit.h"

#define START_NS  (5 * ST_NS_PER_S)
#define PERIOD_NS INT64_C(1333333)

static struct st_platform *machine(int64_t late_ns)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, START_NS);
    assert_non_null(p);
    st_fake_set_clock_cost_ns(p, 20);
    assert_int_equal(st_fake_script_sleeps(p, NULL, 0, late_ns), 0);
    return p;
}

static void wakes_on_time_once_it_has_learned(void **state)
{
    struct st_platform *p = machine(14000);
    struct st_margin margin;
    int64_t woke_ns = START_NS;
    st_margin_init(&margin, ST_MARGIN_QUANTILE, 0.99);
    for (int k = 1; k <= 200; k++) {
        const int64_t due_ns = START_NS + k * PERIOD_NS;
        assert_int_equal(st_punctual_wait(&margin, p, p->sleep_until_ns, woke_ns, due_ns, &woke_ns),
                         0);
        assert_true(woke_ns >= due_ns); /* never early */
        if (k <= 32)
            assert_int_equal(woke_ns - due_ns, 14000);
        else if (k > 33)
            assert_in_range(woke_ns - due_ns, 0, 20);
    }
    assert_int_equal(st_fake_sleeps_n(p), 200);
    st_fake_free(p);
}

static void wait_that_is_over_neither_sleeps_nor_learns(void **state)
{
    struct st_platform *p = machine(14000);
    struct st_margin margin;
    int64_t woke_ns;
    st_margin_init(&margin, ST_MARGIN_QUANTILE, 0.99);
    assert_int_equal(
        st_punctual_wait(&margin, p, p->sleep_until_ns, START_NS, START_NS - 5, &woke_ns), 0);
    assert_int_equal(woke_ns, START_NS);
    assert_int_equal(st_fake_sleeps_n(p), 0);
    assert_true(margin.overshoot_ns == INT64_MIN);
    st_fake_free(p);
}

static void early_wake_is_spun_out(void **state)
{
    struct st_platform *p = machine(-3000);
    struct st_margin margin;
    int64_t woke_ns;
    st_margin_init(&margin, ST_MARGIN_QUANTILE, 0.01);
    assert_int_equal(
        st_punctual_wait(&margin, p, p->sleep_until_ns, START_NS, START_NS + PERIOD_NS, &woke_ns),
        0);
    assert_in_range(woke_ns, START_NS + PERIOD_NS, START_NS + PERIOD_NS + 20);
    assert_int_equal(margin.overshoot_ns, -3000);
    st_fake_free(p);
}

static void spins_at_most_half_of_the_wait(void **state)
{
    struct st_platform *p = machine(0);
    struct st_margin margin;
    int64_t woke_ns;
    st_margin_init(&margin, ST_MARGIN_FIXED, 100 * ST_NS_PER_MS);
    assert_int_equal(
        st_punctual_wait(&margin, p, p->sleep_until_ns, START_NS, START_NS + PERIOD_NS, &woke_ns),
        0);
    assert_int_equal(st_fake_sleeps_n(p), 1);
    /* a read each 20 ns for half of it, the one that was due and the one after the sleep */
    assert_in_range(st_fake_clock_reads_n(p), PERIOD_NS / 2 / 20 - 2, PERIOD_NS / 2 / 20 + 3);
    st_fake_free(p);
}

static void signal_is_handed_on_and_not_learned(void **state)
{
    struct st_platform *p = machine(14000);
    struct st_margin margin;
    int64_t woke_ns = 17;
    st_margin_init(&margin, ST_MARGIN_QUANTILE, 0.99);
    assert_int_equal(st_fake_fail_at(p, "sleep_until_ns", 1, -EINTR), 0);
    assert_int_equal(
        st_punctual_wait(&margin, p, p->sleep_until_ns, START_NS, START_NS + PERIOD_NS, &woke_ns),
        -EINTR);
    assert_int_equal(woke_ns, 17);
    assert_true(margin.overshoot_ns == INT64_MIN);
    st_fake_free(p);
}

static struct st_random chance;

static int64_t slow_now_ns(struct st_platform *platform) ST_NONBLOCKING
{
    /* no two reads take the same */
    return slow_ns += read_ns + (int64_t)(0.05 * (double)read_ns * (st_random_unit(&chance) - 0.5));
}

/* Some 7 us late, one in fifty 2 us more: as a guest whose instructions are counted. */
static int slow_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    const bool tick = st_random_unit(&chance) < 0.02;
    slow_ns = (due_ns > slow_ns ? due_ns : slow_ns) + 6700 + (tick ? 2000 : 0) +
              (int64_t)(300 * st_random_unit(&chance));
    return 0;
}

struct outcome {
    double on_time, spin_ns; /* share within 100 ns, mean a wait */
};

static struct outcome outcome_of(struct st_margin *margin)
{
    struct st_platform p = {.now_ns = slow_now_ns, .sleep_until_ns = slow_sleep_until_ns};
    struct outcome outcome = {0, 0};
    int64_t woke_ns = slow_ns = START_NS;
    chance = (struct st_random){.state = 5};
    for (int k = 1; k <= 4000; k++) {
        const int64_t due_ns = START_NS + k * PERIOD_NS;
        assert_int_equal(st_punctual_wait(margin, &p, p.sleep_until_ns, woke_ns, due_ns, &woke_ns),
                         0);
        assert_true(woke_ns >= due_ns);
        if (k <= 1000)
            continue;
        outcome.on_time += woke_ns - due_ns <= 100 ? 1 / 3000.0 : 0;
        outcome.spin_ns += (double)margin->spun_ns / 3000;
    }
    return outcome;
}

/* Where a read takes 164 ns, reads in a row are on time in 61 % of the waits, whatever the margin.
 * A plain cycle costs some 8 us there, and half of it where a read takes half as long. */
static void budgets_reach_what_a_wide_margin_does_where_the_clock_is_slow(void **state)
{
    static const struct {
        int64_t read_ns, turn_ns, plain_ns;
    } clocks[] = {{164, 6, 8000}, {82, 3, 4000}, {700, 1, 8000}, {25, 1, 4000}};
    static const double factors[] = {1.7, 3};
    ST_EACH (platform, clocks) {
        struct st_margin margin;
        read_ns = platform->read_ns;
        turn_ns = platform->turn_ns;
        st_margin_init(&margin, ST_MARGIN_FIXED, 125000);
        const struct outcome fixed = outcome_of(&margin);
        ST_EACH (factor, factors) {
            const double plain_ns = (double)platform->plain_ns;
            st_margin_init(&margin, ST_MARGIN_BUDGET, (*factor - 1) * plain_ns);
            const struct outcome budget = outcome_of(&margin);
            print_message(
                "# read %d ns, budget %g: %.1f %% on time, %.0f ns spun; 125 us: %.1f %%\n",
                (int)read_ns, *factor, 100 * budget.on_time, budget.spin_ns, 100 * fixed.on_time);
            assert_true(fixed.on_time > 0.9);
            assert_true(budget.on_time >= 0.9 * fixed.on_time);
            assert_true(plain_ns + budget.spin_ns <= (plain_ns + fixed.spin_ns) / 5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wakes_on_time_once_it_has_learned),
        cmocka_unit_test(wait_that_is_over_neither_sleeps_nor_learns),
        cmocka_unit_test(early_wake_is_spun_out),
        cmocka_unit_test(spins_at_most_half_of_the_wait),
        cmocka_unit_test(signal_is_handed_on_and_not_learned),
        cmocka_unit_test(budgets_reach_what_a_wide_margin_does_where_the_clock_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
