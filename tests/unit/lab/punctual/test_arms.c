/* Punctual mode in the loop: what can be asked for, and arms in turn on a scripted clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/ns.h"
#include "lab/punctual/bench_punctual.h"
#include "tests/fake/fake.h"

static void lists_are_read(void **state)
{
    (void)state;
    struct st_arm_choice arms[ST_ARMS_MAX];
    assert_int_equal(st_arms_parse("free,1.7,2%,p97,125us", arms), 6);
    static const enum st_arm_kind kinds[] = {ST_ARM_PLAIN, ST_ARM_FREE,     ST_ARM_FACTOR,
                                             ST_ARM_SHARE, ST_ARM_QUANTILE, ST_ARM_FIXED};
    static const double values[] = {0, 0, 1.7, 2, 97, 125000};
    for (size_t i = 0; i < ST_ARRAY_LEN(kinds); i++) {
        assert_int_equal(arms[i].kind, kinds[i]);
        assert_true(arms[i].value == values[i]);
    }
    assert_string_equal(arms[0].name, "plain");
    assert_string_equal(arms[3].name, "2%");
    const int curve_n = st_arms_parse("curve", arms);
    assert_in_range(curve_n, 8, ST_ARMS_MAX);
    assert_int_equal(st_arms_parse("p1,p2,p3,p4,p5,p6,p7,p8,p9,p10,p11,p12,p13,p14,p15", arms), ST_ARMS_MAX);
}

static void what_is_no_way_of_waiting_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int error;
    } rows[] = {
        {"", -EINVAL},
        {",", -EINVAL},
        {"free,", -EINVAL},
        {"fre", -EINVAL},
        {"1.7x", -EINVAL},
        {"-1", -EINVAL},
        {" 1.7", -EINVAL},
        {"nan", -EINVAL},
        {"inf", -EINVAL},
        {"0.9", -ERANGE},
        {"101", -ERANGE},
        {"51%", -ERANGE},
        {"2%%", -EINVAL},
        {"-2%", -EINVAL},
        {"p", -EINVAL},
        {"p100", -ERANGE},
        {"p0", -ERANGE},
        {"p97us", -EINVAL},
        {"101ms", -ERANGE},
        {"25 us", -EINVAL},
        {"curve,free", -EINVAL},
        {"1.70000000000000000000", -EINVAL},
        {"p1,p2,p3,p4,p5,p6,p7,p8,p9,p10,p11,p12,p13,p14,p15,p16", -E2BIG},
    };
    struct st_arm_choice arms[ST_ARMS_MAX];
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++)
        assert_int_equal(st_arms_parse(rows[i].text, arms), rows[i].error);
}

static struct st_platform *fake_new(const int64_t *late_ns, size_t n)
{
    struct st_platform *fake = st_fake_new(ST_OS_LINUX, 5 * ST_NS_PER_S);
    assert_non_null(fake);
    st_fake_set_clock_cost_ns(fake, 20);
    assert_int_equal(st_fake_script_sleeps(fake, late_ns, n, 14000), 0);
    return fake;
}

/* 64 frames at 48 kHz. */
static void run(struct st_platform *fake, const char *text, struct st_bench_punctual_config config,
                struct st_bench_punctual *ret)
{
    static struct st_arm_choice choices[ST_ARMS_MAX];
    const int n = st_arms_parse(text, choices);
    assert_true(n >= 2);
    assert_int_equal(st_period_init(&config.period, 64, 48000), 0);
    config.choices = choices;
    config.arms_n = (size_t)n;
    assert_int_equal(st_bench_punctual_measure(fake, &config, ret), 0);
    assert_int_equal(ret->cycles + ret->skipped_periods, ret->elapsed_periods);
}

/* The fake's thread uses 10 us a cycle of a block. */
static int64_t thread_cpu_ns(struct st_threads *threads)
{
    struct st_platform *p = ST_PLATFORM_OF(threads, threads);
    static int64_t cpu_ns;
    (void)p;
    return cpu_ns += INT64_C(1280000);
}

