/* Kernel configuration and /proc/timer_list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "advisor/parse/linux_text.h"

static const char config[] = "# Linux/x86 6.1.140 Kernel Configuration\n"
                             "CONFIG_HZ_250=y\n"
                             "CONFIG_HZ=250\n"
                             "# CONFIG_PREEMPT_RT is not set\n"
                             "CONFIG_PREEMPT_DYNAMIC=y\r\n"
                             "CONFIG_NAME=\"a b\"\n"
                             "CONFIG_EMPTY=\n"
                             "# CONFIG_ODD is set\n"
                             " CONFIG_INDENTED=y\n"
                             "CONFIG_LAST=m";

static void options_are_read_whole_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int r;
        const char *value;
    } rows[] = {
        {"HZ", 0, "250"},
        {"PREEMPT_RT", 0, "n"},
        {"PREEMPT_DYNAMIC", 0, "y"},
        {"NAME", 0, "\"a b\""},
        {"LAST", 0, "m"},
        {"PREEMPT", -ENOENT, NULL}, /* only longer names begin with it */
        {"ODD", -ENOENT, NULL},
        {"INDENTED", -ENOENT, NULL},
        {"EMPTY", -EBADMSG, NULL},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        char value[16] = "untouched";
        assert_int_equal(st_linux_text_config(config, rows[i].name, value, sizeof(value)), rows[i].r);
        assert_string_equal(value, rows[i].r == 0 ? rows[i].value : "untouched");
    }
}

static void a_value_longer_than_the_buffer_is_malformed(void **state)
{
    (void)state;
    char value[4];
    assert_int_equal(st_linux_text_config("CONFIG_HZ=1234\n", "HZ", value, sizeof(value)), -EBADMSG);
    assert_int_equal(st_linux_text_config("CONFIG_HZ=123\n", "HZ", value, sizeof(value)), 0);
    assert_int_equal(st_linux_text_config("", "HZ", value, sizeof(value)), -ENOENT);
}

static void the_worst_cpu_and_clock_count(void **state)
{
    (void)state;
    struct st_timer_list list;
    assert_int_equal(st_linux_text_timer_list("cpu: 0\n  .resolution: 1 nsecs\n  .hres_active    : 1\n"
                                              "cpu: 1\n  .resolution: 4000000 nsecs\n  .hres_active    : 0\n"
                                              "  .hres_active    : 1\n",
                                              &list),
                     0);
    assert_true(list.has_hres_active);
    assert_int_equal(list.hres_active, 0);
    assert_true(list.has_resolution);
    assert_int_equal(list.resolution_ns, 4000000);
}

static void what_is_not_mentioned_is_not_there(void **state)
{
    (void)state;
    struct st_timer_list list;
    assert_int_equal(st_linux_text_timer_list("cpu: 0\n.resolution: 1 nsecs\n", &list), 0);
    assert_false(list.has_hres_active);
    assert_true(list.has_resolution);
    assert_int_equal(st_linux_text_timer_list("", &list), 0);
    assert_false(list.has_resolution);
}

static void a_word_for_a_number_is_malformed(void **state)
{
    (void)state;
    struct st_timer_list list = {.hres_active = 42};
    static const char *const texts[] = {
        ".hres_active : yes\n",    ".hres_active :\n",
        ".resolution: -1 nsecs\n", ".resolution: 99999999999999999999 nsecs\n",
        ".resolution: 1nsecs\n",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(texts); i++)
        assert_int_equal(st_linux_text_timer_list(texts[i], &list), -EBADMSG);
    assert_int_equal(list.hres_active, 42);
}

static void a_last_line_that_is_cut_is_left_out(void **state)
{
    (void)state;
    struct st_timer_list list;
    assert_int_equal(st_linux_text_timer_list(".hres_active : 1\n.resolution: ", &list), 0);
    assert_true(list.has_hres_active);
    assert_false(list.has_resolution);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read_whole_or_not_at_all),
        cmocka_unit_test(a_value_longer_than_the_buffer_is_malformed),
        cmocka_unit_test(the_worst_cpu_and_clock_count),
        cmocka_unit_test(what_is_not_mentioned_is_not_there),
        cmocka_unit_test(a_word_for_a_number_is_malformed),
        cmocka_unit_test(a_last_line_that_is_cut_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
