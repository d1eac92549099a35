/* Dropouts at other buffer sizes, from late wake-ups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "core/stats/stats.h"
#include "evidence/predict.h"

#define RATE_HZ 48000
#define MS      INT64_C(1000000)

static struct st_predict_run run;
static struct st_predict_row row;
static struct st_predict_wish wish;

static void begin(uint32_t frames, double seconds)
{
    run = (struct st_predict_run){.frames = frames, .rate_hz = RATE_HZ};
    wish = (struct st_predict_wish){.periods = 2};
    assert_int_equal(st_period_init(&run.period, frames, RATE_HZ), 0);
    run.periods_n = (uint64_t)llround(seconds * RATE_HZ / frames);
}

static void late(uint64_t k, int64_t lateness_ns)
{
    assert_int_equal(st_predict_add(&run, k, lateness_ns), 0);
}

static void row_of(uint32_t frames)
{
    st_predict_end(&run);
    st_predict_row(&run, &wish, frames, &row);
}

#define NEAR(a, b) assert_true(fabs((a) - (double)(b)) <= 1e-6 * fabs((double)(b)))

static void a_stall_counts_with_the_share_of_phases_that_it_hits(void **state)
{
    (void)state;
    begin(48, 3600); /* 1 ms */
    late(1000000, 2500000);
    row_of(48); /* slack 1 ms: 1.5 ms too late */
    assert_int_equal(row.basis, ST_PREDICT_OBSERVED);
    NEAR(row.estimate, 1);
    NEAR(row.high, 4.743864518);
    NEAR(row.low, 0.0512932944);
    assert_int_equal(row.n_events, 1);
    row_of(96); /* slack 2 ms: 0.5 ms too late, at one of two phases */
    NEAR(row.estimate, 0.5);
    assert_true(row.high > 0.5 && row.high < 4.743864519);
    row_of(144);
    assert_int_equal(row.basis, ST_PREDICT_REFUSED); /* a stall was seen, and says nothing of longer ones */
    assert_true(row.known);
    assert_non_null(strstr(row.reason, "fewer than 30"));
    assert_false(row.estimated);
    NEAR(row.high, 2.995732274);
    st_predict_finish(&run);
}

static void a_size_that_is_no_multiple_has_a_bracket(void **state)
{
    (void)state;
    begin(64, 3600); /* 1.333 ms */
    late(1000, 2500000);
    row_of(96); /* slack and period 2 ms: 0.5 to 1.833 ms too late */
    NEAR(row.estimate, (0.25 + 0.916666667) / 2);
    st_predict_finish(&run);
}

static void stalls_less_than_100_ms_apart_are_one_dropout(void **state)
{
    (void)state;
    begin(48, 3600);
    for (uint64_t k = 1000; k < 1990; k += 10) /* 10 ms apart */
        late(k, 5 * MS);
    late(2082, 5 * MS); /* the last missed period before is 1983: 99 ms */
    late(2185, 5 * MS); /* 2085: 100 ms */
    row_of(48);
    NEAR(row.estimate, 2);
    assert_int_equal(row.n_events, 2);
    st_predict_finish(&run);
}

static void the_slack_has_periods_load_headroom_and_granularity(void **state)
{
    (void)state;
    begin(48, 3600);
    wish = (struct st_predict_wish){
        .periods = 3, .load_percent = 25, .headroom_frames = 24, .granularity_ns = 125000};
    row_of(96);
    NEAR(row.slack_us, 2 * 2000 - 500 + 500 - 125);
    NEAR(row.period_us, 2000);
    wish = (struct st_predict_wish){.periods = 2, .load_percent = 100};
    row_of(96);
    assert_int_equal(row.basis, ST_PREDICT_REFUSED);
    NEAR(row.high, ST_PREDICT_MOST);
    st_predict_finish(&run);
}

