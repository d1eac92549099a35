/* lab/stats/levels: medians of blocks, of a series and piece by piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "lab/stats/levels.h"
#include "tests/unit/noise.h"

#define EACH ST_LEVELS_MEDIAN_OF

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static struct st_period second(void)
{
    struct st_period period;
    assert_int_equal(st_period_init_ns(&period, 1000000000, 1), 0);
    return period;
}

static double sorted_median(int64_t *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    return n % 2 == 1 ? (double)values[n / 2] : ((double)values[n / 2 - 1] + (double)values[n / 2]) / 2;
}

static bool equal(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* Added in pieces of odd lengths. */
static struct st_levels add_all(const struct st_series *series)
{
    struct st_levels levels;
    assert_int_equal(st_levels_init(&levels, &series->period), 0);
    for (size_t first = 0, n = 1; first < series->n; first += n) {
        n = (n * 7 + 1) % 1501;
        n = n < series->n - first ? n : series->n - first;
        st_levels_add(&levels, series->index[first], series->lateness_ns + first, n);
    }
    return levels;
}

static void pieces_have_the_medians_of_blocks(void **state)
{
    (void)state;
    for (enum noise noise = 0; noise < NOISE_COUNT; noise++) {
        const struct st_period period = second();
        struct st_series series;
        assert_int_equal(noise_series(noise, noise, &period, 100 * EACH + 17, 0, 0, &series), 0);
        struct st_levels levels = add_all(&series);
        assert_int_equal(levels.n, 100);
        assert_int_equal(levels.samples_each, EACH);
        for (size_t i = 0; i < levels.n; i++) {
            assert_true(equal(levels.level[i].value_ns, sorted_median(series.lateness_ns + i * EACH, EACH)));
            assert_int_equal(levels.level[i].first, series.index[i * EACH]);
            assert_int_equal(levels.level[i].last, series.index[i * EACH + EACH - 1]);
        }
        st_levels_finish(&levels);
        st_series_finish(&series);
    }
}

/* Whatever is in a block: all equal, the ends of the range, one far away. */
static void odd_blocks_have_their_median(void **state)
{
    (void)state;
    const struct st_period period = second();
    int64_t values[EACH], sorted[EACH];
    for (int kind = 0; kind < 5; kind++) {
        for (size_t i = 0; i < EACH; i++)
            values[i] = kind == 0   ? 5
                        : kind == 1 ? (i % 2 == 0 ? INT64_MAX : INT64_MIN)
                        : kind == 2 ? (i == 9 ? INT64_C(50000000) : 1000 + (int64_t)i)
                        : kind == 3 ? -(int64_t)(i * i)
                                    : (int64_t)i << (i % 55);
        struct st_levels levels;
        assert_int_equal(st_levels_init(&levels, &period), 0);
        st_levels_add(&levels, 3, values, EACH);
        for (size_t i = 0; i < EACH; i++)
            sorted[i] = values[i];
        assert_int_equal(levels.n, 1);
        assert_true(equal(levels.level[0].value_ns, sorted_median(sorted, EACH)));
        assert_int_equal(levels.first_index, 3);
        st_levels_finish(&levels);
    }
}

/* Twice as many as fit, and some more: each level is then the mean of two, of four medians. */
static void a_longer_series_has_longer_levels(void **state)
{
    (void)state;
    const struct st_period period = second();
    const size_t medians_n = 4 * ST_LEVELS_MAX + 10;
    int64_t values[EACH];
    struct st_levels levels;
    assert_int_equal(st_levels_init(&levels, &period), 0);
    for (size_t k = 0; k < medians_n; k++) {
        for (size_t i = 0; i < EACH; i++)
            values[i] = (int64_t)k * 1000 + (int64_t)i - EACH / 2; /* median: 1000 k */
        st_levels_add(&levels, k * EACH, values, EACH);
    }
    assert_int_equal(levels.samples_each, 4 * EACH);
    assert_int_equal(levels.n, ST_LEVELS_MAX + 2); /* two medians wait */
    for (size_t i = 0; i < levels.n; i++) {
        assert_true(equal(levels.level[i].value_ns, 4000.0 * (double)i + 1500));
        assert_int_equal(levels.level[i].first, i * 4 * EACH);
        assert_int_equal(levels.level[i].last, (i + 1) * 4 * EACH - 1);
    }
    st_levels_finish(&levels);
}

static void a_series_has_medians_of_equal_blocks(void **state)
{
    (void)state;
    const struct st_period period = second();
    struct st_series series;
    struct st_levels levels;
    st_series_init(&series, &period);
    assert_int_equal(st_levels_of(&series, &levels), -ENODATA);
    assert_int_equal(noise_series(NOISE_UNIFORM, 1, &period, 2 * ST_LEVELS_MAX + 1, 0, 0, &series), 0);
    assert_int_equal(st_levels_of(&series, &levels), 0);
    assert_int_equal(levels.samples_each, 3);
    assert_int_equal(levels.n, (2 * ST_LEVELS_MAX + 1) / 3);
    for (size_t i = 0; i < levels.n; i++)
        assert_true(equal(levels.level[i].value_ns, sorted_median(series.lateness_ns + 3 * i, 3)));
    st_levels_finish(&levels);
    st_series_finish(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_have_the_medians_of_blocks),
        cmocka_unit_test(odd_blocks_have_their_median),
        cmocka_unit_test(a_longer_series_has_longer_levels),
        cmocka_unit_test(a_series_has_medians_of_equal_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
