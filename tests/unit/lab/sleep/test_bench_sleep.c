#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "lab/sleep/bench_sleep.h"
#include "tests/fake/fake.h"

#define MS ST_NS_PER_MS

/* Absolute, ppoll, timerfd: the fake's usual ones; a bench of them on one duration. */
struct story {
    struct st_platform *fake;
    const struct st_sleep_method *methods[8];
    int64_t durations_ns[2];
    struct st_sleep_setting settings[3];
    struct st_bench_sleep_config config;
    struct st_bench_sleep bench;
    struct st_sleep_figures *figures;
    size_t order[400], ordered_n; /* which cell was visited, in order, by its samples */
    size_t asked_n, stop_at;
};

static void add(struct story *s, const char *name)
{
    const struct st_sleep_method *m = st_fake_sleep_method(s->fake, name);
    assert_non_null(m);
    s->methods[s->config.methods_n++] = m;
}

static int prepare_os(void **state, enum st_os os)
{
    struct story *s = calloc(1, sizeof(*s));
    *state = s;
    if (s == NULL)
        return -1;
    s->fake = st_fake_new(os, 5 * ST_NS_PER_S);
    s->durations_ns[0] = 5 * MS;
    s->settings[0] = (struct st_sleep_setting){ST_POLICY_OTHER, 0, -1};
    s->config = (struct st_bench_sleep_config){.methods = s->methods,
                                               .durations_ns = s->durations_ns,
                                               .durations_n = 1,
                                               .settings = s->settings,
                                               .settings_n = 1,
                                               .budget_ns = 10 * ST_NS_PER_S,
                                               .seed = 42};
    const struct st_thread_counters counters = {.valid = ST_COUNTER_CPU};
    st_fake_set_counters(s->fake, &counters);
    return s->fake == NULL;
}

static int prepare(void **state)
{
    return prepare_os(state, ST_OS_LINUX);
}

static int prepare_freebsd(void **state)
{
    return prepare_os(state, ST_OS_FREEBSD);
}

static int finish(void **state)
{
    struct story *s = *state;
    st_bench_sleep_finish(&s->bench);
    free(s->figures);
    st_fake_free(s->fake);
    free(s);
    return 0;
}

static void script(struct story *s, const char *name, const int64_t *late_ns, size_t n, int64_t cpu_ns)
{
    assert_int_equal(st_fake_script_method(s->fake, name, late_ns, n, cpu_ns), 0);
}

static void run(struct story *s)
{
    assert_int_equal(st_bench_sleep_init(&s->bench, &s->fake->threads, &s->config), 0);
    assert_int_equal(st_bench_sleep_measure(&s->bench, s->fake), 0);
    assert_int_equal(st_bench_sleep_figures(&s->bench, &s->figures), 0);
}

static const int64_t late_10[] = {10000, 10100, 9900, 10050, 9950, 10000, 10020};
static const int64_t late_10_too[] = {10010, 9980, 10060, 10000, 9940, 10030};
static const int64_t late_30[] = {30000, 30100, 29900, 30050, 29950};

static void methods_that_cannot_be_told_apart_share_a_rank(void **state)
{
    struct story *s = *state;
    add(s, "clock_nanosleep-abs-monotonic");
    add(s, "ppoll");
    add(s, "timerfd-abs");
    assert_int_equal(s->fake->threads.set_timer_slack_ns(&s->fake->threads, 1), 0);
    script(s, "clock_nanosleep-abs-monotonic", late_30, 5, 0);
    script(s, "ppoll", late_10, 7, 0);
    script(s, "timerfd-abs", late_10_too, 6, 0);
    run(s);
    assert_int_equal(s->figures[0].rank, 3);
    assert_int_equal(s->figures[1].rank, 1);
    assert_int_equal(s->figures[2].rank, 1);
    assert_true(s->figures[0].overshoot.n >= 100);
    assert_in_range(s->figures[1].overshoot.median.value_ns, 9990, 10010);
    assert_true(s->figures[0].percent > 0.59 && s->figures[0].percent < 0.61); /* 30 us of 5 ms */
    assert_true(s->figures[1].sd_ratio.known);
    assert_true(s->figures[1].sd_ratio.low < s->figures[1].sd_ratio.value);
    assert_true(s->figures[0].range_ratio_known && s->figures[0].range_ratio == 1.0);
}