static void the_headroom_is_the_load_that_just_holds(void **state)
{
    (void)state;
    begin(48, 3600);
    late(77, 1500000);
    row_of(96); /* 2 ms - 25 % = 1.5 ms */
    assert_true(row.headroom_percent > 24.8 && row.headroom_percent <= 25);
    row_of(48);
    assert_true(row.headroom_percent < 0);
    st_predict_finish(&run);
}

static void what_cannot_be_known_is_refused(void **state)
{
    (void)state;
    begin(64, 3600);
    row_of(32);
    assert_int_equal(row.basis, ST_PREDICT_REFUSED);
    assert_string_equal(row.reason, "to predict this size, measure at 32 frames or less");
    st_predict_finish(&run);
    begin(64, 0.5);
    row_of(64);
    assert_int_equal(row.basis, ST_PREDICT_REFUSED);
    assert_true(row.high > 0);
    st_predict_finish(&run);
}

/* Only the latest are kept: a size whose slack is shorter than what was left out is refused, the others are
 * right. */
static void more_late_wake_ups_than_memory_are_no_wrong_answer(void **state)
{
    (void)state;
    begin(48, 36000);
    struct st_random random = {.state = 3};
    for (uint64_t k = 0; k < 3000000; k++)
        late(k * 10, k % 100000 == 0 ? 9 * MS : (int64_t)st_random_below(&random, 2 * MS));
    row_of(48);
    assert_int_equal(row.basis, ST_PREDICT_REFUSED);
    assert_true(run.n <= 1 << 18);
    row_of(192);
    assert_int_equal(row.n_events, 30);
    NEAR(row.estimate, 3);
    st_predict_finish(&run);
}

static void a_run_that_changes_has_wider_bounds(void **state)
{
    (void)state;
    double high = 0;
    for (int half = 0; half < 2; half++) {
        begin(48, 3600);
        for (uint64_t i = 0; i < 40; i++)
            late(i * (half ? 8000 : 89000), 5 * MS); /* all in the first tenth, or all the time */
        row_of(48);
        NEAR(row.estimate, 40);
        if (half)
            assert_true(row.high > 1.5 * high && row.changed && row.low == 0 &&
                        strstr(row.reason, "the load changed") != NULL && row.worst_tenth > 300);
        high = row.high;
        st_predict_finish(&run);
    }
}

/* A minute: one wake-up of most_ns, n ones of 4 ms, the rest in time. */
static void span(uint64_t n, int64_t most_ns, int64_t events_n)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, 2), 0);
    st_hist_add_n(&hist, 5000, 50000);
    st_hist_add_n(&hist, 4 * MS, n);
    if (most_ns > 0)
        st_hist_add(&hist, most_ns);
    const struct st_predict_span minute = {.periods_n = 60000, /* of 1 ms */
                                           .max_ns = hist.max_ns,
                                           .lateness = &hist,
                                           .events_n = events_n};
    assert_int_equal(st_predict_add_span(&run, &minute), 0);
    st_hist_finish(&hist);
}

static void a_minute_has_one_event_at_least_and_one_for_each_late_wake_up_at_most(void **state)
{
    (void)state;
    begin(48, 0);
    for (int i = 0; i < 60; i++)
        span((uint64_t)i % 2, i == 7 ? 9 * MS : 0, -1);
    row_of(48);
    assert_int_equal(row.n_events, 30);
    assert_true(row.estimated);
    NEAR(row.estimate, 30.5); /* 30 to 31 */
    assert_true(strstr(row.reason, "30 to 31") != NULL);
    row_of(240); /* slack 5 ms, one of five phases for each ms beyond it */
    NEAR(row.estimate, 0.8);
    assert_int_equal(row.n_events, 1);
    st_predict_finish(&run);

    begin(48, 0);
    for (int i = 0; i < 60; i++)
        span(i == 7 ? 10 : 0, 0, -1);
    row_of(48);
    assert_false(row.estimated); /* 1 to 10 */
    assert_true(row.low < 1 && row.high > 10);
    st_predict_finish(&run);
}

