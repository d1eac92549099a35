/* Events of missed periods, and whether their bound holds as often as it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "core/stats/stats.h"
#include "evidence/miss_events.h"

#define RUNS      4000
#define SECONDS   600.0
#define PERIOD_NS INT64_C(2666667)

static void misses_less_than_100_ms_apart_are_one(void **state)
{
    struct st_miss_events events = {0};
    st_miss_events_add(&events, -5, -5);
    st_miss_events_add(&events, 99999994, 99999994); /* 99,999,999 ns later */
    assert_int_equal(events.n, 1);
    st_miss_events_add(&events, 199999994, 900000000); /* 100 ms later; a long one */
    assert_int_equal(events.n, 2);
    st_miss_events_add(&events, 999999999, 999999999);
    assert_int_equal(events.n, 2);
    st_miss_events_add(&events, INT64_MAX, INT64_MAX);
    assert_int_equal(events.n, 3);
}

static void the_text_has_the_events_their_size_and_the_constant(void **state)
{
    assert_string_equal(
        st_miss_events_text(5, 12, 20),
        " in 5 events of 2.4 periods (95 % confidence: at most 1900 events per hour; missed "
        "periods less than 100 ms "
        "apart are one event)");
    assert_string_equal(
        st_miss_events_text(0, 0, 10),
        " (95 % confidence: at most 1080 events per hour; missed periods less than 100 ms "
        "apart are one event)");
    assert_true(isinf(st_miss_events_per_hour_max95(0, 0)));
}

/* --- coverage --- */

struct law {
    const char *name;
    double bursts;   /* expected in a run */
    double size;     /* mean number of misses in a burst */
    double length_s; /* a burst's misses are spread over up to this time; 0: one behind the other */
    bool geometric;  /* else all bursts have the same size */
};

static const struct law laws[] = {
    {"single, 1", 1, 1, 0, false},
    {"single, 5", 5, 1, 0, false},
    {"single, 50", 50, 1, 0, false},
    {"pairs, 5", 5, 2, 0, false},
    {"geometric 2, 5", 5, 2, 0, true},
    {"geometric 4, 5", 5, 4, 0, true},
    {"geometric 4, 20", 20, 4, 0, true},
    {"geometric 4, 400", 400, 4, 0, true},
    {"20 within 1 s, 3", 3, 20, 1, false},
    {"20 within 1 s, 20", 20, 20, 1, false},
    {"100 within 1 s, 200", 200, 100, 1, false},
};

static double exponential(struct st_random *random)
{
    return -log(1 - st_random_unit(random));
}

/* Bursts at Poisson times. @return events; misses in *ret_misses. */
static uint64_t simulate(const struct law *law, struct st_random *random, uint64_t *ret_misses)
{
    struct st_miss_events events = {0};
    int64_t last_ns = INT64_MIN;
    *ret_misses = 0;
    for (double at_s = 0; (at_s += exponential(random) * SECONDS / law->bursts) < SECONDS;) {
        uint64_t size = (uint64_t)law->size;
        if (law->geometric)
            size = 1 + (uint64_t)floor(log(1 - st_random_unit(random)) / log1p(-1 / law->size));
        const double step_s = law->length_s > 0
                                  ? law->length_s * st_random_unit(random) / (double)size
                                  : PERIOD_NS / 1e9;
        for (uint64_t i = 0; i < size; i++) {
            const int64_t due_ns =
                (int64_t)((at_s + (double)i * step_s) * 1e9) / PERIOD_NS * PERIOD_NS;
            if (due_ns <= last_ns) /* a period is missed once */
                continue;
            last_ns = due_ns;
            st_miss_events_add(&events, due_ns, due_ns);
            ++*ret_misses;
        }
    }
    return events.n;
}

static void the_bound_of_events_covers_and_that_of_periods_does_not(void **state)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(laws); i++) {
        struct st_random random = {.state = 2026 + i};
        static uint64_t events[RUNS], misses[RUNS];
        double true_events = 0, true_misses = 0;
        for (int run = 0; run < 2 * RUNS; run++) { /* the truth: a long run of its own */
            uint64_t missed;
            true_events += (double)simulate(&laws[i], &random, &missed) / (2 * RUNS);
            true_misses += (double)missed / (2 * RUNS);
        }
        int covered = 0, covered_misses = 0;
        for (int run = 0; run < RUNS; run++) {
            events[run] = simulate(&laws[i], &random, &misses[run]);
            covered +=
                st_miss_events_per_hour_max95(events[run], SECONDS) >= true_events * 3600 / SECONDS;
            covered_misses += st_stats_rate_max95(misses[run]) >= true_misses;
        }
        print_message("# %-20s events %.2f %%, periods as if independent %.2f %%\n", laws[i].name,
                      100.0 * covered / RUNS, 100.0 * covered_misses / RUNS);
        assert_true(covered >= RUNS * 94 / 100);
        if (laws[i].size >= 4)
            assert_true(covered_misses < RUNS * 90 / 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misses_less_than_100_ms_apart_are_one),
        cmocka_unit_test(the_text_has_the_events_their_size_and_the_constant),
        cmocka_unit_test(the_bound_of_events_covers_and_that_of_periods_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