static void arms_take_turns_and_each_has_its_own_figures(void **state)
{
    (void)state;
    enum { ROUNDS = 5, ARMS = 4 };
    struct st_platform *fake = fake_new(NULL, 0);
    struct st_bench_punctual bench;
    fake->threads.thread_cpu_ns = thread_cpu_ns;
    run(fake, "free,p90,30us", (struct st_bench_punctual_config){.periods = ROUNDS * ARMS * ST_ARM_BLOCK},
        &bench);
    const struct st_arm_result *results = bench.results;
    assert_int_equal(bench.cycles, ROUNDS * ARMS * ST_ARM_BLOCK);
    for (size_t i = 0; i < ARMS; i++) {
        assert_int_equal(results[i].lateness.total_n, ROUNDS * ST_ARM_BLOCK);
        assert_true(results[i].lateness.min_ns >= 0);
        assert_true(results[i].cpu_ns_per_cycle == 10000);
        assert_int_equal(results[i].blocks_n, i == 0 ? 0 : ROUNDS);
        assert_true(i == 0 || results[i].cpu_to_plain == 1);
    }
    assert_int_equal(results[0].lateness.min_ns, 14000);
    assert_int_equal(results[0].on_time_n, 0);
    /* all overshoots are the same: any quantile of them is all of them, within a bucket */
    assert_in_range(results[1].margin_ns, 13500, 14500);
    assert_true(results[1].lateness.max_ns < 600);
    assert_in_range(results[2].lateness.max_ns, 0, 600);
    assert_int_equal(results[3].margin_ns, 30000);
    assert_int_equal(results[3].on_time_n, ROUNDS * ST_ARM_BLOCK);
    assert_int_equal(st_fake_sleeps_n(fake), (ROUNDS + 2) * ARMS * ST_ARM_BLOCK);
    st_bench_punctual_finish(&bench);
    st_fake_free(fake);
}

static void factor_allows_spinning_from_what_plain_costs(void **state)
{
    (void)state;
    struct st_arm arms[2];
    static const struct st_arm_choice choices[] = {{"plain", ST_ARM_PLAIN, 0}, {"1.7", ST_ARM_FACTOR, 1.7}};
    st_arm_init(&arms[0], &choices[0], 1333333);
    st_arm_init(&arms[1], &choices[1], 1333333);
    assert_int_equal(arms[1].margin.spin_mean_max_ns, 0);
    st_arms_start(arms, 2);
    st_arms_block(arms, 2, 0, 128, 128 * 300000); /* the first one: cold */
    st_arms_block(arms, 2, 0, 128, 128 * 12000);
    assert_in_range(arms[1].margin.spin_mean_max_ns, 8399, 8400); /* and it is forgotten at once */
    st_arms_block(arms, 2, 0, 128, 128 * 11000);
    st_arms_block(arms, 2, 0, 128, 128 * 1000000); /* a block that the host took 128 ms of */
    assert_in_range(arms[1].margin.spin_mean_max_ns, 8399, 8400);
    for (int i = 0; i < ST_RECENT_MAX; i++) /* a machine that has become slower is believed */
        st_arms_block(arms, 2, 0, 128, 128 * (20000 + i % 3));
    assert_in_range(arms[1].margin.spin_mean_max_ns, 13999, 14002);
    st_arms_block(arms, 2, 0, 0, 5);
    st_arms_block(arms, 2, 1, 128, 0); /* a clock that did not move says nothing */
    assert_int_equal(arms[1].cycles, 0);
}

