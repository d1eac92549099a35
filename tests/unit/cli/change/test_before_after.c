/* Runs that are not compared, and why. Real clock: a run is made, and its figures are not looked
 * at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/change/before_after.h"

/* A run of 1 s with periods of 1 ms from before the changes, and what followed. */
struct again {
    struct st_change_target target;
    char path[600];
    struct st_before_after done;
};

static json_t *run_of(int64_t slots_n, json_t *conditions)
{
    json_t *late = json_array(),
           *all = json_pack("{s:i, s:i, s:i}", "frames", 48, "rate_hz", 48000, "cpu", 0);
    for (int64_t i = 0; i < slots_n; i++)
        assert_int_equal(json_array_append_new(late, json_integer(i % 2)), 0);
    assert_int_equal(json_object_update(all, conditions), 0);
    json_decref(conditions);
    return json_pack("{s:s, s:i, s:b, s:i, s:i, s:i, s:i, s:o, s:o}", "schema",
                     "sleeptune-before/1", "started_ns", 1, "interrupted", 0, "elapsed_periods",
                     2000, "misses", 0, "miss_events", 0, "records_lost", 0, "conditions", all,
                     "late", late);
}

static void make(struct again *again, json_t *run)
{
    *again = (struct again){
        .target = {.folder = "/tmp/sleeptune-test-XXXXXX", .p = st_platform_native()}};
    assert_non_null(mkdtemp(again->target.folder));
    snprintf(again->path, sizeof(again->path), "%s/before.json", again->target.folder);
    assert_int_equal(json_dump_file(run, again->path, 0), 0);
    json_decref(run);
    assert_int_equal(st_before_after_make(&again->target, &again->done), 0);
}

static void finish(struct again *again)
{
    st_before_after_finish(&again->done);
    assert_int_equal(unlink(again->path), 0);
    assert_int_equal(rmdir(again->target.folder), 0);
}

static void refused_because(json_t *run, const char *why)
{
    struct again again;
    make(&again, run);
    assert_non_null(again.done.why);
    assert_non_null(strstr(again.done.why, why));
    finish(&again);
}

/* Of which any number may be wrong. */
static void a_run_that_says_too_little_or_too_much_is_refused(void **state)
{
    json_t *run = run_of(10, json_object());
    json_object_set_new(run, "records_lost", json_integer(123));
    refused_because(run, "lacks 123 cycles");
    run = run_of(10, json_object());
    json_object_set_new(run, "schema", json_string("sleeptune-measure/1"));
    refused_because(run, "is damaged, or its measurement took more than 10 minutes");
    refused_because(run_of(0, json_object()),
                    "is damaged, or its measurement took more than 10 minutes");
    refused_because(run_of(ST_BEFORE_AFTER_SLOTS + 1, json_object()),
                    "is damaged, or its measurement took more than 10 minutes");
    refused_because(json_array(), "is damaged, or its measurement took more than 10 minutes");
    refused_because(run_of(10, json_pack("{s:i, s:s}", "frames", -48, "policy", "other")),
                    "the timing test could not run");
    refused_because(run_of(10, json_pack("{s:s, s:i}", "policy", "other", "cpu", 1000000)),
                    "cannot pin to CPU 1000000");
}

static void any_number_of_a_run_may_be_wrong(void **state)
{
    static const char *const keys[] = {"elapsed_periods", "misses", "miss_events", "started_ns",
                                       "interrupted"};
    struct again again;
    json_t *run = run_of(10, json_pack("{s:s, s:i}", "policy", "other", "priority", INT32_MIN));
    ST_EACH (key, keys)
        json_object_set_new(run, *key, json_integer(INT64_MIN));
    json_array_set_new(json_object_get(run, "late"), 0, json_integer(INT64_MIN));
    json_array_set_new(json_object_get(run, "late"), 1, json_string("many"));
    make(&again, run);
    assert_null(again.done.why);
    json_decref(st_before_after_json(&again.done));
    finish(&again);
}

static void nothing_is_known_of_a_run_that_is_too_short(void **state)
{
    struct st_before_after done = {.late.verdict = ST_COUNTS_TOO_SHORT,
                                   .before = run_of(1, json_object()),
                                   .now = run_of(1, json_object())};
    json_t *o = st_before_after_json(&done);
    assert_true(json_is_null(json_object_get(o, "late_times")));
    assert_string_equal(json_string_value(json_object_get(o, "verdict")), "too-short");
    json_decref(o);
    st_before_after_finish(&done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_says_too_little_or_too_much_is_refused),
        cmocka_unit_test(any_number_of_a_run_may_be_wrong),
        cmocka_unit_test(nothing_is_known_of_a_run_that_is_too_short),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
