/* Sentences and JSON of a result are computed from its figures. */

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/measure_fixture.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

/* n periods of 128 frames at 48 kHz, all 10 us late; `misses` of them were missed. */
static void make(struct st_result *result, uint64_t n, uint64_t misses)
{
    memset(result, 0, sizeof(*result));
    result->period = period_of(128, 48000);
    assert_int_equal(st_hist_init(&result->lateness, 3), 0);
    assert_int_equal(st_hist_init(&result->response, 3), 0);
    st_hist_add_n(&result->lateness, 10000, n);
    st_hist_add_n(&result->response, 10000, n);
    result->frames = 128;
    result->rate_hz = 48000;
    result->cpu = -1;
    result->n = result->cycles = result->elapsed_periods = n;
    result->misses = misses;
    result->policy = result->policy_asked = ST_POLICY_FIFO;
    result->timer_slack_set_ns = -1;
    result->books_balance = true;
    result->faults_minor = result->faults_major = result->switches_involuntary = -1;
    result->cpu_ns_per_cycle = -1;
}

static void verdict_of_no_misses_has_the_bound(void **state)
{
    struct st_result r;
    char text[400];
    make(&r, 11250, 0);
    st_result_verdict(&r, text, sizeof(text));
    assert_has(text, "Timing OK with 128 frames at 48000 Hz");
    assert_has(text, "0 of 11250 periods missed");
    assert_has(text, "at most 360 events per hour"); /* 2.996 / 11250 * 1350000 = 359.5 */
    assert_lacks(text, "none");
    st_result_finish(&r);
}

static void verdict_of_misses_has_their_number(void **state)
{
    struct st_result r;
    char text[400];
    make(&r, 1000, 150);
    st_result_verdict(&r, text, sizeof(text));
    assert_has(text, "Timing not OK");
    assert_has(text, "150 of 1000 periods missed");
    st_result_finish(&r);
}

static void verdict_without_balance_error_or_data_never_says_holds(void **state)
{
    struct st_result r;
    char text[400];
    make(&r, 100, 0);
    r.books_balance = false;
    assert_lacks(st_result_verdict(&r, text, sizeof(text)), "Timing OK");
    r.books_balance = true;
    r.error = -EINVAL;
    assert_lacks(st_result_verdict(&r, text, sizeof(text)), "Timing OK");
    r.error = 0;
    r.elapsed_periods = 0;
    assert_lacks(st_result_verdict(&r, text, sizeof(text)), "Timing OK");
    st_result_finish(&r);
}

static void bound_is_three_over_n(void **state)
{
    struct st_result r;
    make(&r, 1000, 0);
    const double per_hour = st_miss_events_per_hour_max95(0, st_result_seconds(&r));
    assert_true(per_hour > 2.995 / 1000 * 1350000 && per_hour < 2.997 / 1000 * 1350000);
    st_result_finish(&r);
}

static void bound_is_never_rounded_down(void **state)
{
    struct st_result r;
    char text[32];
    make(&r, 1000, 0);
    static const uint64_t n[] = {
        1000, 123456, 3000000, 33000000, UINT64_C(340000000), UINT64_C(123456789012)};
    for (size_t i = 0; i < ST_ARRAY_LEN(n); i++) {
        r.elapsed_periods = n[i];
        const double bound = st_miss_events_per_hour_max95(0, st_result_seconds(&r));
        const double printed = strtod(st_miss_events_rate_text(bound, text, sizeof(text)), NULL);
        assert_true(printed >= bound);
        assert_true(printed <= 1.011 * bound);
    }
    st_result_finish(&r);
}

static void verdict_of_a_normal_thread_says_so_asked_for_or_not(void **state)
{
    struct st_result r;
    char text[400];
    for (uint64_t misses = 0; misses < 2; misses++) {
        make(&r, 1000, misses);
        assert_lacks(st_result_verdict(&r, text, sizeof(text)), "normal thread");
        r.policy = ST_POLICY_OTHER;
        assert_has(st_result_verdict(&r, text, sizeof(text)), "as a normal thread");
        r.policy_asked = ST_POLICY_OTHER;
        assert_has(st_result_verdict(&r, text, sizeof(text)), "as a normal thread");
        st_result_finish(&r);
    }
}

static void periods_that_nobody_saw_are_no_evidence(void **state)
{
    struct st_result r;
    char text[400];
    make(&r, 1000, 0);
    r.elapsed_periods = r.cycles = 1500;
    r.records_lost = 500;
    st_result_verdict(&r, text, sizeof(text));
    assert_has(text, "0 of 1000 periods missed");
    assert_has(text, "500 more were not seen");
    assert_true(st_miss_events_per_hour_max95(0, st_result_seconds(&r)) > 2.995 / 1000 * 1350000);
    r.records_lost = 1500;
    assert_lacks(st_result_verdict(&r, text, sizeof(text)), "Timing OK");
    st_result_finish(&r);
}

