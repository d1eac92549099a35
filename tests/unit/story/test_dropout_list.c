/* Other programs' dropouts of a history: added up by client, and told. */
#include "story/dropout_list.h"
#include "tests/unit/history_fixture.h"
#include "tests/unit/unit.h"

static json_t *dropouts_of(int64_t since_ns, int64_t until_ns)
{
    json_t *document;
    adds_more = st_dropout_list_add;
    assert_int_equal(read_it(since_ns, until_ns, MINUTE_NS, &document), 0);
    json_t *dropouts = json_incref(json_object_get(document, "dropouts"));
    json_decref(document);
    return dropouts;
}

static const json_t *source_of(const json_t *dropouts, size_t i)
{
    return json_array_get(json_object_get(dropouts, "sources"), i);
}

static const json_t *clients_of(const json_t *dropouts, size_t i)
{
    return json_object_get(source_of(dropouts, i), "clients");
}

static int64_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void dropouts_are_read_by_client_and_reason_the_most_first(void **state)
{
    open_it();
    for (int i = 0; i < 3; i++) {
        const int64_t wall_ns = NOON_NS + i * MINUTE_NS + MINUTE_NS / 2;
        struct st_event events[] = {
            dropout(wall_ns, "good", ST_DROPOUT_WOKEN_LATE, 1, 1),
            dropout(wall_ns, "he\x1b[avy", ST_DROPOUT_TOO_SLOW, 4, 25 + i),
            dropout(wall_ns, "he\x1b[avy", ST_DROPOUT_BLOCKED, 1, 60),
            st_event_make(wall_ns, ST_EVENT_DEVICE_DROPOUT, "%s", ""),
            st_event_make(wall_ns, ST_EVENT_OWN_DROPOUT, "dummy"), /* no other program's */
            dropout(wall_ns, "sleeptune-listen", ST_DROPOUT_CPU_TAKEN, 500, 1)};
        ST_PRINT(events[3].source, "alsa");
        events[3].count_n = 2;
        events[4].count_n = 100;
        put_all(events, ST_ARRAY_LEN(events));
        add(NOON_NS + i * MINUTE_NS, 100, 1000);
    }
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + 3 * MINUTE_NS);
    assert_int_equal(number(dropouts, "count"), 3 * 8);
    assert_string_equal(
        text(dropouts, "text"),
        "he?[avy made 15 of 18 dropouts: 12 times it computed too long (about 27.0 ms of CPU time, "
        "the buffer lasts 21.0 ms).");
    assert_string_equal(text(source_of(dropouts, 0), "source"), "pipewire");
    assert_string_equal(text(source_of(dropouts, 1), "source"), "alsa");
    assert_int_equal(number(source_of(dropouts, 1), "clientless_dropouts"), 6);
    assert_int_equal(json_array_size(clients_of(dropouts, 0)), 2);
    const json_t *heavy = json_array_get(clients_of(dropouts, 0), 0);
    assert_string_equal(text(heavy, "name"), "he?[avy");
    assert_string_equal(text(heavy, "text"),
                        "computed too long (about 27.0 ms of CPU time, the buffer lasts 21.0 ms); 3 times "
                        "waited for a lock, disk or program");
    assert_int_equal(number(heavy, "worst_busy_ns"), 27 * ST_NS_PER_MS); /* of its reason */
    assert_int_equal(number(heavy, "worst_busy_error_ns"), 2700000);
    assert_int_equal(number(heavy, "first_ns"), NOON_NS + MINUTE_NS / 2);
    assert_int_equal(number(heavy, "last_ns"), NOON_NS + 2 * MINUTE_NS + MINUTE_NS / 2);
    assert_int_equal(number(json_object_get(heavy, "reasons"), "blocked"), 3);
    json_decref(dropouts);
    dropouts = dropouts_of(NOON_NS + MINUTE_NS, NOON_NS + 2 * MINUTE_NS);
    assert_int_equal(number(dropouts, "count"), 8);
    assert_int_equal(number(json_array_get(clients_of(dropouts, 0), 0), "worst_busy_ns"), 26 * ST_NS_PER_MS);
    json_decref(dropouts);
}

