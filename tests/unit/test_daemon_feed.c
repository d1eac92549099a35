/* Readers of server-sent events, each at its own speed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/feed.h"

static struct st_feed feed;

static int teardown(void **state)
{
    (void)state;
    st_feed_finish(&feed);
    return 0;
}

static void put(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    st_feed_put(&feed, copy, strlen(copy));
}

static void assert_reads(struct st_feed_cursor *cursor, size_t buf_bytes, const char *expected)
{
    char buf[64];
    const ssize_t n = st_feed_read(&feed, cursor, buf, buf_bytes);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(buf, expected, strlen(expected));
}

static void reader_begins_with_what_comes_after_it(void **state)
{
    (void)state;
    put("before");
    struct st_feed_cursor cursor = st_feed_join(&feed);
    assert_reads(&cursor, 64, "");
    put("one");
    put("two");
    assert_reads(&cursor, 64, "onetwo");
    assert_reads(&cursor, 64, "");
}

static void slow_reader_loses_nothing_while_it_keeps_up(void **state)
{
    (void)state;
    struct st_feed_cursor slow = st_feed_join(&feed), fast = slow;
    put("abc");
    put("de");
    assert_reads(&slow, 2, "ab");
    assert_reads(&fast, 64, "abcde");
    assert_reads(&slow, 2, "cd");
    put("f");
    assert_reads(&slow, 2, "ef");
    assert_reads(&slow, 2, "");
    assert_reads(&fast, 64, "f");
}

static void reader_whose_next_bytes_are_gone_is_behind(void **state)
{
    (void)state;
    struct st_feed_cursor cursor = st_feed_join(&feed);
    char buf[8];
    for (int i = 0; i < ST_FEED_CHUNKS; i++)
        put("x");
    assert_false(st_feed_behind(&feed, &cursor));
    struct st_feed_cursor late = cursor;
    put("x");
    assert_true(st_feed_behind(&feed, &late));
    assert_int_equal(st_feed_read(&feed, &late, buf, sizeof(buf)), -EPIPE);
}

static void event_ends_with_an_empty_line(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    st_feed_event(out, "status", "{\"a\":1}");
    fclose(out);
    assert_string_equal(text, "event: status\ndata: {\"a\":1}\n\n");
    free(text);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, teardown)
    const struct CMUnitTest tests[] = {
        TEST(reader_begins_with_what_comes_after_it),
        TEST(slow_reader_loses_nothing_while_it_keeps_up),
        TEST(reader_whose_next_bytes_are_gone_is_behind),
        TEST(event_ends_with_an_empty_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
