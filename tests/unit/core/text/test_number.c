/* core/text/number: numbers from text. */
#include "core/text/number.h"
#include "tests/unit/unit.h"

static void whole_numbers_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {{"0", 0},
                {"-0", 0},
                {"007", 7},
                {"-42", -42},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN}};
    ST_EACH (row, rows) {
        int64_t value = 1;
        assert_int_equal(st_number_i64(row->text, INT64_MIN, INT64_MAX, &value), 0);
        assert_int_equal(value, row->value);
    }
}

static void other_text_is_no_whole_number(void **state)
{
    static const char *const rows[] = {"",    "-",   " 1",   "1 ",  "+1", "--1",
                                       "1.0", "1e3", "0x10", "1\n", "x"};
    ST_EACH (row, rows) {
        int64_t value = 77;
        assert_int_equal(st_number_i64(*row, INT64_MIN, INT64_MAX, &value), -EINVAL);
        assert_int_equal(value, 77);
    }
}

static void a_number_outside_of_its_range_is_refused(void **state)
{
    int64_t value = 77;
    assert_int_equal(st_number_i64("9", 10, 20, &value), -ERANGE);
    assert_int_equal(st_number_i64("21", 10, 20, &value), -ERANGE);
    assert_int_equal(st_number_i64("-15", 10, 20, &value), -ERANGE);
    assert_int_equal(st_number_i64("9223372036854775808", 10, INT64_MAX, &value), -ERANGE);
    assert_int_equal(st_number_i64("-9223372036854775809", INT64_MIN, 0, &value), -ERANGE);
    assert_int_equal(st_number_i64("99999999999999999999999", 10, INT64_MAX, &value), -ERANGE);
    assert_int_equal(value, 77);
    assert_int_equal(st_number_i64("10", 10, 20, &value), 0);
    assert_int_equal(st_number_i64("20", 10, 20, &value), 0);
    assert_int_equal(value, 20);
}

static void a_rate_is_read_as_people_write_it(void **state)
{
    static const struct {
        const char *text;
        int64_t hz;
    } rows[] = {{"48000", 48000},
                {"48000Hz", 48000},
                {"44100 hz", 44100},
                {"48k", 48000},
                {"44.1k", 44100},
                {"44.1 kHz", 44100},
                {"96kHz", 96000},
                {"11.025K", 11025},
                {"0.5k", 500},
                {"44.10k", 44100},
                {"9000000000000k", -ERANGE},
                {"44.1", -EINVAL},
                {"44.k", -EINVAL},
                {".5k", -EINVAL},
                {"k", -EINVAL},
                {"44.1.1k", -EINVAL},
                {"44,1k", -EINVAL},
                {"11.0255k", -EINVAL},
                {"48kk", -EINVAL},
                {"48 k Hz", -EINVAL},
                {"-48k", -EINVAL},
                {"", -EINVAL},
                {"48kHzx", -EINVAL},
                {"768001", -ERANGE},
                {"769k", -ERANGE},
                {"18446744073709551616", -ERANGE},
                {"9223372036854775807k", -ERANGE}};
    ST_EACH (row, rows) {
        int64_t hz = 77;
        const int r = st_number_rate_hz(row->text, 500, 768000, &hz);
        const int64_t wanted = row->hz;
        assert_int_equal(wanted < 0 ? r : hz, wanted);
        assert_int_equal(wanted < 0 ? hz : r, wanted < 0 ? 77 : 0);
    }
}

static void digits_are_taken_from_the_beginning(void **state)
{
    const char *at = "18446744073709551615-3";
    uint64_t value;
    assert_int_equal(st_number_take(&at, &value), 0);
    assert_true(value == UINT64_MAX);
    assert_string_equal(at, "-3");
    assert_int_equal(st_number_take(&at, &value), -EINVAL);
    assert_string_equal(at, "-3");
    const char *const large = "18446744073709551616";
    at = large;
    assert_int_equal(st_number_take(&at, &value), -ERANGE);
    assert_ptr_equal(at, large);
    assert_true(value == UINT64_MAX);
}

static void decimal_numbers_are_read(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"0", 0}, {"-1.5", -1.5}, {"+2.", 2}, {".25", .25}, {"1e3", 1000}, {"25E-2", .25}};
    ST_EACH (row, rows) {
        double value = 77;
        assert_int_equal(st_number_double(row->text, &value), 0);
        assert_true(value >= row->value && value <= row->value);
    }
}

static void other_text_is_no_decimal_number(void **state)
{
    static const char *const rows[] = {"",    " 1", "1 ", "inf", "nan",  "0x10",
                                       "1,5", "1e", "-",  "1%",  "1.2.3"};
    double value = 77;
    ST_EACH (row, rows)
        assert_int_equal(st_number_double(*row, &value), -EINVAL);
    assert_int_equal(st_number_double("1e999", &value), -ERANGE);
    assert_true(value >= 77 && value <= 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_read),
        cmocka_unit_test(other_text_is_no_whole_number),
        cmocka_unit_test(a_number_outside_of_its_range_is_refused),
        cmocka_unit_test(a_rate_is_read_as_people_write_it),
        cmocka_unit_test(digits_are_taken_from_the_beginning),
        cmocka_unit_test(decimal_numbers_are_read),
        cmocka_unit_test(other_text_is_no_decimal_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
