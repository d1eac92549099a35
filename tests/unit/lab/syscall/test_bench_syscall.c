

#include "lab/syscall/bench_syscall.h"
#include "tests/fake/lab_fake.h"
#include "tests/unit/unit.h"

#define CLOCK_NS 25
#define ONE_SHOT "sleeptune syscall --one-shot "

static const char *const names[] = {"empty", "clock_gettime-monotonic", "getppid", "sysconf",
                                    "nanosleep-1ns"};

struct story {
    struct st_lab *fake;
    const struct st_call_method *methods[ST_ARRAY_LEN(names)];
    struct st_bench_syscall_config config;
    struct st_bench_syscall bench;
    size_t asked_n, stop_at;
};

static struct story story;

static void script(const char *name, int64_t cost_ns, int64_t raw_ns)
{
    assert_int_equal(st_lab_fake_script_call(story.fake, name, &cost_ns, 1, raw_ns), 0);
}

static int prepare(void **state)
{
    story = (struct story){.fake = st_lab_fake_new()};
    if (story.fake == NULL)
        return -1;
    st_fake_set_clock_cost_ns(story.fake->platform, CLOCK_NS);
    for (size_t i = 0; i < ST_ARRAY_LEN(names); i++) {
        story.methods[i] = st_lab_find(story.fake, story.fake->call_method, names[i]);
        assert_non_null(story.methods[i]);
    }
    script("clock_gettime-monotonic", 20, 150);
    script("getppid", 120, 122);
    script("sysconf", 4, 0);
    script("nanosleep-1ns", 55000, 55000);
    story.config = (struct st_bench_syscall_config){
        .methods = story.methods, .methods_n = ST_ARRAY_LEN(names), .count = 500};
    return 0;
}

static int finish(void **state)
{
    st_bench_syscall_finish(&story.bench);
    st_lab_fake_free(story.fake);
    return 0;
}

static void measure(void)
{
    assert_int_equal(st_bench_syscall_measure(story.fake, &story.config, &story.bench), 0);
}

static const struct st_syscall_row *row(const char *name, enum st_call_mode mode)
{
    for (size_t i = 0; i < story.bench.rows_n; i++) {
        if (strcmp(story.bench.rows[i].method->name, name) == 0 && story.bench.rows[i].mode == mode)
            return &story.bench.rows[i];
    }
    fail();
    return NULL;
}

static void what_measuring_costs_is_subtracted(void **state)
{
    measure();
    const struct st_syscall_row *getppid = row("getppid", ST_CALL_IN_PROCESS);
    assert_int_equal(getppid->n, 500);
    assert_int_equal(getppid->offset_ns, CLOCK_NS);
    assert_int_equal(getppid->summary.median.value_ns, 120);
    assert_int_equal(getppid->summary.min_ns, 120);
    const struct st_syscall_row *empty = row("empty", ST_CALL_IN_PROCESS);
    assert_int_equal(empty->offset_ns, 0); /* itself is shown whole */
    assert_int_equal(empty->summary.median.value_ns, CLOCK_NS);
    assert_int_equal(empty->path, ST_PATH_UNKNOWN);
}

static void outliers_of_fewer_than_quartiles_take_are_not_counted(void **state)
{
    int64_t costs[39];
    for (size_t i = 0; i < ST_ARRAY_LEN(costs); i++)
        costs[i] = 100 + (int64_t)(i % 20) + (i == 30 ? 9000 : 0);
    assert_int_equal(st_lab_fake_script_call(story.fake, "getppid", costs, 39, 120), 0);
    story.config.count = 39;
    measure();
    const struct st_syscall_row *r = row("getppid", ST_CALL_IN_PROCESS);
    assert_int_equal(r->summary.n, 39);
    assert_false(r->summary.q1.known || r->outliers_known);
    assert_int_equal(r->outliers_n, 0);
    assert_false(row("sysconf", ST_CALL_IN_PROCESS)->iqr_is_zero);
}