/* Two programs computed too long, and the CPU was hot in the last dropouts of the one with the fewer. */
static void what_slowed_the_machine_stands_beside_whose_dropout_it_was(void **state)
{
    open_it();
    const int64_t wall_ns = NOON_NS + MINUTE_NS / 2;
    struct st_event events[] = {dropout(wall_ns, "heavy", ST_DROPOUT_TOO_SLOW, 4, 25),
                                dropout(wall_ns + 1, "looper", ST_DROPOUT_TOO_SLOW, 3, 25)};
    events[1].slowed = ST_CAUSE_HEAT;
    put_all(events, ST_ARRAY_LEN(events));
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_null(strstr(text(dropouts, "text"), "meanwhile"));
    assert_null(strstr(text(json_array_get(clients_of(dropouts, 0), 0), "text"), "meanwhile"));
    assert_non_null(strstr(text(json_array_get(clients_of(dropouts, 0), 1), "text"),
                           "; meanwhile the CPU was too hot and slowed itself down"));
    json_decref(dropouts);
}

/* The number behind "at least" never falls. */
static void at_least_so_many_is_what_was_counted(void **state)
{
    open_it();
    struct st_event events[] = {dropout(NOON_NS + MINUTE_NS / 2, "guitar", ST_DROPOUT_CPU_TAKEN, 10, 1),
                                dropout(NOON_NS + MINUTE_NS / 2, "guitar", ST_DROPOUT_CPU_TAKEN, 3, 1)};
    ST_PRINT(events[0].culprit, "ffmpeg");
    ST_PRINT(events[1].culprit, "grep");
    events[0].culprit_n = 10;
    events[1].culprit_n = 3;
    put_all(events, ST_ARRAY_LEN(events));
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_string_equal(text(dropouts, "text"),
                        "ffmpeg took the CPU from guitar in at least 10 of 13 dropouts.");
    json_decref(dropouts);
}

/* An own program is neither blamed for what is not known nor left out. Of what it waited for no CPU was lost.
 */
static void who_took_the_cpu_once_is_not_said_of_all(void **state)
{
    open_it();
    const int64_t wall_ns = NOON_NS + MINUTE_NS / 2;
    struct st_event events[] = {dropout(wall_ns, "PipeWire", ST_DROPOUT_CPU_TAKEN, 5, 0),
                                dropout(wall_ns + 1, "PipeWire", ST_DROPOUT_CPU_TAKEN, 11, 0),
                                dropout(wall_ns + 2, "Keys", ST_DROPOUT_CPU_TAKEN, 9, 0),
                                dropout(wall_ns + 3, "Keys", ST_DROPOUT_WAITED_FOR_OTHER, 2, 0)};
    ST_PRINT(events[1].culprit, "sleeptune-obser");
    events[1].culprit_n = 1;
    ST_PRINT(events[3].culprit, "Reverb");
    events[3].culprit_n = 2;
    put_all(events, ST_ARRAY_LEN(events));
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_string_equal(text(dropouts, "text"),
                        "Other programs took the CPU from PipeWire and others in 25 of 27 dropouts.");
    assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 0), "text"),
                        "lost the CPU to another program");
    assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 1), "text"),
                        "lost the CPU to another program; 2 times waited for another client");
    json_decref(dropouts);
}

/* It has 7 of 10, not all; the lengths are those of all 10. */
static void who_took_the_cpu_in_most_is_said_of_those(void **state)
{
    open_it();
    struct st_event event = dropout(NOON_NS + MINUTE_NS / 2, "guitar", ST_DROPOUT_CPU_TAKEN, 10, 1);
    ST_PRINT(event.culprit, "ffmpeg");
    event.culprit_n = 7;
    event.lost_ns = 1000 * ST_NS_PER_MS;
    event.longest_ns = 200 * ST_NS_PER_MS;
    event.cycles_n = 30;
    put_all(&event, 1);
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_int_equal(number(dropouts, "count"), 10);
    assert_string_equal(text(dropouts, "text"),
                        "ffmpeg took the CPU from guitar in at least 7 of 10 dropouts.");
    assert_int_equal(json_array_size(clients_of(dropouts, 0)), 1);
    const json_t *guitar = json_array_get(clients_of(dropouts, 0), 0);
    assert_int_equal(number(guitar, "dropouts"), 10);
    assert_int_equal(number(guitar, "lost_ns"), 1000 * ST_NS_PER_MS);
    assert_int_equal(number(guitar, "longest_ns"), 200 * ST_NS_PER_MS);
    assert_int_equal(number(guitar, "lost_cycles"), 30);
    assert_true(json_is_false(json_object_get(guitar, "lost_partly")));
    assert_string_equal(text(guitar, "culprit"), "ffmpeg");
    json_decref(dropouts);
}

