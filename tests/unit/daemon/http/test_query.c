/* What stands behind "?" in a request. */
#include "core/ns.h"
#include "daemon/http/query.h"
#include "tests/unit/unit.h"

#define NOW_NS (INT64_C(1800000000) * ST_NS_PER_S)

static void times_are_seconds_or_how_long_ago(void **state)
{
    static const struct {
        const char *value;
        int64_t wall_ns; /* INT64_MIN: refused */
    } rows[] = {
        {"1700000000", INT64_C(1700000000) * ST_NS_PER_S},
        {"1700000000.5", INT64_C(1700000000) * ST_NS_PER_S + ST_NS_PER_S / 2},
        {"1h", NOW_NS - 3600 * ST_NS_PER_S},
        {"90s", NOW_NS - 90 * ST_NS_PER_S},
        {"0", 0},
        {"", INT64_MIN},
        {"-1", INT64_MIN},
        {"yesterday", INT64_MIN},
        {"1h junk", INT64_MIN},
        {"99999999999999999999", INT64_MIN},
        {NULL, INT64_MIN},
    };
    ST_EACH (row, rows) {
        struct st_query query;
        st_query_init(&query);
        const char *error = st_query_set(&query, ST_QUERY_SINCE, "since", row->value, NOW_NS);
        assert_true((error != NULL) == (row->wall_ns == INT64_MIN));
        assert_int_equal(query.since_wall_ns, row->wall_ns);
        assert_int_equal(query.until_wall_ns, INT64_MIN);
    }
}

static void names_that_the_path_does_not_take_are_refused(void **state)
{
    struct st_query query;
    const unsigned names = ST_QUERY_UNTIL | ST_QUERY_LIMIT;
    st_query_init(&query);
    assert_non_null(st_query_set(&query, names, "utm_source", "x", NOW_NS));
    assert_non_null(st_query_set(&query, names, "", NULL, NOW_NS));
    assert_non_null(st_query_set(&query, names, "since", "1h", NOW_NS));
    assert_non_null(st_query_set(&query, 0, "limit", "1", NOW_NS));
    assert_null(st_query_set(&query, names, "until", "0s", NOW_NS));
    assert_int_equal(query.since_wall_ns, INT64_MIN);
    assert_int_equal(query.until_wall_ns, NOW_NS);
    assert_int_equal(query.limit, INT64_MIN);
}

static void kinds_are_those_that_an_event_can_have(void **state)
{
    static const char *const none[] = {
        "",           "foo",          "late",     "late-wake,", "late-wake, own-dropout",
        "unclean-en", "unclean-endx", " suspend", "minute"};
    struct st_query query;
    st_query_init(&query);
    for (size_t i = 0; i < ST_ARRAY_LEN(none); i++) {
        st_query_init(&query);
        assert_non_null(st_query_set(&query, ST_QUERY_KIND, "kind", none[i], NOW_NS));
        assert_string_equal(query.kind, "");
    }
    static const char *const kinds[] = {"late-wake", "audio-unavailable", "unclean-end"};
    ST_EACH (kind, kinds) {
        st_query_init(&query);
        assert_null(st_query_set(&query, ST_QUERY_KIND, "kind", *kind, NOW_NS));
        assert_string_equal(query.kind, *kind);
    }
}

static void a_name_stands_once(void **state)
{
    struct st_query query;
    const unsigned names = ST_QUERY_SINCE | ST_QUERY_UNTIL;
    st_query_init(&query);
    assert_null(st_query_set(&query, names, "since", "1h", NOW_NS));
    assert_null(st_query_set(&query, names, "until", "now", NOW_NS));
    assert_non_null(st_query_set(&query, names, "since", "1h", NOW_NS));
    assert_int_equal(query.since_wall_ns, NOW_NS - 3600 * ST_NS_PER_S);
}

static void a_note_has_up_to_160_bytes(void **state)
{
    char note[162] = "";
    for (size_t n = 1; n < sizeof(note); n++) {
        struct st_query query;
        st_query_init(&query);
        note[n - 1] = 'x';
        const char *error = st_query_set(&query, ST_QUERY_NOTE, "note", note, NOW_NS);
        assert_int_equal(error == NULL, n <= 160);
    }
}

static void since_is_not_behind_until(void **state)
{
    static const struct {
        const char *since, *until; /* NULL: not given */
        bool good;
    } rows[] = {{NULL, NULL, true}, {"1h", NULL, true},  {NULL, "1h", true},   {"2h", "1h", true},
                {"1h", "1h", true}, {"1h", "2h", false}, {"now", "1h", false}, {"1", "0", false}};
    ST_EACH (row, rows) {
        struct st_query query;
        const unsigned names = ST_QUERY_SINCE | ST_QUERY_UNTIL;
        st_query_init(&query);
        if (row->since != NULL)
            assert_null(st_query_set(&query, names, "since", row->since, NOW_NS));
        if (row->until != NULL)
            assert_null(st_query_set(&query, names, "until", row->until, NOW_NS));
        assert_true((st_query_check(&query) == NULL) == row->good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_seconds_or_how_long_ago),
        cmocka_unit_test(names_that_the_path_does_not_take_are_refused),
        cmocka_unit_test(kinds_are_those_that_an_event_can_have),
        cmocka_unit_test(a_name_stands_once),
        cmocka_unit_test(a_note_has_up_to_160_bytes),
        cmocka_unit_test(since_is_not_behind_until),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
