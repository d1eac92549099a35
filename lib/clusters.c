#include "lib/clusters.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/sample.h"

#define ALPHA 1e-4
#define WIDTH 0.06 /* of a cluster, logarithm */
#define FLANK 0.5  /* below it, what it is compared with */

/* P(X >= k) of a binomial (n, p), in logarithms from the top. */
static double binomial_above(uint64_t n, double p, uint64_t k)
{
    double sum = 0;
    for (uint64_t i = k; i <= n; i++) {
        const double x = (double)i, all = (double)n;
        const double term =
            exp(lgamma(all + 1) - lgamma(x + 1) - lgamma(all - x + 1) + x * log(p) + (all - x) * log1p(-p));
        sum += term;
        if (x > all * p && term < 1e-12 * sum)
            break;
    }
    return fmin(sum, 1);
}

/* The surest cluster among sizes[0 .. n) that are not taken. */
static bool find_one(const double *sizes, const bool *taken, size_t n, double above, struct st_cluster *ret,
                     size_t *ret_first)
{
    struct st_cluster best = {.p_value = ALPHA};
    bool found = false;
    for (size_t i = 0, flank = 0, end = 0; i < n; i++) {
        const double low = sizes[i], high = low * exp(WIDTH), flank_low = fmax(low * exp(-FLANK), above);
        while (sizes[flank] < flank_low)
            flank++;
        while (end < n && sizes[end] <= high)
            end++;
        /* the window begins at a member: that one is given */
        const uint64_t members = end - i, below = i - flank;
        if (taken[i] || taken[end - 1] || low - flank_low < high - low || members < 4)
            continue;
        const double share = (high - low) / (high - flank_low);
        if ((double)(members - 1) <= share * (double)(members - 1 + below))
            continue;
        const double p = binomial_above(members - 1 + below, share, members - 1) * (double)n;
        if (p < best.p_value) {
            best = (struct st_cluster){.low_ns = low, .high_ns = sizes[end - 1], .n = members, .p_value = p};
            *ret_first = i;
            found = true;
        }
    }
    *ret = best;
    return found;
}

int st_clusters_find(const struct st_series *series, struct st_clusters *ret)
{
    struct st_series_bulk bulk;
    const int r = st_series_bulk(series, &bulk);
    if (r != 0)
        return r;
    struct st_clusters clusters = {.above_ns = bulk.clip_high_ns};
    for (size_t i = 0; i < series->n; i++)
        clusters.outliers_n += series->lateness_ns[i] > bulk.clip_high_ns;
    const size_t n = (size_t)clusters.outliers_n;
    if (n == 0) {
        *ret = clusters;
        return 0;
    }
    double *sizes = calloc(n, sizeof(*sizes));
    int64_t *sorted = calloc(n, sizeof(*sorted));
    bool *taken = calloc(n, sizeof(*taken));
    if (sizes == NULL || sorted == NULL || taken == NULL) {
        free(sizes);
        free(sorted);
        free(taken);
        return -ENOMEM;
    }
    for (size_t i = 0, at = 0; i < series->n; i++) {
        if (series->lateness_ns[i] > bulk.clip_high_ns)
            sorted[at++] = series->lateness_ns[i];
    }
    (void)st_sample_of(sorted, n); /* sorts */
    for (size_t i = 0; i < n; i++)
        sizes[i] = (double)sorted[i] - (double)bulk.median_ns;
    const double above = (double)bulk.clip_high_ns - (double)bulk.median_ns;
    size_t first;
    while (clusters.n < ST_CLUSTERS_MAX &&
           find_one(sizes, taken, n, above, &clusters.cluster[clusters.n], &first)) {
        struct st_cluster *cluster = &clusters.cluster[clusters.n++];
        for (size_t i = first; i < first + cluster->n; i++) {
            taken[i] = true;
            cluster->center_ns += sizes[i] / (double)cluster->n;
        }
    }
    free(sizes);
    free(sorted);
    free(taken);
    *ret = clusters;
    return 0;
}
