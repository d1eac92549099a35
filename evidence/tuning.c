#include "evidence/tuning.h"

#include "core/stats/random.h"

/* result of functions that run a block: the setting of one row could not be switched, so the
 * session continues without that row */
#define ROW_OUT     1
#define FRESH_PAIRS 8 /* fewest pairs of blocks in which a setting that helps is measured again */
#define FRESH_T     2.365 /* 97.5 % quantile of Student's t for FRESH_PAIRS pairs; more need less */
/* st_tuning_plan assumes that a setting makes late wake-ups this many times rarer */
#define SHOWN_FOLD 3
/* late wake-ups in an imagined block of the plan; only the ratio of two such counts matters */
#define MANY UINT64_C(1000000)
/* after this number of pairs, a setting whose e-value for help is below WITHOUT_E is no longer
 * tried */
#define WITHOUT_PAIRS 10
#define WITHOUT_E     0.2
#define WITHOUT_MORE  5 /* a setting is still tried while its e-value for harm is at least this */
/* e-value for harm at which a setting counts as harmful: a false alarm in at most 1 % of
 * sessions */
#define HARM_NEEDED 100.0
/* from this number of rows (settings) on, a screening first finds those that promise most */
#define SCREEN_FROM 5
#define SCREEN_RUNS 12
#define SCREEN_ROWS 11
/* rows that are on in the first run of a Plackett-Burman design of 12 runs; each further run shifts
 * these bits by one, and the last run has no row on */
#define SCREEN_ONE   0x23bu
#define SCREEN_PAIRS 3   /* the screening counts as this number of pairs of each row */
#define NO_PAIRS     1.0 /* a row without pairs counts as having one pair without a difference */
#define BOLD         0.6 /* weight of the bonus that find_next gives to rows with few pairs */
#define NO_ROW       (-1)

#define LEVEL 0.01 /* share of sessions that may keep a setting without effect, at most */

/* --- evidence that may be checked after every pair of blocks: does a setting make late wake-ups
 * rarer? The unit is the pair and not the event: all events of a noisy block are on one side, so
 * that counting each of them would keep settings without effect. --- */

static const double bets[ST_TUNING_BETS] = {0.1, 0.25, 0.5, 0.75, 0.9};

/* Adds a pair: the numbers of late wake-ups in a block of A and in one of B. The caller must have
 * drawn at random which one ran first: then, if B has no effect, D = (a - b) / (a + b) is as likely
 * as -D, whatever the machine does. @return D. */
static double add_pair(struct st_tuning_evidence *s, uint64_t a_n, uint64_t b_n)
{
    const double a = (double)a_n, b = (double)b_n, d = (a - b) / fmax(1, a + b);
    for (size_t i = 0; i < ST_TUNING_BETS; i++) {
        s->log_product[ST_TUNING_FEWER][i] += log1p(bets[i] * d);
        s->log_product[ST_TUNING_MORE][i] += log1p(-bets[i] * d);
    }
    s->pairs_n++;
    return d;
}

double st_tuning_e(const struct st_tuning_evidence *s, enum st_tuning_side side)
{
    double sum = 0;
    for (size_t i = 0; i < ST_TUNING_BETS; i++)
        sum += exp(s->log_product[side][i]);
    return sum / ST_TUNING_BETS;
}

/* Computes the e-value (evidence of an effect) that a setting needs to be kept, if kept_n of
 * tests_n settings are kept already. Procedure: e-Benjamini-Hochberg, valid for dependent settings.
 * Source: Wang and Ramdas, "False discovery rate control with e-values", 2022. */
static double needed_e(size_t tests_n, size_t kept_n)
{
    return (double)tests_n / (LEVEL * (double)(kept_n + 1));
}

/* --- a session --- */

struct run {
    struct st_tuning *t;
    const struct st_tuning_bench *bench;
    struct st_random random;
    size_t kept_n; /* rows that were shown to help */
};

const char *st_tuning_outcome_name(enum st_tuning_outcome outcome)
{
    static const char *const names[] = {
        [ST_TUNING_NOT_TRIED] = "not-tried", [ST_TUNING_HELPS] = "helps",
        [ST_TUNING_NO_EFFECT] = "no-effect", [ST_TUNING_HARMFUL] = "harmful",
        [ST_TUNING_UNDECIDED] = "undecided", [ST_TUNING_FAILED] = "failed",
    };
    return names[outcome];
}

/* Returns the rows (settings) with this outcome as bits. NOT_TRIED: those that must still be tried.
 * HELPS: those that stay on; settings whose cost the user refuses are left out. */
