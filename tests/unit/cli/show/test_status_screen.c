/* The screen of `sleeptune status` at every size, with all that a daemon, or a false one, may
 * send. */
#include "cli/show/status_screen.h"
#include "core/text/text.h"
#include "tests/unit/screen.h"
#include "tests/unit/unit.h"

static const char text_of_document[] =
    "{\"schema\":\"sleeptune-status/1\",\"time_ns\":1700000000000000000,\"screen\":{"
    "\"answer\":\"Does not hold 128 frames: 4 of 1000 periods missed (95 % confidence: at most 984 "
    "per "
    "hour), "
    "worst wake-up 8.872 ms late.\",\"state\":\"bad\",\"next\":\"sleeptune history --causes\","
    "\"sections\":[{\"title\":\"\",\"rows\":["
    "{\"label\":\"Warning\",\"text\":\"loop: no right to "
    "SCHED_FIFO\",\"state\":\"bad\",\"detail\":false},"
    "{\"label\":\"Lateness\",\"text\":\"median 27.4 µs, 99 % 58.4 µs, worst 8.872 ms (n = "
    "1000)\",\"state\":\"ok\",\"detail\":false},"
    "{\"label\":\"Odd\",\"text\":\"a detail among them\",\"state\":\"ok\",\"detail\":true}]},"
    "{\"title\":\"Causes\",\"rows\":[{\"label\":\"\",\"text\":\"1 late wake-up: page "
    "fault\",\"state\":\"warn\",\"detail\":true}]},"
    "{\"title\":\"Events\",\"rows\":["
    "{\"label\":\"\",\"text\":\"late-wake: woke "
    "late\",\"state\":\"ok\",\"detail\":true,\"time_ns\":1699999999000000000},"
    "{\"label\":\"\",\"text\":\"config-read: months "
    "ago\",\"state\":\"ok\",\"detail\":true,\"time_ns\":1690000000000000000}]}]}}";

static json_t *document(void)
{
    json_t *of = json_loads(text_of_document, 0, NULL);
    assert_non_null(of);
    return of;
}

static char *drawn(int rows, int columns, bool unicode, const json_t *of,
                   const struct st_status_screen *how)
{
    struct st_screen screen = {.rows = rows, .columns = columns};
    assert_int_equal(setenv("LC_ALL", unicode ? "C.UTF-8" : "C", 1), 0);
    char *text = NULL;
    size_t bytes = 0;
    st_status_screen_draw(&screen, of, how);
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    st_screen_print(&screen, out);
    fclose(out);
    return text;
}

/* The screen of a document, which is freed. */
static void draws(const char *name, int rows, int columns, bool unicode, json_t *of,
                  const struct st_status_screen *how)
{
    char *text = drawn(rows, columns, unicode, of, how);
    screen_is(st_text("status_screen/%s", name), text);
    free(text);
    json_decref(of);
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

static void first_screen_is_the_answer_the_figures_and_one_next_step(void **state)
{
    draws("first", 30, 80, true, document(), &(struct st_status_screen){.socket = "/run/s"});
}

static void details_are_all_sections_and_the_socket(void **state)
{
    draws("details", 40, 80, true, document(),
          &(struct st_status_screen){.details = true, .socket = "/run/s"});
}

static void live_screen_has_details_as_room_allows_and_the_message_last(void **state)
{
    const struct st_status_screen how = {.live = true, .message = "Live; q quits"};
    draws("live", 40, 80, true, document(), &how);
    draws("live-small", 12, 40, true, document(), &how);
}

/* A table of clients behind the first section; the last of them is a detail. */
static json_t *document_with_clients(int n)
{
    json_t *of = document(), *rows = json_array();
    for (int i = 0; i < n; i++) {
        char name[48];
        ST_PRINT(name, i == 0 ? "HeavyReverb" : "Client %d with a long a.b.c.d.e.f name", i);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:b, s:[s, s, s, s, s]}", "label",
                                              name, "text", "407 dropouts", "state", "warn",
                                              "detail", i == n - 1, "cells", name,
                                              i == 0       ? "407"
                                              : i == n - 1 ? "?"
                                                           : "0",
                                              i == 0 ? "lost the CPU to its own thread" : "",
                                              "12 %", i == 0 ? "117 %" : ""));
    }
    json_t *section = json_pack("{s:s, s:[s, s, s, s, s], s:o}", "title", "Programs", "columns",
                                "Program", "Dropouts", "Why", "Load", "Peak", "rows", rows);
    json_array_insert_new(json_object_get(json_object_get(of, "screen"), "sections"), 1, section);
    return of;
}

