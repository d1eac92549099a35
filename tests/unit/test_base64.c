#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "store/recording/hlog.h"

/* RFC 4648, 10 */
static const struct {
    const char *plain, *text;
} rows[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
};

static void the_vectors_of_the_rfc_come_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        char text[16];
        st_hlog_base64_encode((const uint8_t *)rows[i].plain, strlen(rows[i].plain), text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(strlen(text) + 1, ST_HLOG_BASE64_BYTES(strlen(rows[i].plain)));
        uint8_t plain[16];
        assert_int_equal(st_hlog_base64_decode(text, strlen(text), plain), strlen(rows[i].plain));
        assert_memory_equal(plain, rows[i].plain, strlen(rows[i].plain));
    }
}

static void every_byte_comes_back(void **state)
{
    (void)state;
    uint8_t bytes[256], back[256 + 2];
    char text[ST_HLOG_BASE64_BYTES(256)];
    for (size_t i = 0; i < 256; i++)
        bytes[i] = (uint8_t)(i * 167);
    st_hlog_base64_encode(bytes, 256, text);
    assert_int_equal(st_hlog_base64_decode(text, strlen(text), back), 256);
    assert_memory_equal(bytes, back, 256);
}

static void what_is_no_base64_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "====", "=Zg=", "Zm9 ", "Zm9\n", "Zm9-"};
    for (size_t i = 0; i < ST_ARRAY_LEN(texts); i++) {
        uint8_t plain[16];
        assert_int_equal(st_hlog_base64_decode(texts[i], strlen(texts[i]), plain), -EBADMSG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_rfc_come_out),
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(what_is_no_base64_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
