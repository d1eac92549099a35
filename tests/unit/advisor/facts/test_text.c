

#include "advisor/facts/text.h"
#include "core/text/near.h"
#include "tests/unit/unit.h"

static void check_utf8(const char *bytes, size_t n, const char *expected)
{
    char *copy = st_text_utf8(bytes, n);
    assert_non_null(copy);
    assert_string_equal(copy, expected);
    free(copy);
}

static void valid_utf8_is_kept(void **state)
{
    check_utf8("", 0, "");
    check_utf8("gr\xC3\xBC\xC3\x9F", 6, "gr\xC3\xBC\xC3\x9F");
    check_utf8("\xE2\x82\xAC", 3, "\xE2\x82\xAC");
    check_utf8("\xF0\x9F\x8E\xB5", 4, "\xF0\x9F\x8E\xB5");
}

static void invalid_bytes_become_replacement_characters(void **state)
{
    check_utf8("a\xFFz", 3, "a\xEF\xBF\xBDz");
    check_utf8("a\0z", 3, "a\xEF\xBF\xBDz");
    check_utf8("\xC3", 1, "\xEF\xBF\xBD");                                 /* cut short */
    check_utf8("\xC0\x80", 2, "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* overlong NUL */
    check_utf8("\xED\xA0\x80", 3, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* surrogate */
    check_utf8("\xF4\x90\x80\x80", 4,
               "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* > U+10FFFF */
}

static void a_text_is_cut_between_characters(void **state)
{
    assert_int_equal(st_text_cut("abc", 10), 3);
    assert_int_equal(st_text_cut("abc", 2), 2);
    assert_int_equal(st_text_cut("a\xC3\xBC", 3), 3);
    assert_int_equal(st_text_cut("a\xC3\xBC", 2), 1);
    assert_int_equal(st_text_cut("\xF0\x9F\x8E\xB5", 3), 0);
    assert_int_equal(st_text_cut("", 5), 0);
}

static void white_space_is_cut_at_both_ends_only(void **state)
{
    char text[] = " \t a  b\r\n\n";
    st_text_trim(text);
    assert_string_equal(text, "a  b");
    char blank[] = " \n ";
    st_text_trim(blank);
    assert_string_equal(blank, "");
}

static void only_whole_decimal_numbers_are_numbers(void **state)
{
    static const struct {
        const char *text;
        int r;
        int64_t value;
    } rows[] = {
        {"0", 0, 0},
        {"-1", 0, -1},
        {"950000", 0, 950000},
        {"9223372036854775807", 0, INT64_MAX},
        {"-9223372036854775808", 0, INT64_MIN},
        {"9223372036854775808", -ERANGE, 0},
        {"", -EINVAL, 0},
        {"-", -EINVAL, 0},
        {"+1", -EINVAL, 0},
        {" 1", -EINVAL, 0},
        {"1 ", -EINVAL, 0},
        {"0x10", -EINVAL, 0},
        {"1.5", -EINVAL, 0},
        {"5 us", -EINVAL, 0},
    };
    ST_EACH (row, rows) {
        int64_t value = 42;
        assert_int_equal(st_text_int(row->text, &value), row->r);
        assert_int_equal(value, row->r == 0 ? row->value : 42);
    }
}

static void distance_counts_single_edits(void **state)
{
    assert_int_equal(st_near_distance("linux-hz", "linux-hz"), 0);
    assert_int_equal(st_near_distance("linux-hz", "linux-h"), 1);
    assert_int_equal(st_near_distance("kitten", "sitting"), 3);
    assert_int_equal(st_near_distance("", "abc"), 3);
    assert_int_equal(st_near_distance("abc", ""), 3);
    assert_int_equal(st_near_distance("measrue", "measure"), 1);
    assert_int_equal(st_near_distance("ba", "ab"), 1);
    char long_name[80];
    memset(long_name, 'x', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    assert_true(st_near_distance("a", long_name) == SIZE_MAX);
}

static const char *nearest(const char *typed)
{
    static const char *const names[] = {"check", "compare", "measure", "report", "status", "lab"};
    struct st_near near = {.typed = typed};
    ST_EACH (name, names)
        st_near_offer(&near, *name);
    return near.name != NULL ? near.name : "";
}

static void name_typed_almost_right_is_found(void **state)
{
    assert_string_equal(nearest("measrue"), "measure");
    assert_string_equal(nearest("chekcx"), "check");
    assert_string_equal(nearest("stat"), "status"); /* its beginning */
    assert_string_equal(nearest("lb"), "lab");
    assert_string_equal(nearest("x"), "");
    assert_string_equal(nearest(""), "");
    assert_string_equal(nearest("nonsense"), "");
    assert_string_equal(nearest("budget"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_utf8_is_kept),
        cmocka_unit_test(invalid_bytes_become_replacement_characters),
        cmocka_unit_test(a_text_is_cut_between_characters),
        cmocka_unit_test(white_space_is_cut_at_both_ends_only),
        cmocka_unit_test(only_whole_decimal_numbers_are_numbers),
        cmocka_unit_test(distance_counts_single_edits),
        cmocka_unit_test(name_typed_almost_right_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
