#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_rfc_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
