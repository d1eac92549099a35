/* core/text/safe: what is pasted is one word, the same one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/text/safe.h"

static void words_are_quoted_where_they_need_it(void **state)
{
    (void)state;
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
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        char buf[64];
        const char *quoted = st_safe_shell_word(rows[i].word, buf, sizeof(buf));
        if (rows[i].quoted == NULL)
            assert_null(quoted);
        else
            assert_string_equal(quoted, rows[i].quoted);
    }
}

static void a_word_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    char buf[16];
    static const char *const words[] = {"plain", "two words", "'!'", ""};
    for (size_t i = 0; i < ST_ARRAY_LEN(words); i++) {
        char whole[64];
        const size_t bytes = strlen(st_safe_shell_word(words[i], whole, sizeof(whole))) + 1;
        assert_true(bytes <= 4 * strlen(words[i]) + 3);
        for (size_t room = 0; room < bytes && room < sizeof(buf); room++) {
            memset(buf, '#', sizeof(buf));
            assert_null(st_safe_shell_word(words[i], buf, room));
            assert_int_equal(buf[room], '#');
        }
        assert_non_null(st_safe_shell_word(words[i], whole, 4 * strlen(words[i]) + 3));
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
