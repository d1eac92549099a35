/* core/text/safe: what is pasted is one word, the same one. */
#include "core/text/safe.h"
#include "tests/unit/unit.h"

static void words_are_quoted_where_they_need_it(void **state)
{
    static const struct {
        const char *word, *quoted;
    } rows[] = {
        {"a-Z_0./:,@%+=b", "a-Z_0./:,@%+=b"},
        {"--snapshot=x.json", "--snapshot=x.json"},
        {"", "''"},
        {"a b", "'a b'"},
        {"x$(touch PASTED);`id`", "'x$(touch PASTED);`id`'"},
        {"it's", "'it'\\''s'"},
        {"!!", "''\\!''\\!''"},
        {"~root", "'~root'"},
        {"=ls", "'=ls'"},
        {"#", "'#'"},
        {"a\\", "'a\\'"},
        {"gr\xc3\xb6\xc3\x9f", "'gr\xc3\xb6\xc3\x9f'"},
        {"a\x1b[31m", NULL},
        {"a\nb", NULL},
        {"a\tb", NULL},
        {"\xe2\x80\xae", NULL},
        {"\xff", NULL},
    };
    ST_EACH (row, rows) {
        char buf[64];
        const char *quoted = st_safe_shell_word(row->word, buf, sizeof(buf));
        if (row->quoted == NULL)
            assert_null(quoted);
        else
            assert_string_equal(quoted, row->quoted);
    }
}

static void a_word_that_does_not_fit_is_refused(void **state)
{
    char buf[16];
    static const char *const words[] = {"plain", "two words", "'!'", ""};
    ST_EACH (word, words) {
        char whole[64];
        const size_t bytes = strlen(st_safe_shell_word(*word, whole, sizeof(whole))) + 1;
        assert_true(bytes <= 4 * strlen(*word) + 3);
        for (size_t room = 0; room < bytes && room < sizeof(buf); room++) {
            memset(buf, '#', sizeof(buf));
            assert_null(st_safe_shell_word(*word, buf, room));
            assert_int_equal(buf[room], '#');
        }
        assert_non_null(st_safe_shell_word(*word, whole, 4 * strlen(*word) + 3));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_quoted_where_they_need_it),
        cmocka_unit_test(a_word_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
