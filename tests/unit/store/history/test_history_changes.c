/* What changed, as the history keeps it, and the sessions that it is judged by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/history_fixture.h"

static void add_facts(int64_t wall_ns, const struct st_history_fact *facts, size_t n)
{
    st_history_begin(history);
    st_history_add_facts(history, wall_ns - HOUR_NS, wall_ns, facts, n);
    assert_int_equal(st_history_commit(history), 0);
}

/* Of a kernel and of files; NULL: not there. */
static void look(int64_t wall_ns, const char *kernel, const char *a, const char *b)
{
    const struct st_history_fact all[] = {
        {"kernel", (char *)(uintptr_t) "kernel", (char *)(uintptr_t)kernel},
        {"file", (char *)(uintptr_t) "/etc/a", (char *)(uintptr_t)a},
        {"file", (char *)(uintptr_t) "/etc/b", (char *)(uintptr_t)b}};
    struct st_history_fact facts[3];
    size_t n = 0;
    for (size_t i = 0; i < 3; i++) {
        if (all[i].value != NULL)
            facts[n++] = all[i];
    }
    add_facts(wall_ns, facts, n);
}

static json_t *changes_of(void)
{
    struct st_history_reader *reader = open_reader();
    json_t *ret = st_history_read_changes(reader);
    close_reader(reader);
    return ret;
}

static const json_t *what(const json_t *changes, size_t change, size_t i)
{
    return json_array_get(json_object_get(json_array_get(changes, change), "what"), i);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void only_what_differs_is_a_row(void **state)
{
    open_it();
    look(NOON_NS, "6.1", NULL, NULL);
    look(NOON_NS + DAY_NS, "6.1", "1",
         NULL); /* the first file is no change: files were never read before */
    look(NOON_NS + 2 * DAY_NS, "6.1", "1", NULL);
    assert_int_equal(query("SELECT count(*) FROM fact"), 2);
    json_t *changes = changes_of();
    assert_int_equal(json_array_size(changes), 0);
    json_decref(changes);
    look(NOON_NS + 3 * DAY_NS, "6.12", "2", "1");
    look(NOON_NS + 4 * DAY_NS, "6.12", NULL, NULL); /* no file could be read */
    look(NOON_NS + 5 * DAY_NS, "6.12", NULL, "1");
    look(NOON_NS + 6 * DAY_NS, "6.12", "2", "1");
    changes = changes_of();
    assert_int_equal(json_array_size(changes), 3);
    assert_int_equal(figure(changes, 0, "from_ns"), NOON_NS + 3 * DAY_NS - HOUR_NS);
    assert_int_equal(figure(changes, 0, "at_ns"), NOON_NS + 3 * DAY_NS);
    assert_string_equal(text_of(json_array_get(changes, 0), "verdict"), "too-short");
    assert_int_equal(json_array_size(json_object_get(json_array_get(changes, 0), "what")), 3);
    assert_string_equal(text_of(what(changes, 0, 0), "before"), "6.1");
    assert_string_equal(text_of(what(changes, 0, 0), "now"), "6.12");
    assert_string_equal(text_of(what(changes, 0, 1), "name"), "/etc/a");
    assert_true(json_is_null(json_object_get(what(changes, 0, 2), "before"))); /* /etc/b came */
    assert_true(json_is_null(json_object_get(what(changes, 1, 0), "now")));    /* /etc/a went */
    assert_string_equal(text_of(what(changes, 2, 0), "now"), "2");             /* and came back */
    json_decref(changes);
}

/* 90 minutes each evening. */
static void play(int64_t from_ns, const char *client, int64_t frames, int64_t dropouts_n)
{
    st_history_begin(history);
    for (int64_t i = 0; i < 90; i++) {
        struct st_history_watched watched = {.from_wall_ns = from_ns + i * MINUTE_NS,
                                             .to_wall_ns = from_ns + (i + 1) * MINUTE_NS,
                                             .watches_n = 1};
        watched.watches[0] = (struct st_history_watch){.watched_ns = MINUTE_NS,
                                                       .playing = 1,
                                                       .frames = frames,
                                                       .rate_hz = 48000,
                                                       .source = "pipewire"};
        snprintf(watched.watches[0].client, sizeof(watched.watches[0].client), "%s", client);
        if (i >= 30 && i < 40) /* ten minutes of silence */
            watched.watches[0].playing = 0;
        st_history_add_watched(history, &watched);
    }
    struct st_event event =
        st_event_make(from_ns + 10 * MINUTE_NS, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    snprintf(event.source, sizeof(event.source), "pipewire");
    event.count_n = dropouts_n;
    st_history_add_event(history, &event);
    snprintf(event.client, sizeof(event.client), ST_DROPOUT_TEST_CLIENT "n");
    st_history_add_event(history, &event); /* of a test, which is no music */
    assert_int_equal(st_history_commit(history), 0);
}

static const json_t *side(const json_t *changes, size_t i, const char *key)
{
    return json_object_get(json_array_get(changes, i), key);
}

static void sessions_of_one_program_and_size_are_compared(void **state)
{
    open_it();
    look(NOON_NS - HOUR_NS, "6.1", "1", NULL);
    for (int64_t day = 0; day < 12; day++) {
        play(NOON_NS + day * DAY_NS, "Ardour", 128, day % 3 == 0);
        if (day == 5)
            play(NOON_NS + day * DAY_NS + 5 * HOUR_NS, "Firefox", 1024, 900); /* another program */
    }
    look(NOON_NS + 12 * DAY_NS - HOUR_NS, "6.12", "1", NULL);
    for (int64_t day = 12; day < 16; day++)
        play(NOON_NS + day * DAY_NS, "Ardour", 128, 20);
    json_t *changes = changes_of();
    assert_int_equal(json_array_size(changes), 1);
    assert_string_equal(text_of(json_array_get(changes, 0), "verdict"), "worse");
    assert_int_equal(json_integer_value(json_object_get(side(changes, 0, "before"), "sessions")),
                     12);
    assert_int_equal(json_integer_value(json_object_get(side(changes, 0, "before"), "dropouts")),
                     4);
    assert_int_equal(json_integer_value(json_object_get(side(changes, 0, "since"), "sessions")), 3);
    assert_int_equal(json_integer_value(json_object_get(side(changes, 0, "since"), "dropouts")),
                     60);
    assert_int_equal(json_integer_value(json_object_get(side(changes, 0, "since"), "playing_ns")),
                     3 * 80 * MINUTE_NS);
    json_decref(changes);
}

static void what_a_fact_was_last_stays(void **state)
{
    open_it();
    look(NOON_NS, "6.1", "1", NULL);
    look(NOON_NS + DAY_NS, "6.12", "1", NULL);
    for (int i = 0; i < 5; i++)
        assert_int_equal(
            st_history_retain(history, NOON_NS + 800 * DAY_NS, 400, INT64_C(1000000000)), 0);
    assert_int_equal(query("SELECT count(*) FROM fact"), 2);
    look(NOON_NS + 801 * DAY_NS, "6.12", "1", NULL);
    assert_int_equal(query("SELECT count(*) FROM fact"), 2);
    look(NOON_NS + 802 * DAY_NS, "6.13", "1", NULL);
    assert_int_equal(query("SELECT max(change_n) FROM fact"), 2); /* never given twice */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_what_differs_is_a_row),
        TEST(sessions_of_one_program_and_size_are_compared),
        TEST(what_a_fact_was_last_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
