/* Two runs: equal ones come out equal as often as promised, also when their values depend on each other; ones
 * that differ are told apart, and by how much. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "lib/compare.h"
#include "tests/unit/noise.h"

static void assert_near(double got, double wanted, double within)
{
    assert_true(fabs(got - wanted) <= within);
}

enum memory {
    MEMORY_NONE,                 /* independent, with one percent of stalls */
    MEMORY_REGIMES,              /* for some 200 values at a time another neighbour is on the machine */
    MEMORY_WANDERS,              /* each value mostly what the one before was: correlated over 100 values */
    MEMORY_BURSTS,               /* rare stalls of 30 values */
    MEMORY_COMMON,               /* so many in the tests of them all */
    MEMORY_SKEW = MEMORY_COMMON, /* independent, with a long tail */
    MEMORY_LEVELS,               /* for 2000 values at a time another level */
    MEMORIES
};

struct story {
    enum memory memory;
    double shift_ns, stall_more, stretch; /* what differs */
    size_t n;
};

static void tell(const struct story *story, struct st_random *random, struct st_blocks *ret)
{
    double level_ns = story->memory == MEMORY_LEVELS ? 3000 * noise_normal(random) : 0;
    const size_t start = story->memory == MEMORY_LEVELS ? st_random_below(random, 2000) : 0;
    uint64_t stalled_n = 0;
    assert_int_equal(st_blocks_init(ret), 0);
    for (size_t i = 0; i < 1000 + story->n; i++) {
        double value_ns = 20000 + 2000 * noise_normal(random) + story->shift_ns;
        const double unit = st_random_unit(random);
        switch (story->memory) {
        case MEMORY_REGIMES:
            if (unit < 1 / 200.0)
                level_ns = 6000 * floor(3 * st_random_unit(random));
            break;
        case MEMORY_WANDERS:
            level_ns = 0.99 * level_ns + 500 * noise_normal(random);
            break;
        case MEMORY_BURSTS:
            if (unit < 1 / 3000.0)
                stalled_n = 30;
            value_ns += stalled_n > 0 ? 1500000 : 0;
            stalled_n -= stalled_n > 0;
            break;
        case MEMORY_SKEW:
            value_ns = 20000 * (1 + story->stretch) * exp(0.5 * noise_normal(random));
            break;
        case MEMORY_LEVELS:
            if (i % 2000 == start)
                level_ns = 3000 * noise_normal(random);
            break;
        case MEMORY_NONE:
        case MEMORIES:
            break;
        }
        if (story->memory < MEMORY_BURSTS && st_random_unit(random) < 0.002 * (1 + story->stall_more))
            value_ns += 100000 - 400000 * log(1 - st_random_unit(random));
        value_ns += level_ns;
        if (i >= 1000) /* by then it has forgotten how it began */
            assert_int_equal(st_blocks_add(ret, (int64_t)value_ns, value_ns > 1333333), 0);
    }
    assert_int_equal(st_blocks_end(ret), 0);
}

static bool compare(const struct story *a, const struct story *b, uint64_t seed, struct st_comparison *ret,
                    size_t *ret_tests_n)
{
    struct st_random random = {.state = seed};
    struct st_blocks first, second;
    struct st_compare_figure *figures[ST_COMPARE_FIGURES];
    bool shown = false;
    tell(a, &random, &first);
    tell(b, &random, &second);
    assert_int_equal(st_compare(&first, &second, &random, ret), 0);
    for (size_t i = 0; i < ST_COMPARE_FIGURES; i++)
        figures[i] = &ret->figures[i];
    *ret_tests_n = st_compare_correct(figures, ST_COMPARE_FIGURES);
    for (size_t i = 0; i < ST_COMPARE_FIGURES; i++)
        shown |= ret->figures[i].shown;
    st_blocks_finish(&first);
    st_blocks_finish(&second);
    return shown;
}

/* Where nothing differs, a difference is shown in 5 % of all cases at most (of 80, with 4 or fewer expected),
 * and each interval alone leaves 0 out in about 5 %. */