static void cpu_is_that_of_the_sleeps(void **state)
{
    struct story *s = *state;
    add(s, "ppoll");
    script(s, "ppoll", late_10, 7, 12345);
    run(s);
    assert_true(s->figures[0].cpu_ns == 12345.0);
}

static void on_time_is_within_100_ns_early_or_late(void **state)
{
    static const int64_t late[] = {-102, -101, -100, -99, 0, 99, 100, 101, 102, 10000};
    struct story *s = *state;
    add(s, "ppoll");
    assert_int_equal(s->fake->threads.set_timer_slack_ns(&s->fake->threads, 1), 0);
    script(s, "ppoll", late, ST_ARRAY_LEN(late), 0);
    run(s);
    const struct st_sleep_cell *cell = &s->bench.cells[0];
    size_t on_time_n = 0;
    for (size_t i = 0; i < cell->n; i++)
        on_time_n += llabs(cell->overshoot_ns[i]) <= 100;
    assert_true(on_time_n > cell->n / 4 && on_time_n < cell->n * 3 / 4);
    assert_int_equal(cell->on_time_n, on_time_n);
    assert_true(s->figures[0].on_time == (double)on_time_n / (double)cell->n);
}

static void the_budget_is_kept_and_too_few_samples_get_no_rank(void **state)
{
    struct story *s = *state;
    add(s, "ppoll");
    add(s, "timerfd-abs");
    s->durations_ns[0] = 100 * MS;
    s->config.budget_ns = 2 * ST_NS_PER_S;
    const int64_t before_ns = s->fake->clock.now_ns(&s->fake->clock);
    run(s);
    assert_true(s->fake->clock.now_ns(&s->fake->clock) - before_ns <= s->config.budget_ns + MS);
    assert_in_range(s->bench.cells[0].n, 5, 19);
    assert_false(s->figures[0].overshoot.median.known);
    assert_int_equal(s->figures[0].rank, 0);
    assert_false(s->figures[0].percent_known);
}

static void without_a_budget_twenty_blocks_are_measured(void **state)
{
    struct story *s = *state;
    add(s, "ppoll");
    s->durations_ns[0] = 500 * MS;
    s->config.budget_ns = 0;
    run(s);
    assert_in_range(s->bench.cells[0].n, 20, 22);
    assert_int_equal(s->figures[0].rank, 1);
}

static void a_narrow_interval_ends_it_early(void **state)
{
    struct story *s = *state;
    add(s, "timerfd-abs");
    script(s, "timerfd-abs", late_10, 7, 0);
    s->config.budget_ns = 3600 * ST_NS_PER_S;
    s->config.precision = 0.05;
    run(s);
    assert_true(s->bench.cells[0].narrow);
    assert_in_range(s->bench.cells[0].n, 200, 220); /* 20 blocks, which ranks take */
    assert_true(s->bench.elapsed_ns < 2 * ST_NS_PER_S);
}

static void what_is_missing_says_why_and_the_rest_is_measured(void **state)
{
    struct story *s = *state;
    add(s, "ppoll");
    add(s, "timerfd-abs");
    assert_int_equal(st_fake_fail_method(s->fake, "ppoll", -EPERM), 0);
    s->config.budget_ns = ST_NS_PER_S;
    run(s);
    assert_non_null(s->bench.cells[0].why);
    assert_int_equal(s->bench.cells[0].error, -EPERM);
    assert_null(s->bench.cells[1].why);
    assert_true(s->bench.cells[1].n > 20);
    assert_int_equal(s->figures[0].rank, 0);
    assert_int_equal(s->figures[1].rank, 1);
    assert_false(s->figures[1].sd_ratio.known); /* the baseline was not measured */
}

