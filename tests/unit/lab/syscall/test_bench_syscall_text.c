

#include "lab/syscall/bench_syscall.h"
#include "tests/fake/lab_fake.h"
#include "tests/unit/unit.h"

#define ROWS 3

static struct st_lab *fake;
static const struct st_call_method *methods[ROWS];
static struct st_syscall_row rows[ROWS];
static struct st_bench_syscall bench;
static char buf[8192];

static int setup(void **state)
{
    fake = st_lab_fake_new();
    if (fake == NULL)
        return -1;
    methods[0] = st_lab_find(fake, fake->call_method, "getppid");
    methods[1] = st_lab_find(fake, fake->call_method, "sysconf");
    methods[2] = st_lab_find(fake, fake->call_method, "nanosleep-1ns");
    bench =
        (struct st_bench_syscall){.config = {.methods = methods, .methods_n = ROWS, .count = 300},
                                  .rows = rows,
                                  .rows_n = ROWS};
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = (struct st_syscall_row){.method = methods[i],
                                          .n = 300,
                                          .summary = {.n = 300},
                                          .enough_n = 20,
                                          .outliers_known = true,
                                          .outliers_n = 4};
    return 0;
}

static int teardown(void **state)
{
    st_lab_fake_free(fake);
    return 0;
}

static const char *text(void)
{
    buf[0] = '\0';
    FILE *out = fmemopen(buf, sizeof(buf), "w");
    assert_non_null(out);
    st_bench_syscall_print(&bench, fake, false, out, 1000);
    assert_int_equal(fclose(out), 0);
    return buf;
}

static void what_few_samples_cannot_tell_is_not_said(void **state)
{
    bench.rows_n = 1;
    rows[0].enough_n = 0;
    rows[0].n = 20;
    rows[0].summary.n = 20;
    assert_has(text(), "; after 20 samples it is unclear how many would be enough\n");
    rows[0].n = 1600;
    rows[0].summary.n = 1600;
    assert_has(text(), "; after 1600 samples it is unclear how many would be enough\n");
    rows[0].n = 2000;
    rows[0].summary.n = 2000;
    assert_has(text(), "; even 100000 samples would not be enough\n");
    rows[0].n = 19;
    rows[0].summary.n = 19;
    assert_has(text(),
               "; too few samples to estimate how many would be enough: this needs at least 20\n");
}

static void more_than_there_are_is_an_estimate(void **state)
{
    rows[1].enough_n = 2446;
    assert_has(text(), "; about 2446 samples would be enough\n");
    assert_has(buf, "; 20 samples would be enough\n");
}

static void outliers_of_a_row_without_spread_are_explained(void **state)
{
    assert_lacks(text(), "q1 and q3 are equal");
    rows[0].iqr_is_zero = true;
    assert_has(
        text(),
        "In 1 row q1 and q3 are equal. In such a row each value that differs from them counts");
    rows[1].iqr_is_zero = rows[2].iqr_is_zero = true;
    rows[2].outliers_n = 0; /* nothing to explain */
    assert_has(text(), "In 2 rows q1 and q3 are equal");
}

static void what_a_first_call_has_in_it_is_said_under_its_table(void **state)
{
    assert_lacks(text(), "A first call");
    rows[1].mode = ST_CALL_FRESH;
    const char *table = strstr(text(), "The first call in a new process, ns\n");
    assert_non_null(table);
    assert_has(table, "\nA first call includes more work: the dynamic linker searches");
    rows[1].n = 0; /* nothing measured, nothing to explain */
    assert_lacks(text(), "A first call");
}

static void outliers_are_a_dash_where_quartiles_are(void **state)
{
    assert_has(text(), "     4\n");
    for (size_t i = 0; i < ROWS; i++)
        rows[i].outliers_known = false;
    assert_lacks(text(), "     4\n");
    assert_has(buf, "      0     -\n"); /* behind max */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_few_samples_cannot_tell_is_not_said),
        TEST(more_than_there_are_is_an_estimate),
        TEST(outliers_of_a_row_without_spread_are_explained),
        TEST(what_a_first_call_has_in_it_is_said_under_its_table),
        TEST(outliers_are_a_dash_where_quartiles_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