static void test_equal_runs(void **state)
{
    (void)state;
    enum { PAIRS = 20 };
    int shown_n = 0;
    for (int memory = 0; memory < MEMORY_COMMON; memory++) {
        const struct story story = {.memory = (enum memory)memory, .n = 12000};
        int outside_n = 0;
        for (uint64_t seed = 0; seed < PAIRS; seed++) {
            struct st_comparison c;
            size_t tests_n;
            shown_n += compare(&story, &story, 1000 * (uint64_t)memory + seed, &c, &tests_n);
            assert_int_equal(tests_n, ST_COMPARE_FIGURES);
            assert_false(c.same);
            assert_true(c.superiority.known);
            outside_n += c.superiority.low > 0.5 || c.superiority.high < 0.5;
            for (size_t i = 0; i < ST_COMPARE_FIGURES; i++)
                outside_n += st_estimate_shows(&c.figures[i].difference, ST_EFFECT_DIFFERENCE);
        }
        assert_true(outside_n <= PAIRS * (ST_COMPARE_FIGURES + 1) * 10 / 100);
    }
    assert_true(shown_n <= MEMORY_COMMON * PAIRS * 5 / 100);
}

/* What differs is shown, is inside the interval, and the figures that are the same are not shown. */
static void test_different_runs(void **state)
{
    (void)state;
    static const struct {
        struct story b;
        enum st_compare_id shown;
        double low_ns, high_ns;
    } rows[] = {
        {{MEMORY_NONE, .shift_ns = 200, .n = 12000}, ST_COMPARE_MEDIAN, 100, 300},
        {{MEMORY_NONE, .shift_ns = -200, .n = 12000}, ST_COMPARE_MEDIAN, -300, -100},
        {{MEMORY_WANDERS, .shift_ns = 3000, .n = 12000}, ST_COMPARE_MEDIAN, 2000, 4000},
        {{MEMORY_NONE, .stall_more = 9, .n = 30000}, ST_COMPARE_P99, 10000, 400000},
    };
    for (size_t row = 0; row < ST_ARRAY_LEN(rows); row++) {
        const struct story a = {.memory = rows[row].b.memory, .n = rows[row].b.n};
        struct st_comparison c;
        size_t tests_n;
        assert_true(compare(&a, &rows[row].b, row, &c, &tests_n));
        const struct st_compare_figure *f = &c.figures[rows[row].shown];
        assert_true(f->shown && f->p_corrected >= f->p_value);
        assert_true(f->difference.value > rows[row].low_ns && f->difference.value < rows[row].high_ns);
        assert_true(f->difference.low < f->difference.value && f->difference.high > f->difference.value);
        if (rows[row].b.shift_ns != 0) {
            assert_false(c.figures[ST_COMPARE_MISSED].shown);
            assert_true((c.superiority.value > 0.5) == (rows[row].b.shift_ns > 0));
            assert_true(c.superiority.high < 0.5 || c.superiority.low > 0.5);
            /* what is detectable shrinks with the root of n */
            const double detectable = st_compare_detectable(f, tests_n);
            assert_true(detectable < fabs(rows[row].b.shift_ns) * 1.3);
            assert_near(st_compare_more_data(f, tests_n, detectable / 2), 4, 1e-9);
        }
    }
}

/* As much data as an equal pair says shows the difference in 4 of 5 cases. */
static void test_more_data(void **state)
{
    (void)state;
    enum { PAIRS = 40 };
    int shown_n = 0, asked_n = 0;
    for (uint64_t seed = 0; seed < PAIRS; seed++) {
        const struct story pilot = {.memory = MEMORY_SKEW, .n = 2000};
        struct st_comparison c;
        size_t tests_n;
        (void)compare(&pilot, &pilot, 900 + seed, &c, &tests_n);
        const double more = st_compare_more_data(&c.figures[ST_COMPARE_MEDIAN], tests_n, 1000);
        const struct story a = {.memory = MEMORY_SKEW, .n = (size_t)ceil(more * 2000)};
        struct story b = a;
        b.stretch = 0.05;
        (void)compare(&a, &b, 9000 + seed, &c, &tests_n);
        asked_n++;
        shown_n += c.figures[ST_COMPARE_MEDIAN].shown;
    }
    assert_true(shown_n >= asked_n * 4 / 5);
}

