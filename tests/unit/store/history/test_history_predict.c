/* Late wake-ups of a history for predict: which minutes count, and as what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "store/history/history_predict.h"
#include "tests/unit/history_fixture.h"

static struct st_predict_run run;
static struct st_history_predict got;

static int predict(void)
{
    struct st_history_reader *reader;
    assert_int_equal(st_history_read_open(path, &reader, &error), 0);
    const int r = st_history_predict(reader, &run, &got);
    st_history_read_close(reader);
    return r;
}

static struct st_predict_row row_of(uint32_t frames)
{
    struct st_predict_row row;
    st_predict_row(&run, frames, &row);
    return row;
}

static void minutes_are_spans_of_their_settings(void **state)
{
    open_it();
    for (int i = 0; i < 120; i++)
        add(NOON_NS + i * MINUTE_NS, i == 70 ? 1 : 22500, i == 70 ? 30000000 : 5000);
    assert_int_equal(predict(), 0);
    assert_int_equal(run.frames, 128);
    assert_int_equal(run.rate_hz, 48000);
    assert_int_equal(run.periods_n, 120 * 22500);
    assert_true(got.since_ns == NOON_NS && got.until_ns == NOON_NS + 120 * MINUTE_NS &&
                got.other_ns == 0);
    assert_int_equal(row_of(256).episodes_n, 1);
    assert_int_equal(row_of(2048).episodes_n, 0);
    st_predict_finish(&run);
}

static void the_newest_settings_count_and_the_others_are_told(void **state)
{
    open_it();
    for (int i = 0; i < 180; i++)
        add(NOON_NS + i * MINUTE_NS, 22500, i == 10 || i == 170 ? 30000000 : 5000);
    (void)query(
        "INSERT INTO conditions SELECT 77, '6.2', governor, policy, priority, cpu, frames, rate_hz,"
        " load_percent FROM conditions");
    (void)query(
        "UPDATE span SET conditions = 77 WHERE level = 60 AND from_ns >= 1795179600000000000");
    assert_int_equal(predict(), 0);
    assert_int_equal(run.periods_n, 120 * 22500);
    assert_int_equal(got.other_ns, HOUR_NS);
    assert_int_equal(got.since_ns, NOON_NS + HOUR_NS);
    assert_int_equal(row_of(256).episodes_n, 61); /* all 22500 were late: one a second */
    st_predict_finish(&run);
}

static void a_minute_in_which_sleeptuned_was_stopped_does_not_count(void **state)
{
    open_it();
    for (int i = 0; i < 3; i++)
        add(NOON_NS + i * MINUTE_NS, 22500, i == 1 ? 400000000 : 5000);
    (void)query(
        "INSERT INTO cause (level, from_ns, to_ns, above_ns, cause, culprit, n, total_ns, worst_ns)"
        " SELECT 60, from_ns, to_ns, 1000, 'stopped', '', 1, 1, 1 FROM span"
        " WHERE level = 60 AND from_ns = 1795176060000000000");
    assert_int_equal(predict(), 0);
    assert_int_equal(run.periods_n, 2 * 22500);
    assert_int_equal(row_of(2048).episodes_n, 0);
    st_predict_finish(&run);
    /* nor as long as there are minutes, when other causes are summed */
    assert_int_equal(st_history_retain(history, NOON_NS + 20 * DAY_NS, 400, 100000000), 0);
    assert_int_equal(predict(), 0);
    assert_int_equal(run.periods_n, 2 * 22500);
    st_predict_finish(&run);
}

/* One row of an hour cannot say how many of its seconds were late. */
static void hours_do_not_count(void **state)
{
    open_it();
    for (int i = 0; i < 180; i++)
        add(NOON_NS + i * MINUTE_NS, 22500, i == 10 || i == 170 ? 30000000 : 5000);
    (void)query("DELETE FROM span WHERE level = 60 AND from_ns < 1795179600000000000");
    assert_int_equal(predict(), 0);
    assert_int_equal(run.periods_n, 120 * 22500);
    assert_true(got.since_ns == NOON_NS + HOUR_NS && got.other_ns == 0);
    assert_int_equal(row_of(256).episodes_n, 61);
    st_predict_finish(&run);
}

static void without_a_usable_minute_there_is_no_answer(void **state)
{
    open_it();
    assert_int_equal(predict(), -ENODATA);
    add(NOON_NS, 22500, 5000);
    (void)query("UPDATE conditions SET frames = NULL");
    assert_int_equal(predict(), -ENODATA);
    (void)query("UPDATE conditions SET frames = 128");
    (void)query("UPDATE span SET lateness_max_ns = 30000000, lateness = x'00'");
    assert_int_equal(predict(), -EBADMSG);
    st_predict_finish(&run);
    (void)query("UPDATE span SET measured_ns = -5");
    assert_int_equal(predict(), -EBADMSG);
    st_predict_finish(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(minutes_are_spans_of_their_settings),
        TEST(the_newest_settings_count_and_the_others_are_told),
        TEST(a_minute_in_which_sleeptuned_was_stopped_does_not_count),
        TEST(hours_do_not_count),
        TEST(without_a_usable_minute_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