static void events_are_100_ms_apart_in_a_minute_too(void **state)
{
    (void)state;
    begin(48, 0);
    for (int i = 0; i < 60; i++)
        span(30000, 0, -1);
    row_of(48);
    NEAR(row.high, ST_PREDICT_MOST);
    assert_true(row.low > 40 && row.low < 60);
    st_predict_finish(&run);
}

static void counted_events_hold_at_the_measured_size(void **state)
{
    (void)state;
    begin(48, 0);
    for (int i = 0; i < 60; i++)
        span(20, 0, 3);
    row_of(48);
    NEAR(row.estimate, 180);
    assert_string_equal(row.reason, "");
    row_of(96);
    assert_false(row.estimated);
    st_predict_finish(&run);
}

static void more_values_than_are_kept_of_a_minute_only_raise_the_bound(void **state)
{
    (void)state;
    begin(48, 0);
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, 2), 0);
    for (int i = 1; i <= 40; i++)
        st_hist_add(&hist, 2 * MS + i * MS / 4); /* 39 above 2.25 ms */
    const struct st_predict_span minute = {
        .periods_n = 60000, .max_ns = 12 * MS, .lateness = &hist, .events_n = -1};
    assert_int_equal(st_predict_add_span(&run, &minute), 0);
    assert_true(run.n < 20);
    row_of(108); /* slack 2.25 ms */
    assert_true(row.high >= 39 * 60);
    st_hist_finish(&hist);
    st_predict_finish(&run);
}

/* Stalls of an exponential law, one a second: 0.3 ms on average, and with modes_ms > 0 one a minute of that
 * length. */
static void ten_minutes(uint64_t seed, int64_t modes_ms)
{
    struct st_random random = {.state = seed};
    begin(32, 600);
    double mode_s = 60;
    for (double s = 0; s < 599;) {
        s -= log(1 - st_random_unit(&random));
        const uint64_t k = (uint64_t)(s * 1500);
        late(k, (int64_t)(-3e5 * log(1 - st_random_unit(&random))));
        if (modes_ms > 0 && s > mode_s) {
            late(k + 200, modes_ms * MS);
            mode_s += 60;
        }
    }
}

static void beyond_the_longest_stall_there_is_a_model_or_a_reason(void **state)
{
    (void)state;
    ten_minutes(2, 0);
    const double none = 2.995732274 * 6;
    row_of(144); /* slack 3 ms: e^-10 of an event per second */
    assert_int_equal(row.basis, ST_PREDICT_MODEL);
    assert_true(row.estimated && row.n_events == 0);
    assert_non_null(strstr(row.reason, "third of the run that was held out: p ="));
    assert_true(row.estimate > 0.001 && row.estimate < 5 && row.high > row.estimate &&
                row.high <= none * 1.000001);
    row_of(2048); /* more than twice the longest stall */
    assert_int_equal(row.basis, ST_PREDICT_REFUSED);
    assert_false(row.estimated);
    NEAR(row.high, none);
    assert_non_null(strstr(row.reason, "twice"));
    st_predict_finish(&run);

    ten_minutes(1, 20);
    row_of(1024); /* 21.3 ms: the mode says nothing of longer stalls */
    assert_int_equal(row.basis, ST_PREDICT_REFUSED);
    assert_false(row.estimated);
    NEAR(row.high, none);
    assert_true(row.reason[0] != '\0');
    st_predict_finish(&run);

    begin(32, 600); /* each wake-up is a little late, and no stall was seen */
    for (uint64_t k = 0; k < run.periods_n; k++)
        late(k, 20000 + (int64_t)(k % 100) * 100);
    row_of(1024);
    assert_int_equal(row.basis, ST_PREDICT_NONE_SEEN);
    NEAR(row.high, none);
    st_predict_finish(&run);
}