/* Values that depend on each other tell less than as many that do not. */
static void test_independent_n(void **state)
{
    (void)state;
    struct st_comparison c;
    size_t tests_n;
    (void)compare(&(struct story){.memory = MEMORY_NONE, .n = 12000},
                  &(struct story){.memory = MEMORY_WANDERS, .n = 12000}, 5, &c, &tests_n);
    assert_true(c.independent_n[0] > 12000 / 4.0);
    assert_true(c.independent_n[1] < 12000 / 20.0 &&
                c.independent_n[1] > 12000 / 2000.0); /* a 199th in theory */
}

/* Independent values are taken for that, in 99 of 100 pairs. */
static void test_independent_runs(void **state)
{
    (void)state;
    enum { PAIRS = 60 };
    int depend_n = 0, narrow_n = 0;
    for (uint64_t seed = 0; seed < PAIRS; seed++) {
        struct st_comparison c;
        size_t tests_n;
        const struct story story = {.memory = seed % 2 == 0 ? MEMORY_NONE : MEMORY_SKEW, .n = 12000};
        (void)compare(&story, &story, 100 + seed, &c, &tests_n);
        depend_n += c.neighbours_depend;
        for (size_t i = 0; i < ST_COMPARE_FIGURES; i++)
            narrow_n += c.figures[i].narrow;
        if (!c.neighbours_depend)
            assert_near(c.independent_n[0] + c.independent_n[1], 24000, 0);
    }
    assert_true(depend_n <= 2 && narrow_n <= 2); /* 0.6 expected of each at most */
}

/* Runs of which each has some 15 levels: it shows, intervals of the median allow for it, and those of the
 * tail, which the highest two levels decide, are said to be narrow. */
static void test_slow_levels(void **state)
{
    (void)state;
    enum { PAIRS = 40 };
    const struct story story = {.memory = MEMORY_LEVELS, .n = 30000};
    int outside_n = 0, shown_n = 0;
    for (uint64_t seed = 0; seed < PAIRS; seed++) {
        struct st_comparison c;
        size_t tests_n;
        shown_n += compare(&story, &story, 500 + seed, &c, &tests_n);
        assert_true(c.neighbours_depend && c.independent_n[0] < 300);
        assert_true(c.figures[ST_COMPARE_P99].narrow && c.figures[ST_COMPARE_P999].narrow);
        outside_n += st_estimate_shows(&c.figures[ST_COMPARE_MEDIAN].difference, ST_EFFECT_DIFFERENCE);
    }
    assert_true(shown_n <= PAIRS * 10 / 100);
    assert_true(outside_n <= PAIRS * 10 / 100);
}

/* A run that climbs within itself says by how much; one that does not, says next to nothing. */
static void test_drift(void **state)
{
    (void)state;
    struct st_random random = {.state = 9};
    struct st_comparison c;
    struct st_blocks runs[2];
    for (int side = 0; side < 2; side++) {
        assert_int_equal(st_blocks_init(&runs[side]), 0);
        for (size_t i = 0; i < 20000; i++) {
            const double climbs = side == 1 ? 10000.0 * (double)i / 20000 : 0;
            assert_int_equal(
                st_blocks_add(&runs[side], (int64_t)(20000 + climbs + 500 * noise_normal(&random)), false),
                0);
        }
        assert_int_equal(st_blocks_end(&runs[side]), 0);
    }
    assert_int_equal(st_compare(&runs[0], &runs[1], &random, &c), 0);
    assert_true(c.drift_ns[0] >= 0 && c.drift_ns[0] < 100);
    assert_near(c.drift_ns[1], 8000, 200); /* from the middle of the first fifth to that of the last one */
    st_blocks_finish(&runs[0]);
    st_blocks_finish(&runs[1]);
}

/* A quantile as it is, with order statistics around it. */
static void test_quantile_of(void **state)
{
    (void)state;
    struct st_blocks run;
    bool known, interval_known;
    double figure[3];
    assert_int_equal(st_blocks_init(&run), 0);
    for (int64_t i = 1; i <= 1000; i++)
        assert_int_equal(st_blocks_add(&run, i, false), 0);
    assert_int_equal(st_blocks_end(&run), 0);
    assert_int_equal(st_compare_quantile_of(&run, ST_COMPARE_MEDIAN, &known, &interval_known, figure), 0);
    assert_true(known && interval_known);
    assert_near(figure[0], 500, 0);
    assert_near(figure[1], 469, 1); /* 500 -+ 1.96 * sqrt(1000) / 2 */
    assert_near(figure[2], 531, 1);
    assert_int_equal(st_compare_quantile_of(&run, ST_COMPARE_P999, &known, &interval_known, figure), 0);
    assert_false(known || interval_known);
    st_blocks_finish(&run);
}