static void a_policy_that_cannot_be_set_is_no_endless_run(void **state)
{
    struct story *s = *state;
    add(s, "ppoll");
    s->settings[1] = (struct st_sleep_setting){ST_POLICY_FIFO, 70, -1};
    s->config.settings_n = 2;
    s->config.budget_ns = ST_NS_PER_S;
    assert_int_equal(st_fake_fail_at(s->fake, "set_policy", 0, -EPERM), 0);
    run(s);
    assert_int_equal(s->bench.cells[1].error, -EPERM);
    assert_int_equal(s->bench.cells[1].n, 0);
}

static void sleeps_that_a_signal_ends_are_counted_apart(void **state)
{
    struct story *s = *state;
    const int64_t half[] = {INT64_MIN, 100, 100, 100};
    const int64_t all[] = {INT64_MIN};
    add(s, "ppoll");
    add(s, "timerfd-abs");
    script(s, "ppoll", half, 4, 0);
    script(s, "timerfd-abs", all, 1, 0);
    s->config.budget_ns = ST_NS_PER_S;
    run(s);
    assert_true(s->bench.cells[0].interrupted_n > 0 && s->bench.cells[0].n > 0);
    assert_int_equal(s->bench.cells[1].n, 0);
    assert_int_equal(s->bench.cells[1].error, -EINTR); /* given up, instead of for ever */
}

/* Asked before each visit: which cell grew since the last time tells the order. */
static bool note_order(void *ctx, const struct st_bench_sleep *bench)
{
    struct story *s = ctx;
    static size_t seen[16];
    if (s->asked_n++ == 0)
        memset(seen, 0, sizeof(seen));
    for (size_t i = 0; i < bench->cells_n; i++) {
        if (bench->cells[i].n != seen[i] && s->ordered_n < ST_ARRAY_LEN(s->order))
            s->order[s->ordered_n++] = i;
        seen[i] = bench->cells[i].n;
    }
    return s->stop_at == 0 || s->asked_n < s->stop_at;
}

static void add_five(struct story *s)
{
    add(s, "clock_nanosleep-abs-monotonic");
    add(s, "clock_nanosleep-rel-monotonic");
    add(s, "ppoll");
    add(s, "timerfd-abs");
    add(s, "posix-timer");
    s->config.go_on = note_order;
    s->config.ctx = s;
}

static void each_block_has_each_cell_once_in_an_order_that_the_seed_decides(void **state)
{
    struct story *s = *state;
    size_t first[100];
    add_five(s);
    run(s);
    assert_true(s->ordered_n >= 100);
    bool moved = false;
    for (size_t block = 0; block < 20; block++) {
        unsigned visited = 0;
        for (size_t i = 0; i < 5; i++)
            visited |= 1u << s->order[block * 5 + i];
        assert_int_equal(visited, 0x1f);
        moved = moved || memcmp(&s->order[block * 5], s->order, 5 * sizeof(s->order[0])) != 0;
    }
    assert_true(moved);
    memcpy(first, s->order, sizeof(first));

    for (int other = 0; other < 2; other++) { /* the same seed again, then another */
        st_bench_sleep_finish(&s->bench);
        free(s->figures);
        s->figures = NULL;
        s->ordered_n = s->asked_n = 0;
        s->config.seed = other ? 43 : 42;
        run(s);
        assert_true((memcmp(first, s->order, sizeof(first)) != 0) == (other == 1));
    }
}

static void stopping_keeps_what_was_measured(void **state)
{
    struct story *s = *state;
    add_five(s);
    s->stop_at = 8;
    run(s);
    assert_true(s->bench.stopped);
    size_t measured_n = 0;
    for (size_t i = 0; i < s->bench.cells_n; i++)
        measured_n += s->bench.cells[i].n > 0;
    assert_int_equal(measured_n, 5);
}

