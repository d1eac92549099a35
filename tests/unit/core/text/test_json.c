/* JSON for a terminal: what it would obey is escaped, and means the same. */
#include "core/text/json.h"
#include "tests/unit/unit.h"

static void controls_are_escaped_and_mean_the_same(void **state)
{
    /* ESC, DEL, U+0080, U+009B, U+009F, U+202E, U+2066, U+2028; beside them what only looks alike:
     * U+00A0, U+0142, U+20AC */
    static const char wild[] =
        "\x1b[\x7f\xc2\x80\xc2\x9b\xc2\x9f\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8"
        "\xc2\xa0\xc5\x82\xe2\x82\xac µs";
    json_t *document = json_pack("{ssss}", wild, "x", "b", wild);
    assert_non_null(document);
    char *text = st_json_dump(document);
    assert_non_null(text);
    for (const char *at = text; *at != '\0'; at++) {
        assert_true(((unsigned char)*at >= 0x20 && *at != 0x7f) || *at == '\n');
        assert_false((unsigned char)at[0] == 0xc2 && (unsigned char)at[1] < 0xa0);
    }
    assert_non_null(strstr(
        text, "\\u001B["
              "\\u007f\\u0080\\u009b\\u009f\\u202e\\u2066\\u2028\xc2\xa0\xc5\x82\xe2\x82\xac µs"));
    json_t *again = json_loads(text, 0, NULL);
    assert_true(json_equal(document, again));
    json_decref(again);
    json_decref(document);
    free(text);
}

static void other_text_stays_as_it_is(void **state)
{
    json_t *document = json_pack("{sssi}", "a", "Größe µ", "n", 5);
    char *text = st_json_dump(document);
    assert_string_equal(text, "{\n  \"a\": \"Größe µ\",\n  \"n\": 5\n}");
    free(text);
    json_decref(document);
    assert_null(st_json_dump(NULL));
}

static void members_have_a_key_and_a_type(void **state)
{
    json_t *document = st_json_object(
        "i:i n:n unknown:n p:p zero:p u:u d:d nan:d b:b t:t none:t s:s empty:s e:e nothing:e o:o "
        "null absent:o",
        INT64_C(1) << 40, INT64_C(-2), INT64_MIN, INT64_C(3), INT64_C(0), -4, 0.5, (double)NAN,
        true, "a\nb", NULL, "a\033b", "", "c", "", json_array(), NULL);
    char *text = json_dumps(st_json_add(document, "i:i", INT64_C(5)), 0);
    assert_string_equal(
        text, "{\"i\": 5, \"n\": -2, \"unknown\": null, \"p\": 3, \"zero\": null, \"u\": -4, "
              "\"d\": 0.5, \"nan\": null, \"b\": true, \"t\": \"a\\nb\", \"none\": null, "
              "\"s\": \"a?b\", \"empty\": \"\", \"e\": \"c\", \"nothing\": null, \"o\": [], "
              "\"null\": null, \"absent\": null}");
    free(text);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_escaped_and_mean_the_same),
        cmocka_unit_test(other_text_stays_as_it_is),
        cmocka_unit_test(members_have_a_key_and_a_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
