/* lab/analyse/late_ones: outliers, whether they are a group, and whether they come at regular
 * times. */
#include "lab/analyse/late_ones.h"
#include "tests/unit/noise.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

#define MS INT64_C(1000000)

/* 50 us and noise of 5 us, one sample a second. */
static void begin(size_t n, uint64_t seed, struct st_series *ret)
{
    const struct st_period period = period_of_ns(1000 * MS, 1);
    assert_int_equal(noise_series(NOISE_UNIFORM, seed, &period, n, 0, 0, ret), 0);
}

/* Of a series, which is freed. @param ret_rest_n samples that are left for other findings. */
static struct st_late_ones find(struct st_series *series, size_t *ret_rest_n)
{
    struct st_late_ones found;
    struct st_series rest;
    assert_int_equal(st_late_ones_find(series, &found, &rest), 0);
    *ret_rest_n = rest.n;
    st_series_finish(&rest);
    st_series_finish(series);
    return found;
}

static void pulses_have_their_distance_and_are_taken_out(void **state)
{
    struct st_series series;
    size_t rest_n;
    begin(900, 1, &series);
    for (size_t i = 11; i < 900; i += 30)
        series.lateness_ns[i] += ((int64_t)i % 4 + 1) * MS; /* how large they are does not matter */
    const struct st_late_ones found = find(&series, &rest_n);
    assert_true(found.regular && !found.group);
    assert_true(fabs(found.every_periods - 30) < 0.01 && fabs(found.every_s - 30) < 0.01);
    assert_true(fabs(remainder(found.first_periods - 11, 30)) < 0.5);
    assert_int_equal(found.n, 30);
    assert_int_equal(found.seen_n, 30);
    assert_int_equal(found.slots_n, 30);
    assert_true(found.late_ns > 1e6 && found.late_ns < 4e6);
    assert_in_range(rest_n, 900 - 30 * 7,
                    900 - 30); /* without pulses and what is right beside them */
}

static void gaps_do_not_hide_the_distance(void **state)
{
    for (int half = 0; half <= 1; half++) {
        struct st_series series;
        struct st_random random = {.state = 3};
        size_t rest_n;
        begin(2000, 2, &series);
        for (size_t i = 0; i < 50; i++)
            series.lateness_ns[40 * i + 5] +=
                (half ? st_random_below(&random, 2) == 0 : i % 5 == 2) ? 0 : 2 * MS;
        const struct st_late_ones found = find(&series, &rest_n);
        assert_true(found.regular &&
                    fabs(found.every_periods - 40) < 0.05); /* not every 160, 10 of 13 */
        assert_in_range(found.seen_n, half ? 20 : 40, half ? 30 : 40);
        assert_in_range(found.slots_n, 49, 50);
    }
}

static void five_in_a_row_are_none_and_six_are(void **state)
{
    for (size_t n = 5; n <= 6; n++) {
        struct st_series series;
        size_t rest_n;
        begin(n * 1000, 3, &series);
        for (size_t i = 50; i < n * 1000; i += 1000)
            series.lateness_ns[i] += 2 * MS;
        const struct st_late_ones found = find(&series, &rest_n);
        assert_true(found.regular == (n == 6));
        assert_int_equal(found.n, n);
    }
}

static void outliers_at_any_time_are_not_regular(void **state)
{
    int alarms = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct st_series series;
        struct st_random random = {.state = seed};
        size_t rest_n;
        begin(900, seed, &series);
        for (size_t i = 0; i < series.n; i++)
            series.lateness_ns[i] += st_random_unit(&random) < 0.04 ? 2 * MS : 0;
        alarms += find(&series, &rest_n).regular;
    }
    assert_int_equal(alarms, 0); /* 1 in 10000 */
}

static void a_train_among_smaller_outliers_is_found(void **state)
{
    struct st_series series;
    struct st_random random = {.state = 5};
    size_t rest_n;
    begin(1800, 4, &series);
    for (size_t i = 0; i < 1800; i++)
        series.lateness_ns[i] += st_random_unit(&random) < 0.015 ? MS / 5
                                 : i % 60 == 7                   ? 3 * MS
                                                                 : 0;
    const struct st_late_ones found = find(&series, &rest_n);
    assert_true(found.regular && fabs(found.every_periods - 60) < 0.05);
    assert_true(found.train_limit_ns >= found.limit_ns && found.n > found.seen_n);
}

static void a_band_is_a_group_and_a_tail_is_none(void **state)
{
    struct st_series series;
    struct st_random random = {.state = 6};
    size_t rest_n;
    begin(900, 5, &series);
    for (size_t i = 0; i < 900; i++)
        series.lateness_ns[i] += st_random_unit(&random) < 0.055
                                     ? 2450000 + (int64_t)st_random_below(&random, 300000)
                                     : 0;
    struct st_late_ones found = find(&series, &rest_n);
    assert_true(found.group);
    assert_in_range(found.n, 30, 70);
    assert_in_range(found.low_ns, 2450000, 2560000);
    assert_in_range(found.high_ns, 2700000, 2790000);
    assert_true(found.below_ns < MS / 10 && found.max_ns >= found.high_ns);

    begin(900, 6, &series);
    for (size_t i = 0; i < 900; i++)
        series.lateness_ns[i] +=
            st_random_unit(&random) < 0.05 ? (int64_t)(1e5 * exp(3 * st_random_unit(&random))) : 0;
    found = find(&series, &rest_n);
    assert_true(found.n > 20 && !found.group && !found.regular);
}

static void without_outliers_all_is_left(void **state)
{
    struct st_series series;
    struct st_late_ones found;
    struct st_series rest;
    size_t rest_n;
    begin(500, 7, &series);
    found = find(&series, &rest_n);
    assert_true(found.n == 0 && !found.group && !found.regular && found.limit_ns > 0);
    assert_int_equal(rest_n, 500);

    st_series_init(&series, &(struct st_period){1, 1});
    assert_int_equal(st_late_ones_find(&series, &found, &rest), -ENODATA);
    assert_int_equal(st_series_add(&series, 0, INT64_MAX), 0);
    assert_int_equal(st_series_add(&series, 9, INT64_MIN), 0);
    found = find(&series, &rest_n);
    assert_int_equal(rest_n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulses_have_their_distance_and_are_taken_out),
        cmocka_unit_test(gaps_do_not_hide_the_distance),
        cmocka_unit_test(five_in_a_row_are_none_and_six_are),
        cmocka_unit_test(outliers_at_any_time_are_not_regular),
        cmocka_unit_test(a_train_among_smaller_outliers_is_found),
        cmocka_unit_test(a_band_is_a_group_and_a_tail_is_none),
        cmocka_unit_test(without_outliers_all_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
