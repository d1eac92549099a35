#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "store/recording/bytes.h"

static void the_check_value_of_the_catalogue_comes_out(void **state)
{
    (void)state;
    assert_int_equal(st_bytes_crc32c(0, "123456789", 9), 0xe3069283);
    static const uint8_t zeros[32]; /* RFC 3720 B.4, bytes in order aa 36 91 8a */
    assert_int_equal(st_bytes_crc32c(0, zeros, sizeof(zeros)), 0x8a9136aa);
}

static void parts_give_the_crc_of_the_whole(void **state)
{
    (void)state;
    const char *text = "every lateness of a run, in order";
    const size_t n = strlen(text);
    for (size_t cut = 0; cut <= n; cut++)
        assert_int_equal(st_bytes_crc32c(st_bytes_crc32c(0, text, cut), text + cut, n - cut),
                         st_bytes_crc32c(0, text, n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_value_of_the_catalogue_comes_out),
        cmocka_unit_test(parts_give_the_crc_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
