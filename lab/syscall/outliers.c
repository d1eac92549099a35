#include "lab/syscall/outliers.h"

#include "core/ns.h"
#include "lab/stats/sample.h"

size_t st_outliers_warm_up_n(const int64_t *values_ns, size_t n, int64_t *scratch)
{
    if (n < ST_WARM_UP_MIN_N)
        return 0;
    const size_t half_n = n / 2;
    memcpy(scratch, values_ns + half_n, (n - half_n) * sizeof(*scratch));
    const struct st_sample steady = st_sample_of(scratch, n - half_n);
    const int64_t q3_ns = st_sample_quantile(&steady, 0.75),
                  iqr_ns = st_ns_sub(q3_ns, st_sample_quantile(&steady, 0.25));
    const int64_t fence_ns = st_ns_add(q3_ns, st_ns_add(iqr_ns, iqr_ns / 2));
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
