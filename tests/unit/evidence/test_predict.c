/* Dropouts at other buffer sizes, from late wake-ups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/stats/random.h"
#include "evidence/predict.h"

#define RATE_HZ 48000
#define MS      INT64_C(1000000)

static struct st_predict_run run;
static struct st_predict_row row;

static void begin(uint32_t frames, double seconds)
{
    struct st_period period;
    assert_int_equal(st_period_init(&period, frames, RATE_HZ), 0);
    assert_int_equal(st_predict_begin(&run, &period, frames, RATE_HZ), 0);
    run.periods_n = (uint64_t)llround(seconds * RATE_HZ / frames);
}

static void late(uint64_t k, int64_t lateness_ns)
{
    st_predict_add(&run, k, lateness_ns);
}

static void row_of(uint32_t frames)
{
    st_predict_row(&run, frames, &row);
}

#define NEAR(a, b) assert_true(fabs((a) - (double)(b)) <= 1e-6 * fabs((double)(b)))

static void a_wake_up_that_is_later_than_the_slack_counts(void **state)
{
    begin(48, 3600); /* 1 ms */
    late(1000000, 2500000);
    row_of(48); /* slack 1 ms */
    NEAR(row.per_hour, 1);
    NEAR(row.high, 4.743864518);
    assert_int_equal(row.episodes_n, 1);
    row_of(96);
    assert_int_equal(row.episodes_n, 1);
    row_of(144);
    assert_true(row.known);
    assert_int_equal(row.episodes_n, 0);
    NEAR(row.per_hour, 0);
    NEAR(row.high, 2.995732274); /* 3 / T */
    st_predict_finish(&run);
}

/* A load that never ends is no single episode: else more late wake-ups would look better. */
static void those_of_one_second_are_one_episode(void **state)
{
    begin(48, 3600);
    late(1000, 3 * MS);
    late(1999, 5 * MS);
    late(2000, 5 * MS);
    row_of(48);
    assert_int_equal(row.episodes_n, 2);
    row_of(192); /* slack 4 ms: the later one of the first second is in it */
    assert_int_equal(row.episodes_n, 2);
    for (uint64_t k = 10000; k < 20000; k += 10)
        late(k, 2 * MS);
    row_of(48);
    assert_int_equal(row.episodes_n, 2 + 10);
    st_predict_finish(&run);
}

static void the_headroom_is_the_load_that_just_holds(void **state)
{
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
    begin(64, 3600);
    row_of(32);
    assert_false(row.known);
    assert_string_equal(row.reason, "measure at 32 frames or less");
    st_predict_finish(&run);
    begin(64, 0.5);
    row_of(64);
    assert_false(row.known);
    assert_true(row.high > 0);
    st_predict_finish(&run);
    begin(64, 3600);
    run.lost_n = 3;
    row_of(64);
    assert_false(row.known);
    assert_string_equal(row.reason, "3 cycles were not recorded, because the CPU was too busy");
    st_predict_finish(&run);
}

static void any_number_of_late_wake_ups_is_counted_in_each_second(void **state)
{
    begin(48, 36000);
    struct st_random random = {.state = 3};
    for (uint64_t k = 0; k < 3000000; k++)
        late(k * 10, k % 100000 == 0 ? 9 * MS : (int64_t)st_random_below(&random, 2 * MS));
    row_of(48);
    assert_int_equal(row.episodes_n, 30000); /* of 100 wake-ups one is late by more than 1 ms */
    row_of(192);
    assert_int_equal(row.episodes_n, 30);
    NEAR(row.per_hour, 3);
    st_predict_finish(&run);
}

/* A minute: one wake-up of most_ns, n ones of 4 ms, the rest in time. */
static void span(uint64_t n, int64_t most_ns)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, 2), 0);
    st_hist_add_n(&hist, 5000, 50000);
    st_hist_add_n(&hist, 4 * MS, n);
    if (most_ns > 0)
        st_hist_add(&hist, most_ns);
    st_predict_add_span(&run, 60000, hist.max_ns, &hist); /* periods of 1 ms */
    st_hist_finish(&hist);
}

static void each_late_wake_up_of_a_minute_is_an_episode_and_one_a_second_at_most(void **state)
{
    begin(48, 0);
    for (int i = 0; i < 60; i++)
        span((uint64_t)i % 2, i == 7 ? 9 * MS : 0);
    row_of(48);
    assert_int_equal(row.episodes_n, 31);
    NEAR(row.per_hour, 31);
    NEAR(row.high, 41.837630371);
    row_of(240); /* slack 5 ms */
    assert_int_equal(row.episodes_n, 1);
    NEAR(row.high, 4.743864518);
    st_predict_finish(&run);

    begin(48, 0);
    for (int i = 0; i < 60; i++)
        span(30000, 0);
    row_of(48);
    NEAR(row.high, ST_PREDICT_MOST);
    NEAR(row.per_hour, ST_PREDICT_MOST);
    st_predict_finish(&run);
}