static void outliers_are_counted_and_kept(void **state)
{
    int64_t costs[500];
    for (size_t i = 0; i < ST_ARRAY_LEN(costs); i++)
        costs[i] = 100 + (int64_t)(i % 20) + (i % 100 == 50 ? 9000 : 0);
    assert_int_equal(st_lab_fake_script_call(story.fake, "getppid", costs, 500, 120), 0);
    measure();
    const struct st_syscall_row *r = row("getppid", ST_CALL_IN_PROCESS);
    assert_true(r->outliers_known);
    assert_int_equal(r->outliers_n, 5);
    assert_false(r->iqr_is_zero);
    assert_true(row("sysconf", ST_CALL_IN_PROCESS)->iqr_is_zero);
    assert_int_equal(r->summary.max_ns, 9110);
}

static void the_path_is_told_by_evidence(void **state)
{
    measure();
    assert_int_equal(row("clock_gettime-monotonic", ST_CALL_IN_PROCESS)->path, ST_PATH_VDSO);
    assert_int_equal(row("getppid", ST_CALL_IN_PROCESS)->path, ST_PATH_SYSCALL);
    assert_int_equal(row("sysconf", ST_CALL_IN_PROCESS)->path, ST_PATH_LIBRARY);
    assert_int_equal(row("nanosleep-1ns", ST_CALL_IN_PROCESS)->path, ST_PATH_SYSCALL);
    assert_int_equal(story.bench.clock_path, ST_PATH_VDSO);
    assert_null(st_bench_syscall_finding(&story.bench, story.fake));
    const struct st_call_batches *b = &row("clock_gettime-monotonic", ST_CALL_IN_PROCESS)->batches;
    assert_int_equal(b->calls_n, 1000);
    assert_true(fabs(b->call_ns - 20) < 1e-9);
    assert_true(fabs(b->raw_ns - 150) < 1e-9);
    assert_true(fabs(b->getppid_ns - 120) < 1e-9);
    assert_true(st_bench_syscall_is_below_clock(row("sysconf", ST_CALL_IN_PROCESS)));
    assert_false(st_bench_syscall_is_below_clock(row("getppid", ST_CALL_IN_PROCESS)));
    assert_int_equal(row("nanosleep-1ns", ST_CALL_IN_PROCESS)->batches.calls_n, 1);
}

/* A slow chip read in the vDSO costs more than a system call, and still is none; a clock whose
 * system call costs the same goes through the kernel. */
static void a_dear_clock_in_user_space_is_no_system_call(void **state)
{
    script("clock_gettime-monotonic", 1500, 1630);
    measure();
    assert_int_equal(story.bench.clock_path, ST_PATH_VDSO);
    st_bench_syscall_finish(&story.bench);
    script("clock_gettime-monotonic", 1500, 1495);
    measure();
    assert_int_equal(story.bench.clock_path, ST_PATH_SYSCALL);
    assert_string_equal(st_bench_syscall_finding(&story.bench, story.fake), "linux-clocksource");
}

static void no_system_call_of_that_name_and_dear_is_unknown(void **state)
{
    script("sysconf", 400, 0);
    measure();
    assert_int_equal(row("sysconf", ST_CALL_IN_PROCESS)->path, ST_PATH_UNKNOWN);
}

static void fresh_processes_are_read(void **state)
{
    story.config.fresh = 30;
    assert_int_equal(st_fake_set_answer(story.fake->platform, ONE_SHOT "empty", "90\n", 0), 0);
    assert_int_equal(st_fake_set_answer(story.fake->platform, ONE_SHOT "getppid", "1090\n", 0), 0);
    assert_int_equal(st_fake_set_answer(story.fake->platform, ONE_SHOT "sysconf", "nonsense\n", 0),
                     0);
    assert_int_equal(
        st_fake_set_answer(story.fake->platform, ONE_SHOT "nanosleep-1ns", "12 34\n", 0), 0);
    measure();
    assert_int_equal(story.bench.rows_n, 2 * ST_ARRAY_LEN(names));
    const struct st_syscall_row *r = row("getppid", ST_CALL_FRESH);
    assert_int_equal(r->n, 30);
    assert_int_equal(r->offset_ns, 90);
    assert_int_equal(r->summary.median.value_ns, 1000);
    assert_int_equal(row("empty", ST_CALL_FRESH)->summary.median.value_ns, 90);
    assert_int_equal(row("sysconf", ST_CALL_FRESH)->error, -EBADMSG);
    assert_int_equal(row("nanosleep-1ns", ST_CALL_FRESH)->error, -EBADMSG);
    assert_int_equal(row("clock_gettime-monotonic", ST_CALL_FRESH)->error, -ENOENT);
    assert_non_null(row("clock_gettime-monotonic", ST_CALL_FRESH)->why);
}

