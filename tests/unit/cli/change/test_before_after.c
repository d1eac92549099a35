/* Runs that are not compared, and why. Real clock: a run is made, and its figures are not looked at. */
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

/* A run of 2 s with periods of 1 ms from before the changes, and what followed. */
struct again {
    struct st_change_target target;
    char path[600];
    struct st_before_after done;
};

static json_t *run_of(int64_t slots_n, json_t *conditions)
{
    json_t *late = json_array(), *all = json_pack("{s:i, s:i}", "frames", 48, "rate_hz", 48000);
    for (int64_t i = 0; i < slots_n; i++)
        assert_int_equal(json_array_append_new(late, json_integer(i % 2)), 0);
    assert_int_equal(json_object_update(all, conditions), 0);
    json_decref(conditions);
    return json_pack("{s:s, s:i, s:b, s:{s:i, s:i, s:i, s:i, s:i, s:o}, s:o}", "schema", "sleeptune-before/1",
                     "started_wall_ns", 1, "interrupted", 0, "measured", "cycles", 2000, "skipped_periods", 0,
                     "misses", 0, "miss_events", 0, "records_lost", 0, "conditions", all, "late", late);
}

static void make(struct again *again, json_t *run)
{
    struct st_journal journal = {0};
    *again = (struct again){.target = {.folder = "/tmp/sleeptune-test-XXXXXX", .p = st_platform_native()}};
    assert_non_null(mkdtemp(again->target.folder));
    snprintf(again->path, sizeof(again->path), "%s/before.json", again->target.folder);
    assert_int_equal(json_dump_file(run, again->path, 0), 0);
    json_decref(run);
    assert_int_equal(st_before_after_make(&again->target, &journal, 1000000000, &again->done), 0);
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
    assert_false(again.done.compared);
    assert_non_null(strstr(again.done.why, why));
    finish(&again);
}

/* Which any number may be wrong. */
static void a_run_that_says_too_little_or_too_much_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        int64_t value;
        const char *why;
    } rows[] = {
        {"records_lost", 123, "lacks 123 cycles"},
        {"cycles", 0, "is no run of at most 10 minutes"},
        {"cycles", INT64_MIN, "is no run of at most 10 minutes"},
        {"misses", -1, "is no run of at most 10 minutes"},
        {"misses", 0, "does not say which scheduling policy"},
    };
    ST_EACH (row, rows) {
        json_t *run = run_of(20, json_object());
        json_object_set_new(json_object_get(run, "measured"), row->key, json_integer(row->value));
        refused_because(run, row->why);
    }
    refused_because(run_of(0, json_object()), "is no run of at most 10 minutes");
    refused_because(run_of(ST_BEFORE_AFTER_SLOTS + 1, json_object()), "is no run of at most 10 minutes");
    refused_because(run_of(20, json_pack("{s:i}", "frames", -48)), "is no run of at most 10 minutes");
    refused_because(json_array(), "is no run of at most 10 minutes");
    refused_because(run_of(20, json_pack("{s:s, s:i}", "policy", "fifo", "priority_asked", 100)),
                    "does not say which scheduling policy");
    refused_because(run_of(20, json_pack("{s:s, s:i}", "policy", "other", "cpu", 1000000)),
                    "was on CPU 1000000, which sleeptune may not use now");
}

/* Of either run; what was known before only, too. */
static void a_condition_of_one_run_only_differs(void **state)
{
    (void)state;
    struct again again;
    make(&again,
         run_of(20, json_pack("{s:s, s:s, s:i}", "policy", "other", "gone", "1: 2", "load_percent", 7)));
    size_t i;
    json_t *row;
    int found = 0;
    json_array_foreach(again.done.differs, i, row)
    {
        const char *key = json_string_value(json_object_get(row, "key")),
                   *before = json_string_value(json_object_get(row, "before")),
                   *now = json_string_value(json_object_get(row, "now"));
        assert_string_not_equal(before, now);
        assert_string_not_equal(key, "policy");
        found += strcmp(key, "gone") == 0 && strcmp(before, "1: 2") == 0 && now[0] == '\0';
        found += strcmp(key, "load_percent") == 0 && strcmp(before, "7") == 0 && strcmp(now, "0") == 0;
        found += strcmp(key, "applied") == 0 && before[0] == '\0' && strcmp(now, "nothing") == 0;
    }
    assert_int_equal(found, 3);
    finish(&again);
}

static void nothing_is_known_of_a_run_that_is_too_short(void **state)
{
    (void)state;
    struct st_before_after done = {
        .compared = true, .late.verdict = ST_COUNTS_TOO_SHORT, .differs = json_array()};
    assert_int_equal(st_period_init(&done.before.period, 48, 48000), 0);
    done.now.period = done.before.period;
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
        cmocka_unit_test(a_condition_of_one_run_only_differs),
        cmocka_unit_test(nothing_is_known_of_a_run_that_is_too_short),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
