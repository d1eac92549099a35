/* Sentences and JSON of a result are computed from its figures. */

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/measure_fixture.h"
#include "tests/unit/period.h"
#include "tests/unit/shown_json.h"

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
    result->policy = ST_POLICY_FIFO;
    result->timer_slack_set_ns = -1;
    result->books_balance = true;
    result->faults_n = -1;
    result->cpu_ns_per_cycle = -1;
}

static struct st_result r;

static void look(void)
{
    show("%s", st_result_verdict(&r));
}

/* 2.996 / 11250 * 1350000 = 359.5 */
static void verdict_is_made_from_the_figures(void **state)
{
    make(&r, 11250, 0);
    look();
    st_result_finish(&r);
    make(&r, 1000, 150);
    look();
    r.policy = ST_POLICY_OTHER;
    look();
    st_result_finish(&r);
}

static void verdict_without_balance_error_or_data_never_says_holds(void **state)
{
    make(&r, 100, 0);
    r.books_balance = false;
    look();
    r.books_balance = true;
    r.error = -EINVAL;
    look();
    r.error = 0;
    r.elapsed_periods = 0;
    look();
    st_result_finish(&r);
}

static void bound_is_three_over_n(void **state)
{
    make(&r, 1000, 0);
    const double per_hour = st_miss_events_per_hour_max95(0, st_result_seconds(&r));
    assert_true(per_hour > 2.995 / 1000 * 1350000 && per_hour < 2.997 / 1000 * 1350000);
    st_result_finish(&r);
}

static void bound_is_never_rounded_down(void **state)
{
    make(&r, 1000, 0);
    static const uint64_t n[] = {
        1000, 123456, 3000000, 33000000, UINT64_C(340000000), UINT64_C(123456789012)};
    for (size_t i = 0; i < ST_ARRAY_LEN(n); i++) {
        r.elapsed_periods = n[i];
        const double bound = st_miss_events_per_hour_max95(0, st_result_seconds(&r));
        const double printed = strtod(st_miss_events_rate_text(bound), NULL);
        assert_true(printed >= bound);
        assert_true(printed <= 1.011 * bound);
    }
    st_result_finish(&r);
}

static void verdict_of_a_normal_thread_says_so(void **state)
{
    make(&r, 1000, 0);
    r.policy = ST_POLICY_OTHER;
    look();
    st_result_finish(&r);
}

static void periods_that_nobody_saw_are_no_evidence(void **state)
{
    make(&r, 1000, 0);
    r.elapsed_periods = r.cycles = 1500;
    r.records_lost = 500;
    look();
    assert_true(st_miss_events_per_hour_max95(0, st_result_seconds(&r)) > 2.995 / 1000 * 1350000);
    r.records_lost = 1500;
    look();
    st_result_finish(&r);
}

/* 1500 < 10000: the median is known, the 99.9 % is not; what is unknown is null, not 0. */
static void json_has_each_figure(void **state)
{
    make(&r, 1500, 0);
    r.causes[ST_CAUSE_TIMER] = (struct st_cause_row){2, 3000, 2000};
    r.conditions_n = 2;
    ST_PRINT(r.conditions[0].key, "cpu_model");
    ST_PRINT(r.conditions[0].value, "bad \xff\xfe");
    ST_PRINT(r.conditions[1].key, "timer_slack_ns");
    ST_PRINT(r.conditions[1].value, "50000");
    show("%s", lines_of_json(st_result_json(&r)));
    st_result_finish(&r);
}

/* Are the late table's pages there? Those at its ends, which other memory may share, are not looked
 * at. */
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
#ifdef M_PERTURB
    (void)mallopt(M_PERTURB,
                  0); /* MALLOC_PERTURB_, as meson sets it, has calloc write to all of it */
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
        cmocka_unit_test(verdict_is_made_from_the_figures),
        cmocka_unit_test(verdict_without_balance_error_or_data_never_says_holds),
        cmocka_unit_test(bound_is_three_over_n),
        cmocka_unit_test(bound_is_never_rounded_down),
        cmocka_unit_test(verdict_of_a_normal_thread_says_so),
        cmocka_unit_test(periods_that_nobody_saw_are_no_evidence),
        cmocka_unit_test(json_has_each_figure),
    };
    return shown_run(tests);
}