static void clients_are_a_table_with_names_before_numbers(void **state)
{
    const struct st_status_screen first = {0};
    draws("clients", 30, 80, true, document_with_clients(4), &first);
    draws("clients-narrow", 30, 40, false, document_with_clients(4),
          &first); /* the last columns have to go */
    json_t *two = json_pack("{s:{s:[{s:[s, s], s:[{s:[]}]}]}}", "screen", "sections", "columns",
                            "A", "a head of 25 columns here", "rows", "cells");
    char *text = drawn(30, 27, false, two, &first);
    has(text, "A  a head of 25 columns he~\n");
    free(text);
    json_decref(two);
    draws("many-clients", 60, 80, true, document_with_clients(30), &first);
    draws("many-clients-details", 80, 80, true, document_with_clients(30),
          &(struct st_status_screen){.details = true});
}

/* While it clicks, programs are the news, not servers that have ended. */
static void table_keeps_room_for_the_first_programs(void **state)
{
    json_t *of = document_with_clients(8);
    json_t *rows = json_object_get(
        json_array_get(json_object_get(json_object_get(of, "screen"), "sections"), 0), "rows");
    for (int i = 0; i < 6; i++)
        json_array_insert_new(
            rows, 0,
            json_pack("{s:s, s:s, s:s, s:b}", "label", "Server", "text",
                      "1024 frames at 48 kHz (21.3 ms), first dropout 22:22:15, last "
                      "22:23:15, 5 s ago; Discord asked for 360 frames",
                      "state", "ok", "detail", 0));
    draws("crowded", 24, 80, true, json_incref(of), &(struct st_status_screen){0});
    draws("crowded-live", 24, 80, true, of,
          &(struct st_status_screen){.live = true, .message = "Live"});
}

static void long_message_takes_the_rows_it_needs(void **state)
{
    const struct st_status_screen how = {
        .live = true,
        .alert = true,
        .message = "No connection since 12:00:00: sleeptuned on /run/x does not answer"};
    draws("no-connection", 12, 40, true, document(), &how);
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
    json_t *of = document_with_clients(12), *empty = json_object();
    const struct st_status_screen how = {.live = true, .details = true, .message = "M"};
    for (int rows = 1; rows <= 60; rows++) {
        for (int columns = 1; columns <= 200; columns += columns < 20 ? 1 : 7) {
            char *text = drawn(rows, columns, true, of, &how);
            for (int row = 0; row < rows; row++) {
                char *line = row_of(text, row);
                if (columns_of(line) > columns)
                    fail_msg("%dx%d: %s", columns, rows, line);
                if (row == rows - 1)
                    assert_string_equal(line, "M");
                free(line);
            }
            free(text);
            free(drawn(rows, columns, false, empty, &(struct st_status_screen){.details = true}));
            free(drawn(rows, columns, true, NULL, &how));
            st_text_forget();
        }
    }
    json_decref(empty);
    json_decref(of);
}

static void foreign_documents_are_survived(void **state)
{
    static const char *const documents[] = {
        "{}",
        "{\"screen\":3}",
        "{\"screen\":{\"answer\":7,\"sections\":{}}}",
        "{\"screen\":{\"sections\":[1,{\"rows\":[null,{\"text\":[]}]}]}}",
        ("{\"screen\":{\"next\":\"\",\"next_why\":3,\"sections\":[{\"columns\":[1,{},\"x\"],"
         "\"rows\":[null,7,"
         "{"
         "\"cells\":9},"
         "{\"cells\":[1,\"a\",null,[],\"b\",\"c\",\"d\",\"e\",\"f\",\"g\"]}]}]}}"),
        ("{\"time_ns\":-9223372036854775807,\"screen\":{\"sections\":[{\"rows\":[{\"detail\":false,"
         "\"time_"
         "ns\":9223372036854775807}]}]}}"),
    };
    ST_EACH (document, documents) {
        json_t *of = json_loads(*document, 0, NULL);
        assert_non_null(of);
        free(drawn(24, 80, true, of, &(struct st_status_screen){.live = true, .details = true}));
        json_decref(of);
    }
}

