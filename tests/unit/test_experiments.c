#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "measure/experiments.h"
#include "tests/fake/fake.h"

#define ABSOLUTE "clock_nanosleep-abs-monotonic"

static const struct st_period period = {2666667, 1};

/* Lateness of an undisturbed machine: 12 .. 17 us, not the same in each block. */
static void script_quiet(struct st_platform *p, const char *method)
{
    int64_t late_ns[997];
    struct st_random random = {19};
    for (size_t i = 0; i < ST_ARRAY_LEN(late_ns); i++)
        late_ns[i] = 12000 + (int64_t)st_random_below(&random, 5000);
    assert_int_equal(st_fake_script_method(p, method, late_ns, ST_ARRAY_LEN(late_ns), 0), 0);
}

static struct st_platform *machine(enum st_os os)
{
    struct st_platform *p = st_fake_new(os, 5 * ST_NS_PER_S);
    assert_non_null(p);
    script_quiet(p, ABSOLUTE);
    script_quiet(p, "clock_nanosleep-rel-monotonic");
    script_quiet(p, "timerfd-abs");
    if (os == ST_OS_FREEBSD)
        script_quiet(p, "umtx");
    return p;
}

static struct st_trials run(struct st_platform *p, const _Atomic bool *stop)
{
    struct st_experiments plan;
    struct st_trials trials;
    st_experiments_plan(p, &period, 10 * ST_NS_PER_S, &plan);
    const struct st_experiments_run how = {.seed = 7, .stop = stop};
    assert_int_equal(st_experiments_run(p, &plan, &how, &trials), 0);
    return trials;
}

static const struct st_trial *find(const struct st_trials *trials, const char *id)
{
    for (size_t i = 0; i < trials->n; i++) {
        if (strcmp(trials->rows[i].id, id) == 0)
            return &trials->rows[i];
    }
    fail_msg("no trial %s", id);
    return NULL;
}

static void slack_is_seen_and_what_does_not_matter_is_not(void **state)
{
    (void)state;
    struct st_platform *p =
        machine(ST_OS_LINUX); /* normal threads are 50 us later, as the fake's slack says */
    st_fake_set_idle_exit_ns(p, 9000);
    struct st_trials trials = run(p, NULL);
    char text[ST_TRIAL_TEXT_BYTES];
    assert_int_equal(trials.n, 7);
    static const struct {
        const char *id;
        enum st_trial_outcome outcome;
        double difference_us;
    } wanted[] = {
        {"timer-slack", ST_TRIAL_EFFECT, -50}, {"timerfd", ST_TRIAL_EFFECT, -50},
        {"real-time", ST_TRIAL_EFFECT, -50},   {"timer-slack-fifo", ST_TRIAL_NO_EFFECT, 0},
        {"pm-qos", ST_TRIAL_EFFECT, -9},       {"absolute-relative", ST_TRIAL_NO_EFFECT, 0},
        {"cpu", ST_TRIAL_NO_EFFECT, 0},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(wanted); i++) {
        const struct st_trial *trial = find(&trials, wanted[i].id);
        const struct st_estimate *median = &trial->figures[ST_FIGURE_MEDIAN].difference;
        if (st_trial_outcome(trial) != wanted[i].outcome)
            fail_msg("%s", st_trial_text(trial, text, sizeof(text)));
        assert_true(median->low / 1000 <= wanted[i].difference_us + 0.5);
        assert_true(median->high / 1000 >= wanted[i].difference_us - 0.5);
        assert_true(trial->pairs_n >= 8 && trial->arms[0].n == trial->arms[1].n && trial->arms[0].n >= 100);
        assert_false(trial->figures[ST_FIGURE_P99].known[0]); /* n < 1000 */
    }
    assert_true(st_trial_is_for(find(&trials, "pm-qos"), "linux-idle-request-access"));
    assert_int_equal(
        strcmp(find(&trials, "timer-slack")->arms[0].name, "normal thread, slack 50.0 µs unchanged"), 0);
    assert_int_equal(strcmp(find(&trials, "pm-qos")->arms[1].name, "kept at 0 µs by sleeptune, slack 1 ns"),
                     0);
    assert_false(trials.interrupted);
    /* the time that is named for a p99 does */
    const char *budget = strstr(st_trials_heading(&trials, text, sizeof(text)), "--measure=");
    assert_non_null(budget);
    struct st_experiments longer;
    st_experiments_plan(p, &period, strtoll(budget + 10, NULL, 10) * ST_NS_PER_S, &longer);
    assert_true(longer.rows[0].pairs_n * longer.rows[0].cycles_n >= 1000);
    st_trials_finish(&trials);
    /* nothing is left behind */
    enum st_policy policy;
    int priority;
    int64_t slack_ns;
    assert_int_equal(p->get_policy(p, &policy, &priority), 0);
    assert_int_equal(policy, ST_POLICY_OTHER);
    assert_int_equal(p->timer_slack_ns(p, &slack_ns), 0);
    assert_int_equal(slack_ns, 50000);
    assert_int_equal(st_fake_latency_holds_n(p), 0);
    st_fake_free(p);
}