/* Too few values: nothing is claimed. */
static void test_few(void **state)
{
    (void)state;
    static const size_t ns[] = {0, 1, 7, 19, 20, 999, 1000, 9999, 10000};
    for (size_t row = 0; row < ST_ARRAY_LEN(ns); row++) {
        struct st_comparison c;
        struct st_blocks runs[2];
        struct st_random random = {.state = 1};
        for (int side = 0; side < 2; side++) {
            assert_int_equal(st_blocks_init(&runs[side]), 0);
            for (size_t i = 0; i < ns[row]; i++)
                assert_int_equal(st_blocks_add(&runs[side], 1000 * (side + 1), false), 0);
            assert_int_equal(st_blocks_end(&runs[side]), 0);
        }
        assert_int_equal(st_compare(&runs[0], &runs[1], &random, &c), 0);
        assert_int_equal(c.figures[ST_COMPARE_MEDIAN].difference.known, ns[row] >= 20);
        assert_int_equal(c.figures[ST_COMPARE_P99].difference.known, ns[row] >= 1000);
        assert_int_equal(c.figures[ST_COMPARE_P999].difference.known, ns[row] >= 10000);
        assert_int_equal(c.figures[ST_COMPARE_MISSED].difference.known, ns[row] >= ST_COMPARE_GROUPS_MIN);
        if (ns[row] >= 20) { /* constants that differ: no doubt at all */
            assert_near(c.figures[ST_COMPARE_MEDIAN].difference.value, 1000, 0);
            assert_near(c.figures[ST_COMPARE_MEDIAN].p_value, 0, 0);
            assert_near(c.superiority.value, 1, 0);
        }
        assert_int_equal(st_compare(&runs[0], &runs[0], &random, &c), 0);
        assert_true(c.same);
        st_blocks_finish(&runs[0]);
        st_blocks_finish(&runs[1]);
    }
}

/* Holm's own procedure, by hand. */
static void test_correction(void **state)
{
    (void)state;
    static const double ps[] = {0.04, 0.01, 0.03, 0.005, 0.5}, wanted[] = {0.09, 0.04, 0.09, 0.025, 0.5};
    struct st_compare_figure figures[ST_ARRAY_LEN(ps) + 1] = {0}, *list[ST_ARRAY_LEN(ps) + 1];
    for (size_t i = 0; i <= ST_ARRAY_LEN(ps); i++) {
        list[i] = &figures[i];
        figures[i].difference.known = i < ST_ARRAY_LEN(ps);
        figures[i].p_value = i < ST_ARRAY_LEN(ps) ? ps[i] : 0;
    }
    assert_int_equal(st_compare_correct(list, ST_ARRAY_LEN(list)), ST_ARRAY_LEN(ps));
    for (size_t i = 0; i < ST_ARRAY_LEN(ps); i++) {
        assert_near(figures[i].p_corrected, wanted[i], 1e-12);
        assert_int_equal(figures[i].shown, wanted[i] <= 0.05);
    }
    assert_false(figures[ST_ARRAY_LEN(ps)].shown);
}

