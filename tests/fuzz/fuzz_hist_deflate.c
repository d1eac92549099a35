/* Stored histograms: what is accepted has books that balance, and comes back when it is packed
 * again. */
#include "store/history/hist_deflate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct st_hist *hist)
{
    uint64_t n = hist->over_n;
    for (uint32_t i = 0; i < hist->counts_len; i++)
        n += hist->late[i];
    if (n != hist->total_n || hist->early_n != 0)
        abort();
    if (n > 0 && (hist->min_ns > hist->max_ns || st_hist_quantile(hist, 0.5) > hist->max_ns))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_hist hist, back;
    /* few digits: a small table, so that many inputs can be tried */
    const int digits = size > 0 && data[0] >= 1 && data[0] <= 4 ? data[0] : 1;
    if (st_hist_init(&hist, digits) != 0 || st_hist_init(&back, digits) != 0)
        return 0;
    if (st_hist_deflate_unpack(&hist, data, size) == 0) {
        check(&hist);
        uint8_t *buf = malloc(st_hist_deflate_room(&hist));
        if (buf != NULL &&
            (st_hist_deflate_unpack(&back, buf, st_hist_deflate_pack(&hist, buf)) != 0 ||
             memcmp(hist.late, back.late, hist.counts_len * sizeof(*hist.late)) != 0))
            abort();
        free(buf);
        if (hist.total_n > 0 && hist.total_n <= INT64_MAX / 2 &&
            (st_hist_deflate_unpack(&back, data, size) != 0 || back.total_n != 2 * hist.total_n))
            abort();
    }
    check(&hist);
    st_hist_finish(&hist);
    st_hist_finish(&back);
    return 0;
}
