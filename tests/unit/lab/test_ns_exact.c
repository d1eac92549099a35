/* Durations with four digits. */
#include "lab/ns_exact.h"
#include "tests/unit/unit.h"

static void times_have_four_digits_where_intervals_are_narrow(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } rows[] = {{999, "999 ns"},
                {1000, "1.000 \xc2\xb5s"},
                {-1184, "-1.184 \xc2\xb5s"},
                {9999, "9.999 \xc2\xb5s"},
                {83333, "83.33 \xc2\xb5s"},
                {99994, "99.99 \xc2\xb5s"},
                {99995, "100.0 \xc2\xb5s"},
                {999949, "999.9 \xc2\xb5s"},
                {999950, "1.000 ms"},
                {5005400, "5.005 ms"}};
    ST_EACH (row, rows) {
        assert_string_equal(st_ns_exact(row->ns), row->text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_four_digits_where_intervals_are_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
