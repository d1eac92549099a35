#include "evidence/sequential.h"

#define MOST      3   /* fold */
#define MOST_PART 0.5 /* of the growth is enough for it: the blocks are few, and may have been unlucky */

static const double bets[ST_SEQUENTIAL_BETS] = {0.1, 0.25, 0.5, 0.75, 0.9};

void st_sequential_init(struct st_sequential *s)
{
    s->pairs_n = 0;
    ST_EACH_OF (product, s->product, ST_SEQUENTIAL_SIDES) {
        for (size_t i = 0; i < ST_SEQUENTIAL_BETS; i++)
            (*product)[i] = 1;
    }
}

static double share(double a, double b)
{
    return (a - b) / fmax(1, a + b);
}

double st_sequential_add(struct st_sequential *s, uint64_t a_n, uint64_t b_n)
{
    const double d = share((double)a_n, (double)b_n);
    for (size_t i = 0; i < ST_SEQUENTIAL_BETS; i++) {
        s->product[ST_SEQUENTIAL_FEWER][i] *= 1 + bets[i] * d;
        s->product[ST_SEQUENTIAL_MORE][i] *= 1 - bets[i] * d;
    }
    s->pairs_n++;
    return d;
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

/* The logarithm of what a bet becomes, on average, if each of b events stays with the probability `rare`. */
static double growth_of(double bet, double a, double b, double rare)
{
    const double none = pow(1 - rare, b), some = b * rare / fmax(1 - none, rare);
    return none * log1p(bet * share(a, 0)) + (1 - none) * log1p(bet * share(a, some));
}

double st_sequential_detectable(const uint64_t *late_n, size_t n, uint32_t pairs_n, double needed)
{
    static const double folds[] = {1.25, 1.5, 2, 2.5, MOST};
    ST_EACH (fold, folds) {
        ST_EACH (bet, bets) {
            double growth = 0;
            for (size_t i = 0; i < n * n; i++)
                growth += growth_of(*bet, (double)late_n[i / n], (double)late_n[i % n], 1 / *fold);
            if (pairs_n * growth / (double)(n * n) >= log(needed) * (*fold < MOST ? 1 : MOST_PART))
                return *fold;
        }
    }
    return (double)INFINITY;
}
