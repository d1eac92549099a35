#include "lab/wake/humps.h"

#include <math.h>
#include <stdlib.h>

#define BINS_MIN 3
#define TAIL     0.995

/* Values of one stretch: a bin, or all the empty bins between two others. */
struct bin {
    int64_t from_ns, to_ns; /* first value that lies in it, first one that lies behind it */
    uint64_t n;
    uint64_t right_n; /* most values in a bin on the right of it */
};

struct valley {
    double depth;
    int64_t middle_ns;
};

/* @return how many bins, empty stretches among them: at most 2 len. */
static size_t fill_bins(const int64_t *values_ns, size_t len, int64_t width_ns, struct bin *bins)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        const int64_t from_ns = values_ns[i] - (values_ns[i] - values_ns[0]) % width_ns;
        if (n > 0 && bins[n - 1].from_ns == from_ns) {
            bins[n - 1].n++;
            continue;
        }
        if (n > 0 && bins[n - 1].to_ns < from_ns) {
            bins[n] = (struct bin){.from_ns = bins[n - 1].to_ns, .to_ns = from_ns};
            n++;
        }
        bins[n++] = (struct bin){.from_ns = from_ns, .to_ns = from_ns + width_ns, .n = 1};
    }
    uint64_t right_n = 0;
    for (size_t i = n; i-- > 0;) {
        bins[i].right_n = right_n;
        right_n = bins[i].n > right_n ? bins[i].n : right_n;
    }
    return n;
}

static double depth(uint64_t peak_n, uint64_t valley_n)
{
    return peak_n > valley_n ? (double)(peak_n - valley_n) / sqrt((double)peak_n + (double)valley_n) : 0;
}

static void look(const struct bin *bins, size_t n, struct valley *best)
{
    uint64_t left_n = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t lower_n = left_n < bins[i].right_n ? left_n : bins[i].right_n;
        const double d = depth(lower_n, bins[i].n);
        if (d > best->depth)
            *best = (struct valley){.depth = d,
                                    .middle_ns = bins[i].from_ns + (bins[i].to_ns - bins[i].from_ns) / 2};
        left_n = bins[i].n > left_n ? bins[i].n : left_n;
    }
}

static struct st_hump mode_of(const struct st_sample *s, size_t from, size_t to)
{
    const struct st_sample side = {.values_ns = s->values_ns + from, .len = to - from};
    return (struct st_hump){.center_ns = st_sample_quantile(&side, 0.5),
                            .n = to - from,
                            .share = (double)(to - from) / (double)s->len};
}

int st_humps_of(const struct st_sample *sample, struct st_humps *ret)
{
    *ret = (struct st_humps){0};
    if (sample->len < ST_HUMPS_MIN_N)
        return 0;
    struct valley best = {0};
    const size_t len = (size_t)ceil(TAIL * (double)sample->len);
    const struct st_sample body = {.values_ns = sample->values_ns, .len = len};
    const int64_t range_ns = sample->values_ns[len - 1] - sample->values_ns[0];
    struct bin *bins = calloc(2 * len, sizeof(*bins));
    if (bins == NULL)
        return -ENOMEM;
    for (int64_t width_ns = st_sample_step_ns(&body); width_ns > 0 && width_ns <= range_ns / (BINS_MIN - 1);
         width_ns *= 2)
        look(bins, fill_bins(sample->values_ns, len, width_ns, bins), &best);
    free(bins);
    size_t split = sample->len;
    if (best.depth > sqrt(3 * log((double)sample->len) - 3.2)) {
        for (split = 0; sample->values_ns[split] < best.middle_ns;)
            split++;
    }
    ret->n = split < sample->len ? 2 : 1;
    ret->mode[0] = mode_of(sample, 0, split);
    if (ret->n == 2)
        ret->mode[1] = mode_of(sample, split, sample->len);
    return 0;
}
