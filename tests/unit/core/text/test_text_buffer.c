/* Text that is put together piece by piece. */
#include "core/text/text.h"
#include "core/text/text_buffer.h"
#include "tests/unit/unit.h"

static void an_empty_buffer_gives_an_empty_text(void **state)
{
    struct st_text_buffer buffer = {0};
    char *text = st_text_buffer_take(&buffer);
    assert_string_equal(text, "");
    free(text);
    free(st_text_buffer_take(&buffer));
}

static void pieces_follow_each_other(void **state)
{
    struct st_text_buffer buffer = {0};
    st_text_buffer_printf(&buffer, "%s", "");
    for (int i = 0; i < 1000; i++) {
        st_text_buffer_printf(&buffer, "%04d", i);
        st_text_buffer_add(&buffer, ";xx", 1);
    }
    assert_int_equal(buffer.bytes, 5000);
    assert_false(buffer.failed);
    char *text = st_text_buffer_take(&buffer);
    assert_int_equal(strlen(text), 5000);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(strtol(text + 5 * (size_t)i, NULL, 10), i);
        assert_int_equal(text[5 * i + 4], ';');
    }
    free(text);
    assert_null(buffer.text);
    st_text_buffer_printf(&buffer, "again");
    assert_string_equal(buffer.text, "again");
    free(st_text_buffer_take(&buffer));
    assert_null(buffer.text);
}

static void a_piece_of_each_length_fits(void **state)
{
    for (int length = 1; length < 1500; length++) {
        struct st_text_buffer buffer = {0};
        st_text_buffer_printf(&buffer, "a");
        st_text_buffer_printf(&buffer, "%*s", length, "b");
        assert_int_equal(buffer.bytes, 1 + length);
        assert_int_equal(buffer.text[length], 'b');
        assert_int_equal(buffer.text[length + 1], '\0');
        free(st_text_buffer_take(&buffer));
    }
}

static void an_array_keeps_what_fits(void **state)
{
    char array[8] = "before";
    struct st_text_buffer buffer = st_text_buffer_on(array, sizeof(array));
    assert_string_equal(array, "");
    st_text_buffer_printf(&buffer, "%s", "abcd");
    st_text_buffer_add(&buffer, "efg", 3);
    assert_string_equal(array, "abcdefg");
    assert_false(buffer.failed);
    st_text_buffer_printf(&buffer, "%s", "");
    assert_false(buffer.failed);
    st_text_buffer_printf(&buffer, "%d", 8);
    assert_true(buffer.failed);
    assert_string_equal(array, "abcdefg");
}

static void a_piece_is_cut_at_the_end_of_the_array(void **state)
{
    char array[6];
    struct st_text_buffer buffer = st_text_buffer_on(array, sizeof(array));
    st_text_buffer_printf(&buffer, "%s", "abc");
    st_text_buffer_printf(&buffer, "%s", "defgh");
    assert_true(buffer.failed);
    assert_string_equal(array, "abcde");
    st_text_buffer_add(&buffer, "x", 1);
    st_text_buffer_printf(&buffer, "y");
    assert_string_equal(array, "abcde");
    assert_int_equal(buffer.bytes, 5);
    buffer = st_text_buffer_on(array, sizeof(array));
    st_text_buffer_add(&buffer, "0123456789", 10);
    assert_string_equal(array, "01234");
    assert_true(buffer.failed);
}

static void after_a_failure_nothing_is_taken(void **state)
{
    struct st_text_buffer buffer = {0};
    st_text_buffer_printf(&buffer, "a");
    buffer.failed = true;
    st_text_buffer_printf(&buffer, "b");
    st_text_buffer_add(&buffer, "c", 1);
    assert_string_equal(buffer.text, "a");
    assert_null(st_text_buffer_take(&buffer));
    assert_null(buffer.text);
    assert_false(buffer.failed);
}

static void append_fills_an_array_and_stops(void **state)
{
    char array[6] = "";
    st_text_append(array, sizeof(array), "%d", 12);
    st_text_append(array, sizeof(array), "%s", "3");
    assert_string_equal(array, "123");
    st_text_append(array, sizeof(array), "%s", "4567");
    assert_string_equal(array, "12345");
    st_text_append(array, sizeof(array), "8");
    assert_string_equal(array, "12345");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_gives_an_empty_text),
        cmocka_unit_test(pieces_follow_each_other),
        cmocka_unit_test(a_piece_of_each_length_fits),
        cmocka_unit_test(an_array_keeps_what_fits),
        cmocka_unit_test(a_piece_is_cut_at_the_end_of_the_array),
        cmocka_unit_test(after_a_failure_nothing_is_taken),
        cmocka_unit_test(append_fills_an_array_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
