

#include "core/ns.h"
#include "lab/exec/bench_exec.h"
#include "tests/fake/lab_fake.h"
#include "tests/unit/unit.h"

#define MS ST_NS_PER_MS

static char word_true[] = "true", word_sleep[] = "sleep";
static char *const argv_true[] = {word_true, NULL}, *const argv_sleep[] = {word_sleep, NULL};
static const struct st_exec_command commands[] = {
    {"true", argv_true, .start = 0},
    {"sleep 0.005", argv_sleep, .requested_ns = 5 * MS, .start = 0}};

/* Both starts get slower by 1 ms in every other run. */
static const int64_t start_ns[] = {1 * MS, 2 * MS}, sleep_ns[] = {6100000, 7100000};

struct story {
    struct st_lab *fake;
    struct st_bench_exec_config config;
    struct st_bench_exec bench;
    struct st_exec_figures *figures;
};

static struct story *s;

static int prepare(void **state)
{
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return -1;
    s->fake = st_lab_fake_new();
    s->config = (struct st_bench_exec_config){
        .commands = commands, .commands_n = 2, .warm_up_n = 3, .budget_ns = ST_NS_PER_S, .seed = 1};
    st_lab_fake_script_programs(s->fake, true, start_ns, 2, 0);
    st_lab_fake_script_programs(s->fake, false, sleep_ns, 2, 0);
    return s->fake == NULL;
}

static int finish(void **state)
{
    free(s->figures);
    st_bench_exec_finish(&s->bench);
    st_lab_fake_free(s->fake);
    free(s);
    return 0;
}

static void measure_runs(unsigned runs_n)
{
    s->config.runs_n = runs_n;
    assert_int_equal(st_bench_exec_init(&s->bench, &s->config), 0);
    assert_int_equal(st_bench_exec_measure(&s->bench, s->fake), 0);
    assert_int_equal(st_bench_exec_figures(&s->bench, &s->figures), 0);
}

static void the_start_is_taken_off_round_by_round(void **state)
{
    measure_runs(40);
    const struct st_exec_figures *start = &s->figures[0], *f = &s->figures[1];
    assert_int_equal(f->wall.n, 40);
    assert_true(f->wall.mean_ns == 6600000.0); /* the start is in it */
    assert_int_equal(f->net.value_ns, 5100000);
    assert_int_equal(f->net.low_ns, 5100000); /* what both starts have in common is not */
    assert_true(f->overshoot_known && f->overshoot_ns == 100000.0);
    assert_true(f->percent > 1.99 && f->percent < 2.01);
    assert_true(f->user_ns == 660000.0 && f->system_ns == 330000.0);
    assert_false(f->impossible);
    assert_false(start->net.known || start->overshoot_known);
    assert_true(start->wall.mean_ns == 1500000.0);
}

/* Two programs with a start each. The fake knows two kinds of programs: what is called true takes 1
 * and 2 ms in turn, all others 6.1 and 7.1 ms. */
static void each_has_its_own_start(void **state)
{
    static const struct st_exec_command two[] = {{"a 0", argv_true, .start = 0, .idle = true},
                                                 {"a 0.005", argv_sleep, 5 * MS, .start = 0},
                                                 {"b 0", argv_sleep, .start = 2, .idle = true},
                                                 {"b 0.005", argv_sleep, 5 * MS, .start = 2},
                                                 {"b 0.009", argv_sleep, 9 * MS, .start = 2}};
    s->config.commands = two;
    s->config.commands_n = 5;
    s->config.budget_ns = 60 * ST_NS_PER_S;
    int64_t slack_ns;
    assert_int_equal(s->fake->platform->timer_slack_ns(s->fake->platform, &slack_ns), 0);
    measure_runs(60);
    const struct st_exec_figures *a = &s->figures[2], *b = &s->figures[3];
    assert_ptr_equal(a->command, &two[1]); /* the starts come first, then by duration */
    assert_ptr_equal(b->command, &two[3]);
    assert_in_range(a->net.value_ns, 4100000, 6100000);
    assert_in_range(llabs(b->net.value_ns), 0, 1000000); /* its start takes as long */
    int64_t after_ns;
    assert_int_equal(s->fake->platform->timer_slack_ns(s->fake->platform, &after_ns), 0);
    assert_int_equal(after_ns, slack_ns); /* which the starts had for themselves */
    s->config.commands_n = 2;
    s->config.commands = &two[2]; /* a start that is not there */
    struct st_bench_exec none;
    assert_int_equal(st_bench_exec_init(&none, &s->config), -EINVAL);
}

