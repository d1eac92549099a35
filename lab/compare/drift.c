#include "lab/compare/drift.h"

size_t st_drift_section(size_t k, size_t n)
{
    return k * ST_DRIFT_SECTIONS / n;
}

/* Probability that an F value with 4 and df degrees of freedom exceeds f. Source: Abramowitz &
 * Stegun 26.6.4. */
static double f4_p(double f, double df)
{
    const double x = df / (df + 4 * f);
    return pow(x, df / 2) * (1 + df / 2 * (1 - x));
}

double st_drift_p(const double *figures, size_t n)
{
    double sum[ST_DRIFT_SECTIONS] = {0}, blocks_n[ST_DRIFT_SECTIONS] = {0}, all = 0, between = 0,
           within = 0;
    if (n < 2 * (size_t)ST_DRIFT_SECTIONS)
        return 1;
    const double zero = figures[0]; /* subtracted, so that equal blocks give exactly 0 */
    for (size_t k = 0; k < n; k++) {
        sum[st_drift_section(k, n)] += figures[k] - zero;
        blocks_n[st_drift_section(k, n)]++;
        all += (figures[k] - zero) / (double)n;
    }
    for (size_t k = 0; k < n; k++) {
        const size_t section = st_drift_section(k, n);
        const double off = figures[k] - zero - sum[section] / blocks_n[section];
        within += off * off;
    }
    for (size_t section = 0; section < ST_DRIFT_SECTIONS; section++) {
        const double off = sum[section] / blocks_n[section] - all;
        between += blocks_n[section] * off * off;
    }
    const double df = (double)n - ST_DRIFT_SECTIONS;
    if (!(between > 0))
        return 1;
    return within > 0 ? f4_p(between / (ST_DRIFT_SECTIONS - 1) / (within / df), df) : 0;
}
