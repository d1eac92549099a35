#include "xruns/helpers/block_rhythm.h"

/* least cycles in a block: a shorter rhythm is that of the server or the card */
#define CYCLES_MIN 16
#define BLOCK_MAX  (INT64_C(1) << 20)
#define SPAN_MAX   (64 * BLOCK_MAX)
#define BLOCKS_MIN 12
/* least number of blocks if only the latest part of the time is examined: more than BLOCKS_MIN,
 * since several such parts are tried */
#define LATEST_MIN  16
#define HITS_MIN    0.9 /* least share of blocks that have a long cycle */
#define SKIPPED_MAX 4   /* most blocks from one long cycle of a chain to the next one */
#define UNSEEN_MAX                                                                                 \
    64 /* most consecutive cycles that were not seen; more of them are a pause, in which the       \
          client computed nothing */
#define NOISE_NS 20000
#define CHANCE   1e-9 /* highest probability that long cycles at random times look like blocks */

static bool takes_long(int64_t busy_ns, int64_t usual_ns)
{
    return busy_ns > usual_ns + usual_ns / 2 + NOISE_NS;
}

void st_block_rhythm_add(struct st_block_rhythm *rhythm, int64_t clock, int64_t frames,
                         int64_t busy_ns, int64_t usual_ns)
{
    const int64_t unseen = clock - rhythm->clock - rhythm->frames;
    if (unseen > 0 && unseen <= UNSEEN_MAX * rhythm->frames) {
        rhythm->position += unseen;
        rhythm->unseen += unseen;
    }
    rhythm->clock = clock;
    if (frames != rhythm->frames) {
        rhythm->frames = frames;
        rhythm->begin = rhythm->position;
        rhythm->longs_n = 0;
        rhythm->was_long = false;
    }
    const bool is_long = takes_long(busy_ns, usual_ns);
    if (is_long && !rhythm->was_long) /* consecutive long cycles count as one */
        rhythm->longs[rhythm->longs_n++ % ST_BLOCK_RHYTHM_LONG_MAX] =
            (struct st_block_rhythm_long){rhythm->position, rhythm->unseen};
    rhythm->was_long = is_long;
    rhythm->position += frames;
}

/* Lists the latest long cycles, the oldest first. */
static size_t list(const struct st_block_rhythm *rhythm,
                   struct st_block_rhythm_long ret[static ST_BLOCK_RHYTHM_LONG_MAX])
{
    const size_t kept = ST_MIN(rhythm->longs_n, ST_BLOCK_RHYTHM_LONG_MAX);
    size_t n = 0;
    for (size_t i = 0; i < kept; i++) {
        ret[n] = rhythm->longs[(rhythm->longs_n - kept + i) % ST_BLOCK_RHYTHM_LONG_MAX];
        n += rhythm->position - ret[n].position < SPAN_MAX;
    }
    return n;
}

/* A long cycle, and the longest chain of long cycles that ends with it and has whole blocks between
 * its members. */
struct link {
    size_t hits, before; /* before: index of the previous cycle of the chain; its own index: none */
    int64_t off;   /* frames off its exact place in the rhythm; 0 after cycles that were not seen */
    double chance; /* the logarithm of how probable the chain is at random times */
};

/* @return the index of the last member of the longest chain. @param share of all cycles that are
 * long. @param left_out true for each cycle that must not be used. */
static size_t longest(const struct st_block_rhythm_long *longs, const bool *left_out, size_t n,
                      int64_t block, int64_t frames, double share,
                      struct link ret[static ST_BLOCK_RHYTHM_LONG_MAX])
{
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        struct link *link = &ret[i];
        *link = (struct link){.hits = !left_out[i], .before = i};
        for (size_t j = i; !left_out[i] && j-- > 0;) {
            const int64_t away = longs[i].position - longs[j].position + ret[j].off;
            const int64_t unseen = longs[i].unseen - longs[j].unseen,
                          blocks = (away + frames) / block;
            if (blocks > SKIPPED_MAX)
                break;
            if (left_out[j] || blocks == 0 || blocks * block < away - unseen - frames ||
                ret[j].hits < link->hits)
                continue;
            *link = (struct link){.hits = ret[j].hits + 1,
                                  .before = j,
                                  .off = (away - blocks * block) * (unseen <= 0),
                                  .chance =
                                      ret[j].chance + log(share * (3 + (double)(unseen / frames)))};
        }
        if (link->hits > ret[best].hits)
            best = i;
    }
    return best;
}

