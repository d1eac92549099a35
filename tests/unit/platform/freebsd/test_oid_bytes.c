

#include "platform/freebsd/oid.h"
#include "tests/unit/unit.h"

/* CTLTYPE_*, with a flag as the kernel sets it. */
#define NODE   0xc0000001u
#define INT    0xc0000002u
#define STRING 0xc0000003u
#define OPAQUE 0xc0000005u
#define UINT   0xc0000006u
#define U8     0xc000000au
#define S16    0xc000000du
#define U64    0xc0000009u

static int bytes(unsigned kind, const char *format, const char *text, char *buf, size_t *ret)
{
    return st_oid_bytes(kind, format, text, buf, 16, ret);
}

static void what_is_written_reads_back(void **state)
{
    static const struct {
        unsigned kind;
        const char *format, *text;
    } rows[] = {{INT, "I", "-5"},
                {INT, "I", "2147483647"},
                {INT, "I", "-2147483648"},
                {UINT, "IU", "4294967295"},
                {U8, "CU", "255"},
                {S16, "I", "-32768"},
                {STRING, "A", "performance"},
                {U64, "QU", "18446744073709551615"}};
    ST_EACH (row, rows) {
        char buf[16], text[64];
        size_t n, len;
        if (bytes(row->kind, row->format, row->text, buf, &n) != 0)
            fail_msg("%s is refused", row->text);
        assert_int_equal(st_oid_text(row->kind, row->format, buf, n, text, sizeof(text), &len), 0);
        assert_string_equal(text, row->text);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    char buf[16];
    size_t n;
    assert_int_equal(bytes(INT, "I", "2147483648", buf, &n), -ERANGE);
    assert_int_equal(bytes(INT, "I", "-2147483649", buf, &n), -ERANGE);
    assert_int_equal(bytes(UINT, "IU", "-1", buf, &n), -ERANGE);
    assert_int_equal(bytes(UINT, "IU", "4294967296", buf, &n), -ERANGE);
    assert_int_equal(bytes(U64, "QU", "18446744073709551616", buf, &n), -ERANGE);
    assert_int_equal(bytes(INT, "I", "", buf, &n), -EINVAL);
    assert_int_equal(bytes(INT, "I", "-", buf, &n), -EINVAL);
    assert_int_equal(bytes(INT, "I", "1 2", buf, &n), -EINVAL);
    assert_int_equal(bytes(INT, "I", "0x10", buf, &n), -EINVAL);
    assert_int_equal(bytes(STRING, "A", "a text of more than 16 bytes", buf, &n), -E2BIG);
}

static void what_is_no_number_is_not_written(void **state)
{
    char buf[16];
    size_t n;
    assert_int_equal(bytes(NODE, "N", "1", buf, &n), -EISDIR);
    assert_int_equal(bytes(OPAQUE, "S,clockinfo", "1", buf, &n), -ENOTSUP);
    assert_int_equal(bytes(INT, "IK", "300", buf, &n), -ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(what_is_no_number_is_not_written),
    };
    return cmocka_run_group_tests_name("oid_bytes", tests, NULL, NULL);
}