static void differences_are_to_the_fastest_that_sleeps_as_long(void **state)
{
    static const struct st_exec_command two[] = {{"true", argv_true, .start = 0},
                                                 {"a 0.005", argv_sleep, 5 * MS, .start = 0},
                                                 {"b 0.005", argv_true, 5 * MS, .start = 0},
                                                 {"a", argv_sleep, .start = 0},
                                                 {"b", argv_true, .start = 0}};
    s->config.commands = two;
    s->config.commands_n = 5;
    s->config.budget_ns = 60 * ST_NS_PER_S;
    measure_runs(60);
    const struct st_exec_figures *a = &s->figures[3], *b = &s->figures[4];
    assert_false(b->difference.known); /* it is the fastest */
    assert_true(a->difference.known);
    assert_ptr_equal(a->fastest, b);
    assert_in_range(a->difference.value_ns, 4100000, 6100000);
    assert_true(a->difference.low_ns <= a->difference.value_ns);
    assert_int_equal(a->overshoots.n, 60);
    assert_int_equal(a->overshoots.median.value_ns, (int64_t)a->overshoot_ns);
    assert_int_equal(a->odd_n, 0);
}

static void the_budget_ends_it(void **state)
{
    s->config.budget_ns = 60 * MS;
    assert_int_equal(st_bench_exec_init(&s->bench, &s->config), 0);
    assert_int_equal(st_bench_exec_measure(&s->bench, s->fake), 0);
    assert_true(s->bench.elapsed_ns <= 60 * MS);
    assert_in_range(s->bench.arms[1].n, 1, 5);
}

static void a_few_runs_have_an_interval_of_less_confidence(void **state)
{
    static const int64_t two_ns[] = {6100000, 7300000};
    st_lab_fake_script_programs(s->fake, false, two_ns, 2, 0);
    measure_runs(3);
    const struct st_exec_figures *f = &s->figures[1];
    assert_true(f->net.known && !f->net.interval_known && f->overshoot_known);
    assert_true(f->net_confidence ==
                0.75); /* the median is outside of three runs in 2 of 8 cases */
    assert_int_equal(f->net.low_ns, 5100000);
    assert_int_equal(f->net.high_ns, 5300000);
}

static void a_run_far_from_the_others_is_an_outlier(void **state)
{
    static const int64_t far_ns[] = {6 * MS, 7 * MS, 6 * MS, 7 * MS, 99 * MS};
    st_lab_fake_script_programs(s->fake, false, far_ns, 5, 0);
    measure_runs(5);
    assert_int_equal(s->figures[1].odd_n, 1);
}

static void one_run_shows_no_overshoot(void **state)
{
    measure_runs(1);
    assert_false(s->figures[1].net.known || s->figures[1].overshoot_known);
}

static void a_sleep_that_ends_before_its_time_is_impossible(void **state)
{
    st_lab_fake_script_programs(s->fake, false, start_ns, 2, 0); /* it does not sleep at all */
    measure_runs(8);
    assert_true(s->figures[1].overshoot_known && s->figures[1].overshoot_ns == -5e6);
    assert_true(s->figures[1].impossible);
}

static void a_start_that_is_slower_alone_makes_no_sleep_impossible(void **state)
{
    static const int64_t soon_ns[] = {6 * MS - 100000, 7 * MS - 100000};
    st_lab_fake_script_programs(s->fake, false, soon_ns, 2, 0);
    measure_runs(8);
    assert_true(s->figures[1].overshoot_ns == -1e5 && !s->figures[1].impossible);
}