static void each_late_value_of_a_minute_is_in_the_bound(void **state)
{
    begin(48, 0);
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, 2), 0);
    for (int i = 1; i <= 40; i++)
        st_hist_add(&hist, 2 * MS + i * MS / 4); /* 39 above 2.25 ms */
    st_predict_add_span(&run, 60000, 12 * MS, &hist);
    row_of(108); /* slack 2.25 ms */
    assert_true(row.high >= 39 * 60);
    st_hist_finish(&hist);
    st_predict_finish(&run);
}

static void damaged_data_are_counted_and_end(void **state)
{
    begin(48, 0);
    struct st_hist none;
    assert_int_equal(st_hist_init(&none, 2),
                     0); /* its longest value stands beside it, in no bucket */
    st_predict_add_span(&run, 3600000, INT64_MAX, &none);
    row_of(48);
    assert_int_equal(row.episodes_n, 1);
    st_hist_finish(&none);
    st_predict_finish(&run);

    begin(48, 0);
    for (uint64_t k = 0; k <= 1 << 20; k++)
        st_predict_add(&run, k, INT64_MAX);
    run.periods_n = 3600000;
    row_of(4096);
    assert_false(row.known && st_predict_holds(&row));
    st_predict_finish(&run);
}

/* --- known laws: ten minutes at 32 frames --- */

enum law { EXPONENTIAL, PARETO, MODE, BURSTS, LAWS };

struct stalls {
    enum law law;
    struct st_random random;
    double at_s, burst_end_s;
};

static double exponential(struct stalls *stalls)
{
    return -log(1 - st_random_unit(&stalls->random));
}

/* The next one, one a second or 50 a second for at most one second. @return its start, s. */
static double next_stall(struct stalls *stalls, double *ret_length_s)
{
    double gap_s = exponential(stalls) * (stalls->law == BURSTS ? 10 : 1);
    const double within_s = exponential(stalls) / 50;
    if (stalls->law == BURSTS && stalls->at_s + within_s < stalls->burst_end_s)
        gap_s = within_s;
    else
        stalls->burst_end_s = stalls->at_s + gap_s + st_random_unit(&stalls->random);
    const double start_s = stalls->at_s + gap_s, e = exponential(stalls);
    *ret_length_s = stalls->law == PARETO ? 0.3e-3 * exp(e / 2)
                    : stalls->law == MODE && st_random_unit(&stalls->random) < 0.02 ? 0.02
                                                                                    : 0.8e-3 * e;
    stalls->at_s = start_s + *ret_length_s;
    return start_s;
}

/* Late wake-ups at that size, with two periods: into `run`, or, as nothing else is late, counted
 * here. */
static double measure(enum law law, uint64_t seed, uint32_t frames, double seconds, bool into_run)
{
    struct stalls stalls = {.law = law, .random = {.state = seed}};
    const double period_s = (double)frames / RATE_HZ;
    double end_s = -1, n = 0;
    for (double length_s;;) {
        const double start_s = next_stall(&stalls, &length_s), k = ceil(start_s / period_s);
        const double lateness_s = start_s + length_s - k * period_s;
        if (start_s > seconds)
            return n;
        if (into_run && lateness_s > 0)
            late((uint64_t)k, (int64_t)(lateness_s * 1e9));
        if (lateness_s > period_s && k * period_s >= end_s) {
            n++;
            end_s = k * period_s + lateness_s + 1;
        }
    }
}

/* Of 200 recordings of each law the bound covers 184, what an exact one of 95 % does in all but 1.5
 * % of such tests. The truth is another simulation, of 400 hours at the size itself. */
static void the_bound_covers_the_truth_of_known_laws(void **state)
{
    static const uint32_t frames[] = {32, 64, 128, 256, 1024};
    for (enum law law = 0; law < LAWS; law++) {
        double truth[ST_ARRAY_LEN(frames)];
        size_t covered[ST_ARRAY_LEN(frames)] = {0};
        for (size_t i = 0; i < ST_ARRAY_LEN(frames); i++)
            truth[i] = measure(law, 77 + i, frames[i], 400 * 3600, false) / 400;
        for (uint64_t seed = 1; seed <= 200; seed++) {
            begin(32, 600);
            (void)measure(law, 1000 * seed, 32, 600, true);
            for (size_t i = 0; i < ST_ARRAY_LEN(frames); i++) {
                row_of(frames[i]);
                covered[i] += row.high >= truth[i];
            }
            st_predict_finish(&run);
        }
        for (size_t i = 0; i < ST_ARRAY_LEN(frames); i++)
            assert_true(covered[i] >= 184);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wake_up_that_is_later_than_the_slack_counts),
        cmocka_unit_test(those_of_one_second_are_one_episode),
        cmocka_unit_test(the_headroom_is_the_load_that_just_holds),
        cmocka_unit_test(what_cannot_be_known_is_refused),
        cmocka_unit_test(any_number_of_late_wake_ups_is_counted_in_each_second),
        cmocka_unit_test(each_late_wake_up_of_a_minute_is_an_episode_and_one_a_second_at_most),
        cmocka_unit_test(each_late_value_of_a_minute_is_in_the_bound),
        cmocka_unit_test(damaged_data_are_counted_and_end),
        cmocka_unit_test(the_bound_covers_the_truth_of_known_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