/* Does a timer cause the long cycles? Then they are equally far apart in time, although cycles
 * between most of them were not seen. */
static bool is_timer(const struct st_block_rhythm_long *longs, const struct link *links, size_t end,
                     int64_t block, int64_t frames)
{
    size_t n = 0, unsure = 0, same = 0;
    int64_t last = 0;
    for (size_t i = end; links[i].before != i; i = links[i].before) {
        const size_t j = links[i].before;
        const int64_t away = longs[i].position - longs[j].position;
        unsure += longs[i].unseen > longs[j].unseen;
        if ((away + frames) / block != 1)
            continue;
        n++;
        same += llabs(away - last) <= frames;
        last = away;
    }
    return 2 * unsure > links[end].hits && 2 * same >= n;
}

/* Does the client compute in blocks of this length, by the long cycles of the latest `span`
 * frames? */
static bool is_block_of(const struct st_block_rhythm *rhythm,
                        const struct st_block_rhythm_long *longs, size_t n, int64_t block,
                        int64_t span)
{
    struct link links[ST_BLOCK_RHYTHM_LONG_MAX], others[ST_BLOCK_RHYTHM_LONG_MAX];
    bool left_out[ST_BLOCK_RHYTHM_LONG_MAX] = {false};
    for (; n > 0 && rhythm->position - longs[0].position > span; n--)
        longs++;
    if (n == 0)
        return false;
    const int64_t frames = rhythm->frames;
    const double share = fmin((double)n * (double)frames / (double)span, 1);
    const double blocks = (double)((span - rhythm->unseen + longs[0].unseen) / block);
    const size_t end = longest(longs, left_out, n, block, frames, share, links);
    const double hits = (double)links[end].hits;
    /* logarithm of the probability that long cycles at random times form such a chain */
    const double chance = blocks * log(2) + links[end].chance + log(ST_BLOCK_RHYTHM_LONG_MAX * 100);
    if (hits < HITS_MIN * blocks || chance >= log(CHANCE) ||
        is_timer(longs, links, end, block, frames))
        return false;
    /* if a faster rhythm causes the long cycles, about as many of them are elsewhere in the
     * blocks */
    const size_t faster = longest(longs, left_out, n, block / 2, frames, share, others);
    if (2 * (double)others[faster].hits >= 3 * hits)
        return false;
    for (size_t i = end, before = n; i != before; before = i, i = links[i].before) {
        for (size_t j = 0; j < n; j++)
            left_out[j] = left_out[j] || llabs(longs[j].position - longs[i].position) <= 2 * frames;
    }
    const size_t rival = longest(longs, left_out, n, block, frames, share, others);
    return 2 * (double)others[rival].hits < hits;
}

/* Does the client compute in blocks of this length? Also tries only the latest part of the time,
 * since other long cycles may have hidden the rhythm before. */
static bool is_block(const struct st_block_rhythm *rhythm, const struct st_block_rhythm_long *longs,
                     size_t n, int64_t block)
{
    int64_t span = rhythm->position - (rhythm->longs_n > n ? longs[0].position : rhythm->begin);
    bool found = span / block >= BLOCKS_MIN && is_block_of(rhythm, longs, n, block, span);
    for (span -= span / 4; !found && span / block >= LATEST_MIN; span -= span / 4)
        found = is_block_of(rhythm, longs, n, block, span);
    return found;
}

int64_t st_block_rhythm_find(struct st_block_rhythm *rhythm, bool *ret_any)
{
    struct st_block_rhythm_long longs[ST_BLOCK_RHYTHM_LONG_MAX];
    const size_t n = list(rhythm, longs);
    int64_t block = 1;
    *ret_any = rhythm->any;
    while (block < CYCLES_MIN * rhythm->frames)
        block *= 2;
    while (n > 0 && block <= BLOCK_MAX && !is_block(rhythm, longs, n, block))
        block *= 2;
    if (n > 0 && block <= BLOCK_MAX) {
        const bool other = rhythm->block != 0 && rhythm->block_frames != rhythm->frames;
        rhythm->any = other ? block == rhythm->block : rhythm->any && block == rhythm->block;
        rhythm->graph = rhythm->graph ||
                        (other && block * rhythm->block_frames == rhythm->block * rhythm->frames);
        rhythm->block = block;
        rhythm->block_frames = rhythm->frames;
        *ret_any = rhythm->any;
    }
    return rhythm->graph ? 0 : rhythm->block;
}