/* The two programs of the fake: one takes 6.1 or 7.1 ms, the other 1 or 2. Both scatter alike. */
static void ratios_of_spreads_are_to_the_fastest_that_sleeps_as_long(void **state)
{
    static const struct st_exec_command three[] = {{"true", argv_true, .start = 0},
                                                   {"a", argv_sleep, 5 * MS, .start = 0},
                                                   {"b", argv_true, 5 * MS, .start = 0}};
    s->config.commands = three;
    s->config.commands_n = 3;
    measure_runs(10);
    const struct st_exec_figures *a = &s->figures[1], *b = &s->figures[2];
    assert_ptr_equal(b->command, &three[2]);
    assert_true(b->sd_ratio == 0 && b->range_ratio == 0 && s->figures[0].sd_ratio == 0);
    assert_true(fabs(a->sd_ratio - 1) < 1e-9 && fabs(a->range_ratio - 1) < 1e-9);
}

static void a_short_budget_warms_up_less_and_still_counts(void **state)
{
    s->config.budget_ns = 20 * MS; /* rounds take 7.1 and 9.1 ms in turn */
    assert_int_equal(st_bench_exec_init(&s->bench, &s->config), 0);
    assert_int_equal(st_bench_exec_measure(&s->bench, s->fake), 0);
    assert_int_equal(s->bench.warm_up_n, 1);
    assert_int_equal(s->bench.arms[1].n, 1);
    assert_true(s->bench.elapsed_ns <= 20 * MS);
}

static void a_program_that_fails_is_told(void **state)
{
    st_lab_fake_script_programs(s->fake, false, sleep_ns, 2, 7);
    assert_int_equal(st_bench_exec_init(&s->bench, &s->config), 0);
    assert_int_equal(st_bench_exec_measure(&s->bench, s->fake), -ECHILD);
    assert_ptr_equal(s->bench.failed, &s->config.commands[1]);
    assert_int_equal(s->bench.failed_status, 7);
    st_bench_exec_finish(&s->bench);
    st_lab_fake_fail_programs(s->fake, -ENOENT);
    assert_int_equal(st_bench_exec_init(&s->bench, &s->config), 0);
    assert_int_equal(st_bench_exec_measure(&s->bench, s->fake), -ENOENT);
}

static bool stop_after_nine(void *ctx, const struct st_bench_exec *bench)
{
    return ++*(int *)ctx < 10;
}

static void stopping_keeps_whole_rounds(void **state)
{
    int asked = 0;
    s->config.go_on = stop_after_nine;
    s->config.ctx = &asked;
    assert_int_equal(st_bench_exec_init(&s->bench, &s->config), 0);
    assert_int_equal(st_bench_exec_measure(&s->bench, s->fake), 0);
    assert_true(s->bench.stopped);
    assert_int_equal(s->bench.arms[0].n,
                     1); /* six runs to warm up, two of a round, one of another */
    assert_int_equal(s->bench.arms[1].n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_start_is_taken_off_round_by_round, prepare, finish),
        cmocka_unit_test_setup_teardown(each_has_its_own_start, prepare, finish),
        cmocka_unit_test_setup_teardown(differences_are_to_the_fastest_that_sleeps_as_long, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(the_budget_ends_it, prepare, finish),
        cmocka_unit_test_setup_teardown(a_few_runs_have_an_interval_of_less_confidence, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(a_run_far_from_the_others_is_an_outlier, prepare, finish),
        cmocka_unit_test_setup_teardown(one_run_shows_no_overshoot, prepare, finish),
        cmocka_unit_test_setup_teardown(a_start_that_is_slower_alone_makes_no_sleep_impossible,
                                        prepare, finish),
        cmocka_unit_test_setup_teardown(a_sleep_that_ends_before_its_time_is_impossible, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(ratios_of_spreads_are_to_the_fastest_that_sleeps_as_long,
                                        prepare, finish),
        cmocka_unit_test_setup_teardown(a_short_budget_warms_up_less_and_still_counts, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(a_program_that_fails_is_told, prepare, finish),
        cmocka_unit_test_setup_teardown(stopping_keeps_whole_rounds, prepare, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
