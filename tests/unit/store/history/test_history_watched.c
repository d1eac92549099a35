/* When sound servers were watched, in a history. */
#include "tests/unit/history_fixture.h"
#include "tests/unit/shown_json.h"

static const struct st_history_watch pipewire = {
    .source = "pipewire", .watched_ns = MINUTE_NS, .playing = 1, .frames = 1024, .rate_hz = 48000};

static void add_watched(int64_t from_ns, struct st_history_watch watch)
{
    const struct st_history_watched watched = {.from_wall_ns = from_ns,
                                               .to_wall_ns = from_ns + MINUTE_NS,
                                               .watches = {watch},
                                               .watches_n = 1};
    put_watched(&watched);
}

static json_t *document_of(int64_t since_ns, int64_t until_ns)
{
    json_t *document;
    assert_int_equal(read_it(since_ns, until_ns, MINUTE_NS, &document), 0);
    return document;
}

static void look(int64_t since_ns, int64_t until_ns)
{
    show("%s--", lines_of_json(document_of(since_ns, until_ns)));
}

static void a_day_without_change_is_one_row_of_watching_and_is_cut_where_it_was_asked(void **state)
{
    struct st_history_watch quiet = pipewire;
    quiet.playing = 0;
    quiet.frames = quiet.rate_hz = INT64_MIN;
    open_it();
    for (int i = 0; i < 60; i++)
        add_watched(NOON_NS + i * MINUTE_NS, i < 40 ? pipewire : quiet);
    struct st_history_watch late = pipewire; /* found in the middle of a minute, an hour later */
    late.watched_ns = MINUTE_NS / 2;
    add_watched(NOON_NS + 120 * MINUTE_NS, late);
    assert_int_equal(query("SELECT count(*) FROM watch"), 3);
    look(NOON_NS + 10 * MINUTE_NS, NOON_NS + 50 * MINUTE_NS);
    look(NOON_NS,
         NOON_NS + 200 * MINUTE_NS); /* the last that is known of it; of a gap without a loop */
    look(NOON_NS + 61 * MINUTE_NS, NOON_NS + 100 * MINUTE_NS);
}

/* What is watched in the minute that still runs is in no file; it is added to what the file has,
 * and to nothing else. */
static void the_running_minute_counts(void **state)
{
    open_it();
    add_watched(NOON_NS, pipewire);
    for (int i = 0; i < 2; i++) { /* the second answer does not have the first one's */
        const struct st_history_watched running = {.from_wall_ns = NOON_NS + MINUTE_NS,
                                                   .to_wall_ns =
                                                       NOON_NS + MINUTE_NS + MINUTE_NS / 2,
                                                   .watches = {{.source = "pipewire",
                                                                .watched_ns = MINUTE_NS / 2,
                                                                .playing = 1,
                                                                .frames = 64,
                                                                .rate_hz = 48000}},
                                                   .watches_n = 1};
        struct st_history_reader *reader = open_reader();
        st_history_read_running(reader, &running);
        json_t *document =
            st_history_read_steps(reader, NOON_NS, NOON_NS + 2 * MINUTE_NS, MINUTE_NS);
        close_reader(reader);
        const json_t *watched = json_object_get(document, "watched");
        assert_int_equal(json_array_size(watched), 1);
        assert_int_equal(figure(watched, 0, "playing_ns"), MINUTE_NS + MINUTE_NS / 2);
        assert_int_equal(figure(watched, 0, "frames"), 64);
        json_decref(document);
    }
    assert_int_equal(query("SELECT count(*) FROM watch"), 1);
}

static void where_nothing_played_there_is_no_gap(void **state)
{
    struct st_history_watch quiet = pipewire, alsa = {.source = "alsa", .watched_ns = MINUTE_NS},
                            other = alsa;
    quiet.playing = 0;
    other.playing = INT64_MIN; /* does not know what plays */
    ST_PRINT(other.source, "sound4");
    open_it();
    add(NOON_NS, 100, 1000);
    add_watched(NOON_NS, pipewire);
    for (int i = 1; i < 10; i++) {
        add_watched(NOON_NS + i * MINUTE_NS, quiet); /* the loop rests */
        add_watched(NOON_NS + i * MINUTE_NS, alsa);
    }
    add(NOON_NS + 10 * MINUTE_NS, 100, 1000);
    add_watched(NOON_NS + 10 * MINUTE_NS, pipewire);
    /* the daemon is gone from 11 to 20; a source that cannot tell watches to 22; then another
     * rest */
    for (int i = 20; i < 30; i++)
        add_watched(NOON_NS + i * MINUTE_NS, i < 22 ? other : quiet);
    look(NOON_NS, NOON_NS + 30 * MINUTE_NS + ST_NS_PER_S);
    look(NOON_NS + 2 * MINUTE_NS, NOON_NS + 50 * MINUTE_NS);
}

/* Programs play, the daemon is killed, and the next one sees them after four seconds. */
static void a_daemon_that_starts_does_not_know_what_played_before(void **state)
{
    struct st_history_watch quiet = pipewire;
    quiet.playing = 0;
    quiet.watched_ns = 4 * ST_NS_PER_S;
    open_it();
    add(NOON_NS, 100, 1000);
    add_watched(NOON_NS, pipewire);
    const struct st_history_watched start = {.from_wall_ns =
                                                 NOON_NS + 2 * MINUTE_NS - quiet.watched_ns,
                                             .to_wall_ns = NOON_NS + 2 * MINUTE_NS,
                                             .watches_n = 1,
                                             .watches = {quiet}};
    st_history_add_watched(history, &start);
    add(NOON_NS + 2 * MINUTE_NS, 100, 1000);
    add_watched(NOON_NS + 2 * MINUTE_NS, pipewire);
    look(NOON_NS, NOON_NS + 3 * MINUTE_NS);
}

static void dropouts_and_the_watching_go_with_all(void **state)
{
    const struct st_event events[] = {
        dropout(NOON_NS, "heavy", ST_DROPOUT_TOO_SLOW, 4, 25),
        dropout(NOON_NS + 2 * DAY_NS, "heavy", ST_DROPOUT_TOO_SLOW, 4, 25)};
    open_it();
    put_all(events, ST_ARRAY_LEN(events));
    add_watched(NOON_NS, pipewire);
    add(NOON_NS, 100, 1000);
    add_watched(NOON_NS + 2 * DAY_NS, pipewire);
    add(NOON_NS + 2 * DAY_NS, 100, 1000);
    assert_int_equal(st_history_retain(history, NOON_NS + 31 * DAY_NS, 400, INT64_C(1000000000)),
                     0);
    assert_int_equal(query("SELECT sum(count_n) FROM event"), 8);
    assert_int_equal(query("SELECT count(*) FROM span WHERE level = 60"), 1);
    assert_int_equal(query("SELECT count(*) FROM watch"), 2);
    for (int i = 0; i < 5; i++) /* a day of rows at a time */
        assert_int_equal(
            st_history_retain(history, NOON_NS + 500 * DAY_NS, 400, INT64_C(1000000000)), 0);
    assert_int_equal(query("SELECT count(*) FROM event"), 0);
    assert_int_equal(query("SELECT count(*) FROM watch"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_day_without_change_is_one_row_of_watching_and_is_cut_where_it_was_asked),
        TEST(the_running_minute_counts),
        TEST(where_nothing_played_there_is_no_gap),
        TEST(a_daemon_that_starts_does_not_know_what_played_before),
        TEST(dropouts_and_the_watching_go_with_all),
    };
    return shown_run(tests);
}
