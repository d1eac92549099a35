

#include "advisor/facts/snapshot.h"
#include "tests/unit/unit.h"

static struct st_facts *sample(void)
{
    struct st_facts *facts = st_facts_new(ST_OS_FREEBSD);
    assert_non_null(facts);
    facts->time_ns = INT64_C(1767225599123000000);
    assert_int_equal(st_facts_put_int(facts, "freebsd.kern.hz", -1, "sysctl kern.hz"), 0);
    assert_int_equal(st_facts_put_text(facts, "freebsd.text", "gr\xC3\xBCn \"x\"", NULL), 0);
    assert_int_equal(st_facts_put_text(facts, "freebsd.zeros", "0002", "/i"), 0);
    assert_int_equal(st_facts_put_text(facts, "freebsd.empty", "", "/e"), 0);
    assert_int_equal(st_facts_put_state(facts, "freebsd.absent", ST_FACT_ABSENT, 0, NULL, "/a"), 0);
    assert_int_equal(
        st_facts_put_state(facts, "freebsd.unreadable", ST_FACT_UNREADABLE, EACCES, NULL, "/u"), 0);
    assert_int_equal(
        st_facts_put_state(facts, "freebsd.malformed", ST_FACT_MALFORMED, 0, "\001?", "/m"), 0);
    return facts;
}

static void same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL)
        assert_string_equal(a, b);
}

static void a_snapshot_reads_back_as_it_was(void **state)
{
    struct st_facts *facts = sample(), *again;
    json_t *document = st_snapshot_json(facts);
    assert_non_null(document);
    char *text = json_dumps(document, 0);
    assert_non_null(text);
    assert_null(st_snapshot_parse(text, strlen(text), &again));
    assert_int_equal(again->os, ST_OS_FREEBSD);
    assert_int_equal(again->n, facts->n);
    for (size_t i = 0; i < facts->n; i++) {
        const struct st_fact *a = facts->rows[i], *b = again->rows[i];
        assert_string_equal(a->key, b->key);
        assert_int_equal(a->state, b->state);
        assert_int_equal(a->error, b->error);
        same_text(a->text, b->text);
        assert_int_equal(a->is_int, b->is_int);
        assert_int_equal(a->i64, b->i64);
        same_text(a->source, b->source);
    }
    assert_int_equal(again->time_ns, facts->time_ns);
    free(text);
    json_decref(document);
    st_facts_free(facts);
    st_facts_free(again);
}

static void each_fact_has_its_five_members(void **state)
{
    struct st_facts *facts = sample();
    json_t *document = st_snapshot_json(facts);
    const json_t *array = json_object_get(document, "facts");
    assert_string_equal(json_string_value(json_object_get(document, "schema")),
                        "sleeptune-snapshot/1");
    static const char *const names[] = {"key", "value", "state", "errno", "source"};
    for (size_t i = 0; i < json_array_size(array); i++) {
        ST_EACH (name, names)
            assert_non_null(json_object_get(json_array_get(array, i), *name));
    }
    const json_t *hz = json_array_get(array, 2);
    assert_string_equal(json_string_value(json_object_get(hz, "key")), "freebsd.kern.hz");
    assert_true(json_is_null(json_object_get(json_array_get(array, 0), "value")));
    json_decref(document);
    st_facts_free(facts);
}

