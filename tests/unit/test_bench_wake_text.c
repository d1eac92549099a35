#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/bench_wake.h"
#include "lib/ns.h"
#include "platform/fake/fake.h"

static struct st_platform *fake;
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
    fake = st_fake_new(ST_OS_LINUX, 1000);
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
    st_fake_free(fake);
    return 0;
}

static const char *text(size_t rounds, size_t humps)
{
    bench.cells[0].n = rounds;
    bench.cells[0].delay = (struct st_summary){.n = rounds, .median.known = rounds >= 20};
    bench.cells[0].modes.n = humps;
    buf[0] = '\0';
    FILE *out = fmemopen(buf, sizeof(buf), "w");
    assert_non_null(out);
    st_bench_wake_print(&bench, fake, out, 1000);
    assert_int_equal(fclose(out), 0);
    return buf;
}

static void a_dash_says_how_long_a_figure_takes(void **state)
{
    (void)state;
    /* 50 rounds of 100 ms and 3 times 2 to warm up */
    assert_non_null(strstr(text(10, 0), "A dash: too few rounds; a median takes 20, humps 50. "
                                        "All with --rounds 50 take about 6 s.\n"));
    assert_non_null(strstr(text(30, 0), "A dash: too few rounds"));
    bench.config.budget_ns = ST_NS_PER_S;
    assert_non_null(strstr(text(30, 0), "All with --rounds 50 --budget 6s take about 6 s.\n"));
}

static void without_a_dash_nothing_is_said(void **state)
{
    (void)state;
    assert_null(strstr(text(60, 1), "dash"));
    assert_null(strstr(text(0, 0), "dash"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, finish)
    const struct CMUnitTest tests[] = {
        TEST(a_dash_says_how_long_a_figure_takes),
        TEST(without_a_dash_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