/* Intervals of two normal estimates, and misses against the exact binomial test. */
static void test_figures_alone(void **state)
{
    (void)state;
    const double a[3] = {100, 97, 103}, b[3] = {106, 102, 110};
    struct st_compare_figure f = st_compare_intervals(a, b);
    assert_near(f.difference.low, 1, 1e-9);
    assert_near(f.difference.high, 11, 1e-9);
    assert_true(f.p_value > 0.018 && f.p_value < 0.019); /* z = 6 / 5 * 1.96 */
    assert_int_equal(st_compare_rates(0, 1000, 5, 1000, &f), 0);
    assert_near(f.p_value, 0.062188, 1e-6); /* 2 x (1000 over 5) / (2000 over 5) */
    assert_near(f.difference.value, 0.005, 1e-12);
    assert_int_equal(st_compare_rates(0, 1000, 0, 3000, &f), 0);
    assert_near(f.p_value, 1, 0);
    assert_true(f.difference.known && f.difference.low < 0 && f.difference.high > 0);
    assert_int_equal(st_compare_rates(2, 1, 0, 1, &f), -EINVAL);
    assert_int_equal(st_compare_rates(3, 4, 1, 4, &f), 0); /* Fisher's tea: 17 of 70 */
    assert_near(f.p_value, 34.0 / 70, 1e-9);
    assert_int_equal(st_compare_rates(1, 1000, 0, 30000, &f), 0); /* one of 31 is A's in 1 of 31 cases */
    assert_near(f.p_value, 2.0 / 31, 1e-9);
    assert_int_equal(st_compare_rates(7, 7, 900, 900, &f), 0);
    assert_near(f.p_value, 1, 0);
    assert_int_equal(st_compare_rates(UINT64_MAX / 4, UINT64_MAX / 2, UINT64_MAX / 3, UINT64_MAX / 2, &f), 0);
    assert_true(f.p_value < 1e-9 && f.difference.low > 0 && f.difference.high < 1);
}

/* More misses never make it less sure, and the interval leaves 0 out where the test does. */
static void test_missed_agrees(void **state)
{
    (void)state;
    static const uint64_t periods[][2] = {{2000, 2000}, {1000, 30000}, {50, 60}, {300000, 200000}};
    for (size_t row = 0; row < ST_ARRAY_LEN(periods); row++) {
        for (uint64_t a = 0; a < 50; a = 2 * a + 1) {
            double before = 1;
            for (uint64_t b = 0; b <= 50; b++) {
                const uint64_t n_a = periods[row][0], n_b = periods[row][1];
                struct st_compare_figure f;
                assert_int_equal(st_compare_rates(a, n_a, b, n_b, &f), 0);
                const struct st_estimate *d = &f.difference;
                assert_true(d->low <= d->value && d->value <= d->high);
                assert_int_equal(st_estimate_shows(d, ST_EFFECT_DIFFERENCE), f.p_value <= ST_COMPARE_LEVEL);
                if (b * n_a > a * n_b) { /* B misses more */
                    assert_true(f.p_value <= before);
                    before = f.p_value;
                }
            }
        }
    }
}

/* Misses of n periods at random. */
static uint64_t missed_of(struct st_random *random, uint64_t n, double rate)
{
    uint64_t missed_n = 0;
    for (uint64_t i = 0; i < n; i++)
        missed_n += st_random_unit(random) < rate;
    return missed_n;
}

/* Is it shown as one of four figures of which the others show nothing? */
static bool missed_shown(uint64_t a, uint64_t b, uint64_t n)
{
    struct st_compare_figure figures[ST_COMPARE_FIGURES], *list[ST_COMPARE_FIGURES];
    for (size_t i = 0; i < ST_COMPARE_FIGURES; i++) {
        list[i] = &figures[i];
        assert_int_equal(st_compare_rates(0, n, 0, n, &figures[i]), 0);
    }
    assert_int_equal(st_compare_rates(a, n, b, n, &figures[ST_COMPARE_MISSED]), 0);
    (void)st_compare_correct(list, ST_COMPARE_FIGURES);
    return figures[ST_COMPARE_MISSED].shown;
}

/* As many more misses as are said to have been shown are, in 4 of 5 cases, and so are those that so much more
 * data would show. */
