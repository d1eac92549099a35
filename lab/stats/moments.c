#include "lab/stats/moments.h"

#define LANES 4 /* sums side by side: one addition need not wait for the one before */

void st_moments_add(struct st_moments *moments, const int64_t *values, size_t n)
{
    double sum[LANES] = {0}, square[LANES] = {0};
    if (n == 0)
        return;
    const double first = (double)values[0]; /* near the mean: what is summed is small */
    const size_t whole_n = n - n % LANES;
    for (size_t i = 0; i < whole_n; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const double off = (double)values[i + lane] - first;
            sum[lane] += off;
        }
    }
    for (size_t i = whole_n; i < n; i++)
        sum[0] += (double)values[i] - first;
    const double mean = first + (sum[0] + sum[1] + sum[2] + sum[3]) / (double)n;
    for (size_t i = 0; i < whole_n; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const double off = (double)values[i + lane] - mean;
            square[lane] += off * off;
        }
    }
    for (size_t i = whole_n; i < n; i++)
        square[0] += ((double)values[i] - mean) * ((double)values[i] - mean);
    const double before = (double)moments->n, more = (double)n, all = before + more;
    const double apart = mean - moments->mean;
    moments->square += square[0] + square[1] + square[2] + square[3] + apart * apart * (before * more / all);
    moments->mean += apart * (more / all);
    moments->n += n;
}

double st_moments_sd(const struct st_moments *moments)
{
    return moments->n < 2 ? 0 : sqrt(moments->square / (double)(moments->n - 1));
}
