/* Does the delay of an interrupted sleep grow with the time that it had slept? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/wake/bench_wake.h"

/* Cells of one mechanism, peers, placement and kind lie this far from each other, a slice each. */
static size_t stride(const struct st_bench_wake_config *c)
{
    return c->methods_n * c->placements_n * c->peers_n * c->kinds_n;
}

static double block_median(const struct st_wake_cell *cell, size_t block)
{
    int64_t values_ns[ST_BENCH_WAKE_BLOCK_ROUNDS];
    memcpy(values_ns, cell->delay_ns + block * ST_BENCH_WAKE_BLOCK_ROUNDS, sizeof(values_ns));
    const struct st_sample sample = st_sample_of(values_ns, ST_BENCH_WAKE_BLOCK_ROUNDS);
    return (double)st_sample_quantile(&sample, 0.5);
}

/* Least squares through the medians of one block, from the shortest to the longest slice. */
static double growth_in(const struct st_bench_wake *bench, const struct st_wake_cell *first, size_t block,
                        int64_t range_ns)
{
    const struct st_bench_wake_config *c = &bench->config;
    double mean_ns = 0, with_ns = 0, of_ns = 0;
    for (size_t i = 0; i < c->slices_n; i++)
        mean_ns += (double)c->slices_ns[i] / (double)c->slices_n;
    for (size_t i = 0; i < c->slices_n; i++) {
        const double off_ns = (double)c->slices_ns[i] - mean_ns;
        with_ns += off_ns * block_median(first + i * stride(c), block);
        of_ns += off_ns * off_ns;
    }
    return with_ns / of_ns * (double)range_ns;
}

int st_bench_wake_growth(const struct st_bench_wake *bench, const struct st_wake_cell *first,
                         struct st_wake_growth *ret)
{
    const struct st_bench_wake_config *c = &bench->config;
    size_t blocks_n = SIZE_MAX;
    *ret = (struct st_wake_growth){.from_ns = c->slices_ns[0], .to_ns = c->slices_ns[0]};
    for (size_t i = 0; i < c->slices_n; i++) {
        const size_t n = first[i * stride(c)].n / ST_BENCH_WAKE_BLOCK_ROUNDS;
        blocks_n = n < blocks_n ? n : blocks_n;
        ret->from_ns = c->slices_ns[i] < ret->from_ns ? c->slices_ns[i] : ret->from_ns;
        ret->to_ns = c->slices_ns[i] > ret->to_ns ? c->slices_ns[i] : ret->to_ns;
    }
    ret->blocks_n = blocks_n;
    if (ret->from_ns == ret->to_ns || blocks_n == 0)
        return 0;
    double *room = calloc(2 * blocks_n, sizeof(*room));
    if (room == NULL)
        return -ENOMEM;
    for (size_t block = 0; block < blocks_n; block++)
        room[blocks_n + block] = growth_in(bench, first, block, ret->to_ns - ret->from_ns);
    const int r = st_estimate_of_pairs(room, room + blocks_n, blocks_n, ST_CONFIDENCE_99, &ret->by_ns);
    free(room);
    return r;
}