static void check_refused(const char *text, size_t bytes, const char *expected)
{
    struct st_facts *facts = NULL;
    const char *message = st_snapshot_parse(text, bytes, &facts);
    assert_non_null(message);
    assert_null(facts);
    if (strstr(message, expected) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", message, expected);
    for (const char *p = message; *p != '\0'; p++)
        assert_true(*p >= ' ' && *p <= '~');
}

#define HEAD          "{\"schema\": \"sleeptune-snapshot/1\", \"os\": \"linux\", "
#define FACT(members) HEAD "\"facts\": [{" members "}]}"

static void what_is_not_a_snapshot_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } rows[] = {
        {"", "not JSON"},
        {"\x7F"
         "ELF\x01\x02\x1B[2J",
         "not JSON"},
        {"{\"schema\": \"sleeptune-snapshot/1\"", "not JSON"},
        {"[]", "its \"schema\" is \"\""},
        {"{}", "is \"\""},
        {"{\"schema\": 1}", "is \"\""},
        {"{\"schema\": \"sleeptune-report/1\"}", "sleeptune-report/1"},
        {"{\"schema\": \"sleeptune-snapshot/\"}", "sleeptune-snapshot/"},
        {"{\"schema\": \"sleeptune-snapshot/0\"}", "sleeptune-snapshot/0"},
        {"{\"schema\": \"sleeptune-snapshot/1x\"}", "sleeptune-snapshot/1x"},
        {"{\"schema\": \"sleeptune-snapshot/2\"}", "newer"},
        {"{\"schema\": \"sleeptune-snapshot/99999999999999999999\"}", "newer"},
        {"{\"schema\": \"sleeptune-snapshot/1\"}", "\"os\" is"},
        {"{\"schema\": \"sleeptune-snapshot/1\", \"os\": \"plan9\"}", "plan9"},
        {HEAD "\"x\": 1}", "\"facts\""},
        {HEAD "\"facts\": {}}", "\"facts\""},
        {HEAD "\"facts\": [7]}", "fact 0"},
        {FACT(""), "fact 0 ()"},
        {FACT("\"key\": \"\""), "fact 0 ()"},
        {FACT("\"key\": \"k\""), "fact 0 (k)"},
        {FACT("\"key\": \"k\", \"state\": \"fine\""), "fact 0 (k)"},
        {FACT("\"key\": \"k\", \"state\": \"ok\""), "fact 0 (k)"},
        {FACT("\"key\": \"k\", \"state\": \"ok\", \"value\": 1.5"), "fact 0 (k)"},
        {FACT("\"key\": \"k\", \"state\": \"ok\", \"value\": \"a\\u0000b\""), "not JSON"},
        {FACT("\"key\": \"k\", \"state\": \"unreadable\""), "fact 0 (k)"},
        {FACT("\"key\": \"k\", \"state\": \"unreadable\", \"errno\": 0"), "fact 0 (k)"},
        {FACT("\"key\": \"k\", \"state\": \"unreadable\", \"errno\": 99999999999"), "fact 0 (k)"},
        {FACT("\"key\": \"k\", \"state\": \"absent\", \"errno\": 1"), "fact 0 (k)"},
        {HEAD "\"facts\": [{\"key\": \"k\", \"state\": \"absent\"}, {\"key\": \"k\", \"state\": "
              "\"absent\"}]}",
         "fact 1 (k)"},
        {HEAD "\"os\": \"linux\", \"facts\": []}", "not JSON"},
    };
    ST_EACH (row, rows)
        check_refused(row->text, strlen(row->text), row->message);
}

static void unknown_members_are_accepted(void **state)
{
    static const char text[] = HEAD "\"later\": {}, \"facts\": [{\"key\": \"k\", \"state\": "
                                    "\"ok\", \"value\": 5, \"more\": [1]}]}";
    struct st_facts *facts;
    int64_t value;
    assert_null(st_snapshot_parse(text, strlen(text), &facts));
    assert_int_equal(st_facts_int(facts, "k", &value), 0);
    assert_int_equal(value, 5);
    st_facts_free(facts);
}

static void deep_and_large_documents_are_refused(void **state)
{
    const size_t bytes = 10 * 1024 * 1024;
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, '[', bytes);
    check_refused(text, bytes, "not JSON");
    memset(text, '\0', bytes);
    check_refused(text, bytes, "not JSON");
    memset(text, '7', bytes);
    check_refused(text, bytes, "not JSON");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_reads_back_as_it_was),
        cmocka_unit_test(each_fact_has_its_five_members),
        cmocka_unit_test(what_is_not_a_snapshot_is_refused_with_the_reason),
        cmocka_unit_test(unknown_members_are_accepted),
        cmocka_unit_test(deep_and_large_documents_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
