/* What stands behind "?" in a request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/query.h"
#include "lib/ns.h"

#define NOW_NS (INT64_C(1800000000) * ST_NS_PER_S)

static void times_are_seconds_or_how_long_ago(void **state)
{
    (void)state;
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
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        struct st_query query;
        st_query_init(&query);
        const char *error = st_query_set(&query, "since", rows[i].value, NOW_NS);
        assert_true((error != NULL) == (rows[i].wall_ns == INT64_MIN));
        assert_int_equal(query.since_wall_ns, rows[i].wall_ns);
        assert_int_equal(query.until_wall_ns, INT64_MIN);
    }
}

static void keys_of_others_are_left_alone(void **state)
{
    (void)state;
    struct st_query query;
    st_query_init(&query);
    assert_null(st_query_set(&query, "utm_source", "x", NOW_NS));
    assert_null(st_query_set(&query, "", NULL, NOW_NS));
    assert_null(st_query_set(&query, "until", "0s", NOW_NS));
    assert_int_equal(query.since_wall_ns, INT64_MIN);
    assert_int_equal(query.until_wall_ns, NOW_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_seconds_or_how_long_ago),
        cmocka_unit_test(keys_of_others_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
