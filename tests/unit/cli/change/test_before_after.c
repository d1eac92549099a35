/* Runs that are not compared, and why. */
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

/* 2 s of periods of 1 ms from one on, then lost_n that are not in it, and what followed. */
struct again {
    struct st_change_target target;
    char path[600];
    struct st_before_after done;
};

static void make(struct again *again, uint64_t first, uint64_t lost_n, const char *conditions)
{
    struct st_recording_meta meta = {.frames = 48, .rate_hz = 48000, .started_wall_ns = 1};
    struct st_journal journal = {0};
    struct st_recording *recording;
    *again = (struct again){.target = {.folder = "/tmp/sleeptune-test-XXXXXX"}};
    assert_non_null(mkdtemp(again->target.folder));
    snprintf(again->path, sizeof(again->path), "%s/before.recording", again->target.folder);
    assert_int_equal(st_period_init(&meta.period, meta.frames, meta.rate_hz), 0);
    assert_int_equal(st_recording_create(again->path, &meta, &recording), 0);
    assert_int_equal(st_recording_text(recording, conditions), 0);
    for (uint64_t k = first; k < first + 2000; k++)
        assert_int_equal(st_recording_cycle(recording, k, 5000, 0), 0);
    if (lost_n > 0)
        assert_int_equal(st_recording_lost(recording, first + 2000, lost_n), 0);
    assert_int_equal(st_recording_close(recording, false), 0);
    assert_int_equal(st_before_after_make(&again->target, &journal, 1000000000, &again->done), 0);
}

static void finish(struct again *again)
{
    st_before_after_finish(&again->done);
    assert_int_equal(unlink(again->path), 0);
    assert_int_equal(rmdir(again->target.folder), 0);
}

static void refused_because(uint64_t first, uint64_t lost_n, const char *why)
{
    struct again again;
    make(&again, first, lost_n, "");
    assert_false(again.done.compared);
    assert_non_null(strstr(again.done.why, why));
    finish(&again);
}

static void cycles_that_are_missing_are_not_in_time(void **state)
{
    (void)state;
    refused_because(0, 123, "lacks 123 cycles");
    refused_because(0, 0, "the recording does not say");
}

static void a_run_of_which_not_all_has_room_is_refused(void **state)
{
    (void)state;
    refused_because(619000, 0, "is longer than 10 minutes");
    refused_because(UINT64_C(1) << 40, 0, "is longer than 10 minutes");
}

/* Of either run; what was known before only, too. */
static void a_condition_of_one_run_only_differs(void **state)
{
    (void)state;
    struct again again;
    make(&again, 0, 0, "policy: other\ngone: 1: \xc3\xa9\n");
    size_t i;
    json_t *row;
    bool gone = false, came = false;
    json_array_foreach(again.done.differs, i, row)
    {
        const char *key = json_string_value(json_object_get(row, "key")),
                   *before = json_string_value(json_object_get(row, "before")),
                   *now = json_string_value(json_object_get(row, "now"));
        assert_string_not_equal(before, now);
        assert_string_not_equal(key, "policy");
        gone |= strcmp(key, "gone") == 0 && strcmp(before, "1: ??") == 0 && now[0] == '\0';
        came |= strcmp(key, "applied") == 0 && before[0] == '\0' && strcmp(now, "nothing") == 0;
    }
    assert_true(gone && came);
    finish(&again);
}

static void nothing_is_known_of_a_run_that_is_too_short(void **state)
{
    (void)state;
    struct st_before_after done = {
        .compared = true, .late.verdict = ST_COUNTS_TOO_SHORT, .differs = json_array()};
    assert_int_equal(st_period_init(&done.before.meta.period, 48, 48000), 0);
    done.now.meta = done.before.meta;
    json_t *o = st_before_after_json(&done);
    assert_true(json_is_null(json_object_get(o, "late_times")));
    assert_string_equal(json_string_value(json_object_get(o, "verdict")), "too-short");
    json_decref(o);
    st_before_after_finish(&done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_that_are_missing_are_not_in_time),
        cmocka_unit_test(a_condition_of_one_run_only_differs),
        cmocka_unit_test(nothing_is_known_of_a_run_that_is_too_short),
        cmocka_unit_test(a_run_of_which_not_all_has_room_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
