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

#define BLOCKS 12
#define EACH   10

static struct st_platform *fake;
static const struct st_sleep_method *methods[3];
static const int64_t duration_ns = 5 * ST_NS_PER_MS;
static const struct st_sleep_setting setting = {ST_POLICY_OTHER, 0, -1};
static struct st_bench_sleep_config config;
static struct st_bench_sleep bench;
static bool brief;

static int prepare(void **state)
{
    (void)state;
    fake = st_fake_new(ST_OS_LINUX, 1000);
    if (fake == NULL)
        return -1;
    methods[0] = st_fake_sleep_method(fake, "ppoll");
    methods[1] = st_fake_sleep_method(fake, "timerfd-abs");
    methods[2] = st_fake_sleep_method(fake, "posix-timer");
    config = (struct st_bench_sleep_config){.methods = methods,
                                            .methods_n = 2,
                                            .durations_ns = &duration_ns,
                                            .durations_n = 1,
                                            .settings = &setting,
                                            .settings_n = 1,
                                            .budget_ns = ST_NS_PER_S};
    bench = (struct st_bench_sleep){0};
    brief = false;
    return 0;
}

static int finish(void **state)
{
    (void)state;
    st_bench_sleep_finish(&bench);
    st_fake_free(fake);
    return 0;
}

/* One value a block, EACH times. */
static void fill(struct st_sleep_cell *cell, const int64_t *late_ns)
{
    cell->overshoot_ns = calloc(BLOCKS * EACH, sizeof(*cell->overshoot_ns));
    cell->blocks = calloc(BLOCKS * EACH, sizeof(*cell->blocks));
    assert_true(cell->overshoot_ns != NULL && cell->blocks != NULL);
    for (; cell->n < BLOCKS * EACH; cell->n++) {
        cell->overshoot_ns[cell->n] = late_ns[cell->n / EACH];
        cell->blocks[cell->n] = (uint32_t)(cell->n / EACH);
    }
}

/* What is printed, or what is announced; on one line. */
static void text(char *buf, size_t buf_bytes, bool announce)
{
    struct st_sleep_figures *figures;
    buf[0] = '\0';
    FILE *out = fmemopen(buf, buf_bytes, "w");
    assert_non_null(out);
    if (announce) {
        st_bench_sleep_announce(&bench, out, 1000);
    } else {
        assert_int_equal(st_bench_sleep_figures(&bench, &figures), 0);
        st_bench_sleep_print(&bench, figures, &fake->machine, brief, out, 1000);
        free(figures);
    }
    assert_int_equal(fclose(out), 0);
}

static void a_rank_is_shared_where_blocks_do_not_differ(void **state)
{
    (void)state;
    char buf[8192];
    const int64_t mixed[BLOCKS] = {1000, 1000, 3000, 1000, 1000, 3000, 1000, 1000, 3000, 1000, 1000, 3000};
    const int64_t even[BLOCKS] = {2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000};
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    fill(&bench.cells[0], even);
    fill(&bench.cells[1], mixed);
    text(buf, sizeof(buf), false);
    assert_non_null(strstr(buf, "ppoll, timerfd-abs; this run shows no difference between these methods."));
}

/* The third is told from the first, the second from neither: a chain. */
static void the_most_exact_are_those_that_no_method_beats(void **state)
{
    (void)state;
    char buf[8192];
    const int64_t early[BLOCKS] = {2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000};
    const int64_t mixed[BLOCKS] = {1000, 4000, 1000, 4000, 2500, 2500, 1000, 4000, 1000, 4000, 2500, 2500};
    const int64_t late[BLOCKS] = {3000, 3100, 3000, 3000, 3100, 3000, 3000, 3100, 3000, 3000, 3100, 3000};
    methods[2] = st_fake_sleep_method(fake, "clock_nanosleep-abs-monotonic");
    config.methods_n = 3;
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    fill(&bench.cells[0], early);
    fill(&bench.cells[1], mixed);
    fill(&bench.cells[2], late);
    text(buf, sizeof(buf), false);
    assert_non_null(strstr(buf,
                           "at 1 of 1 duration no method was clearly better): ppoll, timerfd-abs; this run "
                           "shows no difference between these methods."));
}

static void a_method_that_is_shown_to_be_earlier_is_the_most_exact(void **state)
{
    (void)state;
    char buf[8192];
    const int64_t late[BLOCKS] = {2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000};
    const int64_t later[BLOCKS] = {5100, 5000, 5000, 5100, 5000, 5000, 5100, 5000, 5000, 5100, 5000, 5000};
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    fill(&bench.cells[0], late);
    fill(&bench.cells[1], later);
    text(buf, sizeof(buf), false);
    assert_non_null(strstr(buf, "; on time 0 %; CPU -"));
    assert_non_null(strstr(buf, "On time: the share of sleeps that ended within 100 ns of the due time."));
    assert_non_null(strstr(buf, "at 1 of 1 duration no method was clearly better): ppoll."));
}

