/* The screen of `sleeptune watch` at every size, with all that a daemon, or somebody else, may send. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cli/show/watch_screen.h"

static const char document[] =
    "{\"schema\":\"sleeptune-live/1\",\"state\":\"running\",\"verdict\":\"Does not hold 128 frames: 4 of "
    "1000 periods "
    "missed (95%: at most 984 per hour), 2 simulated xruns, latest wake 8.872 ms.\",\"degraded\":[],"
    "\"time_ns\":1700000000000000000,\"uptime_ns\":7384000000000,\"overdue_ns\":1000,"
    "\"loop\":{\"frames\":128,\"rate_hz\":48000,\"period_ns\":2666667},"
    "\"lateness_ns\":{\"n\":1000,\"min\":1,\"median\":27400,\"p99\":58400,\"p999\":null,\"max\":8872000},"
    "\"histogram\":{\"bounds_ns\":[1000,100000,10000000,1000000000],\"counts\":[0,990,10,0,0]},"
    "\"seconds\":{\"end_ns\":1,\"cycles\":[375,null,375],\"misses\":[0,null,4],\"max_ns\":[50000,null,"
    "8872000],"
    "\"median_ns\":[27000,null,27000]},"
    "\"misses\":{\"count\":4,\"periods\":1000,\"skipped_periods\":2,\"records_lost\":0},"
    "\"xruns\":[{\"source\":\"simulated\",\"watched\":true,\"count\":2},{\"source\":\"alsa\",\"watched\":"
    "false,"
    "\"count\":5,\"starved\":3},{\"source\":\"jack\",\"watched\":false,\"count\":null}],"
    "\"late_wakes\":6,\"late_threshold_ns\":1333333,"
    "\"causes\":[{\"text\":\"page fault\",\"count\":1,\"total_ns\":2000000,\"worst_ns\":2000000}],"
    "\"events\":[{\"time_ns\":1699999999000000000,\"event\":\"late-wake\",\"text\":\"woke late\"},"
    "{\"time_ns\":1690000000000000000,\"event\":\"config-read\",\"text\":\"months ago\"}]}";

static char *drawn(int rows, int columns, bool unicode, const json_t *live, const char *message)
{
    struct st_screen screen;
    char *text = NULL;
    size_t bytes = 0;
    assert_int_equal(st_screen_init(&screen, rows, columns, unicode), 0);
    st_watch_draw(&screen, live, message, false);
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    for (int row = 0; row < rows; row++)
        st_screen_print_row(&screen, row, out);
    fclose(out);
    st_screen_finish(&screen);
    return text;
}

static json_t *live_document(void)
{
    json_t *live = json_loads(document, 0, NULL);
    assert_non_null(live);
    return live;
}

/* The n-th row, to be freed. */
static char *row_of(const char *text, int n)
{
    while (n-- > 0)
        text = strchr(text, '\n') + 1;
    return strndup(text, strcspn(text, "\n"));
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("not on the screen: %s\n%s", part, text);
}

static void large_screen_has_every_figure(void **state)
{
    (void)state;
    json_t *live = live_document();
    char *text = drawn(24, 80, true, live, "Live; q quits");
    has(text, "sleeptuned running, up 2 h 03 min; 128 frames at 48000 Hz (2.667 ms)");
    has(text, "Does not hold 128 frames: 4 of 1000 periods missed (95%: at most 984 per hour),");
    has(text, "Late: median 27.4 µs, 99 % 58.4 µs, 99.9 % not yet, latest 8.872 ms (n = 1000)");
    has(text, "Latest of each second, 3 s");
    has(text, "missed     4 of 1000, 2 skipped");
    has(text, "alsa       5, 3 starved (not now)");
    has(text, "not watched: jack");
    has(text, "6 woke over 1.333 ms late");
    has(text, "   1   2.000 ms page fault");
    has(text, "\n22:13:19 late-wake: woke late\n");
    has(text, "\n2023-07-22 04:26:40 config-read: months ago\n");
    char *last = row_of(text, 23);
    assert_string_equal(last, "Live; q quits");
    free(last);
    free(text);
    json_decref(live);
}

static void missed_and_unknown_seconds_are_marked_below_their_bars(void **state)
{
    (void)state;
    json_t *live = live_document();
    char *text = drawn(24, 80, false, live, NULL);
    char *axis = row_of(text, 11);
    assert_int_equal(strncmp(axis, "10 us   -", 9), 0);
    assert_ptr_equal(strstr(axis, "-?x"), axis + 53); /* the newest second is at the right end */
    char *top = row_of(text, 5);
    assert_int_equal(strncmp(top, "10 ms ", 6), 0);
    assert_int_equal(top[55], '#'); /* 8.872 ms reaches the top row, 50 us does not */
    assert_int_equal(top[53], ' ');
    free(top);
    free(axis);
    free(text);
    json_decref(live);
}