static void slack_and_policy_are_as_before_afterwards(void **state)
{
    struct story *s = *state;
    enum st_policy policy;
    int priority;
    int64_t slack_ns;
    add(s, "ppoll");
    s->settings[0] = (struct st_sleep_setting){ST_POLICY_OTHER, 0, 1};
    s->settings[1] = (struct st_sleep_setting){ST_POLICY_FIFO, 70, -1};
    s->config.settings_n = 2;
    s->config.budget_ns = ST_NS_PER_S;
    assert_int_equal(s->fake->threads.set_policy(&s->fake->threads, ST_POLICY_RR, 5), 0);
    run(s);
    assert_int_equal(s->fake->threads.get_policy(&s->fake->threads, &policy, &priority), 0);
    assert_int_equal(policy, ST_POLICY_RR);
    assert_int_equal(priority, 5);
    assert_int_equal(s->fake->threads.timer_slack_ns(&s->fake->threads, &slack_ns), 0);
    assert_int_equal(slack_ns, 50000);
}

static const char *sentence(struct story *s, char *buf, size_t buf_bytes)
{
    assert_int_equal(st_bench_sleep_stretch_sentence(&s->bench, &s->fake->machine, buf, buf_bytes), 0);
    return buf;
}

static void the_sentence_tells_what_slack_stretches_by_what_was_measured(void **state)
{
    struct story *s = *state;
    char text[ST_SLEEP_SENTENCE_BYTES], wanted[80];
    enum st_stretch_seen seen;
    struct st_quantile difference;
    add(s, "ppoll");
    add(s, "timerfd-abs");
    add(s, "posix-timer");
    assert_int_equal(st_fake_fail_method(s->fake, "posix-timer", -ENOTSUP), 0);
    script(s, "ppoll", late_10, 7, 0);
    script(s, "timerfd-abs", late_30, 5, 0);
    s->settings[1] = (struct st_sleep_setting){ST_POLICY_OTHER, 0, 1};
    s->settings[2] = (struct st_sleep_setting){ST_POLICY_FIFO, 70, -1};
    s->config.settings_n = 3;
    run(s);
    assert_int_equal(st_bench_sleep_stretch(&s->bench, &s->fake->machine, 0, &seen, &difference), 0);
    assert_int_equal(seen, ST_STRETCH_SEEN);
    assert_in_range(difference.value_ns, 49800, 50200);
    assert_int_equal(st_bench_sleep_stretch(&s->bench, &s->fake->machine, 1, &seen, &difference), 0);
    assert_int_equal(seen, ST_STRETCH_NOT_SEEN);
    assert_int_equal(st_bench_sleep_stretch(&s->bench, &s->fake->machine, 2, &seen, &difference), 0);
    assert_int_equal(seen, ST_STRETCH_UNTRIED);
    sentence(s, text, sizeof(text));
    assert_non_null(
        strstr(text, "A timer slack of 50.0 µs instead of 1 ns makes sleeps longer with ppoll (+"));
    assert_non_null(strstr(text, "but not with timerfd-abs ("));
    assert_null(strstr(text, "posix-timer"));
    assert_non_null(strstr(text, "without root rights"));
    /* the least of both methods at both slacks; posix-timer, which has none, is not in the sentence */
    size_t least_n = SIZE_MAX;
    for (size_t setting = 0; setting < 2; setting++) {
        for (size_t method = 0; method < 2; method++) {
            const size_t n = st_bench_sleep_cell(&s->bench, setting, 0, method)->n;
            least_n = n < least_n ? n : least_n;
        }
    }
    assert_true(least_n > 0);
    snprintf(wanted, sizeof(wanted),
             ". Each method slept at least %zu times with each slack. A program without", least_n);
    assert_non_null(strstr(text, wanted));
}

