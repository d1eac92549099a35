/* A dropout and the late wake-ups of its time are joined by one rule: the daemon says of the last
 * events, from memory, what a history says of them that has the same records. */
#include "core/ns.h"
#include "core/stats/random.h"
#include "core/text/json.h"
#include "daemon/causes/events.h"
#include "store/history/hist_deflate.h"
#include "store/history/history.h"
#include "story/event_list.h"
#include "tests/unit/unit.h"

#define MINUTE_NS  (60 * ST_NS_PER_S)
#define NOON_NS    (INT64_C(1795176000) * ST_NS_PER_S)
#define ROUNDS_N   40
#define RECORDS_N  60 /* of a round; the list has room for them */
#define APART_NS   (40 * ST_NS_PER_MS)
#define LONGEST_NS (9 * ST_NS_PER_S)

static char folder[64], path[96];
static const char *error;
static struct st_history *history;

static int setup(void **state)
{
    ST_PRINT(folder, "/tmp/test_events_join.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    ST_PRINT(path, "%s/history.db", folder);
    return st_history_open(path, &history, &error);
}

static int teardown(void **state)
{
    char command[128];
    st_history_close(history);
    ST_PRINT(command, "rm -rf '%s'", folder);
    return system(command);
}

static int64_t pick(struct st_random *random, int64_t n)
{
    return (int64_t)(st_random_u64(random) % (uint64_t)n);
}

static void store(ST_UNUSED void *ctx, const struct st_event *event)
{
    st_history_add_event(history, event);
}

/* Any record at that time: a late wake-up or a dropout, in about equal numbers. */
static struct st_event any_record(struct st_random *random, int64_t wall_ns)
{
    static const enum st_event_kind kinds[] = {ST_EVENT_OWN_DROPOUT, ST_EVENT_DEVICE_DROPOUT,
                                               ST_EVENT_CLIENT_DROPOUT};
    static const enum st_dropout_reason reasons[] = {ST_DROPOUT_UNKNOWN, ST_DROPOUT_UNKNOWN,
                                                     ST_DROPOUT_WOKEN_LATE, ST_DROPOUT_TOO_SLOW};
    struct st_event event = st_event_make(wall_ns, ST_EVENT_LATE_WAKE, "%s", "");
    if (pick(random, 4) == 0)
        event.span_ns = pick(random, LONGEST_NS);
    if (pick(random, 2) == 0) {
        event.lateness_ns = (1 + pick(random, 4)) * ST_NS_PER_MS; /* often as late as another one */
        if (pick(random, 8) == 0)
            event.lateness_ns = pick(random, LONGEST_NS);
        event.cause = (enum st_cause)pick(random, ST_CAUSE_COUNT);
        return event;
    }
    event.kind = kinds[pick(random, 3)];
    event.count_n = 1;
    event.reason =
        event.kind == ST_EVENT_CLIENT_DROPOUT ? reasons[pick(random, 4)] : ST_DROPOUT_UNKNOWN;
    event.spare_ns = pick(random, 6) * ST_NS_PER_MS;
    event.longest_ns = event.lost_ns = pick(random, 3) == 0 ? pick(random, LONGEST_NS) : 0;
    return event;
}

/* Minutes of the loop that tell how many wake-ups were late. */
static void store_minutes(int64_t from_ns, int64_t to_ns)
{
    struct st_hist hist;
    struct st_history_minute minute = {.measured_ns = MINUTE_NS, .late_wakes = RECORDS_N};
    assert_int_equal(st_hist_init(&hist, ST_HISTORY_DIGITS), 0);
    minute.lateness = st_hist_deflate(&hist, &minute.lateness_bytes);
    st_hist_finish(&hist);
    for (; from_ns < to_ns; from_ns += MINUTE_NS) {
        minute.from_wall_ns = from_ns;
        minute.to_wall_ns = from_ns + MINUTE_NS;
        st_history_add_minute(history, &minute);
    }
    free(minute.lateness);
}

static json_t *from_file(int64_t from_ns, int64_t to_ns)
{
    const struct st_history_asked wish = {from_ns, to_ns, RECORDS_N, ""};
    struct st_history_reader *reader;
    json_t *document;
    assert_int_equal(st_history_read_open(path, &reader, &error), 0);
    assert_int_equal(st_json_written(st_event_list_text(reader, &wish), &document), 0);
    assert_int_equal(st_history_read_result(reader), 0);
    st_history_read_close(reader);
    return document;
}

/* @param watched_ns  the loop runs from then on. */
static size_t compare(struct st_random *random, int64_t from_ns, int64_t watched_ns)
{
    static struct st_events events;
    const int64_t to_ns = from_ns + 2 * MINUTE_NS;
    const struct st_meanwhile meanwhile = {.pressure = ST_EVENT_PRESSURE_UNKNOWN,
                                           .slowed = ST_CAUSE_UNKNOWN,
                                           .loop_cpu = 3,
                                           .watched_from_ns = watched_ns,
                                           .watched_to_ns = to_ns};
    size_t joined_n = 0;
    assert_int_equal(st_events_init(&events, NULL), 0);
    st_history_begin(history);
    st_events_listen(&events, store, NULL);
    st_events_set_meanwhile(&events, &meanwhile);
    for (int64_t i = 0; i < RECORDS_N; i++) { /* times apart: both lists are in their order */
        const struct st_event event =
            any_record(random, from_ns + MINUTE_NS + i * APART_NS + pick(random, APART_NS));
        st_events_put(&events, ST_LOG_DBG, &event);
    }
    store_minutes(watched_ns, to_ns);
    assert_int_equal(st_history_commit(history), 0);
    json_t *listed = st_events_json(&events, to_ns), *document = from_file(from_ns, to_ns);
    const json_t *stored = json_object_get(document, "events");
    assert_int_equal(json_array_size(listed), RECORDS_N);
    assert_int_equal(json_array_size(stored), RECORDS_N);
    for (size_t i = 0; i < RECORDS_N; i++) {
        json_t *one = json_array_get(listed, RECORDS_N - 1 - i), *other = json_array_get(stored, i);
        json_object_del(other, "id");
        const char *of_memory = st_json_text(one, "text"), *of_file = st_json_text(other, "text");
        assert_string_equal(of_memory, of_file);
        assert_true(json_equal(one, other));
        joined_n += strstr(of_memory, "the timing test (CPU 3) was") != NULL ||
                    strstr(of_memory, "meanwhile the timing test woke up") != NULL;
    }
    json_decref(listed);
    json_decref(document);
    st_events_finish(&events);
    return joined_n;
}

static void what_is_joined_in_memory_is_joined_from_a_file(void **state)
{
    struct st_random random = {1};
    size_t joined_n = 0;
    for (int64_t i = 0; i < ROUNDS_N; i++) {
        const int64_t from_ns = NOON_NS + i * 10 * MINUTE_NS;
        joined_n += compare(&random, from_ns, from_ns - MINUTE_NS);
        joined_n += compare(&random, from_ns + 5 * MINUTE_NS, /* it begins among them */
                            from_ns + 6 * MINUTE_NS + pick(&random, RECORDS_N * APART_NS));
    }
    assert_in_range(joined_n, ROUNDS_N * RECORDS_N / 4, 2 * ROUNDS_N * RECORDS_N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_joined_in_memory_is_joined_from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