/* Of three that came once a known one; behind it the others, the most frequent first. */
static void reasons_are_in_the_order_of_their_frequency(void **state)
{
    open_it();
    const int64_t wall_ns = NOON_NS + MINUTE_NS / 2;
    struct st_event events[] = {dropout(wall_ns, "keys", ST_DROPOUT_UNKNOWN, 1, 0),
                                dropout(wall_ns + 1, "keys", ST_DROPOUT_STOPPED, 1, 0),
                                dropout(wall_ns + 2, "keys", ST_DROPOUT_CPU_TAKEN, 1, 0),
                                dropout(wall_ns, "looper", ST_DROPOUT_TOO_SLOW, 20, 25),
                                dropout(wall_ns + 1, "looper", ST_DROPOUT_STOPPED, 1, 0),
                                dropout(wall_ns + 2, "looper", ST_DROPOUT_BLOCKED, 15, 0)};
    put_all(events, ST_ARRAY_LEN(events));
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 0), "text"),
                        "computed too long (about 25.0 ms of CPU time, the buffer lasts 21.0 ms); 15 times "
                        "waited for a lock, disk or program; 1 time was stopped or frozen");
    assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 1), "text"),
                        "lost the CPU to another program; 1 time was stopped or frozen; 1 time was not "
                        "ready, reason unknown");
    json_decref(dropouts);
}

static void lengths_and_places_are_read_back(void **state)
{
    open_it();
    const int64_t wall_ns = NOON_NS + MINUTE_NS / 2;
    struct st_event events[] = {dropout(wall_ns, "paplay", ST_DROPOUT_STOPPED, 1, 0),
                                dropout(wall_ns + 1, "paplay", ST_DROPOUT_STOPPED, 0, 0), /* it goes on */
                                dropout(wall_ns + 2, "paplay", ST_DROPOUT_STOPPED, 2, 0)};
    ST_EACH (event, events) {
        event->place = ST_DROPOUT_AT_GRAPH;
        event->lost_ns = 300 * ST_NS_PER_MS;
        event->longest_ns = 200 * ST_NS_PER_MS;
        event->cycles_n = 10;
    }
    events[1].longest_ns = 500 * ST_NS_PER_MS;
    events[2].lost_ns = events[2].longest_ns = 0; /* not known */
    events[2].place = ST_DROPOUT_AT_CLIENT_BUFFER;
    put_all(events, ST_ARRAY_LEN(events));
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_int_equal(number(dropouts, "count"), 3);
    const json_t *paplay = json_array_get(clients_of(dropouts, 0), 0);
    assert_int_equal(number(json_object_get(paplay, "places"), "client-buffer"), 2);
    assert_int_equal(number(json_object_get(paplay, "places"), "graph"), 1);
    assert_int_equal(number(paplay, "lost_ns"), 600 * ST_NS_PER_MS);
    assert_int_equal(number(paplay, "longest_ns"), 500 * ST_NS_PER_MS);
    assert_int_equal(number(paplay, "lost_cycles"), 30);
    assert_true(json_is_true(json_object_get(paplay, "lost_partly")));
    assert_string_equal(text(dropouts, "text"),
                        "paplay lost sound 3 times, at least 600 ms in all (longest 500 ms), "
                        "2 times between it and PipeWire: it was stopped or frozen.");
    json_decref(dropouts);
}

static void a_crowd_of_names_is_counted_behind_who_makes_most(void **state)
{
    struct st_event events[201];
    open_it();
    for (int i = 0; i < 200; i++) {
        char name[16];
        ST_PRINT(name, "crowd%d", i);
        events[i] = dropout(NOON_NS + i, name, ST_DROPOUT_UNKNOWN, 1, 0);
    }
    events[200] = dropout(NOON_NS, "heavy", ST_DROPOUT_TOO_SLOW, 52, 25);
    put_all(events, ST_ARRAY_LEN(events));
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_int_equal(number(dropouts, "count"), 252);
    assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 0), "name"), "heavy");
    assert_int_equal(json_array_size(clients_of(dropouts, 0)), 32);
    assert_int_equal(number(source_of(dropouts, 0), "others_dropouts"), 200 - 31);
    json_decref(dropouts);
}

