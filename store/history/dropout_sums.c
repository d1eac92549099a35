/* Sums of dropouts by client and reason. */
#include "store/history/dropout_sums.h"

#include <string.h>

static bool same(const struct st_dropout_sum *a, const struct st_dropout_sum *b)
{
    return a->device_xrun == b->device_xrun && a->reason == b->reason && strcmp(a->source, b->source) == 0 &&
           strcmp(a->device, b->device) == 0 && strcmp(a->client, b->client) == 0;
}

static size_t rows_of(const struct st_dropout_sums *sums, const char *source)
{
    size_t n = 0;
    for (size_t i = 0; i < sums->n; i++)
        n += strcmp(sums->rows[i].source, source) == 0;
    return n;
}

/* The row with the fewest dropouts of the source with the most rows: a crowd of clients of one server leaves
 * the others alone. */
static struct st_dropout_sum *fewest(struct st_dropout_sums *sums)
{
    struct st_dropout_sum *ret = &sums->rows[0];
    size_t most = 0;
    for (size_t i = 0; i < sums->n; i++) {
        struct st_dropout_sum *row = &sums->rows[i];
        const size_t n = rows_of(sums, row->source);
        if (n > most || (n == most && row->n < ret->n))
            ret = row;
        most = n > most ? n : most;
    }
    return ret;
}

static struct st_dropout_sum *place_for(struct st_dropout_sums *sums, const struct st_dropout_sum *row)
{
    for (size_t i = 0; i < sums->n; i++) {
        if (same(&sums->rows[i], row))
            return &sums->rows[i];
    }
    struct st_dropout_sum *place;
    if (sums->n < ST_DROPOUT_SUMS_MAX) {
        place = &sums->rows[sums->n++];
    } else {
        place = fewest(sums);
        sums->others_n += place->n;
    }
    *place = *row;
    place->n = 0;
    return place;
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