static uint32_t bits_of(const struct st_tuning *t, enum st_tuning_outcome outcome)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct st_tuning_row *row = &t->rows[i];
        bits |= (uint32_t)(row->outcome == outcome && row->why[0] == '\0' &&
                           (outcome != ST_TUNING_HELPS || !row->refused))
                << i;
    }
    return bits;
}

static uint32_t left(const struct run *run)
{
    return run->t->blocks_max - run->t->blocks_n;
}

static bool is_open(const struct st_tuning_row *row)
{
    return row->outcome == ST_TUNING_NOT_TRIED && row->why[0] == '\0';
}

/* --- the plan --- */

/* Computes how many pairs of blocks one of open_n rows needs: those of its trial, if late wake-ups
 * are SHOWN_FOLD times rarer in each pair, and FRESH_PAIRS in which the effect is measured
 * again. */
static uint32_t pairs_each(size_t open_n)
{
    struct st_tuning_evidence s = {0};
    while (st_tuning_e(&s, ST_TUNING_FEWER) < needed_e(open_n, 0))
        add_pair(&s, SHOWN_FOLD * MANY, MANY);
    return s.pairs_n + FRESH_PAIRS;
}

static uint32_t screen_blocks(size_t open_n)
{
    return open_n >= SCREEN_FROM ? SCREEN_RUNS : 0;
}

void st_tuning_plan(struct st_tuning *tuning)
{
    struct st_tuning *t = tuning;
    t->open_n = 0;
    ST_EACH_OF (row, t->rows, t->n)
        t->open_n += is_open(row);
    const uint32_t each = 2 * pairs_each(ST_MAX(t->open_n, 1)),
                   before = ST_TUNING_SAME_BLOCKS + screen_blocks(t->open_n);
    t->blocks_least = before + each;
    t->blocks_all = before + each * (uint32_t)t->open_n;
    t->sure_n = t->blocks_max > before ? ST_MIN((t->blocks_max - before) / each, t->open_n) : 0;
}

/* --- one block, one pair --- */

/* Switches settings. If a row cannot be switched, it has failed, and the session goes on without
 * it. @return 0, ROW_OUT, or an error. */
static int set(struct run *run, uint32_t on)
{
    size_t at = 0;
    char why[ST_TUNING_WHY_BYTES] = "";
    const int r = run->bench->set(run->bench->ctx, on, &at, why);
    if (r == 0)
        return 0;
    const bool out = (r == -EBUSY || r == -EIO) && at < run->t->n;
    memcpy(out ? run->t->rows[at].why : run->t->why, why, sizeof(why));
    if (!out)
        return r;
    run->t->rows[at].outcome = ST_TUNING_FAILED;
    const int back = run->bench->set(run->bench->ctx, bits_of(run->t, ST_TUNING_HELPS), &at, why);
    return back == 0 || back == -EBUSY ? ROW_OUT : back;
}

static int measure(struct run *run, uint32_t on, int i, struct st_tuning_block *ret)
{
    const int r = set(run, on);
    if (r != 0)
        return r;
    if (run->bench->look != NULL)
        run->bench->look(run->bench->ctx, run->t, i);
    run->t->blocks_n++;
    return run->bench->block(run->bench->ctx, ret, run->t->why);
}

static void add_block(struct st_tuning_row *row, size_t arm, const struct st_tuning_block *block)
{
    struct st_tuning_block *mean = &row->mean[arm];
    mean->late_n += block->late_n;
    mean->events_n += block->events_n;
    mean->others_n += block->others_n;
}

static uint64_t dropouts(const struct st_tuning_block *block)
{
    return block->events_n + block->others_n;
}

/* Measures two blocks in random order: ret[0] with the settings `others`, ret[1] with `rows` as
 * well. The counts are added to `row`, whose index is i. */
static int measure_pair(struct run *run, uint32_t others, uint32_t rows, struct st_tuning_row *row,
                        int i, struct st_tuning_block ret[2])
{
    const size_t first = (size_t)st_random_below(&run->random, 2);
    for (size_t turn = 0; turn < 2; turn++) {
        const size_t arm = (first + turn) % 2;
        const int r = measure(run, arm == 1 ? others | rows : others, i, &ret[arm]);
        if (r != 0)
            return r;
    }
    for (size_t arm = 0; arm < 2; arm++)
        add_block(row, arm, &ret[arm]);
    add_pair(&row->dropouts, dropouts(&ret[0]), dropouts(&ret[1]));
    return 0;
}

/* --- blocks without a setting: is there anything to improve? --- */

static int measure_same(struct run *run)
{
    struct st_tuning *t = run->t;
    struct st_tuning_block block;
    for (size_t i = 0; i < ST_TUNING_SAME_BLOCKS; i++) {
        const int r = measure(run, 0, NO_ROW, &block);
        if (r != 0)
            return r;
        t->late_n += block.late_n;
    }
    t->end = t->late_n == 0                          ? ST_TUNING_NOTHING
             : t->late_n < ST_TUNING_SAME_BLOCKS / 3 ? ST_TUNING_RARE
                                                     : ST_TUNING_DONE;
    return 0;
}

