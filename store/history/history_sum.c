/* Sums of stored histograms. */
#include "core/stats/hist_payload.h"
#include "store/history/hist_deflate.h"
#include "store/history/history_private.h"

int st_history_sum_init(struct st_history_sum *sum, int digits)
{
    const int r = st_hist_init(&sum->hist, digits);
    if (r < 0)
        return r;
    sum->plain_bytes = st_hist_payload_max_bytes(&sum->hist);
    sum->plain = malloc(sum->plain_bytes);
    return sum->plain != NULL ? 0 : -ENOMEM;
}

void st_history_sum_finish(struct st_history_sum *sum)
{
    st_hist_finish(&sum->hist);
    free(sum->plain);
}

int st_history_sum_add(struct st_history_sum *sum, const void *bytes, size_t n)
{
    const int64_t plain_bytes = st_hist_deflate_undo(bytes, n, sum->plain, sum->plain_bytes);
    return plain_bytes < 0 || st_hist_payload_add(&sum->hist, sum->plain, (size_t)plain_bytes) < 0 ? -EBADMSG
                                                                                                   : 0;
}

int64_t st_history_sum_quantile(struct st_history_sum *sum, double p, int64_t max_ns)
{
    if ((double)sum->hist.total_n * (1 - p) < 10 - 1e-9)
        return INT64_MIN;
    if (max_ns != INT64_MIN)
        sum->hist.max_ns = max_ns;
    return st_hist_quantile(&sum->hist, p);
}