static void what_is_refused_says_why_and_its_time_goes_to_the_others(void **state)
{
    (void)state;
    struct st_platform *p = machine(ST_OS_LINUX);
    struct st_experiments plan, poorer;
    st_experiments_plan(p, &period, 10 * ST_NS_PER_S, &plan);
    assert_true(plan.duration_ns > 9 * ST_NS_PER_S && plan.duration_ns < 10 * ST_NS_PER_S);
    assert_int_equal(st_fake_fail_at(p, "set_policy", 0, -EPERM), 0);
    assert_int_equal(st_fake_fail_at(p, "hold_latency", 0, -EACCES), 0);
    assert_int_equal(st_fake_fail_method(p, "timerfd-abs", -EMFILE), 0);
    st_experiments_plan(p, &period, 10 * ST_NS_PER_S, &poorer);
    assert_true(poorer.rows[0].pairs_n > plan.rows[0].pairs_n);
    struct st_trials trials = run(p, NULL);
    assert_string_equal(find(&trials, "real-time")->not_tried, "no right to real-time priority");
    assert_string_equal(find(&trials, "timer-slack-fifo")->not_tried, "no right to real-time priority");
    assert_string_equal(find(&trials, "pm-qos")->not_tried, "no right to /dev/cpu_dma_latency");
    assert_non_null(strstr(find(&trials, "timerfd")->not_tried, "timerfd-abs: "));
    assert_int_equal(st_trial_outcome(find(&trials, "timer-slack")), ST_TRIAL_EFFECT);
    assert_int_equal(st_trial_outcome(find(&trials, "real-time")), ST_TRIAL_NOT_TRIED);
    st_trials_finish(&trials);
    st_fake_free(p);
}

static void freebsd_is_tried_beside_a_wait_that_is_not_stretched(void **state)
{
    (void)state;
    struct st_platform *p = machine(ST_OS_FREEBSD); /* clock_nanosleep is 50 us later in the fake */
    struct st_trials trials = run(p, NULL);
    assert_int_equal(trials.n, 4);
    const struct st_trial *precise = find(&trials, "precise-wait");
    assert_int_equal(st_trial_outcome(precise), ST_TRIAL_EFFECT);
    assert_true(st_trial_gain_us(precise) > 49 && st_trial_gain_us(precise) < 51);
    assert_true(st_trial_is_for(precise, "freebsd-alloweddeviation"));
    assert_ptr_equal(st_trials_gain(&trials, "freebsd-nanosleep-precise"), precise);
    assert_true(st_trial_is_for(find(&trials, "cpu"), "freebsd-cpu-binding"));
    assert_int_equal(st_trial_outcome(find(&trials, "absolute-relative")), ST_TRIAL_NO_EFFECT);
    st_trials_finish(&trials);
    st_fake_free(p);
}

static void a_wild_machine_is_called_noisy(void **state)
{
    (void)state;
    struct st_platform *p = machine(ST_OS_LINUX);
    int64_t wild_ns[211];
    struct st_random random = {3};
    for (size_t i = 0; i < ST_ARRAY_LEN(wild_ns); i++)
        wild_ns[i] = (int64_t)st_random_below(&random, i / 20 % 2 == 0 ? 30000 : 900000);
    assert_int_equal(st_fake_script_method(p, ABSOLUTE, wild_ns, ST_ARRAY_LEN(wild_ns), 0), 0);
    struct st_trials trials = run(p, NULL);
    const enum st_trial_outcome outcome = st_trial_outcome(find(&trials, "cpu"));
    assert_int_equal(outcome, ST_TRIAL_NOISY);
    st_trials_finish(&trials);
    st_fake_free(p);
}

