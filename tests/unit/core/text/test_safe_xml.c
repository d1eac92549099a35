/* core/text/safe: nothing of a text is markup, and all of it is UTF-8. */
#include "core/base.h"
#include "core/text/safe.h"
#include "tests/unit/unit.h"

static void texts_are_escaped(void **state)
{
    static const struct {
        const char *text, *escaped;
    } rows[] = {
        {NULL, ""},
        {"", ""},
        {"a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;"},
        {"&amp;", "&amp;amp;"},
        {"50 \xc2\xb5s \xe2\x88\x9e \xf0\x9f\x8e\xb5",
         "50 \xc2\xb5s \xe2\x88\x9e \xf0\x9f\x8e\xb5"},
        {"a\x01\x1b[0m\tb\n\x7f\xc2\x9b\xe2\x80\xae", "a??[0m b????"},
        {"\xff\xc3", "??"},                          /* not UTF-8; cut short */
        {"\xc0\xbc", "??"},                          /* "<" in two bytes */
        {"\xed\xa0\x80\xf4\x90\x80\x80", "???????"}, /* a surrogate, beyond Unicode */
        {"\xef\xbf\xbe", "?"},                       /* U+FFFE is not allowed in XML */
    };
    ST_EACH (row, rows) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        assert_non_null(out);
        st_safe_print_xml(out, row->text);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(text, row->escaped);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