static void long_message_takes_the_rows_it_needs(void **state)
{
    (void)state;
    struct st_screen screen;
    json_t *live = live_document();
    assert_int_equal(st_screen_init(&screen, 12, 40, true), 0);
    st_watch_draw(&screen, live, "No connection since 12:00:00: sleeptuned on /run/x does not answer", true);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    for (int row = 0; row < 12; row++)
        st_screen_print_row(&screen, row, out);
    fclose(out);
    has(text, "\nNo connection since 12:00:00: sleeptuned\non /run/x does not answer\n");
    has(text, "Does not hold 128 frames: 4 of 1000");
    free(text);
    st_screen_finish(&screen);
    json_decref(live);
}

static void small_screen_keeps_verdict_sums_and_message(void **state)
{
    (void)state;
    json_t *live = live_document();
    char *text = drawn(12, 40, true, live, "No connection since 12:00:00");
    has(text, "Does not hold 128 frames: 4 of 1000");
    has(text, "Missed 4 of 1000; xruns simulated 2,");
    has(text, "1x late: page fault");
    has(text, "\nNo connection since 12:00:00\n");
    free(text);
    json_decref(live);
}

/* A document of a loop that has run for months. */
static json_t *long_document(void)
{
    json_t *live = live_document();
    json_t *lateness = json_object_get(live, "lateness_ns"), *misses = json_object_get(live, "misses");
    json_t *xruns = json_object_get(live, "xruns");
    json_object_set_new(live, "uptime_ns", json_integer(INT64_C(31622400000000000)));
    json_object_set_new(lateness, "n", json_integer(123456789));
    json_object_set_new(lateness, "median", json_integer(127400));
    json_object_set_new(lateness, "p99", json_integer(258400));
    json_object_set_new(lateness, "p999", json_integer(100872000));
    json_object_set_new(lateness, "max", json_integer(308872000));
    json_object_set_new(misses, "count", json_integer(293456781));
    json_object_set_new(misses, "periods", json_integer(987654321));
    json_object_set_new(misses, "skipped_periods", json_integer(151456782));
    for (size_t i = 0; i < 2; i++)
        json_object_set_new(json_array_get(xruns, i), "count", json_integer(223456780 + (int)i));
    json_object_set_new(live, "late_wakes", json_integer(765432198));
    json_object_set_new(json_array_get(json_object_get(live, "causes"), 0), "count", json_integer(765432197));
    return live;
}

static void figures_of_months_are_never_cut(void **state)
{
    (void)state;
    static const struct {
        int rows, columns;
        const char *lateness, *missed;
        bool causes;
    } sizes[] = {
        {24, 200,
         "Late: median 127.4 us, 99 % 258.4 us, 99.9 % 100.872 ms, latest 308.872 ms (n = 123456789)",
         "missed     293456781 of 987654321, 151456782 skipped ", true},
        {24, 80, "Late: p50 127.4 us, p99 258.4 us, max 308.872 ms (n = 123456789)",
         "missed 293456781 of 987654321 ", true},
        {24, 72, "Late: p50 127.4 us, p99 258.4 us, max 308.872 ms (n = 123456789)",
         "missed 293456781 of 987654321 ", true},
        {15, 60, "Late: p99 258.4 us, max 308.872 ms (n = 123456789)", "Missed 293456781 of 987654321; xruns",
         true},
        {12, 40, "p99 258.4 us (n = 123456789)", "Missed 293456781 of 987654321; xruns", false},
        {6, 30, "p99 258.4 us (n = 123456789)", "Missed 293456781 of 987654321\n", false},
    };
    json_t *live = long_document();
    for (size_t i = 0; i < ST_ARRAY_LEN(sizes); i++) {
        for (int unicode = 0; unicode < 2; unicode++) {
            char lateness[128] = "\n", *at;
            strcat(strcat(lateness, sizes[i].lateness), "\n");
            char *text = drawn(sizes[i].rows, sizes[i].columns, unicode == 1, live, "M");
            while ((at = strstr(text, "µ")) != NULL) { /* as in the expectations */
                *at = 'u';
                memmove(at + 1, at + 2, strlen(at + 2) + 1);
            }
            has(text, lateness);
            has(text, sizes[i].missed);
            if (sizes[i].columns >= 72) {
                has(text, sizes[i].columns > 80 ? "simulated  223456780\n" : "\nskipped    151456782");
                has(text, "223456781, 3 starved");
                has(text, "765432198 woke over 1.333 ms late");
            }
            if (sizes[i].causes)
                has(text, "765432197");
            free(text);
        }
    }
    json_decref(live);
}

static int columns_of(const char *row)
{
    int n = 0;
    for (; *row != '\0'; row++)
        n += ((unsigned char)*row & 0xc0) != 0x80;
    return n;
}

