

#include "advisor/report/print.h"
#include "core/text/text.h"
#include "tests/unit/unit.h"

static void check(int width, bool wrap, const char *label, const char *text, const char *expected)
{
    char *printed = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&printed, &bytes);
    assert_non_null(out);
    const struct st_printer printer = {out, width, false};
    st_print_lines(&printer, 2, label, 6, text, wrap);
    fclose(out);
    assert_string_equal(printed, expected);
    free(printed);
}

static void text_is_wrapped_at_the_width(void **state)
{
    check(16, true, "a:", "one two three four", "  a:  one two\n      three four\n");
    check(17, true, "a:", "one two three four", "  a:  one two\n      three four\n");
    check(0, true, "a:", "one two three four", "  a:  one two three four\n");
}

static void a_word_longer_than_the_line_stands_alone(void **state)
{
    check(12, true, "a:", "x verylongword y", "  a:  x\n      verylongword\n      y\n");
}

static void a_long_label_is_followed_by_a_blank(void **state)
{
    check(80, true, "label:", "text", "  label: text\n");
    check(80, true, "", "text", "      text\n");
}

static void newlines_begin_a_line_and_a_last_one_does_not(void **state)
{
    check(80, true, "a:", "one\n two\n", "  a:  one\n      two\n");
    check(80, false, "a:", "one\n two\n", "  a:  one\n       two\n");
    check(80, true, "a:", "", "  a:  \n");
}

static void commands_keep_their_length(void **state)
{
    check(10, false, "a:", "echo one two three", "  a:  echo one two three\n");
}

static void characters_count_once_whatever_their_bytes(void **state)
{
    assert_int_equal(st_text_columns("\xC2\xB5s"), 2);
    assert_int_equal(st_text_columns("ピアノ e\u0301"),
                     6 + 2); /* wide ones, and an accent of its own */
    char wide[] = "ピアノ";
    assert_string_equal(st_text_clip(wide, 5), "ピア");
    check(12, true, "a:", "\xC2\xB5\xC2\xB5\xC2\xB5 \xC2\xB5\xC2\xB5",
          "  a:  \xC2\xB5\xC2\xB5\xC2\xB5 \xC2\xB5\xC2\xB5\n");
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    check(80, true, "a:", "x\033[2J\007\x7F\r\xC2\x9By", "  a:  x?[2J????y\n");
    check(80, false, "a:", "x\033\ty\xC2\xB5", "  a:  x? y\xC2\xB5\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_wrapped_at_the_width),
        cmocka_unit_test(a_word_longer_than_the_line_stands_alone),
        cmocka_unit_test(a_long_label_is_followed_by_a_blank),
        cmocka_unit_test(newlines_begin_a_line_and_a_last_one_does_not),
        cmocka_unit_test(commands_keep_their_length),
        cmocka_unit_test(characters_count_once_whatever_their_bytes),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
