#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "store/recording/hist_deflate.h"
#include "store/recording/hlog.h"

static char path[] = "/tmp/sleeptune-hlog-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return truncate(path, 0);
}

static struct st_hist hist_of(int digits)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, digits), 0);
    return hist;
}

static const int64_t start_ns = INT64_C(1700000000123456789);

static void write_two(const struct st_hist *a, const struct st_hist *b, const char *comment)
{
    assert_int_equal(st_hlog_write(path, a, b, start_ns, start_ns + 2500000000, comment), 0);
}

static char *load(void)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void the_lines_are_those_of_the_format(void **state)
{
    (void)state;
    struct st_hist a = hist_of(3), b = hist_of(3);
    st_hist_add(&a, 1234567);
    st_hist_add(&b, -5);
    write_two(&a, &b, "kernel: 6.1\nodd: \x1b[1m");
    const char *text = load();
    static const char head[] = "#[Histogram log format version 1.3]\n"
                               "#[Logged with sleeptune; values in ns]\n"
                               "# kernel: 6.1\n"
                               "# odd: ?[1m\n"
                               "#[StartTime: 1700000000.123 (seconds since epoch), 2023-11-14T22:13:20Z]\n"
                               "#[BaseTime: 1700000000.123 (seconds since epoch)]\n"
                               "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                               "\"Interval_Compressed_Histogram\"\n"
                               "Tag=lateness,0.000,2.500,1.234,HISTF";
    assert_memory_equal(text, head, sizeof(head) - 1);
    assert_non_null(strstr(text, "\nTag=response,0.000,2.500,0.000,HISTF"));
    st_hist_finish(&a);
    st_hist_finish(&b);
}

static void an_older_log_is_overwritten_and_another_file_is_not(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    write_two(&hist, &hist, "first");
    write_two(&hist, &hist, NULL);
    assert_null(strstr(load(), "first"));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("my diary\n", file);
    fclose(file);
    assert_int_equal(st_hlog_write(path, &hist, &hist, start_ns, start_ns, NULL), -EEXIST);
    assert_string_equal(load(), "my diary\n");
    st_hist_finish(&hist);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        print_message("# not tried: there is no /dev/full\n");
        return;
    }
    struct st_hist hist = hist_of(3);
    assert_int_equal(st_hlog_write("/dev/full", &hist, &hist, start_ns, start_ns, NULL), -ENOSPC);
    st_hist_finish(&hist);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    assert_int_equal(st_hlog_write(path, &hist, &hist, -1, start_ns, NULL), -ERANGE);
    assert_int_equal(st_hlog_write(path, &hist, &hist, start_ns, start_ns - 1, NULL), -ERANGE);
    assert_int_equal(st_hlog_write("/nonexistent/x", &hist, &hist, start_ns, start_ns, NULL), -ENOENT);
    st_hist_finish(&hist);
}

/* 16 MB of zeros are 16 kB. */
static void a_payload_that_inflates_beyond_its_room_is_refused(void **state)
{
    (void)state;
    const size_t plain_bytes = 16 << 20, room = 64 << 10;
    uLongf deflated = compressBound(plain_bytes);
    uint8_t *plain = calloc(1, plain_bytes), *whole = malloc(8 + deflated), *ret = malloc(room);
    assert_true(plain != NULL && whole != NULL && ret != NULL);
    assert_int_equal(compress2(whole + 8, &deflated, plain, plain_bytes, Z_BEST_COMPRESSION), Z_OK);
    const uint8_t head[8] = {
        0x1c, 0x84, 0x93, 0x14, 0, (uint8_t)(deflated >> 16), (uint8_t)(deflated >> 8), (uint8_t)deflated};
    memcpy(whole, head, sizeof(head));
    assert_int_equal(st_hist_deflate_undo(whole, 8 + deflated, ret, room), -EBADMSG);
    free(plain);
    free(whole);
    free(ret);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_lines_are_those_of_the_format, set_up),
        cmocka_unit_test_setup(an_older_log_is_overwritten_and_another_file_is_not, set_up),
        cmocka_unit_test_setup(a_full_disk_is_told, set_up),
        cmocka_unit_test_setup(wrong_arguments_are_refused, set_up),
        cmocka_unit_test(a_payload_that_inflates_beyond_its_room_is_refused),
    };
    const int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
