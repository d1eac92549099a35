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

/* What take saw. */
struct seen {
    size_t n;
    int64_t length_ns; /* of the last one */
    char tags[2][16];
    struct st_hist hist[2]; /* initialised by the test */
};

static int take(void *ctx, const char *tag, int64_t length_ns, const struct st_hist *hist)
{
    struct seen *seen = ctx;
    assert_true(seen->n < ST_ARRAY_LEN(seen->tags));
    seen->length_ns = length_ns;
    snprintf(seen->tags[seen->n], sizeof(seen->tags[0]), "%s", tag);
    return st_hist_merge(&seen->hist[seen->n++], hist);
}

static int read_path(struct seen *seen)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    return st_hlog_read(stream, take, seen);
}

static int read_bytes(char *text, size_t bytes, struct seen *seen)
{
    return st_hlog_read(fmemopen(text, bytes, "rb"), take, seen);
}

static void finish(struct seen *seen)
{
    st_hist_finish(&seen->hist[0]);
    st_hist_finish(&seen->hist[1]);
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

static void a_log_comes_back(void **state)
{
    (void)state;
    struct st_hist a = hist_of(3), b = hist_of(3);
    struct seen seen = {.hist = {hist_of(3), hist_of(3)}};
    for (int64_t v = 0; v < 5000; v++)
        st_hist_add(&a, v * v);
    st_hist_add_n(&b, 1234567, 1000000);
    write_two(&a, &b, "kernel: 6.1\npolicy: fifo\n");
    assert_int_equal(read_path(&seen), 0);
    assert_int_equal(seen.n, 2);
    assert_string_equal(seen.tags[0], "lateness");
    assert_memory_equal(seen.hist[0].late, a.late, a.counts_len * sizeof(*a.late));
    assert_string_equal(seen.tags[1], "response");
    assert_int_equal(seen.hist[1].total_n, 1000000);
    assert_int_equal(seen.length_ns, 2500000000);
    finish(&seen);
    st_hist_finish(&a);
    st_hist_finish(&b);
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

/* @return what a log with these lines gives. */
static int read_text(const char *lines)
{
    static char text[1 << 16];
    struct seen seen = {.hist = {hist_of(3), hist_of(3)}};
    snprintf(text, sizeof(text), "#[Histogram log format version 1.3]\n%s", lines);
    const int r = read_bytes(text, strlen(text), &seen);
    finish(&seen);
    return r;
}

static void malformed_lines_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "nonsense",
        "Tag=a",
        "Tag=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,0,1,2,HIST",
        "0.0,1.0,2.0",
        "0.0,1.0,2.0,",
        "0.0,1.0,2.0,HIST",
        "0.0,1.0,2.0,HISTFAAAAAB",      /* no whole groups */
        "0.0,1.0,2.0,HISTFA////8AAAA",  /* longer than the line */
        "0.0,1.0,2.0,HISTFAAAAAAAAAAA", /* no deflated bytes */
        "-1,1.0,2.0,HISTFAAAAAA=",
        "1h,1.0,2.0,HISTFAAAAAA=",
        "9999999999999999999999,1,1,HISTFAAAAAA=",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(lines); i++)
        assert_int_equal(read_text(lines[i]), -EBADMSG);
    assert_int_equal(read_text("#[BaseTime: x]\n\"legend\"\n\n"), 0);
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

static void other_files_are_refused(void **state)
{
    (void)state;
    struct seen seen = {.hist = {hist_of(3), hist_of(3)}};
    assert_int_equal(read_path(&seen), -EBADMSG); /* empty */
    char other[] = "#[Histogram log format version 2.0]\n";
    assert_int_equal(read_bytes(other, strlen(other), &seen), -EBADMSG);
    char nul[] = "#[Histogram log\0format";
    assert_int_equal(read_bytes(nul, sizeof(nul), &seen), -EBADMSG);
    finish(&seen);
}

static void a_log_of_another_writer_is_read(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    struct seen seen = {.hist = {hist_of(3), hist_of(3)}};
    char text[4000], *written;
    st_hist_add(&hist, 99);
    write_two(&hist, &hist, NULL);
    written = strstr(load(), "HISTF");
    assert_non_null(written);
    snprintf(text, sizeof(text),
             "#[Histogram log format version 1.2]\r\n#[StartTime: 1700000000.0 (s)]\r\n0.5,1,1,%.*s\r\n",
             (int)strcspn(written, "\n"), written);
    assert_int_equal(read_bytes(text, strlen(text), &seen), 0);
    assert_int_equal(seen.n, 1);
    assert_string_equal(seen.tags[0], "");
    assert_int_equal(seen.hist[0].late[99], 1);
    finish(&seen);
    st_hist_finish(&hist);
}

static void a_payload_shorter_than_it_says_is_not_filled_up_from_the_line_before(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    struct seen seen = {.hist = {hist_of(3), hist_of(3)}};
    for (int64_t v = 0; v < 300; v++)
        st_hist_add_n(&hist, v * v, (uint64_t)v);
    write_two(&hist, &hist, NULL);
    char *text = load();
    size_t n = strlen(text);
    assert_int_equal(text[n - 1], '\n');
    n -= 5; /* the last group */
    assert_int_equal(read_bytes(text, n, &seen), -EBADMSG);
    assert_int_equal(seen.n, 1);
    finish(&seen);
    st_hist_finish(&hist);
}

static void only_a_histogram_of_more_digits_is_refused(void **state)
{
    (void)state;
    struct st_hist two = hist_of(2), four = hist_of(4);
    struct seen seen = {.hist = {hist_of(3), hist_of(3)}};
    st_hist_add(&two, 99);
    write_two(&two, &two, NULL);
    assert_int_equal(read_path(&seen), 0);
    assert_int_equal(seen.hist[1].total_n, 1);
    write_two(&four, &four, NULL);
    seen.n = 0;
    assert_int_equal(read_path(&seen), -EINVAL);
    finish(&seen);
    st_hist_finish(&two);
    st_hist_finish(&four);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_log_comes_back, set_up),
        cmocka_unit_test_setup(the_lines_are_those_of_the_format, set_up),
        cmocka_unit_test_setup(an_older_log_is_overwritten_and_another_file_is_not, set_up),
        cmocka_unit_test_setup(a_full_disk_is_told, set_up),
        cmocka_unit_test_setup(wrong_arguments_are_refused, set_up),
        cmocka_unit_test_setup(malformed_lines_are_refused, set_up),
        cmocka_unit_test(a_payload_that_inflates_beyond_its_room_is_refused),
        cmocka_unit_test_setup(other_files_are_refused, set_up),
        cmocka_unit_test_setup(a_log_of_another_writer_is_read, set_up),
        cmocka_unit_test_setup(a_payload_shorter_than_it_says_is_not_filled_up_from_the_line_before, set_up),
        cmocka_unit_test_setup(only_a_histogram_of_more_digits_is_refused, set_up),
    };
    const int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