static void rest_of_a_block_is_counted_but_has_no_ratio(void **state)
{
    (void)state;
    struct st_arm arms[2];
    struct st_arm_result result;
    static const struct st_arm_choice choices[] = {{"plain", ST_ARM_PLAIN, 0}, {"p50", ST_ARM_QUANTILE, 50}};
    st_arm_init(&arms[0], &choices[0], 1333333);
    st_arm_init(&arms[1], &choices[1], 1333333);
    st_arms_start(arms, 2);
    for (int i = 0; i < 3; i++) {
        st_arms_block(arms, 2, 0, 128, 128 * 10000);
        st_arms_block(arms, 2, 1, 120, 120 * 11000); /* some periods were skipped */
    }
    st_arms_block(arms, 2, 0, 3, 3 * 90000); /* the run ended, or a stall reached into the block */
    st_arms_block(arms, 2, 1, 5, 5 * 50000);
    st_arm_take(&arms[1], &result);
    assert_int_equal(result.blocks_n, 3);
    assert_true(result.cpu_to_plain > 1.09 && result.cpu_to_plain < 1.11);
    assert_int_equal(arms[1].cycles, 365);
    assert_true(arms[0].block_cpu_ns == 10000);
}

static void stall_skips_periods_and_a_signal_does_not(void **state)
{
    (void)state;
    int64_t late_ns[1200];
    struct st_bench_punctual bench;
    for (size_t i = 0; i < ST_ARRAY_LEN(late_ns); i++)
        late_ns[i] = 14000;
    late_ns[900] = 20500000;
    late_ns[1000] = INT64_MIN; /* a signal */
    struct st_platform *fake = fake_new(late_ns, ST_ARRAY_LEN(late_ns));
    run(fake, "1%", (struct st_bench_punctual_config){.periods = 1000}, &bench);
    assert_int_equal(bench.skipped_periods, 14);
    assert_int_equal(bench.elapsed_periods, 1000);
    assert_int_equal(bench.results[0].lateness.total_n + bench.results[1].lateness.total_n, 1000 - 14);
    assert_true(bench.results[1].cpu_ns_per_cycle < 0); /* the fake's counters do not move */
    assert_false(bench.results[1].margin_known);
    st_bench_punctual_finish(&bench);
    st_fake_free(fake);
}

static bool end_at_once(void *ctx, int64_t elapsed_ns)
{
    (void)ctx, (void)elapsed_ns;
    return false;
}

static void ways_that_counted_nothing_have_no_figures(void **state)
{
    (void)state;
    struct st_platform *fake = fake_new(NULL, 0);
    struct st_bench_punctual bench;
    fake->threads.thread_cpu_ns = thread_cpu_ns;
    run(fake, "free", (struct st_bench_punctual_config){.periods = 1000, .go_on = end_at_once}, &bench);
    assert_int_equal(bench.elapsed_periods, 0);
    for (size_t i = 0; i < 2; i++) {
        assert_true(bench.results[i].cpu_ns_per_cycle < 0);
        assert_false(bench.results[i].margin_known);
        assert_int_equal(bench.results[i].blocks_n, 0);
    }
    st_bench_punctual_finish(&bench);
    st_fake_free(fake);
}

static void share_on_time_has_an_interval(void **state)
{
    (void)state;
    double share, low, high;
    struct st_arm_result arm = {0};
    assert_false(st_arm_on_time(&arm, &share, &low, &high));
    arm.lateness.total_n = 1000;
    arm.on_time_n = 970;
    assert_true(st_arm_on_time(&arm, &share, &low, &high));
    assert_true(share == 0.97);
    assert_true(low > 0.957 && low < 0.9585 && high > 0.978 && high < 0.9792);
    arm.on_time_n = 0;
    assert_true(st_arm_on_time(&arm, &share, &low, &high));
    assert_true(low < 1e-9 && high > 0.0035 && high < 0.0040); /* never "none" */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(what_is_no_way_of_waiting_is_refused),
        cmocka_unit_test(arms_take_turns_and_each_has_its_own_figures),
        cmocka_unit_test(factor_allows_spinning_from_what_plain_costs),
        cmocka_unit_test(rest_of_a_block_is_counted_but_has_no_ratio),
        cmocka_unit_test(stall_skips_periods_and_a_signal_does_not),
        cmocka_unit_test(ways_that_counted_nothing_have_no_figures),
        cmocka_unit_test(share_on_time_has_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