/* Ends everything in the second experiment. */
struct ending {
    _Atomic bool stop;
    int looks_n;
};

static void look(void *ctx, const struct st_experiment *current, int64_t done_ns)
{
    struct ending *ending = ctx;
    ending->looks_n++;
    assert_true(done_ns > 0);
    if (strcmp(current->id, "timerfd") == 0 && ending->looks_n % 8 == 0)
        atomic_store(&ending->stop, true);
}

static void what_was_measured_before_the_end_is_kept(void **state)
{
    (void)state;
    struct st_platform *p = machine(ST_OS_LINUX);
    struct ending ending = {0};
    struct st_experiments plan;
    struct st_trials trials;
    st_experiments_plan(p, &period, 10 * ST_NS_PER_S, &plan);
    const struct st_experiments_run how = {
        .seed = 1, .stop = &ending.stop, .look = look, .look_ctx = &ending};
    assert_int_equal(st_experiments_run(p, &plan, &how, &trials), 0);
    assert_true(trials.interrupted);
    assert_int_equal(st_trial_outcome(find(&trials, "timer-slack")), ST_TRIAL_EFFECT);
    assert_true(find(&trials, "timerfd")->pairs_n >= 1);
    assert_true(find(&trials, "timerfd")->pairs_n < plan.rows[1].pairs_n);
    assert_string_equal(find(&trials, "real-time")->not_tried, "interrupted before its turn");
    st_trials_finish(&trials);
    st_fake_free(p);
}

static void cpus_are_chosen_by_what_tells_them_apart(void **state)
{
    (void)state;
    struct st_experiments plan;
    struct st_platform *p = machine(ST_OS_LINUX);
    assert_int_equal(st_fake_set_file(p, "/sys/devices/system/cpu/cpu0/cpu_capacity", "1024\n", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/sys/devices/system/cpu/cpu1/cpu_capacity", "446\n", 0), 0);
    st_experiments_plan(p, &period, ST_NS_PER_S, &plan);
    assert_string_equal(plan.rows[6].names[0], "CPU 1, of the slowest kind");
    assert_string_equal(plan.rows[6].names[1], "CPU 0, of the fastest kind");
    assert_null(plan.rows[6].rules[0]);
    assert_int_equal(st_fake_set_file(p, "/sys/devices/system/cpu/isolated", "1\n", 0), 0);
    st_experiments_plan(p, &period, ST_NS_PER_S, &plan);
    assert_string_equal(plan.rows[6].names[1], "CPU 1, isolated");
    assert_int_equal(st_fake_set_file(p, "/sys/devices/system/cpu/isolated", "7\n", 0), 0);
    st_experiments_plan(p, &period, ST_NS_PER_S, &plan); /* not on this machine */
    assert_non_null(strstr(plan.rows[6].not_tried, "that CPU: "));
    st_fake_free(p);
}

/* Waking past the next period skips it, and a long period takes the time it needs. */
static void late_wakes_skip_and_long_periods_take_longer(void **state)
{
    (void)state;
    struct st_platform *p = machine(ST_OS_LINUX);
    const int64_t late_ns[] = {6 * ST_NS_PER_MS, 1000, 1000};
    assert_int_equal(st_fake_script_method(p, ABSOLUTE, late_ns, ST_ARRAY_LEN(late_ns), 0), 0);
    struct st_trials trials = run(p, NULL);
    assert_true(find(&trials, "timer-slack")->arms[0].skipped_n > 0);
    st_trials_finish(&trials);
    st_fake_free(p);
    struct st_experiments plan;
    const struct st_period second = {1000000000, 1};
    p = machine(ST_OS_LINUX);
    st_experiments_plan(p, &second, ST_NS_PER_S, &plan);
    assert_true(plan.duration_ns > 950 * ST_NS_PER_S); /* 7 experiments, 8 pairs of 2 blocks of 9 s */
    st_fake_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slack_is_seen_and_what_does_not_matter_is_not),
        cmocka_unit_test(what_is_refused_says_why_and_its_time_goes_to_the_others),
        cmocka_unit_test(freebsd_is_tried_beside_a_wait_that_is_not_stretched),
        cmocka_unit_test(a_wild_machine_is_called_noisy),
        cmocka_unit_test(what_was_measured_before_the_end_is_kept),
        cmocka_unit_test(cpus_are_chosen_by_what_tells_them_apart),
        cmocka_unit_test(late_wakes_skip_and_long_periods_take_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
