/* core/text/safe: whatever a text holds, nothing of it acts on a terminal. */
#include "core/text/safe.h"
#include "tests/unit/unit.h"

static const struct {
    const char *text, *safe;
} rows[] = {
    {"", ""},
    {"50 \xc2\xb5s \xe2\x88\x9e \xf0\x9f\x8e\xb5", "50 \xc2\xb5s \xe2\x88\x9e \xf0\x9f\x8e\xb5"},
    {"a\tb\nc\rd", "a b?c?d"},
    {"\x1b]52;c;aGk=\x07\x7f", "?]52;c;aGk=??"},
    {"\xc2\x80\xc2\x9b\x33\x31m\xc2\x9f\xc2\xa0", "??31m?\xc2\xa0"},
    {"\xe2\x80\xae\xe2\x80\xaa\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "???????"},
    {"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa7\xe2\x80\xaf", "??\xe2\x80\xa7\xe2\x80\xaf"},
    {"\xff\x9b\xc3", "???"},                               /* not UTF-8; a C1 byte; cut short */
    {"\xc0\x9b\xe0\x82\x9b", "?????"},                     /* U+001B and U+009B in overlong forms */
    {"\xf0\x80\x82\x9b\xc1\xbf", "??????"},                /* overlong */
    {"\xed\xa0\x80\xed\xbf\xbf", "??????"},                /* surrogates */
    {"\xf4\x90\x80\x80\xf8\x88\x80\x80\x80", "?????????"}, /* beyond U+10FFFF */
    {"\xf4\x8f\xbf\xbd\xef\xbf\xbd", "\xf4\x8f\xbf\xbd\xef\xbf\xbd"},
    {"\xef\xbf\xbe\xef\xbf\xbf", "??"},
};

static void what_acts_is_replaced_and_other_text_stays(void **state)
{
    ST_EACH (row, rows) {
        char buf[64];
        assert_int_equal(st_safe_copy(buf, sizeof(buf), row->text, ST_TEXT_TO_NUL),
                         strlen(row->safe));
        assert_string_equal(buf, row->safe);
        assert_int_equal(st_safe_is(row->text), strcmp(row->text, row->safe) == 0);
        assert_true(st_safe_is(buf));
        strcpy(buf, row->text);
        assert_string_equal(st_safe_text(buf), row->safe);
    }
}

static void a_copy_ends_with_a_whole_character(void **state)
{
    char buf[6];
    assert_int_equal(st_safe_copy(buf, sizeof(buf), "abcd\xc2\xb5", ST_TEXT_TO_NUL), 4);
    assert_string_equal(buf, "abcd");
    assert_int_equal(st_safe_copy(buf, sizeof(buf), "abc\xc2\xb5", ST_TEXT_TO_NUL), 5);
    assert_int_equal(st_safe_copy(buf, 1, "abc", ST_TEXT_TO_NUL), 0);
    assert_string_equal(buf, "");
    assert_int_equal(st_safe_copy(buf, sizeof(buf), "a\xc2\xb5", 2), 2); /* the text ends within */
    assert_string_equal(buf, "a?");
}

static void lines_stay_only_where_they_are_wanted(void **state)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    st_safe_print(out, "a\nb\x1b", ST_TEXT_TO_NUL);
    st_safe_print_lines(out, "|a\nb\x1b|not this", 6);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "a?b?|a\nb?|");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_acts_is_replaced_and_other_text_stays),
        cmocka_unit_test(a_copy_ends_with_a_whole_character),
        cmocka_unit_test(lines_stay_only_where_they_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
