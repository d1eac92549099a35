#include "lab/compare/verdict.h"

#include "core/stats/distribution.h"
#include "lab/compare/pairs.h"
#include "lab/stats/tails.h"

/* Degrees of freedom of the difference of two runs with the fewest blocks that an interval
 * needs. */
#define BLOCKS_DF (2.0 * (ST_PAIRS_BLOCKS_MIN - 1))
/* Degrees of freedom with which one run estimates its own error, for example that of a percentile
 * from few values. Found by simulation: docs/results.md. */
#define ERROR_DF 8.0
/* 85 % quantile of the normal distribution. It is used although only 80 % are promised, because 1
 * in 20 pairs of runs seems to drift by chance, which may hide a difference. */
#define Z_85 1.0364333894937896

static enum st_verdict verdict_of(const struct st_figure *figure)
{
    const double value = figure->difference.value;
    if (!figure->difference.known)
        return ST_VERDICT_TOO_SHORT;
    if (figure->p_corrected > ST_VERDICT_LEVEL)
        return ST_VERDICT_NONE;
    if (fabs(value) <= figure->drifts)
        return ST_VERDICT_DRIFTING;
    return value < 0 ? ST_VERDICT_BETTER : ST_VERDICT_WORSE;
}

size_t st_verdict_judge(struct st_figure *const *figures, size_t n)
{
    size_t tests_n = 0;
    ST_EACH_OF (figure, figures, n) {
        tests_n += (*figure)->difference.known;
        (*figure)->p_corrected = 0;
    }
    ST_EACH_OF (figure, figures, n) {
        const double p_value = (*figure)->p_value;
        if (!(*figure)->difference.known)
            continue;
        size_t smaller_n = 0;
        ST_EACH_OF (other, figures, n)
            smaller_n += (*other)->difference.known && (*other)->p_value < p_value;
        const double p = fmin(1, p_value * (double)(tests_n - smaller_n));
        ST_EACH_OF (other, figures, n) { /* p_corrected never falls as p_value grows */
            if ((*other)->difference.known && (*other)->p_value >= p_value)
                (*other)->p_corrected = fmax((*other)->p_corrected, p);
        }
    }
    ST_EACH_OF (figure, figures, n)
        (*figure)->verdict = verdict_of(*figure);
    return tests_n;
}

bool st_verdict_shows(const struct st_figure *figure)
{
    return figure->verdict == ST_VERDICT_BETTER || figure->verdict == ST_VERDICT_WORSE;
}

/* Computes the limit for the smallest of tests_n p-values, up to which its difference is shown:
 * Holm's method divides the level by the number of tests. */
static double level_of(size_t tests_n)
{
    return ST_VERDICT_LEVEL / (double)(tests_n > 0 ? tests_n : 1);
}

/* The size of a difference, in ns, that is shown with a probability of 85 %, without drift. The
 * standard error is an estimate, too, so Student's distribution decides whether a difference is
 * shown. Therefore t is chosen such that (difference / measured error) exceeds the limit with a
 * probability of 85 %: a quantile of the noncentral t distribution. Source: Browne, "On the use of
 * a pilot sample for sample size determination", 1995; Jennett & Welch, "The control of proportion
 * defective as judged by a single quality characteristic", 1939. */
static double beyond_error(const struct st_figure *figure, size_t tests_n)
{
    const double z = st_distribution_normal_z(level_of(tests_n) / 2);
    const double beyond = st_tails_student_t(z, BLOCKS_DF);
    double t = beyond;
    for (int i = 0; i < 50; i++)
        t = (beyond + Z_85 * sqrt(1 + t * t / (2 * ERROR_DF))) / (1 - 1 / (4 * ERROR_DF));
    return figure->error * t;
}

double st_verdict_detectable(const struct st_figure *figure, size_t tests_n)
{
    const double beyond = beyond_error(figure, tests_n);
    return fmax(beyond, figure->drifts);
}
