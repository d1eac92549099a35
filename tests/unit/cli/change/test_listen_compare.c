/* cli/change/listen_compare: two runs of listen, compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/change/listen_compare.h"
#include "cli/command.h"
#include "evidence/verdict.h"

#define RATE_HZ 48000

/* A run of that time, with losses at equal distances. */
static json_t *run(double heard_s, size_t losses_n)
{
    json_t *losses = json_array();
    for (size_t i = 0; i < losses_n; i++)
        (void)json_array_append_new(
            losses, json_pack("{s:I}", "at_frame",
                              (json_int_t)((double)i * heard_s * RATE_HZ / (double)losses_n) + 4800));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:b, s:f, s:I, s:o}", "back", "monitor", "kernel",
                     "Linux 6.1.0", "server", "PipeWire 1.0", "plays", "nul", "records", "nul", "rate_hz",
                     RATE_HZ, "channels", 2, "valid", 1, "heard_s", heard_s, "losses_n", (json_int_t)losses_n,
                     "losses", losses);
}

static struct st_listen_compare compare(json_t *before, json_t *now)
{
    struct st_listen_compare result;
    st_listen_compare_documents(before, now, &result);
    json_decref(before);
    json_decref(now);
    return result;
}

static void test_verdicts(void **state)
{
    (void)state;
    struct st_listen_compare result = compare(run(60, 30), run(60, 0));
    assert_true(result.compared);
    assert_int_equal(result.figure.verdict, ST_VERDICT_BETTER);
    assert_false(st_listen_compare_is_worse(&result));
    result = compare(run(60, 1), run(60, 40));
    assert_int_equal(result.figure.verdict, ST_VERDICT_WORSE);
    assert_true(st_listen_compare_is_worse(&result));
    result = compare(run(60, 3), run(60, 0)); /* p = 0.25 */
    assert_int_equal(result.figure.verdict, ST_VERDICT_NONE);
    result = compare(run(60, 0), run(60, 0));
    assert_int_equal(result.figure.verdict, ST_VERDICT_NONE);
    json_t *document = st_listen_compare_json(&result);
    assert_string_equal(json_string_value(json_object_get(document, "sentence")),
                        "no difference shown: 0 in 60.0 s before (at most 180 an hour), 0 in 60.0 s now (at "
                        "most 180 an hour, 95 %)");
    json_decref(document);
}

static void says_why(json_t *before, const char *key, json_t *value, const char *why)
{
    (void)json_object_set_new(before, key, value);
    const struct st_listen_compare result = compare(before, run(60, 0));
    assert_false(result.compared);
    assert_non_null(strstr(result.why, why));
}

static void invalid_before_is_not_played_again(void)
{
    json_t *before = run(60, 0);
    struct st_listen_compare result;
    (void)json_object_set_new(before, "valid", json_false());
    (void)json_object_set_new(before, "forced_glitches_found", json_false());
    (void)json_object_set_new(before, "remarks", json_pack("[s, s]", "silent", "mono"));
    assert_int_equal(st_listen_compare_make(before, 0, &result), ST_EXIT_DONE);
    assert_false(result.compared);
    assert_string_equal(result.why,
                        "the run before is invalid (silent, mono): not all test glitches were found");
    json_decref(before);
}

/* What cannot be compared is not; documents may come from anywhere. */
static void test_refused(void **state)
{
    (void)state;
    says_why(run(60, 0), "valid", json_false(), "the run before is invalid");
    invalid_before_is_not_played_again();
    says_why(run(60, 0), "back", json_string("cable\x1b"),
             "another path: \"back\" was cable? and is monitor");
    says_why(run(60, 0), "rate_hz", json_integer(44100), "another path: \"rate_hz\"");
    says_why(run(60, 3), "losses_n", json_integer(600), "600 losses, of which only the first 3 have a place");
    says_why(run(60, 0), "heard_s", json_real(1e300), "does not say how long");
    says_why(run(60, 0), "heard_s", json_string("x"), "does not say how long");
    says_why(run(60, 0), "rate_hz", json_integer(0), "does not say how long");
    json_t *odd = run(60, 3);
    (void)json_object_set_new(json_array_get(json_object_get(odd, "losses"), 0), "at_frame",
                              json_integer(INT64_MAX));
    (void)json_object_set_new(json_array_get(json_object_get(odd, "losses"), 1), "at_frame",
                              json_integer(INT64_MIN));
    assert_true(compare(odd, run(60, 0)).compared);
    json_t *other = run(60, 0);
    (void)json_object_set_new(other, "kernel", json_string("Linux 6.2.0"));
    const struct st_listen_compare result = compare(other, run(60, 0));
    assert_true(result.compared);
    assert_string_equal(result.differs, "kernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
