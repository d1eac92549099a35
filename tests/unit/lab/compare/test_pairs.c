/* Two runs: equal ones come out equal as often as promised, also when their values depend on each
 * other; ones that differ are told apart, and by how much. */
#include "lab/compare/pairs.h"
#include "lab/compare/verdict.h"
#include "tests/unit/noise.h"
#include "tests/unit/unit.h"

static void assert_near(double got, double wanted, double within)
{
    assert_true(fabs(got - wanted) <= within);
}

enum memory {
    MEMORY_NONE,    /* independent, with one percent of stalls */
    MEMORY_REGIMES, /* for some 200 values at a time another neighbour is on the machine */
    MEMORY_WANDERS, /* each value mostly what the one before was: correlated over 100 values */
    MEMORY_BURSTS,  /* rare stalls of 30 values */
    MEMORY_COMMON,  /* so many in the tests of them all */
    MEMORY_SKEW = MEMORY_COMMON, /* independent, with a long tail */
    MEMORY_LEVELS,               /* for 2000 values at a time another level */
    MEMORIES
};

struct story {
    enum memory memory;
    double shift_ns, stall_more, longer; /* what differs */
    size_t n;
};

static void tell(const struct story *story, struct st_random *random, struct st_series *ret)
{
    double level_ns = story->memory == MEMORY_LEVELS ? 3000 * noise_normal(random) : 0;
    const size_t start = story->memory == MEMORY_LEVELS ? (size_t)st_random_below(random, 2000) : 0;
    uint64_t stalled_n = 0;
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
            value_ns = 20000 * (1 + story->longer) * exp(0.5 * noise_normal(random));
            break;
        case MEMORY_LEVELS:
            if (i % 2000 == start)
                level_ns = 3000 * noise_normal(random);
            break;
        case MEMORY_NONE:
        case MEMORIES:
            break;
        }
        if (story->memory < MEMORY_BURSTS &&
            st_random_unit(random) < 0.002 * (1 + story->stall_more))
            value_ns += 100000 - 400000 * log(1 - st_random_unit(random));
        value_ns += level_ns;
        if (i >= 1000) /* by then it has forgotten how it began */
            assert_int_equal(st_series_add(ret, i, (int64_t)value_ns), 0);
    }
}

static bool compare(const struct story *a, const struct story *b, uint64_t seed,
                    struct st_figure *ret, size_t *ret_tests_n)
{
    struct st_random random = {.state = seed};
    struct st_series first = {0}, second = {0};
    struct st_figure *figures[ST_FIGURES];
    bool shown = false;
    tell(a, &random, &first);
    tell(b, &random, &second);
    assert_int_equal(st_pairs_compare(&first, &second, &random, ret), 0);
    for (size_t i = 0; i < ST_FIGURES; i++)
        figures[i] = &ret[i];
    *ret_tests_n = st_verdict_judge(figures, ST_FIGURES);
    for (size_t i = 0; i < ST_FIGURES; i++)
        shown |= st_verdict_shows(&ret[i]);
    st_series_finish(&first);
    st_series_finish(&second);
    return shown;
}

/* Where nothing differs, a difference is shown in 5 % of all cases at most (of 80, with 4 or fewer
 * expected), and each interval alone leaves 0 out in about 5 %. */
static void test_equal_runs(void **state)
{
    enum { PAIRS = 20 };
    int shown_n = 0;
    for (int memory = 0; memory < MEMORY_COMMON; memory++) {
        const struct story story = {.memory = (enum memory)memory, .n = 12000};
        int outside_n = 0;
        for (uint64_t seed = 0; seed < PAIRS; seed++) {
            struct st_figure c[ST_FIGURES];
            size_t tests_n;
            shown_n += compare(&story, &story, 1000 * (uint64_t)memory + seed, c, &tests_n);
            assert_int_equal(tests_n, ST_FIGURES);
            for (size_t i = 0; i < ST_FIGURES; i++)
                outside_n += estimate_shows(&c[i].difference);
        }
        assert_true(outside_n <= PAIRS * ST_FIGURES * 10 / 100);
    }
    assert_true(shown_n <= MEMORY_COMMON * PAIRS * 5 / 100);
}

/* What differs is shown, is inside the interval, and the figures that are the same are not
 * shown. */
