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
    struct st_hlog *log;
    assert_int_equal(st_hlog_create(path, start_ns, comment, &log), 0);
    assert_int_equal(st_hlog_interval(log, "lateness", start_ns, start_ns + 2500000000, a), 0);
    assert_int_equal(st_hlog_interval(log, "response", start_ns + 1000000000, start_ns + 2000000000, b), 0);
    assert_int_equal(st_hlog_close(log), 0);
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
    struct st_hist a = hist_of(3), b = hist_of(3), back = hist_of(3);
    for (int64_t v = 0; v < 5000; v++)
        st_hist_add(&a, v * v);
    st_hist_add_n(&b, 1234567, 1000000);
    write_two(&a, &b, "kernel: 6.1\npolicy: fifo\n");
    struct st_hlog_reader *reader;
    struct st_hlog_entry entry;
    assert_int_equal(st_hlog_open(path, &reader), 0);
    assert_int_equal(st_hlog_next(reader, &entry, &back), 1);
    assert_string_equal(entry.tag, "lateness");
    assert_int_equal(entry.start_wall_ns, 1700000000123000000); /* stamps are in ms */
    assert_int_equal(entry.length_ns, 2500000000);
    assert_memory_equal(back.late, a.late, a.counts_len * sizeof(*a.late));
    assert_int_equal(st_hlog_next(reader, &entry, &back), 1);
    assert_string_equal(entry.tag, "response");
    assert_int_equal(entry.start_wall_ns, 1700000001123000000);
    assert_int_equal(entry.length_ns, 1000000000);
    assert_int_equal(back.total_n, 1000000);
    assert_int_equal(st_hlog_next(reader, &entry, &back), 0);
    st_hlog_close_reader(reader);
    st_hist_finish(&a);
    st_hist_finish(&b);
    st_hist_finish(&back);
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
    assert_non_null(strstr(text, "\nTag=response,1.000,1.000,0.000,HISTF"));
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
    struct st_hlog *log;
    assert_int_equal(st_hlog_create(path, start_ns, NULL, &log), -EEXIST);
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
    struct st_hlog *log;
    assert_int_equal(st_hlog_create("/dev/full", start_ns, NULL, &log), 0);
    assert_int_equal(st_hlog_interval(log, "lateness", start_ns, start_ns, &hist), -ENOSPC);
    assert_int_equal(st_hlog_close(log), -ENOSPC);
    st_hist_finish(&hist);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    struct st_hlog *log;
    assert_int_equal(st_hlog_create(path, -1, NULL, &log), -ERANGE);
    assert_int_equal(st_hlog_create("/nonexistent/x", 0, NULL, &log), -ENOENT);
    assert_int_equal(st_hlog_create(path, start_ns, NULL, &log), 0);
    assert_int_equal(st_hlog_interval(log, "", start_ns, start_ns, &hist), -EINVAL);
    assert_int_equal(st_hlog_interval(log, "a,b", start_ns, start_ns, &hist), -EINVAL);
    assert_int_equal(st_hlog_interval(log, "a", start_ns, start_ns - 1, &hist), -ERANGE);
    assert_int_equal(st_hlog_interval(log, "a", start_ns - 1, start_ns, &hist), -ERANGE);
    assert_int_equal(st_hlog_close(log), 0);
    st_hist_finish(&hist);
}

