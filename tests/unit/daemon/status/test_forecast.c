/* Which sizes hold, by minutes of the loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/ns.h"
#include "daemon/status/forecast.h"

static struct st_forecast forecast;
static struct st_hist lateness;

static struct st_cause_sums causes; /* of each minute */

/* A minute at 64 frames and 48 kHz whose wake-ups are late by 10 us, one of them by late_ns. */
static void add_minute(int64_t frames, int64_t late_ns)
{
    struct st_history_minute minute = {
        .measured_ns = 60 * ST_NS_PER_S,
        .lateness_max_ns = late_ns,
        .miss_events = late_ns > 64 * ST_NS_PER_S / 48000,
        .conditions = {.policy = "fifo", .priority = 70, .cpu = -1, .frames = frames, .rate_hz = 48000}};
    st_hist_reset(&lateness);
    for (int i = 0; i < 99; i++)
        st_hist_add(&lateness, 10000);
    st_hist_add(&lateness, late_ns);
    st_forecast_add(&forecast, &minute, &lateness, &causes);
}

static struct st_predict_row row_of(const struct st_forecast_view *view, uint32_t frames)
{
    for (size_t i = 0; i < view->n; i++) {
        if (view->rows[i].frames == frames)
            return view->rows[i];
    }
    fail_msg("no row of %u frames", (unsigned)frames);
    return (struct st_predict_row){0};
}

static void the_first_minute_makes_rows(void **state)
{
    (void)state;
    const struct st_forecast_view *view = st_forecast_look(&forecast);
    assert_int_equal(view->n, 0);
    add_minute(64, 10000);
    view = st_forecast_look(&forecast);
    assert_int_equal(view->n, 6); /* 64 .. 2048 */
    assert_int_equal(view->rows[0].frames, 64);
    assert_true(view->measured_s > 59 && view->measured_s < 61);
    assert_int_equal(view->rows[0].episodes_n, 0);
    assert_true(view->rows[0].high > 175 && view->rows[0].high < 185); /* 3 in a minute */
    assert_true(st_predict_holds(&view->rows[0]));                     /* the most that a minute can show */
}

static void a_stall_counts_at_the_sizes_that_it_exceeds(void **state)
{
    (void)state;
    for (int i = 0; i < 180; i++)
        add_minute(64, i % 10 == 0 ? 4 * ST_NS_PER_MS : 10000);
    const struct st_forecast_view *view = st_forecast_look(&forecast);
    assert_int_equal(row_of(view, 64).episodes_n, 18);
    assert_false(st_predict_holds(&view->rows[0]));
    assert_true(row_of(view, 64).high >= row_of(view, 128).high);
    assert_int_equal(row_of(view, 512).episodes_n, 0);
    assert_true(st_predict_holds(&view->rows[3])); /* 512 frames */
}

static void a_minute_in_which_sleeptuned_was_stopped_does_not_count(void **state)
{
    (void)state;
    add_minute(64, 10000);
    causes = (struct st_cause_sums){.rows = {{.cause = ST_CAUSE_HEAT}, {.cause = ST_CAUSE_STOPPED}}, .n = 2};
    add_minute(64, 4 * ST_NS_PER_S);
    causes.n = 1;
    add_minute(64, 10000);
    causes.n = 0;
    const struct st_forecast_view *view = st_forecast_look(&forecast);
    assert_true(view->measured_s > 119 && view->measured_s < 121);
    assert_true(st_predict_holds(&view->rows[0]));
}

static void other_settings_begin_anew(void **state)
{
    (void)state;
    add_minute(64, 4 * ST_NS_PER_MS);
    add_minute(128, 10000);
    const struct st_forecast_view *view = st_forecast_look(&forecast);
    assert_int_equal(view->rows[0].frames, 128);
    assert_int_equal(view->rows[0].episodes_n, 0);
    assert_true(view->measured_s < 61);
}

/* Months on a bad machine: time and memory stay bounded, and the rate is that of the minutes that are
 * left. */
static void the_oldest_minutes_are_forgotten(void **state)
{
    (void)state;
    for (int i = 0; i < 9000; i++)
        add_minute(64, 4 * ST_NS_PER_MS);
    const struct st_forecast_view *view = st_forecast_look(&forecast);
    assert_true(view->measured_s > 60 * 1000 && view->measured_s < 60 * 5000);
    assert_true(forecast.run.n <= 4096);
    assert_true(row_of(view, 64).per_hour > 55 && row_of(view, 64).per_hour < 65);
}

static int set_up(void **state)
{
    (void)state;
    forecast = (struct st_forecast){0};
    return st_hist_init(&lateness, ST_HISTORY_DIGITS);
}

static int tear_down(void **state)
{
    (void)state;
    st_predict_finish(&forecast.run);
    st_hist_finish(&lateness);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_first_minute_makes_rows),
        TEST(a_stall_counts_at_the_sizes_that_it_exceeds),
        TEST(a_minute_in_which_sleeptuned_was_stopped_does_not_count),
        TEST(other_settings_begin_anew),
        TEST(the_oldest_minutes_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