/* --- screening: which rows promise most --- */

/* Measures each row (setting) in a factorial design of 12 runs. The rows that are on shift by one
 * from run to run; in the last run all are off. So each row is on in half of the runs, and any
 * other row is on in half of these. Source: Plackett and Burman, "The design of optimum
 * multifactorial experiments", 1946. */
static int screen(struct run *run)
{
    struct st_tuning *t = run->t;
    const size_t n = ST_MIN(t->n, (size_t)SCREEN_ROWS);
    double less[SCREEN_ROWS] = {0};
    for (size_t i = 0; i < SCREEN_RUNS; i++) {
        struct st_tuning_block block;
        uint32_t on = 0;
        for (size_t k = 0; k < n && i < SCREEN_ROWS; k++)
            on |= (SCREEN_ONE >> (i + k) % SCREEN_ROWS & 1) << k;
        const int r = measure(run, on & bits_of(t, ST_TUNING_NOT_TRIED), NO_ROW, &block);
        if (r != 0 && r != ROW_OUT)
            return r;
        const double value = r == 0 ? log((double)block.late_n + 0.5) / (SCREEN_RUNS / 2) : 0;
        for (size_t k = 0; k < n; k++)
            less[k] += (on >> k & 1) != 0 ? -value : value;
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t others = 0; others < ST_TUNING_OTHERS; others++) {
            /* (off - on) / (off + on) of two counts whose logarithms differ by less[k] */
            t->rows[k].seen[others] = SCREEN_PAIRS * tanh(less[k] / 2);
            t->rows[k].seen_n[others] = SCREEN_PAIRS - (uint32_t)NO_PAIRS;
        }
    }
    return 0;
}

/* --- a trial --- */

/* @param sum, squares of the logarithms of n ratios */
static struct st_tuning_fold fold_of(double n, double sum, double squares)
{
    const double mean = sum / n,
                 half = FRESH_T * sqrt(fmax(0, squares / n - mean * mean) / (n - 1));
    return (struct st_tuning_fold){exp(mean), exp(mean - half), exp(mean + half)};
}

/* Judges whether a row makes late wake-ups or dropouts more frequent, by the mean of the two
 * e-values. A mean of e-values is an e-value, so two questions give no more false alarms than one.
 * @return true: the row is harmful, and its outcome is set. */
static bool is_harmful(struct st_tuning_row *row)
{
    const double late = st_tuning_e(&row->evidence, ST_TUNING_MORE),
                 drops = st_tuning_e(&row->dropouts, ST_TUNING_MORE);
    if ((late + drops) / 2 < HARM_NEEDED)
        return false;
    row->outcome = ST_TUNING_HARMFUL;
    if (drops > late)
        ST_PRINT(row->why, "%ju dropouts with this setting, %ju without it",
                 dropouts(&row->mean[1]), dropouts(&row->mean[0]));
    return true;
}

/* Measures in fresh pairs how large the effect of a helpful row is, with all other helpful rows on.
 * The pairs of its trial would show too large an effect, because the row was chosen by them. */
static int measure_again(struct run *run, size_t i)
{
    struct st_tuning_row *row = &run->t->rows[i];
    const uint32_t bit = UINT32_C(1) << i;
    double n = 0, sum = 0, squares = 0;
    run->kept_n--;
    /* More pairs while the interval includes 1, except those of the rows that come later. */
    while (left(run) >= 2 && (n < FRESH_PAIRS || (row->fold.low <= 1 &&
                                                  left(run) > 1 + 2 * FRESH_PAIRS * run->kept_n))) {
        struct st_tuning_block blocks[2];
        const int r =
            measure_pair(run, bits_of(run->t, ST_TUNING_HELPS) & ~bit, bit, row, (int)i, blocks);
        if (r != 0 && r != ROW_OUT)
            return r;
        if (row->outcome != ST_TUNING_HELPS || is_harmful(row))
            return 0;
        if (r == ROW_OUT)
            continue;
        const double late =
            log((double)blocks[0].late_n + 0.5) - log((double)blocks[1].late_n + 0.5);
        sum += late;
        squares += late * late;
        if (++n >= FRESH_PAIRS)
            row->fold = fold_of(n, sum, squares);
    }
    if (row->fold.value > 0 && row->fold.value <= 1) {
        row->outcome = ST_TUNING_NO_EFFECT;
        ST_PRINT(row->why, "the setting's effect was gone when it was measured again");
    }
    return 0;
}