static void with_one_slack_the_sentence_says_that_nothing_was_measured(void **state)
{
    struct story *s = *state;
    char text[ST_SLEEP_SENTENCE_BYTES];
    add(s, "ppoll");
    add(s, "timerfd-abs");
    s->config.budget_ns = ST_NS_PER_S;
    run(s);
    sentence(s, text, sizeof(text));
    assert_non_null(strstr(text, "This run did not measure whether"));
    assert_non_null(strstr(text, "--slack found,1ns."));
}

static void on_freebsd_the_longest_duration_is_held_against_the_shortest(void **state)
{
    struct story *s = *state;
    char text[ST_SLEEP_SENTENCE_BYTES];
    add(s, "ppoll");
    add(s, "timerfd-abs");
    add(s, "posix-timer"); /* in steps of 1 ms here: rounding cannot be told from stretching */
    assert_int_equal(st_fake_set_sysctl(s->fake, "kern.timecounter.alloweddeviation", "5", 0), 0);
    assert_int_equal(st_fake_set_sysctl(s->fake, "kern.hz", "1000", 0), 0);
    s->durations_ns[0] = 2 * MS;
    s->durations_ns[1] = 10 * MS;
    s->config.durations_n = 2;
    run(s); /* both are late by nothing, whatever the duration: neither is stretched */
    sentence(s, text, sizeof(text));
    assert_non_null(
        strstr(text, "which allows 500.0 µs more lateness for sleeps of 10.000 ms than of 2.000 ms"));
    assert_non_null(strstr(
        text,
        "makes sleeps longer with none of the methods: not with ppoll (0 ns), timerfd-abs (0 ns); not clear "
        "from this run for posix-timer (0 ns). Each method slept at least "));
    assert_non_null(strstr(text, " times with each duration."));
}

static void what_makes_no_bench_is_refused(void **state)
{
    struct story *s = *state;
    assert_int_equal(st_bench_sleep_init(&s->bench, &s->fake->threads, &s->config), -EINVAL); /* no method */
    add(s, "ppoll");
    s->durations_ns[0] = 0;
    assert_int_equal(st_bench_sleep_init(&s->bench, &s->fake->threads, &s->config), -EINVAL);
    s->durations_ns[0] = MS;
    s->config.baseline = 1;
    assert_int_equal(st_bench_sleep_init(&s->bench, &s->fake->threads, &s->config), -EINVAL);
    s->config.baseline = 0;
    s->config.durations_n = ST_BENCH_SLEEP_CELLS_MAX + 1; /* refused before the array is read */
    assert_int_equal(st_bench_sleep_init(&s->bench, &s->fake->threads, &s->config), -E2BIG);
    s->config.durations_n = 1;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, finish)
    const struct CMUnitTest tests[] = {
        TEST(methods_that_cannot_be_told_apart_share_a_rank),
        TEST(cpu_is_that_of_the_sleeps),
        TEST(on_time_is_within_100_ns_early_or_late),
        TEST(the_budget_is_kept_and_too_few_samples_get_no_rank),
        TEST(without_a_budget_twenty_blocks_are_measured),
        TEST(a_narrow_interval_ends_it_early),
        TEST(what_is_missing_says_why_and_the_rest_is_measured),
        TEST(a_policy_that_cannot_be_set_is_no_endless_run),
        TEST(sleeps_that_a_signal_ends_are_counted_apart),
        TEST(each_block_has_each_cell_once_in_an_order_that_the_seed_decides),
        TEST(stopping_keeps_what_was_measured),
        TEST(slack_and_policy_are_as_before_afterwards),
        TEST(the_sentence_tells_what_slack_stretches_by_what_was_measured),
        TEST(with_one_slack_the_sentence_says_that_nothing_was_measured),
        cmocka_unit_test_setup_teardown(on_freebsd_the_longest_duration_is_held_against_the_shortest,
                                        prepare_freebsd, finish),
        TEST(what_makes_no_bench_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
