/* Since when dropouts are more frequent, in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/text.h"
#include "story/change_story.h"

#define TUESDAY_NS (INT64_C(1795521600) * ST_NS_PER_S) /* 2026-11-24 12:00 UTC */
#define DAY_NS     (86400 * ST_NS_PER_S)

static const char *text;

static json_t *change(const char *verdict, const char *kind, const char *name, const char *now)
{
    return json_pack(
        "{s:I, s:s, s:[{s:s, s:s, s:s, s:s?}, {s:s, s:s, s:s, s:s}], s:{s:I, s:I}, s:{s:I, s:I}}",
        "at_ns", (json_int_t)TUESDAY_NS, "verdict", verdict, "what", "kind", kind, "name", name,
        "before", "old", "now", now, "kind", "kernel", "name", "kernel version", "before", "#1",
        "now", "#2", "before", "playing_ns", (json_int_t)(3600 * 10 * ST_NS_PER_S), "dropouts",
        (json_int_t)2, "since", "playing_ns", (json_int_t)(3600 * 2 * ST_NS_PER_S), "dropouts",
        (json_int_t)28);
}

static const char *say(json_t *changes, int64_t now_ns)
{
    bool worse;
    text = st_change_story_text(changes, now_ns, &worse);
    assert_int_equal(worse, strncmp(text, "More", 4) == 0);
    json_decref(changes);
    return text;
}

static void the_last_one_that_made_a_difference(void **state)
{
    assert_string_equal(
        say(json_pack("[o, o]", change("worse", "kernel", "kernel", "6.12.48"),
                      change("none", "package", "pipewire", "1.4")),
            TUESDAY_NS + 2 * DAY_NS),
        "More dropouts since Tuesday, when the kernel became 6.12.48: 14 an hour, before 0.2.");
    assert_string_equal(
        say(json_pack("[o]", change("better", "package", "pipewire", "1.4.2-1")),
            TUESDAY_NS + 20 * DAY_NS),
        "Fewer dropouts since 2026-11-24, when pipewire became 1.4.2-1: 14 an hour, before 0.2.");
    assert_string_equal(
        say(json_pack("[o]", change("too-short", "file", "~/.asoundrc", "1")), TUESDAY_NS), "");
    assert_string_equal(say(json_array(), TUESDAY_NS), "");
    assert_string_equal(say(json_null(), TUESDAY_NS), "");
}

static void a_kernel_that_is_still_there(ST_UNUSED void **state)
{
    char folder[] = "/tmp/st-test-XXXXXX", path[64];
    json_t *one = json_pack("[{s:s, s:s}]", "name", "kernel", "before", "6.12.47"),
           *foreign = json_pack("[{s:s, s:s}, {s:s, s:s}]", "name", "kernel", "before", "../etc",
                                "name", "pipewire", "before", "6.12.47");
    assert_non_null(mkdtemp(folder));
    ST_PRINT(path, "%s/6.12.47", folder);
    assert_string_equal(st_change_story_kernel(one, folder), "");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_string_equal(st_change_story_kernel(one, folder),
                        " Kernel 6.12.47 is still installed: boot it to compare.");
    assert_string_equal(st_change_story_kernel(foreign, folder), "");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
    json_decref(foreign);
    json_decref(one);
}

static void a_file_and_what_is_hostile(void **state)
{
    json_t *one = change("worse", "file", "/etc/\033[31m", "1");
    const char *what = st_change_story_what(json_array_get(json_object_get(one, "what"), 0));
    assert_null(strchr(what, '\033'));
    assert_non_null(strstr(what, " changed"));
    json_decref(one);
    one = change("worse", "package", "jackd2", NULL);
    assert_string_equal(st_change_story_what(json_array_get(json_object_get(one, "what"), 0)),
                        "jackd2 was removed");
    json_decref(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_one_that_made_a_difference),
        cmocka_unit_test(a_kernel_that_is_still_there),
        cmocka_unit_test(a_file_and_what_is_hostile),
    };
    setenv("TZ", "UTC", 1);
    tzset();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