static int try_row(struct run *run, size_t i, enum st_tuning_others others)
{
    struct st_tuning_row *row = &run->t->rows[i];
    const uint32_t bit = UINT32_C(1) << i;
    const uint32_t base =
        bits_of(run->t, ST_TUNING_HELPS) |
        (others == ST_TUNING_OTHERS_ON ? bits_of(run->t, ST_TUNING_NOT_TRIED) & ~bit : 0);
    struct st_tuning_block blocks[2];
    const int r = measure_pair(run, base, bit, row, (int)i, blocks);
    if (r != 0)
        return r;
    row->seen[others] += add_pair(&row->evidence, blocks[0].late_n, blocks[1].late_n);
    row->seen_n[others]++;
    const double fewer = st_tuning_e(&row->evidence, ST_TUNING_FEWER);
    if (is_harmful(row))
        return 0;
    if (fewer >= needed_e(run->t->open_n, run->kept_n)) {
        row->outcome = ST_TUNING_HELPS;
        run->kept_n++;
    } else if (row->evidence.pairs_n >= WITHOUT_PAIRS && fewer < WITHOUT_E &&
               fmax(st_tuning_e(&row->evidence, ST_TUNING_MORE),
                    st_tuning_e(&row->dropouts, ST_TUNING_MORE)) < WITHOUT_MORE) {
        row->outcome = ST_TUNING_NO_EFFECT;
    }
    return 0;
}

/* Chooses the row (setting) for the next pair of blocks, and whether the other rows are off or on
 * in it. Takes the row and state with the largest mean difference so far, plus a bonus if there
 * were few pairs. @return false: no row is left. */
static bool find_next(const struct st_tuning *t, size_t *ret_row, enum st_tuning_others *ret_others)
{
    const uint32_t open = bits_of(t, ST_TUNING_NOT_TRIED);
    double best = -(double)INFINITY;
    for (size_t i = 0; i < t->n; i++) {
        const struct st_tuning_row *row = &t->rows[i];
        for (enum st_tuning_others others = 0; others < ST_TUNING_OTHERS && is_open(row);
             others++) {
            const double n = NO_PAIRS + row->seen_n[others],
                         promise = row->seen[others] / n + BOLD / sqrt(n);
            if (promise <= best || (others == ST_TUNING_OTHERS_ON && open == UINT32_C(1) << i))
                continue;
            best = promise;
            *ret_row = i;
            *ret_others = others;
        }
    }
    return open != 0;
}

static int try_all(struct run *run)
{
    size_t row = 0;
    enum st_tuning_others others = ST_TUNING_OTHERS_OFF;
    int r = screen_blocks(run->t->open_n) > 0 ? screen(run) : 0;
    /* Tries rows only while enough blocks are left to measure all helpful rows again, including one
     * more that the next pair may find. */
    while ((r == 0 || r == ROW_OUT) && left(run) >= 2 * (1 + FRESH_PAIRS * (run->kept_n + 1)) &&
           find_next(run->t, &row, &others))
        r = try_row(run, row, others);
    r = r == ROW_OUT ? 0 : r;
    for (size_t i = 0; i < run->t->n && r == 0; i++)
        r = run->t->rows[i].outcome == ST_TUNING_HELPS ? measure_again(run, i) : 0;
    return r;
}

/* Sets the outcome of the rows that have none when the session ends. */
static void end(struct st_tuning *t, bool stopped)
{
    ST_EACH_OF (row, t->rows, t->n) {
        const bool half = row->outcome == ST_TUNING_HELPS && row->fold.low <= 1;
        if (!half && !is_open(row))
            continue;
        if (half || row->evidence.pairs_n > 0)
            row->outcome = ST_TUNING_UNDECIDED;
        if (half || stopped)
            ST_PRINT(row->why, "the trials ended too early%s",
                     half ? " to be sure of this setting's effect" : "");
        else if (row->evidence.pairs_n == 0)
            ST_PRINT(row->why, "no time was left to try this setting: use a longer --budget");
    }
}

int st_tuning_run(struct st_tuning *tuning, const struct st_tuning_bench *bench, uint64_t seed)
{
    struct run run = {.t = tuning, .bench = bench, .random = {seed}};
    char why[ST_TUNING_WHY_BYTES];
    size_t at;
    st_tuning_plan(tuning);
    int r = measure_same(&run);
    if (r == 0 && tuning->end == ST_TUNING_DONE)
        r = try_all(&run);
    if (r != 0)
        tuning->end = ST_TUNING_STOPPED;
    if (r != 0 || tuning->end == ST_TUNING_DONE)
        end(tuning, r != 0);
    const int back = bench->set(bench->ctx, 0, &at, why);
    return r != 0 ? r : back == -EBUSY || back == -EIO ? 0 : back;
}
