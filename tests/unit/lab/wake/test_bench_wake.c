

#include "core/ns.h"
#include "lab/wake/bench_wake.h"
#include "tests/fake/lab_fake.h"
#include "tests/unit/unit.h"

#define MS ST_NS_PER_MS

static const enum st_wake_kind both_kinds[] = {ST_WAKE_INTERRUPTED, ST_WAKE_TIMED_OUT};
static const enum st_wake_placement both_placements[] = {ST_WAKE_SAME_CPU, ST_WAKE_OTHER_CPU};
static const int64_t slices[] = {2 * MS, 50 * MS};

struct story {
    struct st_lab *fake;
    const struct st_wake_method *methods[8];
    struct st_bench_wake_config config;
    struct st_bench_wake bench;
    size_t asked_n, stop_at;
};

static struct story story;

static int prepare(void **state)
{
    story = (struct story){.fake = st_lab_fake_new()};
    if (story.fake == NULL)
        return -1;
    size_t n = 0;
    while ((story.methods[n] = story.fake->wake_method(story.fake, n)) != NULL)
        n++;
    story.config = (struct st_bench_wake_config){.methods = story.methods,
                                                 .methods_n = n,
                                                 .slices_ns = slices,
                                                 .slices_n = 2,
                                                 .kinds = both_kinds,
                                                 .kinds_n = 2,
                                                 .placements = both_placements,
                                                 .placements_n = 2,
                                                 .rounds = 110,
                                                 .sender_cpu = 0,
                                                 .other_cpu = 1,
                                                 .seed = 3};
    return 0;
}

static int finish(void **state)
{
    st_bench_wake_finish(&story.bench);
    st_lab_fake_free(story.fake);
    return 0;
}

static void script(const char *name, const int64_t *delay_ns, size_t n, int open_error)
{
    assert_int_equal(st_lab_fake_script_wake(story.fake, name, delay_ns, n, 700, open_error), 0);
}

static void measure(void)
{
    assert_int_equal(st_bench_wake_init(&story.bench, &story.config), 0);
    assert_int_equal(st_bench_wake_measure(&story.bench, story.fake), 0);
}

static const struct st_wake_cell *cell(const char *name, enum st_wake_placement placement,
                                       enum st_wake_kind kind, int64_t slice_ns)
{
    for (size_t i = 0; i < story.bench.cells_n; i++) {
        const struct st_wake_cell *c = &story.bench.cells[i];
        if (strcmp(c->method->name, name) == 0 && c->placement == placement && c->kind == kind &&
            c->slice_ns == slice_ns)
            return c;
    }
    fail();
    return NULL;
}

/* B3 measured an eighth of the slice: its program's own polling. */
static void the_delay_does_not_grow_with_the_slice(void **state)
{
    const int64_t delay[] = {12000};
    script("condvar", delay, 1, 0);
    measure();
    for (size_t i = 0; i < ST_ARRAY_LEN(slices); i++) {
        ST_EACH (both_kind, both_kinds) {
            const struct st_wake_cell *c =
                cell("condvar", ST_WAKE_OTHER_CPU, *both_kind, slices[i]);
            assert_int_equal(c->n, 110);
            assert_int_equal(c->delay.median.value_ns, 12000);
            assert_int_equal(c->delay.max_ns, 12000);
        }
        const struct st_wake_cell *c =
            cell("condvar", ST_WAKE_OTHER_CPU, ST_WAKE_INTERRUPTED, slices[i]);
        assert_int_equal(c->send.median.value_ns, 700);
    }
}

/* One mechanism at three slices; what each round is late by is written here. */
static void fill(double grows_by, size_t rounds)
{
    static const int64_t three[] = {10 * MS, 50 * MS, 2 * MS};
    story.config.methods_n = story.config.placements_n = 1;
    story.config.kinds_n = 1;
    story.config.slices_ns = three;
    story.config.slices_n = 3;
    story.config.rounds = rounds;
    assert_int_equal(st_bench_wake_init(&story.bench, &story.config), 0);
    for (size_t s = 0; s < 3; s++) {
        struct st_wake_cell *c = &story.bench.cells[s];
        c->n = rounds;
        for (size_t i = 0; i < rounds;
             i++) /* scatter, and a drift from block to block that all have */
            c->delay_ns[i] = 12000 + (int64_t)(grows_by * (double)three[s]) +
                             (int64_t)((i * 7919 + s * 104729 + i / 20 * 31 * s) % 1000) +
                             (int64_t)(i / 20) * 5000;
    }
}

static void growth_with_the_slice_is_shown_with_its_figure(void **state)
{
    struct st_wake_growth growth;
    fill(0.125, 200); /* an eighth of the slice, as B3 */
    assert_int_equal(st_bench_wake_growth(&story.bench, story.bench.cells, &growth), 0);
    assert_int_equal(growth.from_ns, 2 * MS);
    assert_int_equal(growth.to_ns, 50 * MS);
    assert_int_equal(growth.blocks_n, 10);
    assert_true(growth.by_ns.known && growth.by_ns.low > 5.9e6 && growth.by_ns.high < 6.1e6);
}

