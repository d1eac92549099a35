

#include "core/stats/hist.h"
#include "tests/unit/unit.h"

static struct st_hist hist_of(int digits)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, digits), 0);
    return hist;
}

/* A repeatable stream of numbers (xorshift64). */
static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void the_layout_is_that_of_hdrhistogram_with_3_digits(void **state)
{
    struct st_hist hist = hist_of(3);
    assert_int_equal(hist.sub_bucket_count, 2048);
    assert_int_equal(hist.counts_len, 33 * 1024);
    /* equivalent ranges as HdrHistogram's own data access test has them */
    static const struct {
        int64_t value_ns, lowest_ns, width_ns;
    } rows[] = {
        {1, 1, 1},         {2047, 2047, 1},   {2048, 2048, 2},   {2500, 2500, 2},
        {4095, 4094, 2},   {4096, 4096, 4},   {8191, 8188, 4},   {8192, 8192, 8},
        {10000, 10000, 8}, {10007, 10000, 8}, {10009, 10008, 8},
    };
    ST_EACH (row, rows) {
        const uint32_t index = st_hist_index(&hist, row->value_ns);
        assert_int_equal(st_hist_bucket_lowest(&hist, index), row->lowest_ns);
        assert_int_equal(st_hist_bucket_width(&hist, index), row->width_ns);
    }
    st_hist_finish(&hist);
}

static void buckets_follow_each_other_without_gap_for_all_digits(void **state)
{
    static const uint32_t sub_buckets[] = {32, 256, 2048, 32768};
    for (int digits = 1; digits <= 4; digits++) {
        struct st_hist hist = hist_of(digits);
        assert_int_equal(hist.sub_bucket_count, sub_buckets[digits - 1]);
        int64_t lowest_ns = 0;
        for (uint32_t i = 0; i < hist.counts_len; i++) {
            const int64_t width_ns = st_hist_bucket_width(&hist, i);
            assert_int_equal(st_hist_bucket_lowest(&hist, i), lowest_ns);
            if (lowest_ns <= ST_HIST_HIGHEST_NS)
                assert_int_equal(st_hist_index(&hist, lowest_ns), i);
            if (lowest_ns + width_ns - 1 <= ST_HIST_HIGHEST_NS)
                assert_int_equal(st_hist_index(&hist, lowest_ns + width_ns - 1), i);
            lowest_ns += width_ns;
        }
        assert_true(lowest_ns > ST_HIST_HIGHEST_NS);
        st_hist_finish(&hist);
    }
}

static void digits_out_of_range_are_refused(void **state)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, 0), -ERANGE);
    assert_int_equal(st_hist_init(&hist, 5), -ERANGE);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void quantiles_are_within_a_twentieth_of_a_percent(void **state)
{
    enum { N = 20000 };
    int64_t *values = calloc(N, sizeof(*values));
    assert_non_null(values);
    struct st_hist hist = hist_of(3);
    uint64_t seed = 88172645463325252;
    for (size_t i = 0; i < N; i++) {
        /* spread over all octaves up to an hour, a quarter of them early */
        const int64_t size =
            (int64_t)(random_next(&seed) % 3600000000000) >> (random_next(&seed) % 42);
        values[i] = random_next(&seed) % 4 == 0 ? -size : size;
        st_hist_add(&hist, values[i]);
    }
    qsort(values, N, sizeof(*values), compare);
    for (size_t rank = 1; rank <= N; rank += 7) {
        const int64_t exact = values[rank - 1];
        const int64_t got = st_hist_value_at_rank(&hist, rank);
        assert_true(fabs((double)(got - exact)) <= 0.0005 * fabs((double)exact));
    }
    assert_int_equal(st_hist_value_at_rank(&hist, 1), values[0]);
    assert_int_equal(st_hist_value_at_rank(&hist, N), values[N - 1]);
    assert_int_equal(hist.min_ns, values[0]);
    assert_int_equal(hist.max_ns, values[N - 1]);
    free(values);
    st_hist_finish(&hist);
}

static void early_values_come_first_and_are_counted_apart(void **state)
{
    struct st_hist hist = hist_of(3);
    static const int64_t values[] = {5, -3, 0, -2000, 7, -1};
    ST_EACH (value, values)
        st_hist_add(&hist, *value);
    static const int64_t sorted[] = {-2000, -3, -1, 0, 5, 7};
    for (size_t i = 0; i < ST_ARRAY_LEN(sorted); i++)
        assert_int_equal(st_hist_value_at_rank(&hist, i + 1), sorted[i]);
    assert_int_equal(hist.early_n, 3);
    assert_int_equal(hist.total_n, 6);
    assert_true(fabs(hist.sum_ns + 1992) < 1e-9);
    st_hist_finish(&hist);
}

static void values_beyond_an_hour_are_counted_and_read_as_the_maximum(void **state)
{
    struct st_hist hist = hist_of(3);
    st_hist_add(&hist, ST_HIST_HIGHEST_NS);
    assert_int_equal(hist.over_n, 0);
    st_hist_add(&hist, ST_HIST_HIGHEST_NS + 1);
    st_hist_add(&hist, INT64_MAX);
    st_hist_add(&hist, INT64_MIN);
    st_hist_add(&hist, -ST_HIST_HIGHEST_NS - 1);
    st_hist_add(&hist, 1);
    assert_int_equal(hist.total_n, 6);
    assert_int_equal(hist.over_n, 4);
    assert_int_equal(hist.early_over_n, 2);
    assert_int_equal(hist.early_n, 2);
    assert_int_equal(st_hist_value_at_rank(&hist, 2), INT64_MIN);
    assert_int_equal(st_hist_value_at_rank(&hist, 3), 1);
    assert_int_equal(st_hist_value_at_rank(&hist, 5), INT64_MAX);
    assert_int_equal(hist.max_ns, INT64_MAX);
    st_hist_finish(&hist);
}