static struct st_predict_run longer;

/* As check does: 8 s at 48 frames, then 192 frames with a stall each second. */
static void two_sizes(uint64_t short_n, uint64_t long_n, uint64_t long_periods_n)
{
    longer = (struct st_predict_run){.frames = 192, .rate_hz = RATE_HZ, .periods_n = long_periods_n};
    assert_int_equal(st_period_init(&longer.period, 192, RATE_HZ), 0);
    begin(48, 8);
    run.longer = &longer;
    for (uint64_t i = 0; i < short_n; i++)
        late(1500 * (i + 1), 6 * MS); /* half of the phases of 192 frames: 2 ms beyond 4 */
    for (uint64_t i = 0; i < long_n; i++)
        assert_int_equal(st_predict_add(&longer, 250 * i, 6 * MS), 0);
    st_predict_end(&longer);
}

static void runs_at_all_sizes_up_to_this_one_count(void **state)
{
    (void)state;
    two_sizes(2, 1, 500);
    row_of(48);
    NEAR(row.observed_s, 8);
    assert_int_equal(row.n_events, 2);
    row_of(192);
    NEAR(row.observed_s, 10);
    NEAR(row.estimate, 2 * 360);        /* 2 / 2 + 1 in 10 s */
    NEAR(row.high, 4.743864518 * 1800); /* 1 in 2 s, if it belongs to this size */
    assert_int_equal(row.n_events, 3);
    st_predict_finish(&run);
    st_predict_finish(&longer);

    two_sizes(2, 0, 500); /* time without a stall counts as well */
    row_of(192);
    NEAR(row.estimate, 360);
    st_predict_finish(&run);
    two_sizes(0, 0, 500);
    row_of(192);
    NEAR(row.high, 2.995732274 * 360);
    assert_true(st_predict_holds(&row));
    longer.body_ns = 3 * MS; /* each wake-up is later, and a headroom of 25 % is left */
    row_of(192);
    NEAR(row.slack_us, 1000);
    assert_true(row.headroom_percent > 24.8 && row.headroom_percent <= 25.1);
    st_predict_finish(&run);
}

static void late_wake_ups_of_a_longer_size_alone_are_not_diluted(void **state)
{
    (void)state;
    two_sizes(0, 8, 2000);
    row_of(192);
    NEAR(row.observed_s, 8);
    assert_true(row.estimate > 3599);
    assert_non_null(strstr(row.reason, "only the run at this size"));
    row_of(96);
    assert_int_equal(row.n_events, 0);
    st_predict_finish(&run);
    st_predict_finish(&longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stall_counts_with_the_share_of_phases_that_it_hits),
        cmocka_unit_test(a_size_that_is_no_multiple_has_a_bracket),
        cmocka_unit_test(stalls_less_than_100_ms_apart_are_one_dropout),
        cmocka_unit_test(the_slack_has_periods_load_headroom_and_granularity),
        cmocka_unit_test(the_headroom_is_the_load_that_just_holds),
        cmocka_unit_test(what_cannot_be_known_is_refused),
        cmocka_unit_test(more_late_wake_ups_than_memory_are_no_wrong_answer),
        cmocka_unit_test(a_run_that_changes_has_wider_bounds),
        cmocka_unit_test(beyond_the_longest_stall_there_is_a_model_or_a_reason),
        cmocka_unit_test(runs_at_all_sizes_up_to_this_one_count),
        cmocka_unit_test(late_wake_ups_of_a_longer_size_alone_are_not_diluted),
        cmocka_unit_test(a_minute_has_one_event_at_least_and_one_for_each_late_wake_up_at_most),
        cmocka_unit_test(events_are_100_ms_apart_in_a_minute_too),
        cmocka_unit_test(counted_events_hold_at_the_measured_size),
        cmocka_unit_test(more_values_than_are_kept_of_a_minute_only_raise_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
