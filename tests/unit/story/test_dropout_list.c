/* Other programs' dropouts of a history: added up by client, and told. */
#include "story/dropout_list.h"
#include "tests/unit/history_fixture.h"
#include "tests/unit/shown_json.h"

static void look(int64_t since_ns, int64_t until_ns)
{
    struct st_history_reader *reader = open_reader();
    json_t *document = st_dropout_list_read(reader, since_ns, until_ns);
    close_reader(reader);
    show("%s--", lines_of_json(document));
}

/* Shows what these events are in the minute from noon on. */
static void show_all(const struct st_event *events, size_t n)
{
    open_it();
    put_all(events, n);
    add(NOON_NS, 100, 1000);
    look(NOON_NS, NOON_NS + MINUTE_NS);
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
    look(NOON_NS, NOON_NS + 3 * MINUTE_NS);
    look(NOON_NS + MINUTE_NS, NOON_NS + 2 * MINUTE_NS);
}

/* Two programs computed too long, and the CPU was hot in the last dropouts of the one with the
 * fewer. */
static void what_slowed_the_machine_stands_beside_whose_dropout_it_was(void **state)
{
    const int64_t wall_ns = NOON_NS + MINUTE_NS / 2;
    struct st_event events[] = {dropout(wall_ns, "heavy", ST_DROPOUT_TOO_SLOW, 4, 25),
                                dropout(wall_ns + 1, "looper", ST_DROPOUT_TOO_SLOW, 3, 25)};
    events[1].slowed = ST_CAUSE_HEAT;
    show_all(events, ST_ARRAY_LEN(events));
}

/* The number behind "at least" never falls. */
static void at_least_so_many_is_what_was_counted(void **state)
{
    struct st_event events[] = {
        dropout(NOON_NS + MINUTE_NS / 2, "guitar", ST_DROPOUT_CPU_TAKEN, 10, 1),
        dropout(NOON_NS + MINUTE_NS / 2, "guitar", ST_DROPOUT_CPU_TAKEN, 3, 1)};
    ST_PRINT(events[0].culprit, "ffmpeg");
    ST_PRINT(events[1].culprit, "grep");
    events[0].culprit_n = 10;
    events[1].culprit_n = 3;
    show_all(events, ST_ARRAY_LEN(events));
}

/* An own program is neither blamed for what is not known nor left out. Of what it waited for no CPU
 * was lost.
 */
static void who_took_the_cpu_once_is_not_said_of_all(void **state)
{
    const int64_t wall_ns = NOON_NS + MINUTE_NS / 2;
    struct st_event events[] = {dropout(wall_ns, "PipeWire", ST_DROPOUT_CPU_TAKEN, 5, 0),
                                dropout(wall_ns + 1, "PipeWire", ST_DROPOUT_CPU_TAKEN, 11, 0),
                                dropout(wall_ns + 2, "Keys", ST_DROPOUT_CPU_TAKEN, 9, 0),
                                dropout(wall_ns + 3, "Keys", ST_DROPOUT_WAITED_FOR_OTHER, 2, 0)};
    ST_PRINT(events[1].culprit, "sleeptune-obser");
    events[1].culprit_n = 1;
    ST_PRINT(events[3].culprit, "Reverb");
    events[3].culprit_n = 2;
    show_all(events, ST_ARRAY_LEN(events));
}

/* It has 7 of 10, not all; the lengths are those of all 10. */
static void who_took_the_cpu_in_most_is_said_of_those(void **state)
{
    struct st_event event = dropout(NOON_NS + MINUTE_NS / 2, "guitar", ST_DROPOUT_CPU_TAKEN, 10, 1);
    ST_PRINT(event.culprit, "ffmpeg");
    event.culprit_n = 7;
    event.lost_ns = 1000 * ST_NS_PER_MS;
    event.longest_ns = 200 * ST_NS_PER_MS;
    event.cycles_n = 30;
    show_all(&event, 1);
}