static void quantile_takes_the_rank_of_the_definition(void **state)
{
    struct st_hist hist = hist_of(3);
    for (int64_t v = 1; v <= 100; v++)
        st_hist_add(&hist, v);
    for (int percent = 1; percent <= 100; percent++)
        assert_int_equal(st_hist_quantile(&hist, percent / 100.0),
                         percent); /* 0.07 * 100 > 7 in doubles */
    assert_int_equal(st_hist_quantile(&hist, 0), 1);
    assert_int_equal(st_hist_quantile(&hist, 0.501), 51);
    assert_int_equal(st_hist_quantile(&hist, 2), 100);
    st_hist_finish(&hist);
}

static void an_empty_histogram_reads_0(void **state)
{
    struct st_hist hist = hist_of(3);
    assert_int_equal(st_hist_quantile(&hist, 0.5), 0);
    assert_int_equal(st_hist_count_above(&hist, -1), 0);
    assert_int_equal(hist.min_ns, INT64_MAX);
    assert_int_equal(hist.max_ns, INT64_MIN);
    st_hist_finish(&hist);
}

static void merging_equals_adding_all_to_one(void **state)
{
    struct st_hist a = hist_of(3), b = hist_of(3), all = hist_of(3);
    uint64_t seed = 42;
    for (int i = 0; i < 5000; i++) {
        const int64_t value = (int64_t)(random_next(&seed) % 100000000) - 20000000;
        st_hist_add(i % 3 == 0 ? &a : &b, value);
        st_hist_add(&all, value);
    }
    st_hist_add(&b, INT64_MAX);
    st_hist_add(&all, INT64_MAX);
    st_hist_add(&b, INT64_MIN);
    st_hist_add(&all, INT64_MIN);
    assert_int_equal(st_hist_merge(&a, &b), 0);
    assert_memory_equal(a.late, all.late, all.counts_len * sizeof(*all.late));
    assert_memory_equal(a.early, all.early, all.counts_len * sizeof(*all.early));
    assert_int_equal(a.total_n, all.total_n);
    assert_int_equal(a.early_n, all.early_n);
    assert_int_equal(a.over_n, all.over_n);
    assert_int_equal(a.early_over_n, all.early_over_n);
    assert_int_equal(a.min_ns, all.min_ns);
    assert_int_equal(a.max_ns, all.max_ns);
    struct st_hist other = hist_of(2);
    assert_int_equal(st_hist_merge(&a, &other), -EINVAL);
    st_hist_finish(&other);
    st_hist_finish(&a);
    st_hist_finish(&b);
    st_hist_finish(&all);
}

static void reset_empties_it(void **state)
{
    struct st_hist hist = hist_of(2), empty = hist_of(2);
    st_hist_add_n(&hist, 100, 5);
    st_hist_add_n(&hist, -100, 5);
    st_hist_add_n(&hist, -2 * ST_HIST_HIGHEST_NS, 5);
    st_hist_add_n(&hist, 100, 0);
    assert_int_equal(hist.total_n, 15);
    st_hist_reset(&hist);
    assert_memory_equal(hist.late, empty.late, empty.counts_len * sizeof(*empty.late));
    assert_memory_equal(hist.early, empty.early, empty.counts_len * sizeof(*empty.early));
    assert_int_equal(hist.total_n, 0);
    assert_int_equal(hist.early_n, 0);
    assert_int_equal(hist.early_over_n, 0);
    assert_int_equal(hist.over_n, 0);
    assert_int_equal(hist.max_ns, INT64_MIN);
    st_hist_finish(&hist);
    st_hist_finish(&empty);
}

static void count_above_counts_on_both_sides_of_0(void **state)
{
    struct st_hist hist = hist_of(3);
    for (int64_t v = -10; v <= 10; v++)
        st_hist_add(&hist, v);
    st_hist_add(&hist, 2 * ST_HIST_HIGHEST_NS);
    for (int64_t limit = -12; limit <= 12; limit++) {
        const int64_t above = limit < -10 ? 21 : limit > 10 ? 0 : 10 - limit;
        assert_int_equal(st_hist_count_above(&hist, limit), above + 1);
    }
    assert_int_equal(st_hist_count_above(&hist, ST_HIST_HIGHEST_NS + 1), 1);
    assert_int_equal(st_hist_count_above(&hist, 2 * ST_HIST_HIGHEST_NS), 0);
    assert_int_equal(st_hist_count_above(&hist, INT64_MIN), 22);
    st_hist_finish(&hist);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_layout_is_that_of_hdrhistogram_with_3_digits),
        cmocka_unit_test(buckets_follow_each_other_without_gap_for_all_digits),
        cmocka_unit_test(digits_out_of_range_are_refused),
        cmocka_unit_test(quantiles_are_within_a_twentieth_of_a_percent),
        cmocka_unit_test(early_values_come_first_and_are_counted_apart),
        cmocka_unit_test(values_beyond_an_hour_are_counted_and_read_as_the_maximum),
        cmocka_unit_test(quantile_takes_the_rank_of_the_definition),
        cmocka_unit_test(an_empty_histogram_reads_0),
        cmocka_unit_test(merging_equals_adding_all_to_one),
        cmocka_unit_test(reset_empties_it),
        cmocka_unit_test(count_above_counts_on_both_sides_of_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