static void nothing_is_wider_than_the_screen_and_the_message_stays(void **state)
{
    (void)state;
    json_t *live = live_document(), *empty = json_object();
    for (int rows = 1; rows <= 60; rows++) {
        for (int columns = 1; columns <= 200; columns += columns < 20 ? 1 : 7) {
            char *text = drawn(rows, columns, true, live, "M");
            for (int row = 0; row < rows; row++) {
                char *line = row_of(text, row);
                if (columns_of(line) > columns)
                    fail_msg("%dx%d: %s", columns, rows, line);
                if (row == rows - 1)
                    assert_string_equal(line, "M");
                free(line);
            }
            free(text);
            free(drawn(rows, columns, false, empty, NULL));
            free(drawn(rows, columns, true, NULL, "waiting"));
        }
    }
    json_decref(empty);
    json_decref(live);
}

static void without_unicode_all_is_ascii(void **state)
{
    (void)state;
    json_t *live = live_document();
    json_object_set_new(live, "verdict", json_string("café – µs → 日本"));
    char *text = drawn(24, 80, false, live, NULL);
    for (const char *c = text; *c != '\0'; c++)
        assert_true((unsigned char)*c < 0x80);
    has(text, "caf? - us - ??");
    free(text);
    json_decref(live);
}

static void text_of_others_cannot_reach_the_terminal_raw(void **state)
{
    (void)state;
    struct st_screen screen;
    assert_int_equal(st_screen_init(&screen, 1, 40, true), 0);
    assert_int_equal(
        st_screen_put(&screen, 0, 0, 40, ST_STYLE_PLAIN, "a\x1b[2J\x07\x7f\xc2\x9b\xff\xe2\x82\xc0\x80z"),
        14);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    st_screen_print_row(&screen, 0, out);
    fclose(out);
    assert_string_equal(text, "a?[2J????????z\n");
    free(text);
    st_screen_finish(&screen);
}

static void text_that_is_cut_says_so(void **state)
{
    (void)state;
    struct st_screen screen;
    assert_int_equal(st_screen_init(&screen, 3, 12, false), 0);
    assert_int_equal(st_screen_put(&screen, 0, 0, 6, ST_STYLE_PLAIN, "sixsix"), 6);
    assert_string_equal(st_screen_cell(&screen, 0, 5)->text, "x");
    assert_int_equal(st_screen_put(&screen, 0, 0, 6, ST_STYLE_PLAIN, "seven77"), 6);
    assert_string_equal(st_screen_cell(&screen, 0, 5)->text, "~");
    assert_int_equal(st_screen_wrap(&screen, 1, 0, 12, 2, ST_STYLE_PLAIN, "one two three four five six"), 2);
    assert_string_equal(st_screen_cell(&screen, 1, 6)->text, "o");
    assert_string_equal(st_screen_cell(&screen, 1, 7)->text, " ");
    assert_string_equal(st_screen_cell(&screen, 2, 0)->text, "t");
    assert_string_equal(st_screen_cell(&screen, 2, 11)->text, "~");
    assert_int_equal(st_screen_used(&screen), 3);
    st_screen_finish(&screen);
    assert_int_equal(st_screen_init(&screen, 2, 9, false), 0); /* no number or word is halved */
    st_screen_put(&screen, 0, 0, 9, ST_STYLE_PLAIN, "missed 293456");
    assert_string_equal(st_screen_cell(&screen, 0, 7)->text, "~");
    assert_string_equal(st_screen_cell(&screen, 0, 8)->text, " ");
    st_screen_put(&screen, 1, 0, 9, ST_STYLE_PLAIN, "of months 7");
    assert_string_equal(st_screen_cell(&screen, 1, 8)->text, "~");
    assert_true(st_screen_fits(&screen, 9, "27 µs 9 n"));
    assert_false(st_screen_fits(&screen, 8, "27 µs 9 n"));
    st_screen_finish(&screen);
    assert_int_equal(st_screen_init(&screen, 0, 80, false), -EINVAL);
}

static void loop_that_is_not_heard_of_is_doubted(void **state)
{
    (void)state;
    char text[100];
    json_t *live = live_document();
    assert_string_equal(st_watch_doubt(live, text, sizeof(text)), "");
    json_object_set_new(live, "overdue_ns", json_integer(INT64_C(7900000000)));
    assert_string_equal(st_watch_doubt(live, text, sizeof(text)), "the loop has not been heard of for 7 s");
    json_object_set_new(live, "overdue_ns", json_null());
    assert_string_equal(st_watch_doubt(live, text, sizeof(text)), "");
    json_decref(live);
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_screen_has_every_figure),
        cmocka_unit_test(missed_and_unknown_seconds_are_marked_below_their_bars),
        cmocka_unit_test(long_message_takes_the_rows_it_needs),
        cmocka_unit_test(small_screen_keeps_verdict_sums_and_message),
        cmocka_unit_test(figures_of_months_are_never_cut),
        cmocka_unit_test(nothing_is_wider_than_the_screen_and_the_message_stays),
        cmocka_unit_test(without_unicode_all_is_ascii),
        cmocka_unit_test(text_of_others_cannot_reach_the_terminal_raw),
        cmocka_unit_test(text_that_is_cut_says_so),
        cmocka_unit_test(loop_that_is_not_heard_of_is_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