/* Not who lost the most often, where each one's length is known. */
static void whoever_lost_most_sound_is_said(void **state)
{
    struct st_event events[] = {dropout(NOON_NS, "often", ST_DROPOUT_CPU_TAKEN, 40, 25),
                                dropout(NOON_NS, "long", ST_DROPOUT_STOPPED, 1, 1),
                                dropout(NOON_NS + MINUTE_NS, "older", ST_DROPOUT_BLOCKED, 2, 1)};
    events[0].lost_ns = 40 * ST_NS_PER_MS;
    events[0].longest_ns = ST_NS_PER_MS;
    events[1].lost_ns = events[1].longest_ns = 2 * ST_NS_PER_S;
    open_it();
    put_all(events, ST_ARRAY_LEN(events));
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_string_equal(text(dropouts, "text"),
                        "long lost sound in 1 of 41 dropouts, for 2.00 s: it was stopped or frozen.");
    assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 1), "name"), "often");
    json_decref(dropouts);
    dropouts = dropouts_of(NOON_NS, NOON_NS + 2 * MINUTE_NS); /* of the older one it is not known */
    assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 0), "name"), "often");
    json_decref(dropouts);
}

/* By time if all lengths are known, all streams of a name together; else by number. So is the reason. */
static void who_is_named_and_who_stands_first(void **state)
{
    static const struct {
        struct {
            const char *client; /* "": only the device's are counted */
            enum st_dropout_reason reason;
            int64_t n, lost_ms; /* -1: not known; or of one of them 1 ms */
            const char *source, *device;
        } rows[4];
        const char *text, *first, *source, *why; /* why: of the first */
    } cases[] = {
        {{{"often", ST_DROPOUT_CPU_TAKEN, 40, 40}, {"long", ST_DROPOUT_STOPPED, 1, 2000}},
         "long lost sound in 1 of 41 dropouts, for 2.00 s: it was stopped or frozen.",
         "long"},
        {{{"often", ST_DROPOUT_CPU_TAKEN, 40, 40},
          {"long", ST_DROPOUT_STOPPED, 1, 2000},
          {"other", ST_DROPOUT_CPU_TAKEN, 1, 1959}},
         "long lost sound in 1 of 42 dropouts, for 2.00 s: it was stopped or frozen.",
         "long"},
        {{{"often", ST_DROPOUT_CPU_TAKEN, 40, 40},
          {"long", ST_DROPOUT_STOPPED, 1, 2000},
          {"other", ST_DROPOUT_CPU_TAKEN, 1, 1960}},
         "long lost sound in 1 of 42 dropouts, for 2.00 s: it was stopped or frozen.",
         "long"},
        {{{"long", ST_DROPOUT_CPU_TAKEN, 2, 878}, {"long", ST_DROPOUT_STOPPED, 1, 4000}},
         "long lost sound 3 times, 4.88 s in all (longest 4.00 s): 1 time it was stopped or frozen.",
         "long",
         .why = "1 time was stopped or frozen; 2 times lost the CPU to another program"},
        {{{"long", ST_DROPOUT_WOKEN_LATE, 1, 55}, {"long", ST_DROPOUT_STOPPED, 1, 986}},
         "long lost sound 2 times, 1.04 s in all (longest 986 ms): 1 time it was stopped or frozen.",
         "long",
         .why = "was stopped or frozen; 1 time was woken late"},
        {{{"long", ST_DROPOUT_WOKEN_LATE, 5, 500},
          {"long", ST_DROPOUT_STOPPED, 2, 12500},
          {"often", ST_DROPOUT_CPU_TAKEN, 40, 8000},
          {"other", ST_DROPOUT_CPU_TAKEN, 32, 5600}},
         "long lost sound in 7 of 79 dropouts, 13.00 s in all (longest 6.25 s): 2 times it was stopped or "
         "frozen.",
         "long"},
        {{{"long", ST_DROPOUT_WOKEN_LATE, 3, 3000}, {"often", ST_DROPOUT_CPU_TAKEN, 10, 200}},
         "long lost sound in 3 of 13 dropouts, 3.00 s in all (longest 1.00 s): it was woken late.",
         "long"},
        {{{"long", ST_DROPOUT_WOKEN_LATE, 3, 300},
          {"often", ST_DROPOUT_CPU_TAKEN, 10, 200},
          {"other", ST_DROPOUT_CPU_TAKEN, 1, 250}},
         "Other programs took the CPU from other and others in 11 of 14 dropouts.",
         "long"},
        {{{"long", ST_DROPOUT_TOO_SLOW, 9, 213}, {"long", ST_DROPOUT_STOPPED, 1, -1}},
         "long lost sound 10 times, at least 213 ms in all (longest 23.7 ms): it computed too long.",
         "long"},
        {{{"often", ST_DROPOUT_TOO_SLOW, 40, 500},
          {"long", ST_DROPOUT_CPU_TAKEN, 18, 900},
          {"long", ST_DROPOUT_STOPPED, 2, 1000},
          {"long", ST_DROPOUT_UNKNOWN, 2, -1}},
         "long lost sound in 22 of 62 dropouts, at least 1.90 s in all (longest 500 ms): 2 times it was "
         "stopped or frozen.",
         "long"},
        {{{"first", ST_DROPOUT_CPU_TAKEN, 10, -1},
          {"first", ST_DROPOUT_STOPPED, 5, -1},
          {"second", ST_DROPOUT_CPU_TAKEN, 11, -1}},
         "Other programs took the CPU from first and others in 21 of 26 dropouts.",
         "first"},
        {{{"long", ST_DROPOUT_TOO_SLOW, 5, -1}, {"long", ST_DROPOUT_STOPPED, 3, 830}},
         "long lost sound 8 times, at least 830 ms in all (longest 277 ms): 5 times it computed too long.",
         "long"},
        {{{"often", ST_DROPOUT_TOO_SLOW, 100, 1000},
          {"one", ST_DROPOUT_CPU_TAKEN, 1, 900},
          {"other", ST_DROPOUT_CPU_TAKEN, 1, 900}},
         "often lost sound in 100 of 102 dropouts, 1.00 s in all (longest 10.0 ms): it computed too long.",
         "often"},
        {{{"often", ST_DROPOUT_CPU_TAKEN, 7, -1},
          {"streams", ST_DROPOUT_BLOCKED, 4, -1, "pipewire", "one"},
          {"streams", ST_DROPOUT_BLOCKED, 4, -1, "pipewire", "two"}},
         "streams made 8 of 15 dropouts: it waited for a lock, disk or program.",
         "often"},
        {{{"often", ST_DROPOUT_TOO_SLOW, 40, 40},
          {"long", ST_DROPOUT_STOPPED, 1, 2000},
          {"", ST_DROPOUT_UNKNOWN, 2, -1}},
         "long lost sound in 1 of 43 dropouts, for 2.00 s: it was stopped or frozen.",
         "long"},
        {{{"often", ST_DROPOUT_STOPPED, 40, 1}, {"long", ST_DROPOUT_STOPPED, 1, 2}},
         "often lost sound in 40 of 41 dropouts, at least 1.00 ms in all (longest 1.00 ms): it was stopped "
         "or frozen.",
         "often"},
        {{{"browser", ST_DROPOUT_STOPPED, 1, 2000, "pipewire", "one"},
          {"browser", ST_DROPOUT_STOPPED, 1, 2000, "pipewire", "two"},
          {"program", ST_DROPOUT_STOPPED, 1, 3000}},
         "browser lost sound in 2 of 3 dropouts, 4.00 s in all (longest 2.00 s): it was stopped or frozen.",
         "program"},
        {{{"often", ST_DROPOUT_STOPPED, 40, 40}, {"long", ST_DROPOUT_STOPPED, 1, 2000, "jack"}},
         "long lost sound once, for 2.00 s: it was stopped or frozen.",
         "long",
         "jack"},
        {{{"often", ST_DROPOUT_STOPPED, 40, 40},
          {"long", ST_DROPOUT_STOPPED, 1, 2000, "jack"},
          {"", ST_DROPOUT_UNKNOWN, 2, -1, "alsa"}},
         "often lost sound 40 times, 40.0 ms in all (longest 1.00 ms): it was stopped or frozen.",
         "often",
         "pipewire"},
    };
    open_it();
    for (size_t i = 0; i < ST_ARRAY_LEN(cases); i++) {
        const int64_t from_ns = NOON_NS + (int64_t)i * MINUTE_NS;
        for (size_t j = 0; j < ST_ARRAY_LEN(cases[i].rows) && cases[i].rows[j].client != NULL; j++) {
            const char *source = cases[i].rows[j].source, *device = cases[i].rows[j].device;
            const int64_t n = cases[i].rows[j].n, lost_ms = cases[i].rows[j].lost_ms;
            struct st_event events[2];
            for (int part = 0; part < 2; part++) {
                struct st_event *event = &events[part];
                *event = dropout(from_ns, cases[i].rows[j].client, cases[i].rows[j].reason, n, 0);
                ST_PRINT(event->source, "%s", source != NULL ? source : "pipewire");
                ST_PRINT(event->device, "%s", device != NULL ? device : "alsa");
                event->cycle = (struct st_dropout_cycle){0};
                if (event->client[0] == '\0')
                    event->kind = ST_EVENT_DEVICE_DROPOUT;
            }
            const bool partly = lost_ms > 0 && lost_ms < n;
            events[0].count_n = partly ? n - 1 : n;
            events[1].count_n = 1;
            struct st_event *timed = &events[partly];
            timed->lost_ns = ST_MAX(lost_ms, 0) * ST_NS_PER_MS;
            timed->longest_ns = timed->lost_ns / timed->count_n;
            put_all(events, partly ? 2 : 1);
        }
        add(from_ns, 100, 1000);
        json_t *dropouts = dropouts_of(from_ns, from_ns + MINUTE_NS);
        assert_string_equal(text(dropouts, "text"), cases[i].text);
        assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 0), "name"), cases[i].first);
        if (cases[i].why != NULL)
            assert_string_equal(text(json_array_get(clients_of(dropouts, 0), 0), "text"), cases[i].why);
        if (cases[i].source != NULL)
            assert_string_equal(text(source_of(dropouts, 0), "source"), cases[i].source);
        json_decref(dropouts);
    }
}