static void without_unicode_all_is_ascii(void **state)
{
    json_t *of = document();
    json_object_set_new(json_object_get(of, "screen"), "answer", json_string("café – µs → 日本"));
    char *text = drawn(24, 80, false, of, &(struct st_status_screen){.live = true});
    for (const char *c = text; *c != '\0'; c++)
        assert_true((unsigned char)*c < 0x80);
    has(text, "caf? - us -> ??");
    free(text);
    json_decref(of);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    json_t *of = document();
    json_t *screen = json_object_get(of, "screen");
    json_t *row = json_array_get(
        json_object_get(json_array_get(json_object_get(screen, "sections"), 0), "rows"), 0);
    for (const char *const *key = (const char *const[]){"label", "text", NULL}; *key != NULL; key++)
        json_object_set_new(row, *key, json_string("a\x1b[2Jb\a\r\nx"));
    json_object_set_new(screen, "answer", json_string("a\x1b[2Jb\a\r\nx"));
    json_object_set_new(screen, "next", json_string("a\x1b[2Jb\a\r\nx"));
    char *text = drawn(24, 80, true, of, &(struct st_status_screen){.live = true});
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(text, '\a'));
    assert_null(strchr(text, '\r'));
    has(text, "a?[2Jb???x");
    free(text);
    json_decref(of);
}

static void text_of_others_cannot_reach_the_terminal_raw(void **state)
{
    struct st_screen screen = {.rows = 1, .columns = 40};
    st_screen_put(&screen, 0, 0, 40, ST_STYLE_PLAIN,
                  "a\x1b[2J\x07\x7f\xc2\x9b\xff\xe2\x82\xc0\x80z");
    assert_string_equal(screen.all[0].text, "a?[2J????????z");
    assert_int_equal(screen.all[0].columns, 14);
}

/* The text of one put in a row of 9 columns. */
static const char *cut(int width, const char *text)
{
    struct st_screen screen = {.rows = 2, .columns = 9};
    st_screen_put(&screen, 0, 0, width, ST_STYLE_PLAIN, text);
    return screen.all[0].text;
}

static void text_that_is_cut_says_so(void **state)
{
    struct st_screen screen = {.rows = 2, .columns = 12};
    assert_int_equal(setenv("LC_ALL", "C", 1), 0);
    assert_string_equal(cut(6, "sixsix"), "sixsix");
    assert_string_equal(cut(6, "seven77"), "seven~");
    assert_string_equal(cut(9, "missed 293456"), "missed ~"); /* no number or word is halved */
    assert_string_equal(cut(20, "of months 7"), "of month~");
    assert_int_equal(
        st_screen_wrap(&screen, 0, 0, 12, 2, ST_STYLE_PLAIN, "one two three four five six"), 2);
    assert_string_equal(screen.all[0].text, "one two");
    assert_string_equal(screen.all[1].text, "three four ~");
    assert_int_equal(st_screen_width("27 µs 9 n"), 9);
}

static void word_longer_than_a_row_goes_on_in_the_next(void **state)
{
    struct st_screen screen = {.rows = 4, .columns = 8};
    assert_int_equal(st_screen_wrap(&screen, 0, 0, 8, 4, ST_STYLE_PLAIN, "/run/sleeptune/sock ok"),
                     3);
    assert_string_equal(screen.all[1].text, "eptune/s");
    assert_string_equal(screen.all[2].text, "ock ok");
    assert_int_equal(st_screen_wrapped_rows(&screen, 8, "/run/sleeptune/sock ok"), 3);
}

static void
on_a_terminal_styles_end_behind_their_text_and_the_lower_right_corner_stays_empty(void **state)
{
    static const char *const styles[] = {"0", "0;1"};
    struct st_screen screen = {.rows = 2, .columns = 9, .styles = styles};
    st_screen_put(&screen, 0, 0, 9, ST_STYLE_PLAIN, "a");
    st_screen_put(&screen, 0, 3, 9, ST_STYLE_BOLD, "abcdef");
    st_screen_put(&screen, 1, 3, 9, ST_STYLE_BOLD, "abcdef");
    assert_string_equal(screen.all[0].text, "\033[0ma\033[0m  \033[0;1mabcdef\033[0m");
    assert_string_equal(screen.all[1].text, "   \033[0;1mabcd~\033[0m");
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_screen_is_the_answer_the_figures_and_one_next_step),
        cmocka_unit_test(details_are_all_sections_and_the_socket),
        cmocka_unit_test(live_screen_has_details_as_room_allows_and_the_message_last),
        cmocka_unit_test(clients_are_a_table_with_names_before_numbers),
        cmocka_unit_test(table_keeps_room_for_the_first_programs),
        cmocka_unit_test(long_message_takes_the_rows_it_needs),
        cmocka_unit_test(nothing_is_wider_than_the_screen_and_the_message_stays),
        cmocka_unit_test(foreign_documents_are_survived),
        cmocka_unit_test(without_unicode_all_is_ascii),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(text_of_others_cannot_reach_the_terminal_raw),
        cmocka_unit_test(text_that_is_cut_says_so),
        cmocka_unit_test(word_longer_than_a_row_goes_on_in_the_next),
        cmocka_unit_test(
            on_a_terminal_styles_end_behind_their_text_and_the_lower_right_corner_stays_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