static void figures_of_a_stalled_machine_keep_to_80_columns(void **state)
{
    (void)state;
    char buf[8192];
    const int64_t once[BLOCKS] = {2000, 2100, 2000, 2000, 2100, INT64_C(2300000000),
                                  2000, 2100, 2000, 2000, 2100, 2000};
    int64_t each[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++)
        each[i] = INT64_C(300000000) + (int64_t)i * 7654321;
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    fill(&bench.cells[0], once);
    fill(&bench.cells[1], each);
    text(buf, sizeof(buf), false);
    size_t rows_n = 0;
    for (char *save = NULL, *line = strtok_r(buf, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        const char *spread = strstr(line, " ± ");
        size_t columns = 0;
        if (spread == NULL || spread[4] == 's') /* the head: "mean ± sd" */
            continue;
        for (const char *s = line; *s != '\0'; s++)
            columns += ((unsigned char)*s & 0xc0) != 0x80;
        assert_true(columns <= 80);
        rows_n++;
    }
    assert_int_equal(rows_n, 2);
}

static void what_it_will_measure_is_announced(void **state)
{
    (void)state;
    char buf[1024];
    config.methods_n = 3;
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    text(buf, sizeof(buf), true);
    assert_non_null(strstr(buf, "3 methods, 1 duration, 1 setting in random order"));
}

static void what_was_refused_is_no_matter_of_samples(void **state)
{
    (void)state;
    char buf[8192];
    const int64_t late[BLOCKS] = {2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000};
    const struct st_sleep_setting two[] = {{ST_POLICY_OTHER, 0, -1}, {ST_POLICY_FIFO, 70, -1}};
    config.settings = two;
    config.settings_n = 2;
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    fill(&bench.cells[0], late);
    fill(&bench.cells[1], late);
    for (size_t i = 2; i < 4; i++) {
        bench.cells[i].why = "no right to a real-time policy";
        bench.cells[i].error = -EPERM;
    }
    brief = true;
    text(buf, sizeof(buf), false);
    assert_non_null(strstr(
        buf, "\nA dash: not measured, because no right to a real-time policy (Operation not permitted) ("
             "SCHED_FIFO 70).\n"));
    assert_null(strstr(buf, "fewer than"));
    bench.cells[3].why = NULL; /* one could have been measured */
    text(buf, sizeof(buf), false);
    assert_non_null(strstr(buf, "SCHED_FIFO 70).\n"));
    assert_non_null(
        strstr(buf, "\nA dash: fewer than 20 samples, too few for a median. Set a longer --budget."));
}

static void what_a_rank_means_is_told_once(void **state)
{
    (void)state;
    static const char meaning[] = "methods with the same rank may be equally exact; a method with a higher "
                                  "number wakes later than each "
                                  "method with a lower number (95 % confidence for all pairs together).";
    char buf[8192];
    const int64_t late[BLOCKS] = {2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000};
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    fill(&bench.cells[0], late);
    fill(&bench.cells[1], late);
    for (int i = 0; i < 2; i++) {
        brief = i != 0;
        text(buf, sizeof(buf), false);
        const char *first = strstr(buf, meaning);
        assert_non_null(first);
        assert_null(strstr(first + 1, meaning));
    }
    bench.cells[0].n = bench.cells[1].n = 3; /* too few for a median, and so for a rank */
    text(buf, sizeof(buf), false);
    assert_null(strstr(buf, meaning));
}

/* Two were asked for, but one has figures at a duration. */
static void the_most_exact_of_one_is_not_said(void **state)
{
    (void)state;
    char buf[8192];
    const int64_t late[BLOCKS] = {2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000};
    const int64_t durations_ns[] = {5 * ST_NS_PER_MS, 6 * ST_NS_PER_MS};
    config.durations_ns = durations_ns;
    config.durations_n = 2;
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    fill(&bench.cells[0], late);
    fill(&bench.cells[2], late);
    bench.cells[1].why = bench.cells[3].why = "refused";
    text(buf, sizeof(buf), false);
    assert_non_null(strstr(buf, "ppoll"));
    assert_null(strstr(buf, "Most exact"));
    bench.cells[3].why = NULL;
    fill(&bench.cells[3], late);
    text(buf, sizeof(buf), false);
    assert_non_null(strstr(buf, "at 1 of 2 durations no method was clearly better): ppoll, timerfd-abs."));
}

static void a_dash_says_how_many_samples_a_figure_takes(void **state)
{
    (void)state;
    char buf[8192];
    const int64_t late[BLOCKS] = {2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000, 2000, 2100, 2000};
    assert_int_equal(st_bench_sleep_init(&bench, &fake->threads, &config), 0);
    fill(&bench.cells[0], late); /* 120 samples: no p95, no p99 */
    fill(&bench.cells[1], late);
    text(buf, sizeof(buf), false);
    assert_non_null(strstr(
        buf, "A dash: too few samples. A median needs 20, q1 and q3 need 40, p95 200, p99 1000. Set a longer "
             "--budget and --precision 0.\n"));
    brief = true;
    text(buf, sizeof(buf), false);
    assert_null(strstr(buf, "too few")); /* the medians are there */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, finish)
    const struct CMUnitTest tests[] = {
        TEST(a_rank_is_shared_where_blocks_do_not_differ),
        TEST(the_most_exact_are_those_that_no_method_beats),
        TEST(a_method_that_is_shown_to_be_earlier_is_the_most_exact),
        TEST(figures_of_a_stalled_machine_keep_to_80_columns),
        TEST(what_it_will_measure_is_announced),
        TEST(what_was_refused_is_no_matter_of_samples),
        TEST(what_a_rank_means_is_told_once),
        TEST(the_most_exact_of_one_is_not_said),
        TEST(a_dash_says_how_many_samples_a_figure_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