/* The device is named where it had more than any program. */
static void whoever_had_most_is_said(void **state)
{
    struct st_event events[] = {dropout(NOON_NS, "good", ST_DROPOUT_BLOCKED, 1, 1),
                                dropout(NOON_NS, "", ST_DROPOUT_UNKNOWN, 12, 0)};
    events[1].kind = ST_EVENT_DEVICE_DROPOUT;
    open_it();
    put_all(events, ST_ARRAY_LEN(events));
    add(NOON_NS, 100, 1000);
    json_t *dropouts = dropouts_of(NOON_NS, NOON_NS + MINUTE_NS);
    assert_string_equal(text(dropouts, "text"),
                        "12 of 13 dropouts happened on PipeWire: the device ran dry or overflowed.");
    assert_int_equal(number(source_of(dropouts, 0), "clientless_dropouts"), 12);
    json_decref(dropouts);
    dropouts = dropouts_of(NOON_NS + MINUTE_NS, NOON_NS + 2 * MINUTE_NS);
    assert_int_equal(number(dropouts, "count"), 0);
    assert_true(json_is_null(json_object_get(dropouts, "text")));
    json_decref(dropouts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dropouts_are_read_by_client_and_reason_the_most_first),
        TEST(what_slowed_the_machine_stands_beside_whose_dropout_it_was),
        TEST(at_least_so_many_is_what_was_counted),
        TEST(who_took_the_cpu_in_most_is_said_of_those),
        TEST(who_took_the_cpu_once_is_not_said_of_all),
        TEST(reasons_are_in_the_order_of_their_frequency),
        TEST(lengths_and_places_are_read_back),
        TEST(a_crowd_of_names_is_counted_behind_who_makes_most),
        TEST(whoever_had_most_is_said),
        TEST(whoever_lost_most_sound_is_said),
        TEST(who_is_named_and_who_stands_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
