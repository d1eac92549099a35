/* Sums of causes in a history: minutes that become hours, and what older files have not. */
#include <unistd.h>

#include "core/ns.h"
#include "store/history/hist_deflate.h"
#include "store/history/history.h"
#include "store/history/history_read.h"
#include "tests/unit/unit.h"

#define MINUTE_NS (60 * ST_NS_PER_S)
#define DAY_NS    (1440 * MINUTE_NS)
#define FROM_NS   (INT64_C(1800000000) / 86400 * 86400 * ST_NS_PER_S)

static char folder[64], path[96], error[256];
static struct st_history *history;
static struct st_hist lateness;

static int setup(void **state)
{
    ST_PRINT(folder, "/tmp/st-causes-XXXXXX");
    if (mkdtemp(folder) == NULL || st_hist_init(&lateness, 2) != 0)
        return -1;
    ST_PRINT(path, "%s/history.db", folder);
    return st_history_open(path, &history, error, sizeof(error));
}

static int teardown(void **state)
{
    char command[128];
    st_history_close(history);
    st_hist_finish(&lateness);
    ST_PRINT(command, "rm -rf '%s'", folder);
    return system(command);
}

/* A minute with two causes: a wait with a figure, a timer by exclusion. */
static void add_minute_with(int64_t from_ns, bool late)
{
    struct st_cause_sum rows[] = {
        {ST_CAUSE_RUN_QUEUE, "hog/7", 2, 6 * ST_NS_PER_MS, 4 * ST_NS_PER_MS, 5 * ST_NS_PER_MS, true},
        {ST_CAUSE_TIMER, "", 1, 2 * ST_NS_PER_MS, 2 * ST_NS_PER_MS, 0, false},
    };
    size_t bytes;
    const struct st_history_minute minute = {.from_wall_ns = from_ns,
                                             .to_wall_ns = from_ns + MINUTE_NS,
                                             .measured_ns = MINUTE_NS,
                                             .cycles = 22500,
                                             .late_wakes = late ? 3 : 0,
                                             .lateness_max_ns = 4 * ST_NS_PER_MS,
                                             .lateness = st_hist_deflate(&lateness, &bytes),
                                             .lateness_bytes = bytes,
                                             .late_above_ns = 1333333,
                                             .causes = rows,
                                             .causes_n = late ? 2 : 0};
    assert_non_null(minute.lateness);
    assert_int_equal(st_history_begin(history), 0);
    assert_int_equal(st_history_add_minute(history, &minute), 0);
    assert_int_equal(st_history_commit(history), 0);
    free(minute.lateness);
}

static void add_minute(int64_t from_ns)
{
    add_minute_with(from_ns, true);
}

static void add_quiet_minute(int64_t from_ns)
{
    add_minute_with(from_ns, false);
}

static json_t *read_causes_and(int64_t since_ns, int64_t until_ns, const struct st_cause_sums *sums,
                               const struct st_cause_span *minute)
{
    struct st_history_reader *reader;
    json_t *document;
    assert_int_equal(st_history_read_open(path, &reader, error, sizeof(error)), 0);
    assert_int_equal(st_history_read_causes(reader, since_ns, until_ns, sums, minute, &document), 0);
    st_history_read_close(reader);
    return document;
}

static json_t *read_causes(int64_t since_ns, int64_t until_ns)
{
    return read_causes_and(since_ns, until_ns, NULL, NULL);
}

static json_int_t number(const json_t *object, const char *key)
{
    assert_true(json_is_integer(json_object_get(object, key)));
    return json_integer_value(json_object_get(object, key));
}

static void check(const json_t *document, json_int_t minutes)
{
    assert_int_equal(number(document, "wakes"), 22500 * minutes);
    assert_int_equal(number(document, "late_wakes"), 3 * minutes);
    const json_t *rows = json_object_get(document, "rows");
    assert_int_equal(json_array_size(rows), 2);
    const json_t *hog = json_array_get(rows, 0), *timer = json_array_get(rows, 1);
    assert_string_equal(json_string_value(json_object_get(hog, "culprit")), "hog/7");
    assert_int_equal(number(hog, "total_ns"), 6 * ST_NS_PER_MS * minutes);
    assert_int_equal(number(hog, "worst_ns"), 4 * ST_NS_PER_MS);
    assert_true(json_real_value(json_object_get(hog, "explained")) > 0.83);
    assert_true(json_is_null(json_object_get(timer, "explained")));
}