static void test_missed_power(void **state)
{
    (void)state;
    enum { PAIRS = 300 };
    static const struct {
        uint64_t n;
        double rate, more; /* periods, share of them that A misses, and more that B does */
    } rows[] = {{2000, 0, 0}, {2000, 0.004, 0.004}, {5000, 0.01, 0.003}, {3000, 0.1, 0.02}, {1000, 0.97, 0}};
    for (size_t row = 0; row < ST_ARRAY_LEN(rows); row++) {
        struct st_random random = {.state = 70 + row};
        const uint64_t n = rows[row].n;
        const double rate = rows[row].rate;
        int shown_n = 0, more_shown_n = 0, asked_n = 0;
        for (int i = 0; i < PAIRS / (row > 0 ? 5 : 1); i++) {
            struct st_compare_figure f;
            const uint64_t a = missed_of(&random, n, rate);
            assert_int_equal(st_compare_rates(a, n, a, n, &f), 0);
            const double more = st_compare_detectable(&f, ST_COMPARE_FIGURES);
            asked_n++;
            shown_n += missed_shown(missed_of(&random, n, rate),
                                    missed_of(&random, n, rate > 0.5 ? rate - more : rate + more), n);
            if (rows[row].more > 0) {
                const double times = st_compare_more_data(&f, ST_COMPARE_FIGURES, rows[row].more);
                const uint64_t many = (uint64_t)ceil(times * (double)n);
                more_shown_n += missed_shown(missed_of(&random, many, rate),
                                             missed_of(&random, many, rate + rows[row].more), many);
            }
        }
        assert_true(shown_n >= asked_n * 72 / 100 && shown_n <= asked_n * 95 / 100);
        assert_true(rows[row].more <= 0 || more_shown_n >= asked_n * 72 / 100);
    }
}

/* No rate of B is shown where there are too few periods. */
static void test_missed_not_detectable(void **state)
{
    (void)state;
    struct st_compare_figure f;
    assert_int_equal(st_compare_rates(0, 3, 0, 3, &f), 0);
    assert_true(isnan(st_compare_detectable(&f, ST_COMPARE_FIGURES)));
    assert_int_equal(st_compare_rates(0, 8, 0, 8, &f), 0);
    assert_true(st_compare_detectable(&f, 1) < 1);
}

/* Stalls of 30 periods on one side: each counts as one, and eight of them are needed. Misses at random places
 * count each. */
static void test_missed_bursts(void **state)
{
    (void)state;
    for (uint64_t stalls_n = 1; stalls_n <= 12; stalls_n += stalls_n < 5 ? 4 : 7) {
        for (uint64_t size = 1; size <= 30; size += 29) {
            struct st_random random = {.state = 3};
            struct st_blocks runs[2];
            struct st_comparison c;
            for (size_t side = 0; side < 2; side++) {
                assert_int_equal(st_blocks_init(&runs[side]), 0);
                for (uint64_t i = 0; i < 6000; i++) { /* at uneven places */
                    const uint64_t each = 6000 / stalls_n, from = 100 + 13 * (i / each);
                    const bool missed = side == 1 && i % each >= from && i % each < from + size;
                    assert_int_equal(st_blocks_add(&runs[side], 1000, missed), 0);
                }
                assert_int_equal(st_blocks_end(&runs[side]), 0);
            }
            assert_int_equal(st_compare(&runs[0], &runs[1], &random, &c), 0);
            const struct st_compare_figure *f = &c.figures[ST_COMPARE_MISSED];
            struct st_compare_figure alone;
            assert_int_equal(st_compare_rates(0, 6000 / size, stalls_n, 6000 / size, &alone), 0);
            assert_near(f->counts.scatter, (double)size, 0.02 * (double)(size - 1));
            assert_near(f->value[1], (double)(stalls_n * size) / 6000, 1e-12);
            assert_near(f->p_value, alone.p_value, 0.02 * alone.p_value);
            assert_int_equal(st_estimate_shows(&f->difference, ST_EFFECT_DIFFERENCE), stalls_n > 5);
            st_blocks_finish(&runs[0]);
            st_blocks_finish(&runs[1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_runs),    cmocka_unit_test(test_different_runs),
        cmocka_unit_test(test_independent_n), cmocka_unit_test(test_independent_runs),
        cmocka_unit_test(test_slow_levels),   cmocka_unit_test(test_more_data),
        cmocka_unit_test(test_drift),         cmocka_unit_test(test_quantile_of),
        cmocka_unit_test(test_few),           cmocka_unit_test(test_correction),
        cmocka_unit_test(test_figures_alone), cmocka_unit_test(test_missed_agrees),
        cmocka_unit_test(test_missed_power),  cmocka_unit_test(test_missed_not_detectable),
        cmocka_unit_test(test_missed_bursts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
