#include "evidence/steady.h"

#include "core/stats/distribution.h"

#define SCATTER_P  0.01 /* probability below which the parts differ */
#define SCATTER_N  10   /* events without which chi-squared is no measure */
#define HALF       (ST_STEADY_PARTS / 2)
#define CHANGED_LR 12.1 /* by simulation: 1 % of runs of 3 to 5000 events with one rate have more */

static double scatter_of(const uint64_t n[ST_STEADY_PARTS], double all_n)
{
    const double mean = all_n / ST_STEADY_PARTS, df = ST_STEADY_PARTS - 1;
    double d = 0;
    for (size_t i = 0; i < ST_STEADY_PARTS && all_n >= SCATTER_N; i++)
        d += ((double)n[i] - mean) * ((double)n[i] - mean) / mean;
    return d > 0 && st_distribution_chi_squared_p(d, df) < SCATTER_P ? fmax(1, d / df) : 1;
}

/* Twice the logarithm of how much likelier two rates are than one, if `share` of the time had n of all
 * events. */
static double likelihood_ratio(double n, double all_n, double share)
{
    const double rest = all_n - n;
    if (n <= all_n * share)
        return 0;
    return 2 * (n * log(n / (all_n * share)) + (rest > 0 ? rest * log(rest / (all_n * (1 - share))) : 0));
}

/* Up to half of the parts, in a row, with the largest ratio, or the busiest one. Source: Kulldorff, "A
 * spatial scan statistic", 1997. */
struct st_steady st_steady_of(const uint64_t n[ST_STEADY_PARTS])
{
    struct st_steady steady = {.end = ST_STEADY_PARTS};
    double all_n = 0, most = CHANGED_LR;
    size_t busiest = 0;
    for (size_t i = 0; i < ST_STEADY_PARTS; i++) {
        all_n += (double)n[i];
        busiest = n[i] > n[busiest] ? i : busiest;
    }
    steady.scatter = scatter_of(n, all_n);
    if (steady.scatter > 1)
        steady = (struct st_steady){steady.scatter, true, busiest, busiest + 1};
    for (size_t first = 0; first < ST_STEADY_PARTS; first++) {
        double sum = 0;
        for (size_t end = first + 1; end <= ST_STEADY_PARTS && end - first <= HALF; end++) {
            sum += (double)n[end - 1];
            const double ratio = likelihood_ratio(sum, all_n, (double)(end - first) / ST_STEADY_PARTS);
            if (ratio > most) {
                steady = (struct st_steady){steady.scatter, true, first, end};
                most = ratio;
            }
        }
    }
    return steady;
}
