#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/stats/random.h"
#include "lab/wake/humps.h"

#define N_MAX 10000

static int64_t values[N_MAX];

static double normal(struct st_random *random)
{
    const double u = st_random_unit(random), v = st_random_unit(random);
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

static struct st_humps modes_of(size_t n)
{
    const struct st_sample sample = st_sample_of(values, n);
    struct st_humps modes;
    assert_int_equal(st_humps_of(&sample, &modes), 0);
    return modes;
}

static double one_hump(int kind, struct st_random *random)
{
    switch (kind) {
    case 0:
        return 20000 * st_random_unit(random);
    case 1:
        return 10000 + 800 * normal(random);
    case 2:
        return -3000 * log(1 - st_random_unit(random));
    case 3:
        return 8000 * exp(0.8 * normal(random));
    case 4: /* a clock of 1 us */
        return 1000 * floor(100 * st_random_unit(random));
    default: /* stalls */
        return st_random_unit(random) < 0.95 ? 10000 + 500 * normal(random)
                                             : 10000 + fabs(300000 * normal(random));
    }
}

/* The seed is fixed: this fails or passes always, and a threshold that is too low fails. */
static void one_hump_has_a_second_mode_in_less_than_1_of_100(void **state)
{
    (void)state;
    static const size_t sizes[] = {50, 200, 1000};
    struct st_random random = {.state = 2};
    for (int kind = 0; kind < 6; kind++) {
        for (size_t k = 0; k < ST_ARRAY_LEN(sizes); k++) {
            int false_n = 0;
            const int trials = 1000;
            for (int t = 0; t < trials; t++) {
                for (size_t i = 0; i < sizes[k]; i++)
                    values[i] = (int64_t)one_hump(kind, &random);
                false_n += modes_of(sizes[k]).n != 1;
            }
            if (false_n * 100 >= trials)
                fail_msg("kind %d, n %zu: %d of %d", kind, sizes[k], false_n, trials);
        }
    }
}

/* Humps as wake-ups have them: a sleeper in a polling idle state, and one that needs an interrupt. */
struct mixture {
    size_t n;
    double low_ns, low_sd_ns, high_ns, high_sd_ns, high_share;
};

static void mixtures_are_told_apart(void **state)
{
    (void)state;
    static const struct mixture mixtures[] = {
        {200, 2500, 200, 12000, 800, 0.5},   {200, 2500, 200, 12000, 800, 0.15},
        {200, 2500, 200, 12000, 800, 0.85},  {1000, 2500, 300, 12000, 1500, 0.05},
        {1000, 6000, 500, 9000, 500, 0.5},   {1000, 50000, 900, 60000, 900, 0.3},
        {10000, 9000, 300, 11000, 300, 0.1},
    };
    struct st_random random = {.state = 3};
    for (size_t m = 0; m < ST_ARRAY_LEN(mixtures); m++) {
        const struct mixture *x = &mixtures[m];
        int found_n = 0;
        const int trials = 100;
        for (int t = 0; t < trials; t++) {
            size_t high_n = 0;
            for (size_t i = 0; i < x->n; i++) {
                const bool high = st_random_unit(&random) < x->high_share;
                high_n += high;
                values[i] = (int64_t)(high ? x->high_ns + x->high_sd_ns * normal(&random)
                                           : x->low_ns + x->low_sd_ns * normal(&random));
            }
            const struct st_humps modes = modes_of(x->n);
            const double share = (double)high_n / (double)x->n;
            found_n += modes.n == 2 && fabs(modes.mode[1].share - share) < 0.02 &&
                       fabs((double)modes.mode[0].center_ns - x->low_ns) < x->low_sd_ns &&
                       fabs((double)modes.mode[1].center_ns - x->high_ns) < x->high_sd_ns;
        }
        if (found_n < 95)
            fail_msg("mixture %zu: %d of %d", m, found_n, trials);
    }
}

static void shares_add_up_and_few_values_are_not_asked(void **state)
{
    (void)state;
    for (size_t i = 0; i < 100; i++)
        values[i] = i < 40 ? 100 + (int64_t)(i % 2) : 9000;
    const struct st_humps modes = modes_of(100);
    assert_int_equal(modes.n, 2);
    assert_int_equal(modes.mode[0].center_ns, 100);
    assert_int_equal(modes.mode[0].n, 40);
    assert_int_equal(modes.mode[1].n, 60);
    assert_true(fabs(modes.mode[1].share - 0.6) < 1e-12);
    for (size_t i = 0; i < 100; i++) /* two neighbouring ticks of a coarse clock: nothing lies between them */
        values[i] = i % 2 == 0 ? 5000 : 6000;
    assert_int_equal(modes_of(100).n, 1);
    for (size_t i = 0; i < 100; i++)
        values[i] = 7;
    assert_int_equal(modes_of(100).n, 1);
    assert_int_equal(modes_of(100).mode[0].center_ns, 7);
    assert_int_equal(modes_of(ST_HUMPS_MIN_N - 1).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_hump_has_a_second_mode_in_less_than_1_of_100),
        cmocka_unit_test(mixtures_are_told_apart),
        cmocka_unit_test(shares_add_up_and_few_values_are_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