/* Of three that came once a known one; behind it the others, the most frequent first. */
static void reasons_are_in_the_order_of_their_frequency(void **state)
{
    const int64_t wall_ns = NOON_NS + MINUTE_NS / 2;
    struct st_event events[] = {dropout(wall_ns, "keys", ST_DROPOUT_UNKNOWN, 1, 0),
                                dropout(wall_ns + 1, "keys", ST_DROPOUT_STOPPED, 1, 0),
                                dropout(wall_ns + 2, "keys", ST_DROPOUT_CPU_TAKEN, 1, 0),
                                dropout(wall_ns, "looper", ST_DROPOUT_TOO_SLOW, 20, 25),
                                dropout(wall_ns + 1, "looper", ST_DROPOUT_STOPPED, 1, 0),
                                dropout(wall_ns + 2, "looper", ST_DROPOUT_BLOCKED, 15, 0)};
    show_all(events, ST_ARRAY_LEN(events));
}

static void lengths_and_places_are_read_back(void **state)
{
    const int64_t wall_ns = NOON_NS + MINUTE_NS / 2;
    struct st_event events[] = {
        dropout(wall_ns, "paplay", ST_DROPOUT_STOPPED, 1, 0),
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
    show_all(events, ST_ARRAY_LEN(events));
}

static void a_crowd_of_names_is_counted_behind_who_makes_most(void **state)
{
    struct st_event events[201];
    for (int i = 0; i < 200; i++) {
        char name[16];
        ST_PRINT(name, "crowd%d", i);
        events[i] = dropout(NOON_NS + i, name, ST_DROPOUT_UNKNOWN, 1, 0);
    }
    events[200] = dropout(NOON_NS, "heavy", ST_DROPOUT_TOO_SLOW, 52, 25);
    show_all(events, ST_ARRAY_LEN(events));
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
    look(NOON_NS, NOON_NS + MINUTE_NS);
    look(NOON_NS, NOON_NS + 2 * MINUTE_NS); /* of the older one it is not known */
}

/* By time if all lengths are known, all streams of a name together; else by number. So is the
 * reason. */
static void who_is_named_and_who_stands_first(void **state)
{
    static const struct {
        const char *client; /* "": only the device's are counted */
        enum st_dropout_reason reason;
        int64_t n, lost_ms; /* -1: not known; or of one of them 1 ms */
        const char *source, *device;
    } cases[][4] = {
        {{"often", ST_DROPOUT_CPU_TAKEN, 40, 40}, {"long", ST_DROPOUT_STOPPED, 1, 2000}},
        {{"often", ST_DROPOUT_CPU_TAKEN, 40, 40},
         {"long", ST_DROPOUT_STOPPED, 1, 2000},
         {"other", ST_DROPOUT_CPU_TAKEN, 1, 1959}},
        {{"often", ST_DROPOUT_CPU_TAKEN, 40, 40},
         {"long", ST_DROPOUT_STOPPED, 1, 2000},
         {"other", ST_DROPOUT_CPU_TAKEN, 1, 1960}},
        {{"long", ST_DROPOUT_CPU_TAKEN, 2, 878}, {"long", ST_DROPOUT_STOPPED, 1, 4000}},
        {{"long", ST_DROPOUT_WOKEN_LATE, 1, 55}, {"long", ST_DROPOUT_STOPPED, 1, 986}},
        {{"long", ST_DROPOUT_WOKEN_LATE, 5, 500},
         {"long", ST_DROPOUT_STOPPED, 2, 12500},
         {"often", ST_DROPOUT_CPU_TAKEN, 40, 8000},
         {"other", ST_DROPOUT_CPU_TAKEN, 32, 5600}},
        {{"long", ST_DROPOUT_WOKEN_LATE, 3, 3000}, {"often", ST_DROPOUT_CPU_TAKEN, 10, 200}},
        {{"long", ST_DROPOUT_WOKEN_LATE, 3, 300},
         {"often", ST_DROPOUT_CPU_TAKEN, 10, 200},
         {"other", ST_DROPOUT_CPU_TAKEN, 1, 250}},
        {{"long", ST_DROPOUT_TOO_SLOW, 9, 213}, {"long", ST_DROPOUT_STOPPED, 1, -1}},
        {{"often", ST_DROPOUT_TOO_SLOW, 40, 500},
         {"long", ST_DROPOUT_CPU_TAKEN, 18, 900},
         {"long", ST_DROPOUT_STOPPED, 2, 1000},
         {"long", ST_DROPOUT_UNKNOWN, 2, -1}},
        {{"first", ST_DROPOUT_CPU_TAKEN, 10, -1},
         {"first", ST_DROPOUT_STOPPED, 5, -1},
         {"second", ST_DROPOUT_CPU_TAKEN, 11, -1}},
        {{"long", ST_DROPOUT_TOO_SLOW, 5, -1}, {"long", ST_DROPOUT_STOPPED, 3, 830}},
        {{"often", ST_DROPOUT_TOO_SLOW, 100, 1000},
         {"one", ST_DROPOUT_CPU_TAKEN, 1, 900},
         {"other", ST_DROPOUT_CPU_TAKEN, 1, 900}},
        {{"often", ST_DROPOUT_CPU_TAKEN, 7, -1},
         {"streams", ST_DROPOUT_BLOCKED, 4, -1, "pipewire", "one"},
         {"streams", ST_DROPOUT_BLOCKED, 4, -1, "pipewire", "two"}},
        {{"often", ST_DROPOUT_TOO_SLOW, 40, 40},
         {"long", ST_DROPOUT_STOPPED, 1, 2000},
         {"", ST_DROPOUT_UNKNOWN, 2, -1}},
        {{"often", ST_DROPOUT_STOPPED, 40, 1}, {"long", ST_DROPOUT_STOPPED, 1, 2}},
        {{"browser", ST_DROPOUT_STOPPED, 1, 2000, "pipewire", "one"},
         {"browser", ST_DROPOUT_STOPPED, 1, 2000, "pipewire", "two"},
         {"program", ST_DROPOUT_STOPPED, 1, 3000}},
        {{"often", ST_DROPOUT_STOPPED, 40, 40}, {"long", ST_DROPOUT_STOPPED, 1, 2000, "jack"}},
        {{"often", ST_DROPOUT_STOPPED, 40, 40},
         {"long", ST_DROPOUT_STOPPED, 1, 2000, "jack"},
         {"", ST_DROPOUT_UNKNOWN, 2, -1, "alsa"}},
    };
    int64_t from_ns = NOON_NS;
    open_it();
    ST_EACH (one, cases) {
        ST_EACH (row, *one) {
            const int64_t n = row->n;
            struct st_event events[2];
            if (row->client == NULL)
                break;
            ST_EACH (event, events) {
                *event = dropout(from_ns, row->client, row->reason, n, 0);
                ST_PRINT(event->source, "%s", row->source != NULL ? row->source : "pipewire");
                ST_PRINT(event->device, "%s", row->device != NULL ? row->device : "alsa");
                event->cycle = (struct st_dropout_cycle){0};
                if (event->client[0] == '\0')
                    event->kind = ST_EVENT_DEVICE_DROPOUT;
            }
            const bool partly = row->lost_ms > 0 && row->lost_ms < n;
            events[0].count_n = partly ? n - 1 : n;
            events[1].count_n = 1;
            struct st_event *timed = &events[partly];
            timed->lost_ns = ST_MAX(row->lost_ms, 0) * ST_NS_PER_MS;
            timed->longest_ns = timed->lost_ns / timed->count_n;
            put_all(events, partly ? 2 : 1);
        }
        add(from_ns, 100, 1000);
        look(from_ns, from_ns + MINUTE_NS);
        from_ns += MINUTE_NS;
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
    look(NOON_NS, NOON_NS + MINUTE_NS);
    look(NOON_NS + MINUTE_NS, NOON_NS + 2 * MINUTE_NS);
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
    return shown_run(tests);
}
