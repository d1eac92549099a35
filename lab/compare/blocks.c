#include "lab/compare/blocks.h"

int st_blocks_init(struct st_blocks *blocks)
{
    *blocks = (struct st_blocks){.parts_max = 1, .min_ns = INT64_MAX, .max_ns = INT64_MIN};
    return st_hist_init(&blocks->hist, ST_BLOCKS_DIGITS);
}

void st_blocks_finish(struct st_blocks *blocks)
{
    ST_EACH_OF (value, blocks->block, blocks->len)
        free(value->buckets);
    st_hist_finish(&blocks->hist);
    *blocks = (struct st_blocks){0};
}

static uint32_t limited(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void put(struct st_block *block, int64_t bucket, uint64_t n)
{
    if (n > 0)
        block->buckets[block->len++] = (struct st_bucket_n){(int32_t)bucket, limited(n)};
}

/** What a histogram holds. Values beyond its range go into its outermost buckets. @return 0, -ENOMEM. */
static int block_of(const struct st_hist *hist, struct st_block *ret)
{
    const uint32_t last = hist->counts_len - 1;
    const uint64_t over_n = hist->over_n - hist->early_over_n;
    size_t len = (hist->over_n > 0) * (size_t)2;
    for (uint32_t i = 0; i <= last; i++)
        len += (hist->early_n > 0 && hist->early[i] > 0) + (size_t)(hist->late[i] > 0);
    struct st_block block = {.buckets = calloc(len + 1, sizeof(*block.buckets)), .n = hist->total_n};
    if (block.buckets == NULL)
        return -ENOMEM;
    for (uint32_t i = hist->counts_len; hist->early_n > 0 && i-- > 0;)
        put(&block, -1 - (int64_t)i, hist->early[i] + (i == last ? hist->early_over_n : 0));
    for (uint32_t i = 0; i <= last; i++)
        put(&block, i, hist->late[i] + (i == last ? over_n : 0));
    *ret = block;
    return 0;
}

/** Both as one, in place of the first; the second is freed. @return 0, -ENOMEM. */
static int join(struct st_block *first, struct st_block *second)
{
    struct st_block both = {
        .buckets = calloc(first->len + second->len + 1, sizeof(*both.buckets)),
        .n = first->n + second->n,
        .trials_n = first->trials_n + second->trials_n,
        .missed_n = first->missed_n + second->missed_n,
    };
    if (both.buckets == NULL)
        return -ENOMEM;
    for (size_t i = 0, k = 0; i < first->len || k < second->len;) {
        const bool from_first =
            k == second->len || (i < first->len && first->buckets[i].bucket <= second->buckets[k].bucket);
        const bool from_second =
            i == first->len || (k < second->len && second->buckets[k].bucket <= first->buckets[i].bucket);
        const int32_t bucket = from_first ? first->buckets[i].bucket : second->buckets[k].bucket;
        put(&both, bucket,
            (from_first ? (uint64_t)first->buckets[i].n : 0) + (from_second ? second->buckets[k].n : 0));
        i += from_first;
        k += from_second;
    }
    free(first->buckets);
    free(second->buckets);
    *first = both;
    *second = (struct st_block){0};
    return 0;
}

static int halve(struct st_blocks *blocks)
{
    for (size_t i = 0; i < ST_BLOCKS_MAX / 2; i++) {
        const int r = join(&blocks->block[2 * i], &blocks->block[2 * i + 1]);
        if (r != 0)
            return r;
        if (i > 0) {
            blocks->block[i] = blocks->block[2 * i];
            blocks->block[2 * i] = (struct st_block){0};
        }
    }
    blocks->len = ST_BLOCKS_MAX / 2;
    blocks->parts_max *= 2;
    return 0;
}

/** The block that was filled is closed. */
static int close_block(struct st_blocks *blocks)
{
    struct st_block block;
    if (blocks->len == ST_BLOCKS_MAX) {
        const int r = halve(blocks);
        if (r != 0 || blocks->parts_n < blocks->parts_max)
            return r;
    }
    const int r = block_of(&blocks->hist, &block);
    if (r != 0)
        return r;
    block.trials_n = blocks->hist_trials_n;
    block.missed_n = blocks->hist_missed_n;
    blocks->n += block.n;
    blocks->trials_n += block.trials_n;
    blocks->missed_n += block.missed_n;
    if (blocks->hist.min_ns < blocks->min_ns)
        blocks->min_ns = blocks->hist.min_ns;
    if (blocks->hist.max_ns > blocks->max_ns)
        blocks->max_ns = blocks->hist.max_ns;
    blocks->block[blocks->len++] = block;
    st_hist_reset(&blocks->hist);
    blocks->parts_n = 0;
    blocks->hist_trials_n = 0;
    blocks->hist_missed_n = 0;
    return 0;
}

int st_blocks_add(struct st_blocks *blocks, int64_t value_ns, bool missed)
{
    st_hist_add(&blocks->hist, value_ns);
    blocks->hist_trials_n++;
    blocks->hist_missed_n += missed;
    st_bursts_add(&blocks->bursts, 1, missed);
    return ++blocks->parts_n < blocks->parts_max ? 0 : close_block(blocks);
}

int st_blocks_add_missed(struct st_blocks *blocks, uint64_t n)
{
    st_bursts_add(&blocks->bursts, n, true);
    while (n > 0) {
        const uint64_t room = blocks->parts_max - blocks->parts_n, now = n < room ? n : room;
        blocks->hist_trials_n += now;
        blocks->hist_missed_n += now;
        blocks->parts_n += now;
        n -= now;
        const int r = blocks->parts_n < blocks->parts_max ? 0 : close_block(blocks);
        if (r != 0)
            return r;
    }
    return 0;
}

int st_blocks_end(struct st_blocks *blocks)
{
    if (blocks->parts_n == 0)
        return 0;
    const bool is_short = blocks->parts_n < blocks->parts_max / 2;
    blocks->parts_max = blocks->parts_n; /* it is a whole one now, also behind 64 others */
    int r = blocks->len == ST_BLOCKS_MAX ? halve(blocks) : 0;
    if (r == 0)
        r = close_block(blocks);
    if (r == 0 && is_short && blocks->len > 1) {
        r = join(&blocks->block[blocks->len - 2], &blocks->block[blocks->len - 1]);
        blocks->len -= r == 0;
    }
    return r;
}

int64_t st_blocks_value(const struct st_blocks *blocks, int32_t bucket)
{
    const int64_t value_ns = bucket < 0 ? -st_hist_bucket_middle(&blocks->hist, (uint32_t)(-1 - bucket))
                                        : st_hist_bucket_middle(&blocks->hist, (uint32_t)bucket);
    return value_ns < blocks->min_ns ? blocks->min_ns : value_ns > blocks->max_ns ? blocks->max_ns : value_ns;
}