static void what_is_refused_says_why(void **state)
{
    assert_int_equal(st_lab_fake_fail_call(story.fake, "sysconf", -EPERM), 0);
    measure();
    assert_int_equal(row("sysconf", ST_CALL_IN_PROCESS)->error, -EPERM);
    assert_int_equal(row("sysconf", ST_CALL_IN_PROCESS)->n, 0);
    story.config.methods_n = 0;
    struct st_bench_syscall none;
    assert_int_equal(st_bench_syscall_measure(story.fake, &story.config, &none), -EINVAL);
}

static bool until(void *ctx, const struct st_bench_syscall *bench)
{
    return ++story.asked_n < story.stop_at;
}

static void stopping_keeps_what_was_measured(void **state)
{
    story.config.go_on = until;
    story.config.count = 3000;
    story.stop_at = 4; /* asked: the row, then each 1024 samples */
    measure();
    assert_true(story.bench.stopped);
    assert_int_equal(row("empty", ST_CALL_IN_PROCESS)->n, 2048);
    assert_int_equal(row("getppid", ST_CALL_IN_PROCESS)->n, 0);
    json_t *document = st_bench_syscall_json(&story.bench, story.fake);
    assert_true(json_is_true(json_object_get(document, "interrupted")));
    json_decref(document);
}

/* 500 samples of 5 calls, 3 clock reads around each; 101 rows of each; 6 x 20 processes. */
static void what_it_takes_counts_samples_rows_and_processes(void **state)
{
    struct st_bench_syscall_config *c = &story.config;
    assert_int_equal(
        st_fake_set_answer(story.fake->platform, ONE_SHOT "nanosleep-1ns", "70000\n", 0), 0);
    const int64_t rows_ns =
        st_bench_syscall_expected_ns(story.fake, c) - 500 * (4 * 300 + 70000 + 15 * CLOCK_NS);
    assert_in_range(rows_ns, 4 * 101 * 66 * 900,
                    4 * 101 * 66 * 900 + 101 * 150000); /* nanosleep: one in a row */
    c->count = 100500;
    const int64_t more_ns = st_bench_syscall_expected_ns(story.fake, c) - rows_ns;
    assert_int_equal(more_ns, 100500 * (4 * 300 + 70000 + 15 * (int64_t)CLOCK_NS));
    c->fresh = 20; /* what a process takes is not known here */
    assert_int_equal(st_bench_syscall_expected_ns(story.fake, c) - more_ns - rows_ns,
                     6 * 20 * INT64_C(3000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_measuring_costs_is_subtracted, prepare, finish),
        cmocka_unit_test_setup_teardown(outliers_of_fewer_than_quartiles_take_are_not_counted,
                                        prepare, finish),
        cmocka_unit_test_setup_teardown(outliers_are_counted_and_kept, prepare, finish),
        cmocka_unit_test_setup_teardown(the_path_is_told_by_evidence, prepare, finish),
        cmocka_unit_test_setup_teardown(a_dear_clock_in_user_space_is_no_system_call, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(no_system_call_of_that_name_and_dear_is_unknown, prepare,
                                        finish),
        cmocka_unit_test_setup_teardown(fresh_processes_are_read, prepare, finish),
        cmocka_unit_test_setup_teardown(what_is_refused_says_why, prepare, finish),
        cmocka_unit_test_setup_teardown(stopping_keeps_what_was_measured, prepare, finish),
        cmocka_unit_test_setup_teardown(what_it_takes_counts_samples_rows_and_processes, prepare,
                                        finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
