#include "lab/rank.h"

#define FALSE_ALARMS 0.05 /* of all pairs together */

static int compare(const void *left, const void *right)
{
    const struct st_ranked *a = left, *b = right;
    if (a->median_ns != b->median_ns)
        return a->median_ns < b->median_ns ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* One step of Holm's: marks in shown[a * n + b], a < b, who is greater at this confidence.
 * @return how many pairs are marked by now, or the error of difference. */
static int64_t step(const struct st_ranked *items, size_t n,
                    int (*difference)(const void *ctx, size_t a, size_t b, double confidence,
                                      struct st_quantile *ret),
                    const void *ctx, double confidence, bool *shown)
{
    int64_t shown_n = 0;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = a + 1; b < n; b++) {
            struct st_quantile later;
            const int r =
                !shown[a * n + b] ? difference(ctx, items[a].id, items[b].id, confidence, &later) : 0;
            if (r != 0)
                return r;
            if (!shown[a * n + b])
                shown[a * n + b] = later.interval_known && later.low_ns > 0;
            shown_n += shown[a * n + b];
        }
    }
    return shown_n;
}

/* Are all from i on shown to be greater than all before? */
static bool begins(const bool *shown, size_t n, size_t i)
{
    for (size_t a = 0; a < i; a++) {
        for (size_t b = i; b < n; b++) {
            if (!shown[a * n + b])
                return false;
        }
    }
    return true;
}

int st_rank(struct st_ranked *items, size_t n,
            int (*difference)(const void *ctx, size_t a, size_t b, double confidence,
                              struct st_quantile *ret),
            const void *ctx, double *ret_confidence)
{
    if (n > ST_RANK_MAX_N)
        return -E2BIG;
    bool *shown = calloc(n * n + 1, sizeof(*shown));
    if (shown == NULL)
        return -ENOMEM;
    if (n > 0)
        qsort(items, n, sizeof(*items), compare);
    const int64_t pairs_n = n > 1 ? (int64_t)(n * (n - 1) / 2) : 0;
    int64_t shown_n = 0, before_n = -1;
    double confidence = 1 - FALSE_ALARMS;
    while (shown_n > before_n && shown_n < pairs_n) {
        before_n = shown_n;
        confidence = 1 - FALSE_ALARMS / (double)(pairs_n - shown_n);
        shown_n = step(items, n, difference, ctx, confidence, shown);
    }
    unsigned rank = 1;
    for (size_t i = 0; i < n && shown_n >= 0; i++) {
        if (i > 0 && begins(shown, n, i))
            rank = (unsigned)i + 1;
        items[i].rank = rank;
        items[i].better_n = 0;
        for (size_t a = 0; a < i; a++)
            items[i].better_n += shown[a * n + i];
    }
    free(shown);
    if (shown_n < 0)
        return (int)shown_n;
    *ret_confidence = confidence;
    return 0;
}
