#include "evidence/sequential.h"

#define NULL_LOW    0.8
#define NULL_HIGH   1.25
#define RESAMPLES   100
#define POWER       0.5
#define POWER_LEAST 0.25
#define THIN_MAX    100 /* more events than this are thinned by the normal distribution */

static const double bets[ST_SEQUENTIAL_BETS] = {0.1, 0.25, 0.5, 0.75, 0.9};

void st_sequential_init(struct st_sequential *s)
{
    s->pairs_n = 0;
    ST_EACH_OF (product, s->product, ST_SEQUENTIAL_SIDES) {
        for (size_t i = 0; i < ST_SEQUENTIAL_BETS; i++)
            (*product)[i] = 1;
    }
}

static double difference(double a, double b)
{
    return a + b > 0 ? (a - b) / (a + b) : 0;
}

void st_sequential_add(struct st_sequential *s, uint64_t a_n, uint64_t b_n)
{
    const double a = (double)a_n, b = (double)b_n;
    const double d[ST_SEQUENTIAL_SIDES] = {
        [ST_SEQUENTIAL_FEWER] = difference(a, b),
        [ST_SEQUENTIAL_MORE] = difference(b, a),
        [ST_SEQUENTIAL_ABOVE_LOW] = difference(b, NULL_LOW * a),
        [ST_SEQUENTIAL_BELOW_HIGH] = difference(NULL_HIGH * a, b),
    };
    for (size_t side = 0; side < ST_SEQUENTIAL_SIDES; side++) {
        for (size_t i = 0; i < ST_SEQUENTIAL_BETS; i++)
            s->product[side][i] *= 1 + bets[i] * d[side];
    }
    s->pairs_n++;
}

double st_sequential_e(const struct st_sequential *s, enum st_sequential_side side)
{
    double sum = 0;
    for (size_t i = 0; i < ST_SEQUENTIAL_BETS; i++)
        sum += s->product[side][i];
    return sum / ST_SEQUENTIAL_BETS;
}

double st_sequential_needed(size_t tests_n, size_t kept_n)
{
    return (double)tests_n / (ST_SEQUENTIAL_LEVEL * (double)(kept_n + 1));
}

/* Each of n events stays with this probability. */
static uint64_t thin(uint64_t n, double share, struct st_random *random)
{
    uint64_t left_n = 0;
    if (n > THIN_MAX) {
        const double u = 1 - st_random_unit(random), v = st_random_unit(random);
        const double normal = sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
        const double value = (double)n * share + normal * sqrt((double)n * share * (1 - share));
        return value > 0 ? (uint64_t)(value + 0.5) : 0;
    }
    for (uint64_t i = 0; i < n; i++)
        left_n += st_random_unit(random) < share;
    return left_n;
}

/* How often a session of pairs_n pairs shows an effect of this size. */
static double power(const uint64_t *late_n, size_t n, uint32_t pairs_n, double needed, double fold,
                    struct st_random *random)
{
    size_t shown_n = 0;
    for (size_t k = 0; k < RESAMPLES; k++) {
        struct st_sequential s;
        bool shown = false;
        st_sequential_init(&s);
        for (uint32_t i = 0; i < pairs_n && !shown; i++) {
            const uint64_t a_n = late_n[st_random_below(random, n)], b_n = late_n[st_random_below(random, n)];
            st_sequential_add(&s, a_n, thin(b_n, 1 / fold, random));
            shown = st_sequential_e(&s, ST_SEQUENTIAL_FEWER) >= needed;
        }
        shown_n += shown;
    }
    return (double)shown_n / RESAMPLES;
}

double st_sequential_detectable(const uint64_t *late_n, size_t n, uint32_t pairs_n, double needed,
                                struct st_random *random)
{
    static const double folds[] = {1.25, 1.5, 2, 2.5, 3};
    double shown = 0;
    if (n == 0)
        return (double)INFINITY;
    ST_EACH (fold, folds) {
        shown = power(late_n, n, pairs_n, needed, *fold, random);
        if (shown >= POWER)
            return *fold;
    }
    return shown >= POWER_LEAST ? folds[ST_ARRAY_LEN(folds) - 1] : (double)INFINITY;
}
