#include "lab/compare/bursts.h"

#define LEVEL      (0.01 / 2 / ST_BURSTS_GAPS)
#define JOINED_MAX 0.5 /* of independent events; more of them tell nothing of bursts */

void st_bursts_add(struct st_bursts *bursts, uint64_t n, bool event)
{
    const uint64_t apart = bursts->trials_n + 1 - bursts->last_at;
    bursts->trials_n += n;
    if (!event || n == 0)
        return;
    for (size_t i = 0; i < ST_BURSTS_GAPS; i++) {
        const bool joins = bursts->events_n > 0 && apart <= (uint64_t)1 << i;
        const double before = joins ? bursts->gap[i].size : 0;
        bursts->gap[i].size = before + (double)n;
        bursts->gap[i].squares += bursts->gap[i].size * bursts->gap[i].size - before * before;
        bursts->gap[i].joined_n += n - !joins;
    }
    bursts->events_n += n;
    bursts->last_at = bursts->trials_n;
}

/** Probability of k events at least of n, which is more than their mean. */
static double binomial_tail(double k, double n, double p)
{
    double term = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
    double sum = 0;
    for (; k <= n && term > sum * 1e-6; k++) {
        sum += term;
        term *= (n - k) / (k + 1) * p / (1 - p);
    }
    return sum;
}

double st_bursts_scatter(const struct st_bursts *bursts)
{
    const double n = (double)bursts->events_n, trials = (double)bursts->trials_n;
    double most = 1;
    if (bursts->events_n < 2 || bursts->events_n == bursts->trials_n)
        return 1;
    for (size_t i = 0; i < ST_BURSTS_GAPS; i++) {
        const double joins = -expm1((double)((uint64_t)1 << i) * log1p(-n / trials));
        const double joined = (double)bursts->gap[i].joined_n;
        if (joins > JOINED_MAX || joined <= joins * (n - 1) || binomial_tail(joined, n - 1, joins) > LEVEL)
            continue;
        /* bursts are joined by chance, too, to geometric numbers of them */
        const double chance = -expm1((double)((uint64_t)1 << i) * log1p(-(n - joined) / trials));
        most = fmax(most, bursts->gap[i].squares / n * (1 - chance) / (1 + chance));
    }
    return most;
}
