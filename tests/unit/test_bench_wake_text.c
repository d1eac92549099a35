#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/ns.h"
#include "lab/wake/bench_wake.h"
#include "tests/fake/lab_fake.h"

static struct st_lab *fake;
static const struct st_wake_method *method;
static const int64_t slice_ns = 100 * ST_NS_PER_MS;
static const enum st_wake_peers peers = ST_WAKE_THREADS;
static const enum st_wake_kind kind = ST_WAKE_INTERRUPTED;
static const enum st_wake_placement placement = ST_WAKE_SAME_CPU;
static struct st_bench_wake_config config;
static struct st_bench_wake bench;
static char buf[4096];

static int prepare(void **state)
{
    (void)state;
    fake = st_lab_fake_new(ST_OS_LINUX, 1000);
    method = fake != NULL ? fake->wake_method(fake, 0) : NULL;
    if (method == NULL)
        return -1;
    config = (struct st_bench_wake_config){.methods = &method,
                                           .methods_n = 1,
                                           .slices_ns = &slice_ns,
                                           .slices_n = 1,
                                           .peers = &peers,
                                           .peers_n = 1,
                                           .kinds = &kind,
                                           .kinds_n = 1,
                                           .placements = &placement,
                                           .placements_n = 1,
                                           .rounds = 10,
                                           .other_cpu = -1};
    return st_bench_wake_init(&bench, &config);
}

static int finish(void **state)
{
    (void)state;
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
    (void)state;
    assert_non_null(
        strstr(text(10), "A dash: too few rounds for a median, which needs 20. Set more --rounds"));
}

static void without_a_dash_nothing_is_said(void **state)
{
    (void)state;
    assert_null(strstr(text(60), "dash"));
    assert_null(strstr(text(0), "dash"));
}

/* Two ways of sleeping, then one of them spins, or has no figure. */
static void the_fastest_of_one_is_not_said(void **state)
{
    (void)state;
    const struct st_wake_method *two[2] = {method, fake->wake_method(fake, 1)};
    const struct st_quantile median = {
        .p = 0.5, .known = true, .interval_known = true, .value_ns = 3000, .low_ns = 2000, .high_ns = 4000};
    assert_non_null(two[1]);
    assert_false(two[0]->spins || two[1]->spins);
    st_bench_wake_finish(&bench);
    config.methods = two;
    config.methods_n = 2;
    assert_int_equal(st_bench_wake_init(&bench, &config), 0);
    assert_int_equal(bench.cells_n, 2);
    bench.cells[1].n = 60;
    bench.cells[1].delay.median = median;
    (void)text(60);
    assert_null(strstr(buf, "fastest")); /* the other's interval is not known */
    struct st_wake_method spins = *two[0];
    spins.spins = true;
    bench.cells[0].delay.median = median;
    for (int i = 0; i < 2; i++) {
        bench.cells[0].method = i == 0 ? two[0] : &spins;
        buf[0] = '\0';
        FILE *out = fmemopen(buf, sizeof(buf), "w");
        assert_non_null(out);
        st_bench_wake_print(&bench, fake, out, 1000);
        assert_int_equal(fclose(out), 0);
        if (i == 0)
            assert_non_null(strstr(buf, "wakes fastest of the methods that sleep, in"));
        else
            assert_null(strstr(buf, "fastest"));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, finish)
    const struct CMUnitTest tests[] = {
        TEST(a_dash_says_how_many_rounds_a_figure_takes),
        TEST(without_a_dash_nothing_is_said),
        TEST(the_fastest_of_one_is_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