static void sums_are_of_the_minutes_between(void **state)
{
    for (int i = 0; i < 5; i++)
        add_minute(FROM_NS + i * MINUTE_NS);
    json_t *all = read_causes(INT64_MIN, INT64_MIN);
    check(all, 5);
    assert_int_equal(number(all, "from_ns"), FROM_NS);
    assert_int_equal(number(all, "measured_ns"), 5 * MINUTE_NS);
    json_decref(all);
    json_t *some = read_causes(FROM_NS + MINUTE_NS, FROM_NS + 3 * MINUTE_NS);
    check(some, 2);
    json_decref(some);
}

/* One that sleeptuned has not written yet. */
static void minute_that_goes_on_is_added_where_it_belongs(void **state)
{
    struct st_cause_sums sums = {.n = 1};
    const struct st_cause_span minute = {.from_wall_ns = FROM_NS + MINUTE_NS,
                                         .to_wall_ns = FROM_NS + MINUTE_NS + 7 * ST_NS_PER_S,
                                         .measured_ns = 7 * ST_NS_PER_S,
                                         .wakes_n = 2600,
                                         .above_ns = 2666667,
                                         .tracer = "no one looks"};
    sums.rows[0] = (struct st_cause_sum){.cause = ST_CAUSE_STOPPED, .n = 1, .total_ns = 1, .worst_ns = 1};
    json_t *alone = read_causes_and(INT64_MIN, INT64_MIN, &sums, &minute);
    assert_int_equal(number(alone, "from_ns"), minute.from_wall_ns);
    assert_int_equal(number(alone, "late_threshold_ns"), 2666667);
    assert_int_equal(number(alone, "late_wakes"), 1);
    assert_string_equal(json_string_value(json_object_get(alone, "tracer")), "no one looks");
    json_decref(alone);
    add_minute(FROM_NS);
    json_t *all = read_causes_and(INT64_MIN, INT64_MIN, &sums, &minute);
    assert_int_equal(number(all, "from_ns"), FROM_NS);
    assert_int_equal(number(all, "to_ns"), minute.to_wall_ns);
    assert_int_equal(number(all, "measured_ns"), MINUTE_NS + 7 * ST_NS_PER_S);
    assert_int_equal(number(all, "wakes"), 22500 + 2600);
    assert_int_equal(number(all, "late_wakes"), 4);
    assert_has(json_string_value(json_object_get(all, "verdict")),
               "woke more than 1.33 ms late (at its longest buffer 2.67 ms) 4 of 25100 times, ");
    json_decref(all);
    json_t *before = read_causes_and(INT64_MIN, FROM_NS + MINUTE_NS, &sums, &minute);
    check(before, 1);
    json_decref(before);
}

static void quiet_minutes_before_the_first_late_one_count(void **state)
{
    for (int i = 0; i < 9; i++)
        add_quiet_minute(FROM_NS + i * MINUTE_NS);
    add_minute(FROM_NS + 9 * MINUTE_NS);
    json_t *all = read_causes(INT64_MIN, INT64_MIN);
    assert_int_equal(number(all, "wakes"), 22500 * 10);
    assert_int_equal(number(all, "late_wakes"), 3);
    assert_int_equal(number(all, "from_ns"), FROM_NS);
    assert_int_equal(number(all, "measured_ns"), 10 * MINUTE_NS);
    json_decref(all);
}

static void older_minutes_become_hours_with_the_same_sums(void **state)
{
    for (int i = 0; i < 90; i++)
        add_minute(FROM_NS + i * MINUTE_NS);
    assert_int_equal(st_history_retain(history, FROM_NS + 4 * DAY_NS, 400, 100000000), 0);
    json_t *all = read_causes(INT64_MIN, INT64_MIN);
    check(all, 90);
    json_decref(all);
    /* an hour that is long past is read whole */
    json_t *hour = read_causes(INT64_MIN, FROM_NS + 60 * MINUTE_NS);
    check(hour, 60);
    json_decref(hour);
    assert_int_equal(st_history_retain(history, FROM_NS + 50 * DAY_NS, 40, 100000000), 0);
    json_t *none = read_causes(INT64_MIN, INT64_MIN);
    assert_int_equal(json_array_size(json_object_get(none, "rows")), 0);
    assert_int_equal(number(none, "wakes"), 0);
    json_decref(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_are_of_the_minutes_between),
        TEST(minute_that_goes_on_is_added_where_it_belongs),
        TEST(older_minutes_become_hours_with_the_same_sums),
        TEST(quiet_minutes_before_the_first_late_one_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
