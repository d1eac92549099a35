#include "lab/stats/estimate.h"

#include "core/stats/distribution.h"
#include "core/stats/stats.h"

int st_estimate_of_pairs(const double *a, const double *b, size_t pairs_n, struct st_estimate *ret)
{
    uint64_t low, high;
    *ret = (struct st_estimate){0};
    if (st_stats_quantile_ranks(pairs_n, 0.5, 0.99, &low, &high) != 0)
        return 0;
    double *differences = calloc(pairs_n, sizeof(*differences));
    if (differences == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < pairs_n; i++)
        differences[i] = b[i] - a[i];
    st_stats_sort_double(differences, pairs_n);
    *ret =
        (struct st_estimate){true, (differences[(pairs_n - 1) / 2] + differences[pairs_n / 2]) / 2,
                             differences[low - 1], differences[high - 1]};
    free(differences);
    return 0;
}

void st_estimate_share(double events, double n, double *ret_low, double *ret_high)
{
    const double z2 = ST_DISTRIBUTION_NORMAL_975 * ST_DISTRIBUTION_NORMAL_975, share = events / n;
    const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
    const double half = ST_DISTRIBUTION_NORMAL_975 *
                        sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    *ret_low = events > 0 ? middle - half : 0;
    *ret_high = events < n ? middle + half : 1;
}
