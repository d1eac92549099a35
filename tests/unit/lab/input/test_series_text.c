/* lab/input/series_text: columns and CSV, and what is no figure. */
#include "lab/input/series_text.h"
#include "tests/unit/unit.h"

static struct st_series_text text;

static int setup(void **state)
{
    struct st_period period;
    st_series_text_init(&text, st_period_init_ns(&period, 1000000000, 1) == 0 ? &period : NULL);
    return 0;
}

static int teardown(void **state)
{
    st_series_text_finish(&text);
    return 0;
}

static int take(const char *line)
{
    return st_series_text_line(&text, line, strlen(line));
}

static void lines(const char *const *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(take(line[i]), 0);
    assert_int_equal(st_series_text_end(&text), 0);
}

static void seconds_as_the_article_prints_them(void **state)
{
    static const char *const herman[] = {"# hz=100", "0.019496", " 0.019506 ",
                                         "",         "0",        "-1.5e-6\r"};
    lines(herman, ST_ARRAY_LEN(herman));
    assert_int_equal(text.kind, ST_SERIES_TEXT_SECONDS);
    assert_int_equal(text.series.n, 4);
    assert_int_equal(text.series.lateness_ns[0], 19496000);
    assert_int_equal(text.series.lateness_ns[2], 0);
    assert_int_equal(text.series.lateness_ns[3], -1500);
    assert_int_equal(text.series.index[3], 3);
}

static void whole_figures_are_nanoseconds(void **state)
{
    static const char *const ns[] = {"15002", "-31", "+7"};
    lines(ns, ST_ARRAY_LEN(ns));
    assert_int_equal(text.kind, ST_SERIES_TEXT_NS);
    assert_int_equal(text.series.lateness_ns[0], 15002);
    assert_int_equal(text.series.lateness_ns[1], -31);
}

static void an_export_brings_its_period_and_gaps(void **state)
{
    static const char *const csv[] = {"# sleeptune recording",
                                      "# period_ns: 4000000/3",
                                      "period,lateness_ns,skipped",
                                      "0,15002,0",
                                      "1,-31,0",
                                      "2,9000000,7",
                                      "9,17000,0"};
    lines(csv, ST_ARRAY_LEN(csv));
    assert_int_equal(text.kind, ST_SERIES_TEXT_CSV);
    assert_true(text.period_known);
    assert_int_equal(text.series.period.num, 4000000);
    assert_int_equal(text.series.period.den, 3);
    assert_int_equal(text.series.n, 3); /* the skipped one was no wake-up */
    assert_int_equal(text.series.index[2], 9);
    assert_int_equal(text.series.lateness_ns[1], -31);
}

static void a_column_of_a_table(void **state)
{
    static const char *const tables[][3] = {
        {"15940\t149", "164\t63\r",
         "61\t64"}, /* as the article on system calls prints two columns */
        {"kvm;vmware", "1,5;149", "2,5;63"},
        {"\"host, a\",vmware", "\"x,y\", 149 ", "1,63"},
        {"kvm   vmware", " 1120 149 17", "1184   63"},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(tables); i++) {
        (void)teardown(NULL);
        (void)setup(NULL);
        text.cell = 2;
        lines(tables[i], 3);
        assert_int_equal(text.kind, ST_SERIES_TEXT_NS);
        assert_int_equal(text.series.n, i == 0 ? 3 : 2);
        assert_int_equal(text.series.lateness_ns[0], 149);
        assert_int_equal(text.series.lateness_ns[1], 63);
    }
}

static void columns_of_different_length(void **state)
{
    static const char *const table[] = {"period,lateness_ns,skipped", "0,5,0", "1,,0", ",7,0"};
    text.cell = 2;
    lines(table, ST_ARRAY_LEN(table));
    assert_int_equal(text.series.n, 2);
    assert_int_equal(text.series.lateness_ns[1], 7);
    assert_int_equal(text.series.index[1], 2); /* the row without a value counts */
}

static void a_column_that_is_not_there_is_refused(void **state)
{
    text.cell = 3;
    assert_int_equal(take("1,2"), -ENOENT);
    assert_int_equal(take("1\t2"), -ENOENT);
    assert_int_equal(take("1,2,late"), 0); /* its name */
    assert_int_equal(take("1,2,late"), -EBADMSG);
    assert_int_equal(take("1,2,3 4"), -EBADMSG);
    assert_int_equal(take("1,2,3"), 0);
    assert_int_equal(take("1,2,late"), -EBADMSG);
    assert_int_equal(take("1,2"), -ENOENT);
}

static void a_unit_holds_for_all_figures(void **state)
{
    static const char *const ms[] = {"6", "1.5"};
    text.unit_ns = 1000000;
    lines(ms, ST_ARRAY_LEN(ms));
    assert_int_equal(text.series.lateness_ns[0], 6000000);
    assert_int_equal(text.series.lateness_ns[1], 1500000);
}

static void what_is_no_figure_is_refused(void **state)
{
    static const char *const bad[] = {"late", "nan", "inf", "-",     "1 2",  "1,2",
                                      "0x10", "1e",  "--1", "1.2.3", "12 us"};
    for (size_t i = 0; i < ST_ARRAY_LEN(bad); i++)
        assert_int_equal(take(bad[i]), -EBADMSG);
    assert_int_equal(st_series_text_line(&text, "1\0002", 3), -EBADMSG); /* not 1, and the 2 lost */
    assert_int_equal(st_series_text_line(&text, "\0", 1), -EBADMSG);
    assert_int_equal(st_series_text_line(&text, "# 1\0002", 5), -EBADMSG);
    assert_int_equal(take("1e13"), -ERANGE);
    assert_int_equal(take("1e308"), -ERANGE);
    assert_int_equal(st_series_text_end(&text), -ENODATA);
}

static void seconds_beyond_an_hour_are_refused_at_the_end(void **state)
{
    assert_int_equal(take("3601"), 0); /* would do as nanoseconds */
    assert_int_equal(take("0.5"), 0);
    assert_int_equal(st_series_text_end(&text), -ERANGE);
}

static void broken_csv_is_refused(void **state)
{
    assert_int_equal(take("# period_ns: 5"), -EBADMSG);
    assert_int_equal(take("# period_ns: 5/0"), -ERANGE);
    assert_int_equal(take("period,lateness_ns,skipped"), 0);
    static const char *const bad[] = {"1",      "1,2",     "1,2,-1",  "1,2,0,3",
                                      "-1,2,0", "1,--2,0", "1,2.5,0", "99999999999999999999,2,0"};
    ST_EACH (line, bad)
        assert_int_equal(take(*line), -EBADMSG);
    assert_int_equal(take("1,3600000000001,0"), -ERANGE);
    assert_int_equal(take("5,1,0"), 0);
    assert_int_equal(take("5,1,0"), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(seconds_as_the_article_prints_them),
        TEST(whole_figures_are_nanoseconds),
        TEST(an_export_brings_its_period_and_gaps),
        TEST(a_column_of_a_table),
        TEST(columns_of_different_length),
        TEST(a_column_that_is_not_there_is_refused),
        TEST(a_unit_holds_for_all_figures),
        TEST(what_is_no_figure_is_refused),
        TEST(seconds_beyond_an_hour_are_refused_at_the_end),
        TEST(broken_csv_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
