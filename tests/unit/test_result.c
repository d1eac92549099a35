/* Sentences and JSON of a result are computed from its figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "measure_fixture.h"

/* n periods of 128 frames at 48 kHz, all 10 us late; `misses` of them were missed. */
static void make(struct st_result *result, uint64_t n, uint64_t misses)
{
    memset(result, 0, sizeof(*result));
    assert_int_equal(st_period_init(&result->period, 128, 48000), 0);
    assert_int_equal(st_hist_init(&result->lateness, 3), 0);
    assert_int_equal(st_hist_init(&result->response, 3), 0);
    st_hist_add_n(&result->lateness, 10000, n);
    st_hist_add_n(&result->response, 10000, n);
    result->frames = 128;
    result->rate_hz = 48000;
    result->periods = 2;
    result->cpu = -1;
    result->n = result->cycles = result->elapsed_periods = n;
    result->misses = misses;
    result->books_balance = true;
    result->smi = result->faults_minor = result->faults_major = result->switches_involuntary = -1;
    result->cpu_ns_per_cycle = -1;
}

static void verdict_of_no_misses_has_the_bound(void **state)
{
    (void)state;
    struct st_result r;
    char text[400];
    make(&r, 11250, 0);
    st_result_verdict(&r, text, sizeof(text));
    assert_non_null(strstr(text, "Holds 128 frames at 48000 Hz"));
    assert_non_null(strstr(text, "0 of 11250 periods missed"));
    assert_non_null(strstr(text, "at most 360 per hour")); /* 2.996 / 11250 * 1350000 = 359.5 */
    assert_null(strstr(text, "none"));
    st_result_finish(&r);
}

static void verdict_of_misses_has_their_number_and_the_simulated_xruns(void **state)
{
    (void)state;
    struct st_result r;
    char text[400];
    make(&r, 1000, 150);
    r.simulated_xruns = 1;
    st_result_verdict(&r, text, sizeof(text));
    assert_non_null(strstr(text, "Does not hold"));
    assert_non_null(strstr(text, "150 of 1000 periods missed"));
    assert_non_null(strstr(text, "1 simulated xrun,"));
    st_result_finish(&r);
}

static void verdict_without_balance_error_or_data_never_says_holds(void **state)
{
    (void)state;
    struct st_result r;
    char text[400];
    make(&r, 100, 0);
    r.books_balance = false;
    assert_null(strstr(st_result_verdict(&r, text, sizeof(text)), "Holds"));
    r.books_balance = true;
    r.error = -EINVAL;
    assert_null(strstr(st_result_verdict(&r, text, sizeof(text)), "Holds"));
    r.error = 0;
    r.elapsed_periods = 0;
    assert_null(strstr(st_result_verdict(&r, text, sizeof(text)), "Holds"));
    st_result_finish(&r);
}

static void bound_is_three_over_n(void **state)
{
    (void)state;
    struct st_result r;
    make(&r, 1000, 0);
    const double per_hour = st_result_misses_per_hour_max95(&r);
    assert_true(per_hour > 2.995 / 1000 * 1350000 && per_hour < 2.997 / 1000 * 1350000);
    st_result_finish(&r);
}

static void json_has_the_promised_keys(void **state)
{
    (void)state;
    static const char *const keys[] = {"verdict",       "period_ns",        "n",
                                       "cycles",        "skipped_periods",  "elapsed_periods",
                                       "books_balance", "misses",           "misses_per_hour_max95",
                                       "early",         "simulated_xruns",  "lateness_ns",
                                       "response_ns",   "cpu_ns_per_cycle", "faults",
                                       "records_lost",  "ring_high_water",  "interrupted",
                                       "causes",        "circumstances"};
    struct st_result r;
    make(&r, 1500, 0);
    r.causes[ST_CAUSE_TIMER] = (struct st_cause_row){2, 3000, 2000};
    json_t *o = st_result_json(&r);
    for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++)
        assert_non_null(json_object_get(o, keys[i]));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "period_ns"), "num")), 8000000);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "period_ns"), "den")), 3);
    const json_t *lateness = json_object_get(o, "lateness_ns");
    assert_int_equal(json_integer_value(json_object_get(lateness, "median")), 10000);
    assert_int_equal(json_integer_value(json_object_get(lateness, "p99")), 10000);
    assert_true(json_is_null(json_object_get(lateness, "p999"))); /* 1500 < 10000 */
    assert_true(json_is_null(json_object_get(o, "faults")));      /* unknown is null, not 0 */
    assert_true(json_is_null(json_object_get(o, "cpu_ns_per_cycle")));
    assert_int_equal(json_array_size(json_object_get(o, "causes")), 1);
    json_decref(o);
    st_result_finish(&r);
}

static void circumstance_that_is_no_utf8_does_not_break_the_document(void **state)
{
    (void)state;
    struct st_result r;
    make(&r, 10, 0);
    r.circumstances_n = 2;
    snprintf(r.circumstances[0].key, sizeof(r.circumstances[0].key), "cpu_model");
    snprintf(r.circumstances[0].value, sizeof(r.circumstances[0].value), "bad \xff\xfe");
    snprintf(r.circumstances[1].key, sizeof(r.circumstances[1].key), "timer_slack_ns");
    snprintf(r.circumstances[1].value, sizeof(r.circumstances[1].value), "50000");
    json_t *o = st_result_json(&r);
    char *text = json_dumps(o, 0);
    assert_non_null(text);
    const json_t *where = json_object_get(o, "circumstances");
    assert_int_equal(json_integer_value(json_object_get(where, "timer_slack_ns")), 50000);
    free(text);
    json_decref(o);
    st_result_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdict_of_no_misses_has_the_bound),
        cmocka_unit_test(verdict_of_misses_has_their_number_and_the_simulated_xruns),
        cmocka_unit_test(verdict_without_balance_error_or_data_never_says_holds),
        cmocka_unit_test(bound_is_three_over_n),
        cmocka_unit_test(json_has_the_promised_keys),
        cmocka_unit_test(circumstance_that_is_no_utf8_does_not_break_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
