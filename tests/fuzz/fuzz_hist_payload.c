/* HdrHistogram payloads: what is accepted has books that balance, and comes back from an encoding of it. */
/* Runs: 10000 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/hist_payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct st_hist *hist)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < hist->counts_len; i++)
        n += hist->late[i];
    if (n != hist->total_n || hist->early_n != 0 || hist->over_n != 0)
        abort();
    if (n > 0 && (hist->min_ns > hist->max_ns || st_hist_quantile(hist, 0.5) > hist->max_ns))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_hist hist, back;
    /* few digits: a small table, so that many inputs can be tried */
    const int digits = size > 15 && data[15] >= 1 && data[15] <= 4 ? data[15] : 1;
    if (st_hist_init(&hist, digits) != 0 || st_hist_init(&back, digits) != 0)
        return 0;
    if (st_hist_payload_add(&hist, data, size) == 0) {
        check(&hist);
        const size_t room = st_hist_payload_max_bytes(&hist);
        uint8_t *buf = malloc(room);
        if (buf != NULL) {
            const int64_t bytes = st_hist_payload_encode(&hist, buf, room);
            if (bytes < 0 || st_hist_payload_add(&back, buf, (size_t)bytes) != 0 ||
                memcmp(hist.late, back.late, hist.counts_len * sizeof(*hist.late)) != 0)
                abort();
        }
        free(buf);
        if (hist.total_n > 0 && hist.total_n <= INT64_MAX / 2 &&
            (st_hist_payload_add(&back, data, size) != 0 || back.total_n != 2 * hist.total_n))
            abort();
    }
    check(&hist);
    st_hist_finish(&hist);
    st_hist_finish(&back);
    return 0;
}
