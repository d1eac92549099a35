/* Sums of dropouts by client and reason. */
#include "store/history/dropout_sums.h"

#include <string.h>

static bool same(const struct st_dropout_sum *a, const struct st_dropout_sum *b)
{
    return a->device_xrun == b->device_xrun && a->reason == b->reason && strcmp(a->source, b->source) == 0 &&
           strcmp(a->device, b->device) == 0 && strcmp(a->client, b->client) == 0;
}

static struct st_dropout_sum *place_for(struct st_dropout_sums *sums, const struct st_dropout_sum *row)
{
    struct st_dropout_sum *fewest = &sums->rows[0];
    for (size_t i = 0; i < sums->n; i++) {
        if (same(&sums->rows[i], row))
            return &sums->rows[i];
        if (sums->rows[i].n < fewest->n)
            fewest = &sums->rows[i];
    }
    if (sums->n < ST_DROPOUT_SUMS_MAX)
        fewest = &sums->rows[sums->n++];
    else
        sums->others_n += fewest->n;
    *fewest = *row;
    fewest->n = 0;
    return fewest;
}

/* How much too late the worst cycle was. */
static int64_t overrun_ns(const struct st_dropout_sum *row)
{
    return row->busy_ns + row->wait_ns - row->period_ns;
}

void st_dropout_sums_add(struct st_dropout_sums *sums, const struct st_dropout_sum *row)
{
    struct st_dropout_sum *to = place_for(sums, row);
    const uint64_t n = to->n + row->n;
    if (overrun_ns(row) > overrun_ns(to))
        *to = *row;
    to->n = n;
}

void st_dropout_sums_merge(struct st_dropout_sums *sums, const struct st_dropout_sums *from)
{
    for (size_t i = 0; i < from->n; i++)
        st_dropout_sums_add(sums, &from->rows[i]);
    sums->others_n += from->others_n;
}
