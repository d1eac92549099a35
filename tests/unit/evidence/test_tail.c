/* Stalls longer than those that were seen: what is modelled, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/stats/random.h"
#include "evidence/tail.h"

#define N       600
#define SECONDS 600.0

static double at_s[2 * N], lateness_ns[2 * N];
static size_t n;
static struct st_random chance;
static struct st_tail tail;

static void begin(uint64_t seed)
{
    n = 0;
    chance = (struct st_random){.state = seed};
}

static double exponential(void)
{
    return -log(1 - st_random_unit(&chance));
}

static void add(double s, double ns)
{
    at_s[n] = s;
    lateness_ns[n++] = ns;
}

/* One a second, generalised Pareto with a scale of 1 ms. */
static void add_stalls(double shape)
{
    for (double s = exponential(); s < SECONDS && n < 2 * N; s += exponential()) {
        const double e = exponential();
        add(s, 1e6 * (fabs(shape) < 1e-9 ? e : expm1(shape * e) / shape));
    }
}

static void fit(void)
{
    assert_int_equal(st_tail_fit(at_s, lateness_ns, n, SECONDS, &tail), 0);
}

static void assert_refused(const char *words)
{
    fit();
    assert_non_null(tail.refused);
    assert_non_null(strstr(tail.refused, words));
}

static void stalls_of_one_law_are_modelled(void **state)
{
    (void)state;
    static const double shapes[] = {-0.2, 0, 0.2};
    for (size_t i = 0; i < 3; i++) {
        size_t modelled = 0, covered = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            double high;
            begin(seed);
            add_stalls(shapes[i]);
            fit();
            if (tail.refused != NULL)
                continue;
            modelled++;
            const double x_ns = 1.1 * tail.largest_ns, y = x_ns / 1e6;
            const double truth = 3600 * (i == 1                ? exp(-y)
                                         : shapes[i] * y <= -1 ? 0
                                                               : pow(1 + shapes[i] * y, -1 / shapes[i]));
            const double estimate = st_tail_per_hour(&tail, x_ns, 1e6, 1, &high);
            assert_true(estimate <= high);
            covered += high >= truth;
            assert_true(st_tail_per_hour(&tail, x_ns, 1e6, 4, &high) <= estimate);
        }
        assert_true(modelled >= 14);
        assert_true(covered >= modelled - 2);
    }
}

static void what_is_no_law_is_refused(void **state)
{
    (void)state;
    begin(1);
    assert_refused("no stall");
    for (int i = 0; i < 25; i++)
        add(20 * i, 1e6 * exponential());
    assert_refused("fewer than 30");

    size_t mixtures = 0, heavy = 0, scattered = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        begin(seed);
        double mode_s = 60 * exponential();
        for (double s = exponential(); s < SECONDS; s += exponential()) {
            add(s, 0.3e6 * exponential());
            if (s > mode_s) {
                add(s + 0.1, 19.5e6 + 0.5e6 * st_random_unit(&chance));
                mode_s += 60 * exponential();
            }
        }
        fit();
        mixtures += tail.refused != NULL;

        begin(seed);
        add_stalls(1);
        fit();
        heavy += tail.refused != NULL;

        begin(seed);
        for (double s = exponential(); s < SECONDS / 4; s += exponential() / 2)
            add(s, 1e6 * exponential());
        fit();
        scattered += tail.refused != NULL;
    }
    assert_true(mixtures == 10);
    assert_true(heavy == 10);
    assert_true(scattered == 10);
}

/* Ten stalls within 50 ms are one burst, and its longest one counts. */
static void bursts_count_once(void **state)
{
    (void)state;
    begin(4);
    for (double s = exponential(); n + 10 <= N; s += 1 + 10 * exponential())
        for (int i = 0; i < 10; i++)
            add(s + 0.005 * i, 1e6 * (1 + exponential()));
    fit();
    assert_null(tail.refused);
    assert_true(tail.per_hour < 2 * 6 * N / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stalls_of_one_law_are_modelled),
        cmocka_unit_test(what_is_no_law_is_refused),
        cmocka_unit_test(bursts_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
