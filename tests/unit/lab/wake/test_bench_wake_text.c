

#include "core/ns.h"
#include "lab/wake/bench_wake.h"
#include "tests/fake/lab_fake.h"
#include "tests/unit/unit.h"

static struct st_lab *fake;
static const struct st_wake_method *method;
static const int64_t slice_ns = 100 * ST_NS_PER_MS;
static const enum st_wake_kind kind = ST_WAKE_INTERRUPTED;
static const enum st_wake_placement placement = ST_WAKE_SAME_CPU;
static struct st_bench_wake_config config;
static struct st_bench_wake bench;
static char buf[4096];

static int setup(void **state)
{
    fake = st_lab_fake_new();
    method = fake != NULL ? fake->wake_method(fake, 0) : NULL;
    if (method == NULL)
        return -1;
    config = (struct st_bench_wake_config){.methods = &method,
                                           .methods_n = 1,
                                           .slices_ns = &slice_ns,
                                           .slices_n = 1,
                                           .kinds = &kind,
                                           .kinds_n = 1,
                                           .placements = &placement,
                                           .placements_n = 1,
                                           .rounds = 10,
                                           .other_cpu = -1};
    return st_bench_wake_init(&bench, &config);
}

static int teardown(void **state)
{
    st_bench_wake_finish(&bench);
    st_lab_fake_free(fake);
    return 0;
}

static const char *text(size_t rounds)
{
    bench.cells[0].n = rounds;
    bench.cells[0].delay = (struct st_summary){.n = rounds, .median.known = rounds >= 20};
    buf[0] = '\0';
    FILE *out = fmemopen(buf, sizeof(buf), "w");
    assert_non_null(out);
    st_bench_wake_print(&bench, fake, out, 1000);
    assert_int_equal(fclose(out), 0);
    return buf;
}

static void a_dash_says_how_many_rounds_a_figure_takes(void **state)
{
    assert_has(text(10), "A dash: too few rounds for a median, which needs 20. Set more --rounds");
}

static void without_a_dash_nothing_is_said(void **state)
{
    assert_lacks(text(60), "dash");
    assert_lacks(text(0), "dash");
}

/* Two mechanisms at two slices: a column each. */
static void several_slices_are_one_table(void **state)
{
    static const int64_t two_slices[] = {2 * ST_NS_PER_MS, 100 * ST_NS_PER_MS};
    const struct st_wake_method *two[2] = {method, fake->wake_method(fake, 1)};
    static const int64_t median_ns[] = {3000, 9000, 80000, 81000};
    st_bench_wake_finish(&bench);
    config.methods = two;
    config.methods_n = 2;
    config.slices_ns = two_slices;
    config.slices_n = 2;
    config.rounds = 60;
    assert_int_equal(st_bench_wake_init(&bench, &config), 0);
    assert_int_equal(bench.config.rounds, 60); /* as many values as each cell says to have */
    for (size_t i = 0; i < 4; i++) {
        const struct st_quantile median = {.p = 0.5,
                                           .known = true,
                                           .interval_known = true,
                                           .value_ns = median_ns[i],
                                           .low_ns = median_ns[i] - 2000,
                                           .high_ns = median_ns[i] + 2000};
        bench.cells[i].n = 60;
        bench.cells[i].delay = (struct st_summary){.n = 60,
                                                   .median = median,
                                                   .mean_ns = (double)median_ns[i] + 500,
                                                   .max_ns = median_ns[i] + 4000};
    }
    FILE *out = fmemopen(buf, sizeof(buf), "w");
    assert_non_null(out);
    st_bench_wake_print(&bench, fake, out, 100);
    assert_int_equal(fclose(out), 0);
    assert_has(buf, "Delay in µs               2 ms       100 ms\n"
                    "                  median  mean median  mean\n"
                    "One CPU, woken early\n"
                    "condvar             3.00  3.50   80.0  80.5\n"
                    "channel             9.00  9.50   81.0  81.5\n");
    assert_has(buf, "; 60 rounds of each.");
    assert_has(buf, "too few rounds to decide whether the delay grows with the sleep: 160");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_dash_says_how_many_rounds_a_figure_takes),
        TEST(without_a_dash_nothing_is_said),
        TEST(several_slices_are_one_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
