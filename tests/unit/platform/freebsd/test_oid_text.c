

#include "platform/freebsd/oid.h"
#include "platform/freebsd/priority.h"
#include "tests/unit/unit.h"

/* CTLTYPE_* */
enum { NODE = 1, INT, STRING, S64, OPAQUE, UINT, LONG, ULONG, U64, U8, U16, S8, S16, S32, U32 };

static void check(unsigned kind, const char *format, const void *data, size_t bytes,
                  const char *expected)
{
    char buf[128] = "";
    size_t len = 0;
    assert_int_equal(st_oid_text(kind, format, data, bytes, buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, expected);
    assert_int_equal(len, strlen(expected));
}

static void numbers_of_every_type_are_written(void **state)
{
    check(INT, "I", &(int32_t){-5}, 4, "-5");
    check(UINT, "IU", &(uint32_t){4294967295}, 4, "4294967295");
    check(LONG, "L", &(long){-1}, sizeof(long), "-1");
    check(ULONG, "LU", &(unsigned long){7}, sizeof(long), "7");
    check(S64, "Q", &(int64_t){INT64_MIN}, 8, "-9223372036854775808");
    check(U64, "QU", &(uint64_t){UINT64_MAX}, 8, "18446744073709551615");
    check(U8, "CU", &(uint8_t){1}, 1, "1"); /* a bool: kern.timecounter.nanosleep_precise */
    check(U8, "CU", &(uint8_t){200}, 1, "200");
    check(S8, "C", &(int8_t){-2}, 1, "-2");
    check(U16, "SU", &(uint16_t){65535}, 2, "65535");
    check(S16, "S", &(int16_t){-300}, 2, "-300");
    check(S32, "I", &(int32_t){INT32_MIN}, 4, "-2147483648");
    check(U32, "IU", &(uint32_t){3000000000}, 4, "3000000000");
}

static void the_upper_bits_of_the_kind_are_flags(void **state)
{
    check(0xc0040000u | INT, "I", &(int32_t){5}, 4, "5");
}

static void arrays_are_separated_by_blanks(void **state)
{
    const long cp_time[] = {253, 0, 222, 13, 1835};
    check(LONG, "L", cp_time, sizeof(cp_time), "253 0 222 13 1835");
}

static void temperatures_are_in_degrees(void **state)
{
    check(INT, "IK", &(int32_t){3232}, 4,
          "50.1C"); /* tenths of a kelvin; the kernel's zero is 273.15 K */
    check(INT, "IK3", &(int32_t){300000}, 4, "26.850C");
    check(INT, "IK", &(int32_t){-1}, 4, "-1"); /* no reading */
}

/* As FreeBSD 13 and later have kern.boot_id. */
static void bytes_without_a_format_are_hexadecimal(void **state)
{
    check(OPAQUE, "", "\x4c\x86\x09\xe1\x00\xff", 6, "4c8609e100ff");
    check(OPAQUE, "", "", 0, "");
}

static void strings_end_at_the_first_zero_or_with_the_data(void **state)
{
    check(STRING, "A", "TSC-low\0junk", 12, "TSC-low");
    check(STRING, "A", "LAPIC", 5, "LAPIC");
    check(STRING, "A", "", 1, "");
    check(STRING, "A", "", 0, "");
}

static void wrong_sizes_and_unknown_types_are_refused(void **state)
{
    const char data[64] = {0};
    char buf[64];
    size_t len = 99;
    assert_int_equal(st_oid_text(INT, "I", data, 3, buf, sizeof(buf), &len), -EBADMSG);
    assert_int_equal(st_oid_text(INT, "I", data, 0, buf, sizeof(buf), &len), -EBADMSG);
    assert_int_equal(st_oid_text(OPAQUE, "S,clockinfo", data, 20, buf, sizeof(buf), &len),
                     -ENOTSUP);
    assert_int_equal(st_oid_text(NODE, "N", data, 4, buf, sizeof(buf), &len), -EISDIR);
    assert_int_equal(st_oid_text(0, "", data, 4, buf, sizeof(buf), &len), -ENOTSUP);
    assert_int_equal(st_oid_text(INT, "I", data, 4, buf, 0, &len), -EINVAL);
    assert_int_equal(len, 99);
}

static void what_does_not_fit_is_cut_and_said(void **state)
{
    char buf[6];
    size_t len = 0;
    assert_int_equal(st_oid_text(STRING, "A", "LAPIC", 6, buf, sizeof(buf), &len), 0);
    assert_int_equal(st_oid_text(STRING, "A", "TSC-low", 8, buf, sizeof(buf), &len), -EFBIG);
    assert_string_equal(buf, "TSC-l");
    assert_int_equal(len, 5);
    const long numbers[] = {123, 456, 789};
    assert_int_equal(st_oid_text(LONG, "L", numbers, sizeof(numbers), buf, sizeof(buf), &len),
                     -EFBIG);
    assert_string_equal(buf, "123 4");
}

static void priorities_are_scaled_to_0_to_31(void **state)
{
    assert_int_equal(st_priority_to_freebsd(70), 21);
    assert_int_equal(st_priority_to_freebsd(1), 0);
    assert_int_equal(st_priority_to_freebsd(99), 31);
    assert_int_equal(st_priority_to_freebsd(0), -EINVAL);
    assert_int_equal(st_priority_to_freebsd(100), -EINVAL);
    for (int priority = 2; priority <= 99; priority++)
        assert_true(st_priority_to_freebsd(priority) >= st_priority_to_freebsd(priority - 1));
}

static void rtprio_counts_the_other_way(void **state)
{
    assert_int_equal(st_priority_rtprio(31), 0);
    assert_int_equal(st_priority_rtprio(20), 11); /* seen on 13.2: SCHED_FIFO 20 is rtprio 11 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_type_are_written),
        cmocka_unit_test(the_upper_bits_of_the_kind_are_flags),
        cmocka_unit_test(arrays_are_separated_by_blanks),
        cmocka_unit_test(temperatures_are_in_degrees),
        cmocka_unit_test(bytes_without_a_format_are_hexadecimal),
        cmocka_unit_test(strings_end_at_the_first_zero_or_with_the_data),
        cmocka_unit_test(wrong_sizes_and_unknown_types_are_refused),
        cmocka_unit_test(what_does_not_fit_is_cut_and_said),
        cmocka_unit_test(priorities_are_scaled_to_0_to_31),
        cmocka_unit_test(rtprio_counts_the_other_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
