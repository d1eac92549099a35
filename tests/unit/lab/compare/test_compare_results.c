/* lab/compare/compare_results: two documents of results, row by row. */
#include "lab/compare/compare.h"
#include "lab/compare/verdict.h"
#include "tests/unit/noise.h"
#include "tests/unit/unit.h"

/* A result of n values around ns. */
static json_t *result(const char *call, int64_t ns, size_t n, uint64_t seed)
{
    struct st_random random = {.state = seed};
    json_t *samples = json_array();
    for (size_t i = 0; i < n; i++)
        assert_int_equal(
            json_array_append_new(samples,
                                  json_integer(ns + (int64_t)st_random_below(&random, 21) - 10)),
            0);
    return json_pack("{s:s, s:s, s:o}", "call", call, "mode", "in-process", "samples_ns", samples);
}

static json_t *document(json_t *a, json_t *b, json_t *c)
{
    return json_pack("{s:s, s:[o, o, o]}", "schema", "sleeptune-bench-syscall/1", "results", a, b,
                     c);
}

static struct st_compare_results compare(json_t *a, json_t *b)
{
    struct st_compare_results results;
    assert_int_equal(st_compare_results_make(a, b, &results), 0);
    json_decref(a);
    json_decref(b);
    return results;
}

static void a_row_each_result_of_both_whatever_their_order(void **state)
{
    struct st_compare_results r =
        compare(document(result("getpid", 120, 400, 1), result("time", 30, 300, 2),
                         result("only here", 1, 300, 3)),
                document(result("time", 30, 500, 4), result("only there", 1, 300, 5),
                         result("getpid", 1120, 400, 6)));
    assert_int_equal(r.n, 2);
    assert_int_equal(r.alone_n, 1);
    assert_string_equal(r.rows[0].name, "getpid, mode in-process");
    assert_string_equal(r.rows[1].name, "time, mode in-process");
    const struct st_figure *getpid = &r.rows[0].figures[ST_FIGURE_MEDIAN],
                           *time = &r.rows[1].figures[ST_FIGURE_MEDIAN];
    assert_true(st_verdict_shows(getpid) && !st_verdict_shows(time));
    assert_true(fabs(getpid->value[0] - 120) < 4 && fabs(getpid->value[1] - 1120) < 4);
    assert_true(fabs(getpid->difference.value - 1000) < 5 && getpid->difference.low > 990 &&
                getpid->difference.high < 1010);
    assert_true(time->difference.low <= 0 && time->difference.high >= 0);
    assert_int_equal(r.tests_n, 2);
    assert_int_equal(r.shown_n, 1);
    st_compare_results_finish(&r);
}

static void few_values_are_no_row_or_an_unknown_one(void **state)
{
    struct st_compare_results r =
        compare(document(result("a", 1, 3, 1), result("b", 1, 0, 2), result("c", 1, 0, 3)),
                document(result("a", 9, 3, 1), result("b", 9, 0, 2), result("c", 9, 0, 3)));
    assert_int_equal(r.n, 1); /* b and c have no values */
    assert_int_equal(r.alone_n, 2);
    assert_false(r.rows[0].figures[ST_FIGURE_MEDIAN].difference.known);
    assert_int_equal(r.tests_n, 0);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    st_compare_results_text(&r, out);
    fclose(out);
    assert_has(text, "a, mode in-process  unknown: too few values\n");
    assert_has(text, "Left out, because not in B or without single values: 2 of A");
    free(text);
    st_compare_results_finish(&r);
}

/* Equal machines: of 20 pairs of documents with three calls each, fewer than 4 show anything (5 %
 * are meant to). */
static void equal_machines_do_not_differ(void **state)
{
    size_t shown_n = 0;
    for (uint64_t i = 0; i < 20; i++) {
        struct st_compare_results r =
            compare(document(result("a", 50, 400, 6 * i), result("b", 500, 400, 6 * i + 1),
                             result("c", 5000, 400, 6 * i + 2)),
                    document(result("a", 50, 400, 6 * i + 3), result("b", 500, 400, 6 * i + 4),
                             result("c", 5000, 400, 6 * i + 5)));
        shown_n += r.shown_n > 0;
        st_compare_results_finish(&r);
    }
    assert_true(shown_n < 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_each_result_of_both_whatever_their_order),
        cmocka_unit_test(few_values_are_no_row_or_an_unknown_one),
        cmocka_unit_test(equal_machines_do_not_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