/* @return what the first line of this log gives. */
static int read_text(const char *lines)
{
    static char text[1 << 16];
    snprintf(text, sizeof(text), "#[Histogram log format version 1.3]\n%s", lines);
    struct st_hlog_reader *reader;
    struct st_hlog_entry entry;
    struct st_hist hist = hist_of(3);
    assert_int_equal(st_hlog_open_stream(fmemopen(text, strlen(text), "rb"), &reader), 0);
    const int r = st_hlog_next(reader, &entry, &hist);
    st_hlog_close_reader(reader);
    st_hist_finish(&hist);
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
    struct st_hlog_reader *reader;
    assert_int_equal(st_hlog_open(path, &reader), -EBADMSG); /* empty */
    char other[] = "#[Histogram log format version 2.0]\n";
    assert_int_equal(st_hlog_open_stream(fmemopen(other, strlen(other), "rb"), &reader), -EBADMSG);
    char nul[] = "#[Histogram log\0format";
    assert_int_equal(st_hlog_open_stream(fmemopen(nul, sizeof(nul), "rb"), &reader), -EBADMSG);
    assert_int_equal(st_hlog_open("/nonexistent/x", &reader), -ENOENT);
}

static void stamps_may_be_absolute_or_relative(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    write_two(&hist, &hist, NULL);
    char payload[2000];
    const char *found = strstr(load(), "HISTF");
    assert_non_null(found);
    const size_t n = strcspn(found, "\n");
    assert_true(n < sizeof(payload));
    memcpy(payload, found, n);
    payload[n] = '\0';
    static const struct {
        const char *stamp;
        int64_t wall_ns;
    } rows[] = {{"0.5", 1700000000500000000}, {"1700000007.25", 1700000007250000000}};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        char text[4000];
        snprintf(text, sizeof(text),
                 "#[Histogram log format version 1.2]\r\n#[StartTime: 1700000000.0 (s)]\r\n%s,1,1,%s\r\n",
                 rows[i].stamp, payload);
        struct st_hlog_reader *reader;
        struct st_hlog_entry entry;
        assert_int_equal(st_hlog_open_stream(fmemopen(text, strlen(text), "rb"), &reader), 0);
        assert_int_equal(st_hlog_next(reader, &entry, &hist), 1);
        assert_string_equal(entry.tag, "");
        assert_int_equal(entry.start_wall_ns, rows[i].wall_ns);
        st_hlog_close_reader(reader);
    }
    st_hist_finish(&hist);
}

static void a_payload_shorter_than_it_says_is_not_filled_up_from_the_line_before(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    for (int64_t v = 0; v < 300; v++)
        st_hist_add_n(&hist, v * v, (uint64_t)v);
    write_two(&hist, &hist, NULL);
    char *text = load();
    size_t n = strlen(text);
    assert_int_equal(text[n - 1], '\n');
    n -= 5; /* the last group */
    struct st_hlog_reader *reader;
    struct st_hlog_entry entry;
    assert_int_equal(st_hlog_open_stream(fmemopen(text, n, "rb"), &reader), 0);
    assert_int_equal(st_hlog_next(reader, &entry, &hist), 1);
    assert_int_equal(st_hlog_next(reader, &entry, &hist), -EBADMSG);
    st_hlog_close_reader(reader);
    st_hist_finish(&hist);
}

static void a_histogram_of_other_digits_is_told_and_passed_over(void **state)
{
    (void)state;
    struct st_hist two = hist_of(2), three = hist_of(3);
    st_hist_add(&three, 99);
    write_two(&two, &three, NULL);
    struct st_hlog_reader *reader;
    struct st_hlog_entry entry;
    struct st_hist back = hist_of(3);
    assert_int_equal(st_hlog_open(path, &reader), 0);
    assert_int_equal(st_hlog_next(reader, &entry, &back), -EINVAL);
    assert_int_equal(st_hlog_next(reader, &entry, &back), 1);
    assert_int_equal(back.late[99], 1);
    st_hlog_close_reader(reader);
    st_hist_finish(&two);
    st_hist_finish(&three);
    st_hist_finish(&back);
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
        cmocka_unit_test_setup(stamps_may_be_absolute_or_relative, set_up),
        cmocka_unit_test_setup(a_payload_shorter_than_it_says_is_not_filled_up_from_the_line_before, set_up),
        cmocka_unit_test_setup(a_histogram_of_other_digits_is_told_and_passed_over, set_up),
    };
    const int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
