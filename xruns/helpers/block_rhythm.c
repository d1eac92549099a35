#include "xruns/helpers/block_rhythm.h"

#define CYCLES_MIN 16 /* of a block: a shorter rhythm is that of the server or the card */
#define BLOCK_MAX  (INT64_C(1) << 20)
#define SPAN_MAX   (64 * BLOCK_MAX)
#define FIRST_MAX  16 /* long cycles, of which one is at the end of a block */
#define BLOCKS_MIN 12
#define LATEST_MIN 16  /* if only the latest ones have a long cycle: such a look is one of several */
#define HITS_MIN   0.9 /* of the blocks have a long cycle */
#define UNSEEN_MAX 64  /* cycles; more is a pause, in which the client computed nothing */
#define NOISE_NS   20000
#define CHANCE     1e-9 /* that long cycles at random times look so */

bool st_block_rhythm_is_long(int64_t busy_ns, int64_t usual_ns)
{
    return busy_ns > usual_ns + usual_ns / 2 + NOISE_NS;
}

void st_block_rhythm_add(struct st_block_rhythm *rhythm, int64_t clock, int64_t frames, int64_t busy_ns,
                         int64_t usual_ns)
{
    const int64_t unseen = clock - rhythm->clock - rhythm->frames;
    if (unseen > 0 && unseen <= UNSEEN_MAX * rhythm->frames)
        rhythm->position += unseen;
    rhythm->clock = clock;
    if (frames != rhythm->frames) {
        rhythm->frames = frames;
        rhythm->begin = rhythm->position;
        rhythm->longs_n = 0;
        rhythm->was_long = false;
    }
    const bool is_long = st_block_rhythm_is_long(busy_ns, usual_ns);
    if (is_long && !rhythm->was_long) /* what goes on in the next cycle is one */
        rhythm->longs[rhythm->longs_n++ % ST_BLOCK_RHYTHM_LONG_MAX] = rhythm->position;
    rhythm->was_long = is_long;
    rhythm->position += frames;
}

/* The long cycles of the last time, the oldest first. */
static size_t list(const struct st_block_rhythm *rhythm, int64_t ret[static ST_BLOCK_RHYTHM_LONG_MAX])
{
    const size_t kept =
        rhythm->longs_n < ST_BLOCK_RHYTHM_LONG_MAX ? rhythm->longs_n : ST_BLOCK_RHYTHM_LONG_MAX;
    size_t n = 0;
    for (size_t i = 0; i < kept; i++) {
        ret[n] = rhythm->longs[(rhythm->longs_n - kept + i) % ST_BLOCK_RHYTHM_LONG_MAX];
        n += rhythm->position - ret[n] < SPAN_MAX;
    }
    return n;
}

/* Long cycles that are blocks away from one of them, to a cycle; more than one in a block count once. */
static size_t hits(const int64_t *longs, size_t n, int64_t first, int64_t block, int64_t frames)
{
    size_t found = 0;
    int64_t last = INT64_MIN;
    ST_EACH_OF (length, longs, n) {
        const int64_t away = *length - first + SPAN_MAX; /* not below 0, and a multiple of a block more */
        const int64_t at = (away + frames) / block;
        if ((away + frames) % block > 2 * frames || at == last)
            continue;
        found++;
        last = at;
    }
    return found;
}

/* Of those in the latest `span` frames. */
static bool is_block_of(const struct st_block_rhythm *rhythm, const int64_t *longs, size_t n, int64_t block,
                        int64_t span)
{
    for (; n > 0 && rhythm->position - longs[0] > span; n--)
        longs++;
    const double blocks = (double)(span / block), share = (double)n * (double)rhythm->frames / (double)span;
    size_t most = 0, rival = 0;
    int64_t at = 0;
    for (size_t i = 0; i < n && i < FIRST_MAX; i++) {
        const size_t found = hits(longs, n, longs[i], block, rhythm->frames);
        at = found > most ? longs[i] : at;
        most = ST_MAX(found, most);
    }
    /* elsewhere in the blocks: a rhythm that is faster, and no block, has as many there */
    for (size_t i = 0; i < n && (double)most >= HITS_MIN * blocks; i++) {
        const bool near = (longs[i] - at + SPAN_MAX + 2 * rhythm->frames) % block <= 4 * rhythm->frames;
        const size_t found = near ? 0 : hits(longs, n, longs[i], block, rhythm->frames);
        rival = ST_MAX(found, rival);
    }
    /* by chance each block has one within the three cycles that count with this probability */
    const double chance = blocks * log(2) + (double)most * log(1 - pow(1 - fmin(share, 1), 3)) +
                          log(ST_BLOCK_RHYTHM_LONG_MAX * 100);
    return (double)most >= HITS_MIN * blocks && 2 * rival < most && chance < log(CHANCE);
}

/* A cycle that was lost shifts the blocks behind it: what came after it may be long enough. */
static bool is_block(const struct st_block_rhythm *rhythm, const int64_t *longs, size_t n, int64_t block)
{
    int64_t span = rhythm->position - (rhythm->longs_n > n ? longs[0] : rhythm->begin);
    bool found = span / block >= BLOCKS_MIN && is_block_of(rhythm, longs, n, block, span);
    for (span -= span / 4; !found && span / block >= LATEST_MIN; span -= span / 4)
        found = is_block_of(rhythm, longs, n, block, span);
    return found;
}

int64_t st_block_rhythm_find(struct st_block_rhythm *rhythm, bool *ret_any)
{
    int64_t longs[ST_BLOCK_RHYTHM_LONG_MAX];
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
        rhythm->graph =
            rhythm->graph || (other && block * rhythm->block_frames == rhythm->block * rhythm->frames);
        rhythm->block = block;
        rhythm->block_frames = rhythm->frames;
        *ret_any = rhythm->any;
    }
    return rhythm->graph ? 0 : rhythm->block;
}
