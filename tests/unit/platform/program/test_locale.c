

#include "platform/program/locale.h"
#include "tests/unit/unit.h"

static void set(const char *lc_all, const char *lc_ctype, const char *lang)
{
    const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}, *const values[] = {lc_all, lc_ctype,
                                                                                   lang};
    for (size_t i = 0; i < ST_ARRAY_LEN(names); i++)
        assert_int_equal(values[i] != NULL ? setenv(names[i], values[i], 1) : unsetenv(names[i]),
                         0);
}

static void the_first_variable_that_is_set_decides(void **state)
{
    static const struct {
        const char *lc_all, *lc_ctype, *lang;
        bool utf8;
    } rows[] = {
        {NULL, NULL, NULL, false},
        {NULL, NULL, "C.UTF-8", true},
        {NULL, NULL, "de_DE.utf8", true},
        {NULL, NULL, "de_DE.UTF-8@euro", true},
        {NULL, NULL, "de_DE.ISO8859-1", false},
        {NULL, NULL, "C", false},
        {NULL, "C", "C.UTF-8", false},
        {"C", "C.UTF-8", "C.UTF-8", false},
        {"", "", "C.UTF-8", true},
        {"C.UTF-8", "C", "C", true},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        set(rows[i].lc_all, rows[i].lc_ctype, rows[i].lang);
        if (st_locale_utf8() != rows[i].utf8)
            fail_msg("row %zu", i);
    }
}

static void text_becomes_ascii(void **state)
{
    static const struct {
        const char *text, *ascii;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"14.2 µs", "14.2 us"},
        {"a … b", "a ... b"}, /* as long as before */
        {"2 × 3 ± 1 … “x” ≥ →", "2 x 3 +- 1 ... \"x\" >= ->"},
        {"Größe 日本", "Gr??e ??"},
        {"\xC3", "?"},
        {"a\xA0\xA0z", "a?z"},
        {"\xF0\x9F\x98\x80!", "?!"},
    };
    ST_EACH (row, rows) {
        char text[64];
        strcpy(text, row->text);
        set("C", NULL, NULL);
        assert_string_equal(st_locale_text(text), row->ascii);
        strcpy(text, row->text);
        set("C.UTF-8", NULL, NULL);
        assert_string_equal(st_locale_text(text), row->text);
    }
}

static void a_stream_is_ascii_when_it_ends(void **state)
{
    for (int utf8 = 0; utf8 <= 1; utf8++) {
        char *text = NULL;
        size_t bytes;
        struct st_locale_stream stream;
        set(utf8 == 1 ? "C.UTF-8" : "C", NULL, NULL);
        FILE *to = open_memstream(&text, &bytes);
        assert_non_null(to);
        fputs("µ then ", to);
        fputs("5 µs", st_locale_begin(&stream, to));
        assert_int_equal(st_locale_end(&stream), 0);
        assert_int_equal(fclose(to), 0);
        assert_string_equal(text, utf8 == 1 ? "µ then 5 µs" : "µ then 5 us");
        free(text);
    }
}

static void foreign_text_is_made_safe(void **state)
{
    static const struct {
        const char *locale, *shown;
    } rows[] = {{"C.UTF-8", "\xc2\xb5 a?[2J?31m\nb?c?"}, {"C", "u a?[2J?31m\nb?c?"}};
    ST_EACH (row, rows) {
        set(row->locale, NULL, NULL);
        char *shown = NULL;
        size_t bytes;
        FILE *to = open_memstream(&shown, &bytes);
        assert_non_null(to);
        struct st_locale_stream stream;
        fputs("\xc2\xb5 a\x1b[2J\xc2\x9b\x33\x31m\nb\xe2\x80\xae"
              "c\xff",
              st_locale_begin(&stream, to));
        assert_int_equal(st_locale_end(&stream), 0);
        fclose(to);
        assert_string_equal(shown, row->shown);
        free(shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_variable_that_is_set_decides),
        cmocka_unit_test(text_becomes_ascii),
        cmocka_unit_test(a_stream_is_ascii_when_it_ends),
        cmocka_unit_test(foreign_text_is_made_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
