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

/* Of the figure that Holm corrects the most. */
static double level_of(size_t tests_n)
{
    return ST_COMPARE_LEVEL / (double)(tests_n > 0 ? tests_n : 1);
}

/* The error is itself measured, and a difference is shown by Student's distribution: what is wanted is the t
 * of which (difference / measured error) is more with a probability of 80 %, a quantile of the noncentral t
 * distribution. Source: Browne, "On the use of a pilot sample for sample size determination", 1995; Jennett &
 * Welch, "The control of proportion defective as judged by a single quality characteristic", 1939. */
double st_compare_detectable(const struct st_compare_figure *figure, size_t tests_n)
{
    const double level = level_of(tests_n), z = st_normal_z(level / 2);
    if (figure->counts.trials[0] > 0 && figure->counts.trials[1] > 0)
        return st_compare_counts_detectable(&figure->counts, level);
    const double beyond = figure->by_groups ? st_student_t(z, GROUPS_DF) : z;
    double t = beyond;
    for (int i = 0; i < 50; i++)
        t = (beyond + Z_80 * sqrt(1 + t * t / (2 * ERROR_DF))) / (1 - 1 / (4 * ERROR_DF));
    return figure->error * t;
}

double st_compare_more_data(const struct st_compare_figure *figure, size_t tests_n, double difference)
{
    if (figure->counts.trials[0] > 0 && figure->counts.trials[1] > 0)
        return st_compare_counts_more_data(&figure->counts, level_of(tests_n), difference);
    const double ratio = st_compare_detectable(figure, tests_n) / fabs(difference);
    return ratio * ratio;
}
