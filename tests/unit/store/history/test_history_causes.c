/* Sums of causes in a history: minutes that become hours, and what older files have not. */
#include "tests/unit/history_fixture.h"
#include "tests/unit/shown_json.h"

/* A minute with two causes: a wait with a figure, a timer by exclusion. */
static void add_minute(int64_t from_ns, bool late)
{
    struct st_cause_sum rows[] = {
        {ST_CAUSE_RUN_QUEUE, "hog/7", 2, 6 * ST_NS_PER_MS, 4 * ST_NS_PER_MS, 5 * ST_NS_PER_MS,
         true},
        {ST_CAUSE_TIMER, "", 1, 2 * ST_NS_PER_MS, 2 * ST_NS_PER_MS, 0, false},
    };
    struct st_hist lateness_of;
    size_t bytes;
    assert_int_equal(st_hist_init(&lateness_of, 2), 0);
    const struct st_history_minute minute = {.from_wall_ns = from_ns,
                                             .to_wall_ns = from_ns + MINUTE_NS,
                                             .measured_ns = MINUTE_NS,
                                             .cycles = 22500,
                                             .late_wakes = late ? 3 : 0,
                                             .lateness_max_ns = 4 * ST_NS_PER_MS,
                                             .lateness = st_hist_deflate(&lateness_of, &bytes),
                                             .lateness_bytes = bytes,
                                             .late_above_ns = 1333333,
                                             .causes = rows,
                                             .causes_n = late ? 2 : 0};
    st_hist_finish(&lateness_of);
    assert_non_null(minute.lateness);
    put_minute(&minute);
    free(minute.lateness);
}

static void add_minutes(int n)
{
    for (int i = 0; i < n; i++)
        add_minute(NOON_NS + i * MINUTE_NS, true);
}

static void look_with(int64_t since_ns, int64_t until_ns, const struct st_cause_sums *sums,
                      const struct st_cause_span *minute)
{
    struct st_history_reader *reader = open_reader();
    json_t *document = st_history_read_causes(reader, since_ns, until_ns, sums, minute);
    close_reader(reader);
    show("%s--", lines_of_json(document));
}

static void look(int64_t until_ns)
{
    look_with(INT64_MIN, until_ns, NULL, NULL);
}

static void sums_are_of_the_minutes_between(void **state)
{
    open_it();
    add_minutes(5);
    look(INT64_MAX);
    look_with(NOON_NS + MINUTE_NS, NOON_NS + 3 * MINUTE_NS, NULL, NULL);
}

/* One that sleeptuned has not written yet. */
static void minute_that_goes_on_is_added_where_it_belongs(void **state)
{
    struct st_cause_sums sums = {.n = 1};
    const struct st_cause_span minute = {.from_wall_ns = NOON_NS + MINUTE_NS,
                                         .to_wall_ns = NOON_NS + MINUTE_NS + 7 * ST_NS_PER_S,
                                         .measured_ns = 7 * ST_NS_PER_S,
                                         .wakes_n = 2600,
                                         .above_ns = 2666667,
                                         .tracer = "no one looks"};
    sums.rows[0] =
        (struct st_cause_sum){.cause = ST_CAUSE_STOPPED, .n = 1, .total_ns = 1, .worst_ns = 1};
    open_it();
    look_with(INT64_MIN, INT64_MAX, &sums, &minute);
    add_minutes(1);
    look_with(INT64_MIN, INT64_MAX, &sums, &minute);
    look_with(INT64_MIN, NOON_NS + MINUTE_NS, &sums, &minute);
}

static void quiet_minutes_before_the_first_late_one_count(void **state)
{
    open_it();
    for (int i = 0; i < 10; i++)
        add_minute(NOON_NS + i * MINUTE_NS, i == 9);
    look(INT64_MAX);
}

static void older_minutes_become_hours_with_the_same_sums(void **state)
{
    open_it();
    add_minutes(90);
    assert_int_equal(st_history_retain(history, NOON_NS + 4 * DAY_NS, 400, 100000000), 0);
    look(INT64_MAX);
    look(NOON_NS + 60 * MINUTE_NS); /* an hour that is long past is read whole */
    assert_int_equal(st_history_retain(history, NOON_NS + 50 * DAY_NS, 40, 100000000), 0);
    look(INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_are_of_the_minutes_between),
        TEST(minute_that_goes_on_is_added_where_it_belongs),
        TEST(older_minutes_become_hours_with_the_same_sums),
        TEST(quiet_minutes_before_the_first_late_one_count),
    };
    return shown_run(tests);
}