static void one_sentence_for_all_cpus_speaks_of_the_worst(void **state)
{
    struct st_result r[3];
    char text[480];
    for (int i = 0; i < 3; i++) {
        make(&r[i], 1000, 0);
        r[i].cpu = i;
    }
    st_hist_add(&r[1].lateness, 77000);
    qsort(r, 3, sizeof(r[0]), st_result_compare);
    st_result_verdict_of_all(r, 3, text, sizeof(text));
    assert_has(text, "Timing OK with 128 frames at 48000 Hz (2.667 ms) on all 3 CPUs");
    assert_has(text, "0 of 3000 periods missed (95 % confidence: at most 4050 events per hour on each)");
    assert_has(text, "77.0 \xc2\xb5s late on CPU 1.");

    r[2].misses = 7;
    r[1].policy = ST_POLICY_OTHER;
    qsort(r, 3, sizeof(r[0]), st_result_compare);
    assert_int_equal(r[0].misses, 7);
    st_result_verdict_of_all(r, 3, text, sizeof(text));
    assert_has(text, "Timing not OK");
    assert_has(text, "on 1 of 3 CPUs");
    assert_has(text, "missed 7 of 1000 periods");

    r[2].books_balance = false; /* no misses there, but nothing else that can be believed */
    const int cpu = r[2].cpu;
    qsort(r, 3, sizeof(r[0]), st_result_compare);
    assert_int_equal(r[0].cpu, cpu);
    st_result_verdict_of_all(r, 3, text, sizeof(text));
    assert_has(text, ": Invalid: the counters of the measuring loop do not agree");
    for (int i = 0; i < 3; i++)
        st_result_finish(&r[i]);
}

static void json_has_the_promised_keys(void **state)
{
    static const char *const keys[] = {"verdict",
                                       "period_ns",
                                       "n",
                                       "cycles",
                                       "skipped_periods",
                                       "elapsed_periods",
                                       "books_balance",
                                       "misses",
                                       "misses_per_hour_max95",
                                       "miss_events",
                                       "miss_events_gap_ns",
                                       "miss_events_per_hour_max95",
                                       "early",
                                       "lateness_ns",
                                       "response_ns",
                                       "cpu_ns_per_cycle",
                                       "faults",
                                       "records_lost",
                                       "ring_high_water",
                                       "interrupted",
                                       "causes",
                                       "conditions"};
    struct st_result r;
    make(&r, 1500, 0);
    r.causes[ST_CAUSE_TIMER] = (struct st_cause_row){2, 3000, 2000};
    json_t *o = st_result_json(&r);
    ST_EACH (key, keys)
        assert_non_null(json_object_get(o, *key));
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

static void condition_that_is_no_utf8_does_not_break_the_document(void **state)
{
    struct st_result r;
    make(&r, 10, 0);
    r.conditions_n = 2;
    ST_PRINT(r.conditions[0].key, "cpu_model");
    ST_PRINT(r.conditions[0].value, "bad \xff\xfe");
    ST_PRINT(r.conditions[1].key, "timer_slack_ns");
    ST_PRINT(r.conditions[1].value, "50000");
    json_t *o = st_result_json(&r);
    char *text = json_dumps(o, 0);
    assert_non_null(text);
    const json_t *where = json_object_get(o, "conditions");
    assert_int_equal(json_integer_value(json_object_get(where, "timer_slack_ns")), 50000);
    free(text);
    json_decref(o);
    st_result_finish(&r);
}

/* Are the late table's pages there? Those at its ends, which other memory may share, are not looked at. */
static bool is_resident(const struct st_hist *hist)
{
    unsigned char pages[256];
    const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = ((uintptr_t)hist->late + page_bytes - 1) / page_bytes * page_bytes;
    const uintptr_t to = (uintptr_t)(hist->late + hist->counts_len) / page_bytes * page_bytes;
    const size_t pages_n = (to - from) / page_bytes;
    size_t n = 0;
    assert_in_range(pages_n, 1, sizeof(pages));
    assert_int_equal(mincore((void *)from, to - from, (void *)pages), 0);
    for (size_t i = 0; i < pages_n; i++)
        n += pages[i] & 1;
    return n == pages_n;
}

/* What response times wrote to came page by page, for hours. */
static void an_endless_loop_has_the_memory_of_its_histograms_from_the_start(void **state)
{
    struct st_result r = {0};
#ifdef M_PERTURB
    (void)mallopt(M_PERTURB, 0); /* MALLOC_PERTURB_, as meson sets it, has calloc write to all of it */
#endif
    assert_int_equal(st_result_init(&r, true), 0);
    assert_true(is_resident(&r.lateness));
    assert_true(is_resident(&r.response));
    st_result_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* first: memory that was in use before is there anyway */
        cmocka_unit_test(an_endless_loop_has_the_memory_of_its_histograms_from_the_start),
        cmocka_unit_test(verdict_of_no_misses_has_the_bound),
        cmocka_unit_test(verdict_of_misses_has_their_number),
        cmocka_unit_test(verdict_without_balance_error_or_data_never_says_holds),
        cmocka_unit_test(bound_is_three_over_n),
        cmocka_unit_test(bound_is_never_rounded_down),
        cmocka_unit_test(verdict_of_a_normal_thread_says_so_asked_for_or_not),
        cmocka_unit_test(periods_that_nobody_saw_are_no_evidence),
        cmocka_unit_test(one_sentence_for_all_cpus_speaks_of_the_worst),
        cmocka_unit_test(json_has_the_promised_keys),
        cmocka_unit_test(condition_that_is_no_utf8_does_not_break_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
