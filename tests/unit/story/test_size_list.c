/* What each buffer size that ran has cost: times by minutes, dropouts by their own period,
 * bursts. */
#include "story/size_list.h"
#include "tests/unit/history_fixture.h"
#include "tests/unit/shown_json.h"

static const char *dropped_by = "Synth";

static void drop(const char *source, int64_t wall_ns, int64_t n, int64_t span_ns, int64_t frames)
{
    struct st_event event = st_event_make(wall_ns, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    ST_PRINT(event.source, "%s", source);
    ST_PRINT(event.client, "%s", dropped_by);
    event.count_n = n;
    event.span_ns = span_ns;
    event.cycle.period_ns = frames * ST_NS_PER_S / 48000;
    st_history_add_event(history, &event);
}

static struct st_event open_events[2]; /* in answers, beside what the file has */
static size_t open_n;

static void look(int64_t since_ns, int64_t until_ns)
{
    struct st_history_reader *reader = open_reader();
    st_history_read_open_events(reader, open_events, open_n);
    json_t *document = st_size_list_read(reader, since_ns, until_ns);
    close_reader(reader);
    show("%s--", lines_of_json(document));
}

static void sizes_have_their_time_and_dropouts(void **state)
{
    open_it();
    st_history_begin(history);
    add_watches("pipewire", NOON_NS, 120, 128, 1);
    add_watches("pipewire", NOON_NS + 120 * MINUTE_NS, 60, 128, 0); /* nothing plays */
    add_watches("pipewire", NOON_NS + 180 * MINUTE_NS, 840, 256, 1);
    drop("pipewire", NOON_NS + MINUTE_NS, 5, 0, 128);
    drop("pipewire", NOON_NS + MINUTE_NS + 9 * ST_NS_PER_S, 1, 0, 128);    /* the same burst */
    drop("pipewire", NOON_NS + MINUTE_NS + 11 * ST_NS_PER_S, 1, 0, 128);   /* another one */
    drop("pipewire", NOON_NS + 2 * MINUTE_NS, 100, 30 * ST_NS_PER_S, 128); /* at least three */
    drop("pipewire", NOON_NS + 181 * MINUTE_NS, 2, 0,
         128); /* in the minute of a change: by its period */
    drop("pipewire", NOON_NS + 150 * MINUTE_NS, 7, 0, 128); /* at no time in which one played */
    drop("alsa", NOON_NS + MINUTE_NS, 7, 0, 128); /* of a source whose size is not known */
    dropped_by = ST_DROPOUT_TEST_CLIENT "n";
    drop("pipewire", NOON_NS + MINUTE_NS, 50, 0, 128); /* of a test, which is no music */
    dropped_by = "Synth";
    assert_int_equal(st_history_commit(history), 0);
    look(INT64_MIN, INT64_MAX);
    look(NOON_NS + 60 * MINUTE_NS, NOON_NS + 240 * MINUTE_NS); /* a part of it */
}

static void what_is_still_counted_counts(void **state)
{
    open_it();
    st_history_begin(history);
    add_watches("pipewire", NOON_NS, 120, 128, 1);
    drop("pipewire", NOON_NS + MINUTE_NS, 5, 0, 128);
    assert_int_equal(st_history_commit(history), 0);
    open_events[0] = dropout(NOON_NS + 2 * MINUTE_NS, "Synth", ST_DROPOUT_TOO_SLOW, 3, 1);
    open_events[1] = open_events[0];
    for (size_t i = 0; i < 3; i++) {
        open_n = i;
        look(INT64_MIN, INT64_MAX);
    }
    open_n = 0;
}

static void two_servers_are_named(void **state)
{
    open_it();
    st_history_begin(history);
    add_watches("pipewire", NOON_NS, 60, 256, 1);
    add_watches("jack", NOON_NS, 60, 64, INT64_MIN); /* it does not know whether one plays */
    drop("jack", NOON_NS + MINUTE_NS, 1, 0, 0);
    assert_int_equal(st_history_commit(history), 0);
    look(INT64_MIN, INT64_MAX);
}

static void an_empty_history_has_no_rows(void **state)
{
    open_it();
    look(INT64_MIN, INT64_MAX);
}

static void what_no_sleeptuned_writes_gives_numbers_or_an_error(void **state)
{
    sqlite3 *db;
    open_it();
    st_history_close(history);
    history = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            db,
            "INSERT INTO watch (source, from_ns, to_ns, playing, frames, rate_hz) VALUES"
            " ('a', -9223372036854775807, 9223372036854775807, 1, 9223372036854775807, 1),"
            " ('a', -9223372036854775807, 9223372036854775806, 'x', 1, 9223372036854775807),"
            " ('b', 1, 0, 1, 1e300, 1e-300), (x'00ff', 0, 9, 1, 'frames', 'hz');"
            "INSERT INTO event (wall_ns, kind, source, count_n, span_ns, period_ns) VALUES"
            " (0, 'device-dropout', 'a', 9223372036854775807, 9223372036854775807, "
            "9223372036854775807),"
            " (1, 'device-dropout', 'a', 'many', 1e300, -1)",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    struct st_history_reader *reader = open_reader();
    char *text = st_json_into_text(st_size_list_read(reader, INT64_MIN, INT64_MAX), 0);
    static const char *const never[] = {"nan", "playing_ns\": -", "dropouts\": -", "bursts\": -"};
    ST_EACH (part, never)
        assert_lacks(text, *part);
    free(text);
    st_history_read_close(reader);
}

/* Garwood's interval, from tables: 0 events 2.996; 5 events 1.970 to 10.513, each side 95 %. */
static void bounds_are_those_of_poisson(void **state)
{
    struct st_history_size size = {.playing_ns = HOUR_NS};
    struct st_size_rate rate = st_size_list_rate(&size);
    assert_true(rate.per_hour == 0 && rate.low == 0 && fabs(rate.high - 2.996) < 0.001);
    size.bursts_n = 5;
    rate = st_size_list_rate(&size);
    assert_true(fabs(rate.low - 1.970) < 0.001 && fabs(rate.high - 10.513) < 0.001);
    size.playing_ns = 0;
    assert_true(isinf(st_size_list_rate(&size).high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes_have_their_time_and_dropouts),
        TEST(what_is_still_counted_counts),
        TEST(two_servers_are_named),
        TEST(an_empty_history_has_no_rows),
        TEST(what_no_sleeptuned_writes_gives_numbers_or_an_error),
        cmocka_unit_test(bounds_are_those_of_poisson),
    };
    return shown_run(tests);
}
