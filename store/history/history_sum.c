/* Sums of stored histograms. */
#include "store/history/hist_deflate.h"
#include "store/history/history_private.h"

int st_history_sum_init(struct st_history_sum *sum, int digits)
{
    const int r = st_hist_init(&sum->hist, digits);
    if (r < 0)
        return r;
    sum->plain = malloc(st_hist_deflate_room(&sum->hist));
    return sum->plain != NULL ? 0 : -ENOMEM;
}

void st_history_sum_finish(struct st_history_sum *sum)
{
    st_hist_finish(&sum->hist);
    free(sum->plain);
}

int st_history_sum_add(struct st_history_sum *sum, const void *bytes, size_t n)
{
    return st_hist_deflate_undo(&sum->hist, bytes, n, sum->plain);
}

int64_t st_history_sum_quantile(struct st_history_sum *sum, double p, int64_t max_ns)
{
    if ((double)sum->hist.total_n * (1 - p) < 10 - 1e-9)
        return INT64_MIN;
    if (max_ns != INT64_MIN)
        sum->hist.max_ns = max_ns;
    return st_hist_quantile(&sum->hist, p);
}
