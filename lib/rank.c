#include "lib/rank.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const struct st_ranked *a = left, *b = right;
    if (a->median_ns != b->median_ns)
        return a->median_ns < b->median_ns ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

int st_rank(struct st_ranked *items, size_t n,
            int (*difference)(const void *ctx, size_t a, size_t b, struct st_quantile *ret), const void *ctx)
{
    size_t leader = 0;
    if (n > 0)
        qsort(items, n, sizeof(*items), compare);
    for (size_t i = 0; i < n; i++) {
        struct st_quantile later;
        const int r = i > 0 ? difference(ctx, items[leader].id, items[i].id, &later) : 0;
        if (r != 0)
            return r;
        if (i > 0 && later.interval_known && later.low_ns > 0)
            leader = i;
        items[i].rank = (unsigned)leader + 1;
    }
    return 0;
}
