#include "lab/syscall/outliers.h"

#include <string.h>

#include "core/ns.h"

struct st_outlier_limits st_outliers_limits(const struct st_sample *sample)
{
    const int64_t q1_ns = st_sample_quantile(sample, 0.25);
    const int64_t q3_ns = st_sample_quantile(sample, 0.75);
    const int64_t iqr_ns = st_ns_sub(q3_ns, q1_ns);
    const int64_t reach_ns = st_ns_add(iqr_ns, iqr_ns / 2);
    return (struct st_outlier_limits){.low_ns = st_ns_sub(q1_ns, reach_ns),
                                      .high_ns = st_ns_add(q3_ns, reach_ns)};
}

uint64_t st_outliers_n(const struct st_sample *sample)
{
    uint64_t outliers_n = 0;
    if (sample->len == 0)
        return 0;
    const struct st_outlier_limits fences = st_outliers_limits(sample);
    for (size_t i = 0; i < sample->len; i++)
        outliers_n += sample->values_ns[i] < fences.low_ns || sample->values_ns[i] > fences.high_ns;
    return outliers_n;
}

size_t st_outliers_warm_up_n(const int64_t *values_ns, size_t n, int64_t *scratch)
{
    if (n < ST_WARM_UP_MIN_N)
        return 0;
    const size_t half_n = n / 2;
    memcpy(scratch, values_ns + half_n, (n - half_n) * sizeof(*scratch));
    const struct st_sample steady = st_sample_of(scratch, n - half_n);
    const int64_t fence_ns = st_outliers_limits(&steady).high_ns;
    size_t best = 0;
    int64_t sum = 0, most = 0;
    for (size_t i = 0; i < half_n; i++) {
        sum += values_ns[i] > fence_ns ? 1 : -1;
        if (sum > most) {
            most = sum;
            best = i + 1;
        }
    }
    return best;
}