static void no_growth_is_a_result_and_too_few_rounds_are_none(void **state)
{
    struct st_wake_growth growth;
    fill(0, 200);
    assert_int_equal(st_bench_wake_growth(&story.bench, story.bench.cells, &growth), 0);
    assert_true(growth.by_ns.known && growth.by_ns.low <= 0 && growth.by_ns.high >= 0);
    assert_true(growth.by_ns.high < 500); /* the drift drops out */
    story.bench.cells[1].n = 159;         /* seven blocks */
    assert_int_equal(st_bench_wake_growth(&story.bench, story.bench.cells, &growth), 0);
    assert_false(growth.by_ns.known);
    story.bench.cells[1].n = 0;
    assert_int_equal(st_bench_wake_growth(&story.bench, story.bench.cells, &growth), 0);
    assert_false(growth.by_ns.known);
}

static void what_cannot_be_measured_says_why(void **state)
{
    script("channel", NULL, 0, -EMFILE);
    story.config.other_cpu = -1;
    measure();
    assert_int_equal(cell("channel", ST_WAKE_SAME_CPU, ST_WAKE_INTERRUPTED, 2 * MS)->error,
                     -EMFILE);
    assert_string_equal(cell("condvar", ST_WAKE_OTHER_CPU, ST_WAKE_INTERRUPTED, 2 * MS)->why,
                        "a second CPU is needed");
    assert_int_equal(cell("condvar", ST_WAKE_SAME_CPU, ST_WAKE_INTERRUPTED, 2 * MS)->n, 110);
}

static void a_sleeper_that_does_not_wake_ends_its_cell(void **state)
{
    int64_t delays[24] = {0};
    delays[23] = INT64_MIN;
    script("condvar", delays, 24, 0);
    story.config.methods_n = 1;
    story.config.kinds_n = story.config.placements_n = story.config.slices_n = 1;
    measure();
    assert_int_equal(story.bench.cells_n, 1);
    assert_int_equal(story.bench.cells[0].error, -ETIMEDOUT);
    assert_int_equal(story.bench.cells[0].n,
                     20); /* 22 + 2 rounds, two of each visit to warm up, the last one failed */
}

static bool until(void *ctx, const struct st_bench_wake *bench)
{
    return ++story.asked_n < story.stop_at;
}

static void stopping_keeps_what_was_measured(void **state)
{
    story.config.go_on = until;
    story.stop_at = 100;
    measure();
    size_t n = 0;
    for (size_t i = 0; i < story.bench.cells_n; i++)
        n += story.bench.cells[i].n;
    assert_true(story.bench.stopped);
    assert_in_range(n, 20, 99);
}

static void a_budget_makes_fewer_rounds_of_each(void **state)
{
    story.config.budget_ns = 60 * ST_NS_PER_S;
    measure();
    const size_t rounds = story.bench.config.rounds;
    assert_in_range(rounds, 5, 90);
    assert_true(st_bench_wake_expected_ns(&story.bench) <= story.config.budget_ns);
    assert_true(story.bench.elapsed_ns <= story.config.budget_ns);
    assert_true(story.bench.elapsed_ns > story.config.budget_ns / 2);
    assert_false(story.bench.stopped);
    for (size_t i = 0; i < story.bench.cells_n; i++)
        assert_true(story.bench.cells[i].why != NULL || story.bench.cells[i].n == rounds);
}

static void a_budget_that_is_no_limit_changes_nothing(void **state)
{
    story.config.budget_ns = 86400 * ST_NS_PER_S;
    assert_int_equal(st_bench_wake_init(&story.bench, &story.config), 0);
    assert_int_equal(story.bench.config.rounds, 110);
}

static void a_budget_for_not_one_round_says_what_that_takes(void **state)
{
    story.config.budget_ns = 100 * MS;
    assert_int_equal(st_bench_wake_init(&story.bench, &story.config), -ERANGE);
    assert_true(st_bench_wake_expected_ns(&story.bench) > story.config.budget_ns);
}

static void nothing_or_too_much_is_refused(void **state)
{
    struct st_bench_wake none;
    story.config.rounds = 0;
    assert_int_equal(st_bench_wake_init(&none, &story.config), -EINVAL);
    story.config.rounds = 1;
    story.config.slices_n = ST_BENCH_WAKE_CELLS_MAX;
    assert_int_equal(st_bench_wake_init(&none, &story.config), -E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_delay_does_not_grow_with_the_slice, prepare, finish),
        cmocka_unit_test_setup_teardown(growth_with_the_slice_is_shown_with_its_figure, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(no_growth_is_a_result_and_too_few_rounds_are_none, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(what_cannot_be_measured_says_why, prepare, finish),
        cmocka_unit_test_setup_teardown(a_sleeper_that_does_not_wake_ends_its_cell, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(stopping_keeps_what_was_measured, prepare, finish),
        cmocka_unit_test_setup_teardown(a_budget_makes_fewer_rounds_of_each, prepare, finish),
        cmocka_unit_test_setup_teardown(a_budget_that_is_no_limit_changes_nothing, prepare, finish),
        cmocka_unit_test_setup_teardown(a_budget_for_not_one_round_says_what_that_takes, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(nothing_or_too_much_is_refused, prepare, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
