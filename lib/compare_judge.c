/* Differences without the values, what is shown of all that was looked at, and what would be. */
#include <math.h>

#include "lib/compare.h"
#include "lib/normal.h"

/* Two runs of the fewest stretches. */
#define GROUPS_DF (2.0 * (ST_COMPARE_GROUPS_MIN - 1))
/* What one run tells of its error, that of a percentile from few values among others. By simulation:
 * docs/measuring.md. */
#define ERROR_DF 8.0
#define Z_80     0.8416212335729143 /* 80 % of a normal distribution lie below it */

/* Events of B among all of them, if they come one by one: both tails of the binomial distribution. */
static double events_p(uint64_t events_a, uint64_t n_a, uint64_t events_b, uint64_t n_b)
{
    const uint64_t all = events_a + events_b;
    const double p = (double)n_b / ((double)n_a + (double)n_b), n = (double)all;
    double below = 0, above = 0; /* <= and >= what was seen */
    if (all == 0)
        return 1;
    if (all > 1000) {
        const double off = fabs((double)events_b - n * p) - 0.5;
        return off > 0 ? st_normal_p(off / sqrt(n * p * (1 - p))) : 1;
    }
    for (uint64_t i = 0; i <= all; i++) {
        const double k = (double)i;
        const double share =
            exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
        below += i <= events_b ? share : 0;
        above += i >= events_b ? share : 0;
    }
    return fmin(1, 2 * fmin(below, above));
}

int st_compare_rates(uint64_t missed_a, uint64_t periods_a, uint64_t missed_b, uint64_t periods_b,
                     struct st_compare_figure *ret)
{
    struct st_compare_figure figure = {.known = {periods_a > 0, periods_b > 0}};
    const int r =
        st_rate_effect(missed_a, periods_a, missed_b, periods_b, ST_EFFECT_DIFFERENCE, &figure.difference);
    if (r != 0)
        return r;
    figure.value[0] = periods_a > 0 ? (double)missed_a / (double)periods_a : 0;
    figure.value[1] = periods_b > 0 ? (double)missed_b / (double)periods_b : 0;
    figure.error = (figure.difference.high - figure.difference.low) / (2 * ST_NORMAL_975);
    figure.p_value = figure.difference.known ? events_p(missed_a, periods_a, missed_b, periods_b) : 0;
    *ret = figure;
    return 0;
}

struct st_compare_figure st_compare_intervals(const double a[3], const double b[3])
{
    const double value = b[0] - a[0];
    struct st_compare_figure figure = {
        .known = {true, true},
        .value = {a[0], b[0]},
        .difference = {true, value, value - hypot(b[0] - b[1], a[2] - a[0]),
                       value + hypot(b[2] - b[0], a[0] - a[1])},
    };
    figure.error = (figure.difference.high - figure.difference.low) / (2 * ST_NORMAL_975);
    /* the half of the interval that is towards 0 */
    const double towards = value > 0 ? value - figure.difference.low : figure.difference.high - value;
    figure.p_value = value == 0 ? 1 : towards > 0 ? st_normal_p(value / towards * ST_NORMAL_975) : 0;
    return figure;
}

size_t st_compare_correct(struct st_compare_figure *const *figures, size_t n)
{
    size_t tests_n = 0;
    for (size_t i = 0; i < n; i++) {
        tests_n += figures[i]->difference.known;
        figures[i]->p_corrected = 0;
        figures[i]->shown = false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!figures[i]->difference.known)
            continue;
        size_t smaller_n = 0;
        for (size_t k = 0; k < n; k++)
            smaller_n += figures[k]->difference.known && figures[k]->p_value < figures[i]->p_value;
        const double p = fmin(1, figures[i]->p_value * (double)(tests_n - smaller_n));
        for (size_t k = 0; k < n; k++) { /* no smaller one than those before it */
            if (figures[k]->difference.known && figures[k]->p_value >= figures[i]->p_value)
                figures[k]->p_corrected = fmax(figures[k]->p_corrected, p);
        }
    }
    for (size_t i = 0; i < n; i++)
        figures[i]->shown = figures[i]->difference.known && figures[i]->p_corrected <= ST_COMPARE_LEVEL;
    return tests_n;
}

/* The error is itself measured, and a difference is shown by Student's distribution: what is wanted is the t
 * of which (difference / measured error) is more with a probability of 80 %, a quantile of the noncentral t
 * distribution. Source: Browne, "On the use of a pilot sample for sample size determination", 1995; Jennett &
 * Welch, "The control of proportion defective as judged by a single quality characteristic", 1939. */
double st_compare_detectable(const struct st_compare_figure *figure, size_t tests_n)
{
    const double z = st_normal_z(ST_COMPARE_LEVEL / 2 / (double)(tests_n > 0 ? tests_n : 1));
    const double beyond = figure->by_groups ? st_student_t(z, GROUPS_DF) : z;
    double t = beyond;
    for (int i = 0; i < 50; i++)
        t = (beyond + Z_80 * sqrt(1 + t * t / (2 * ERROR_DF))) / (1 - 1 / (4 * ERROR_DF));
    return figure->error * t;
}

double st_compare_more_data(const struct st_compare_figure *figure, size_t tests_n, double difference)
{
    const double ratio = st_compare_detectable(figure, tests_n) / fabs(difference);
    return ratio * ratio;
}
