/* Parsers of Linux' text files. Each given setting is noted as "section|key|value;". */
#include "advisor/parse/linux_text.h"
#include "platform/proc.h"
#include "tests/unit/unit.h"

static char noted[4096];

static void note(void *ctx, const char *section, const char *key, const char *value)
{
    const size_t used = strlen(noted);
    snprintf(noted + used, sizeof(noted) - used, "%s|%s|%s;", section, key, value);
}

static int clear(void **state)
{
    noted[0] = '\0';
    return 0;
}

static void settings_have_sections_and_comments(void **state)
{
    char text[] =
        "; no\na = 1\r\n\n[Service]\n# c = 3\n ExecStart = /bin/x = y \nnothing\n[Install\nb=\n";
    st_linux_text_settings(text, note, NULL);
    assert_string_equal(noted, "|a|1;Service|ExecStart|/bin/x = y;Service|b|;");
}

static void relaxed_json_names_the_object_of_a_setting(void **state)
{
    st_linux_text_spa(
        "# top\ncontext.properties = {\n #a = 1\n default.clock.rate = 48000 # Hz\n"
        " \"default.clock.quantum\": 256, list = [ 44100 48000 ]\n"
        " vm.overrides = { default.clock.min-quantum = 1024 } after = yes }\nlog.level = 2\n",
        note, NULL);
    assert_string_equal(noted,
                        "context.properties|default.clock.rate|48000;"
                        "context.properties|default.clock.quantum|256;"
                        "vm.overrides|default.clock.min-quantum|1024;context.properties|after|yes;"
                        "|log.level|2;");
}

static void relaxed_json_without_end_or_too_deep_is_survived(void **state)
{
    char deep[200];
    memset(deep, '{', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    memcpy(deep + 100, " a = 1 ", 7);
    st_linux_text_spa(deep, note, NULL);
    st_linux_text_spa("}}] a = \"b", note, NULL);
    assert_string_equal(noted, "|a|b;");
}

static void a_stat_line_gives_name_and_priority(void **state)
{
    struct st_proc_stat stat;
    assert_int_equal(
        st_proc_stat(
            "37 (irq/9 a) (b)) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 -51 0 1 0 26 0 0 18 0 0 0 0 0 "
            "0 0 21 0 0 0 0 17 3 50 1 0 0 0\n",
            &stat),
        0);
    assert_string_equal(stat.name, "irq/9 a) (b)");
    assert_true(stat.kernel_thread);
    assert_int_equal(stat.threads_n, 1);
    assert_int_equal(stat.rt_priority, 50);
    assert_int_equal(stat.policy, 1);
}

static void a_stat_line_that_is_cut_is_refused(void **state)
{
    struct st_proc_stat stat;
    assert_int_equal(st_proc_stat("37 (a) S 2 0 0", &stat), -EBADMSG);
    assert_int_equal(st_proc_stat("37 (a", &stat), -EBADMSG);
    assert_int_equal(st_proc_stat(")(", &stat), -EBADMSG);
    assert_int_equal(st_proc_stat("", &stat), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(settings_have_sections_and_comments, clear),
        cmocka_unit_test_setup(relaxed_json_names_the_object_of_a_setting, clear),
        cmocka_unit_test_setup(relaxed_json_without_end_or_too_deep_is_survived, clear),
        cmocka_unit_test_setup(a_stat_line_gives_name_and_priority, clear),
        cmocka_unit_test_setup(a_stat_line_that_is_cut_is_refused, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