static void test_different_runs(void **state)
{
    static const struct {
        struct story b;
        enum st_figure_id shown;
        double low_ns, high_ns;
    } rows[] = {
        {{MEMORY_NONE, .shift_ns = 200, .n = 12000}, ST_FIGURE_MEDIAN, 100, 300},
        {{MEMORY_NONE, .shift_ns = -200, .n = 12000}, ST_FIGURE_MEDIAN, -300, -100},
        {{MEMORY_WANDERS, .shift_ns = 3000, .n = 12000}, ST_FIGURE_MEDIAN, 2000, 4000},
        {{MEMORY_NONE, .stall_more = 9, .n = 30000}, ST_FIGURE_P99, 10000, 400000},
    };
    for (size_t row = 0; row < ST_ARRAY_LEN(rows); row++) {
        const struct story a = {.memory = rows[row].b.memory, .n = rows[row].b.n};
        struct st_figure c[ST_FIGURES];
        size_t tests_n;
        assert_true(compare(&a, &rows[row].b, row, c, &tests_n));
        const struct st_figure *f = &c[rows[row].shown];
        assert_true(st_verdict_shows(f) && f->p_corrected >= f->p_value);
        assert_true(f->difference.value > rows[row].low_ns &&
                    f->difference.value < rows[row].high_ns);
        assert_true(f->difference.low < f->difference.value &&
                    f->difference.high > f->difference.value);
        if (rows[row].b.shift_ns != 0) {
            /* what is detectable shrinks with the root of n */
            const double detectable = st_verdict_detectable(f, tests_n);
            assert_true(detectable < fabs(rows[row].b.shift_ns) * 1.3);
        }
    }
}

/* Independent values are taken for that, in 99 of 100 pairs. */
static void test_independent_runs(void **state)
{
    enum { PAIRS = 60 };
    int narrow_n = 0;
    for (uint64_t seed = 0; seed < PAIRS; seed++) {
        struct st_figure c[ST_FIGURES];
        size_t tests_n;
        const struct story story = {.memory = seed % 2 == 0 ? MEMORY_NONE : MEMORY_SKEW,
                                    .n = 12000};
        (void)compare(&story, &story, 100 + seed, c, &tests_n);
        for (size_t i = 0; i < ST_FIGURES; i++)
            narrow_n += c[i].narrow;
    }
    assert_true(narrow_n <= 2); /* 0.6 expected at most */
}

/* Runs of which each has some 15 levels: it shows, intervals of the median allow for it, and those
 * of the tail, which the highest two levels decide, are said to be narrow. */
static void test_slow_levels(void **state)
{
    enum { PAIRS = 40 };
    const struct story story = {.memory = MEMORY_LEVELS, .n = 30000};
    int outside_n = 0, shown_n = 0;
    for (uint64_t seed = 0; seed < PAIRS; seed++) {
        struct st_figure c[ST_FIGURES];
        size_t tests_n;
        shown_n += compare(&story, &story, 500 + seed, c, &tests_n);
        assert_true(c[ST_FIGURE_P99].narrow && c[ST_FIGURE_P999].narrow);
        outside_n += estimate_shows(&c[ST_FIGURE_MEDIAN].difference);
    }
    assert_true(shown_n <= PAIRS * 10 / 100);
    assert_true(outside_n <= PAIRS * 10 / 100);
}

/* A run that climbs within itself says by how much; one that does not, says next to nothing. */
static void test_drift(void **state)
{
    struct st_random random = {.state = 9};
    struct st_figure c[ST_FIGURES];
    struct st_series runs[2] = {0};
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < 20000; i++) {
            const double climbs = side == 1 ? 10000.0 * (double)i / 20000 : 0;
            assert_int_equal(st_series_add(&runs[side], i,
                                           (int64_t)(20000 + climbs + 500 * noise_normal(&random))),
                             0);
        }
    }
    assert_int_equal(st_pairs_compare(&runs[0], &runs[1], &random, c), 0);
    const struct st_figure *median = &c[ST_FIGURE_MEDIAN];
    assert_true(median->drift[0] >= 0 && median->drift[0] < 100);
    assert_near(median->drift[1], 8000,
                200); /* from the middle of the first section to that of the last one */
    assert_near(median->drifts, median->drift[1], 0);
    st_series_finish(&runs[0]);
    st_series_finish(&runs[1]);
}

/* Too few values: nothing is claimed. */
static void test_few(void **state)
{
    static const size_t ns[] = {0, 1, 7, 19, 20, 999, 1000, 9999, 10000};
    ST_EACH (n, ns) {
        struct st_figure c[ST_FIGURES];
        struct st_series runs[2] = {0};
        struct st_random random = {.state = 1};
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < *n; i++)
                assert_int_equal(st_series_add(&runs[side], i, 1000 * (side + 1)), 0);
        }
        assert_int_equal(st_pairs_compare(&runs[0], &runs[1], &random, c), 0);
        assert_int_equal(c[ST_FIGURE_MEDIAN].difference.known, *n >= 20);
        assert_int_equal(c[ST_FIGURE_P99].difference.known, *n >= 1000);
        assert_int_equal(c[ST_FIGURE_P999].difference.known, *n >= 10000);
        if (*n >= 20) { /* constants that differ: no doubt at all */
            assert_near(c[ST_FIGURE_MEDIAN].difference.value, 1000, 0);
            assert_near(c[ST_FIGURE_MEDIAN].p_value, 0, 0);
        }
        assert_int_equal(st_pairs_compare(&runs[0], &runs[0], &random, c), 0);
        assert_near(c[ST_FIGURE_MEDIAN].difference.value, 0, 0);
        st_series_finish(&runs[0]);
        st_series_finish(&runs[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_runs),
        cmocka_unit_test(test_different_runs),
        cmocka_unit_test(test_independent_runs),
        cmocka_unit_test(test_slow_levels),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
