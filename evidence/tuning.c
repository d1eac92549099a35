#include "evidence/tuning.h"

#define ROW_OUT       1                 /* no error: a block may end with any of these */
#define SAME_PAIRS    6                 /* without a change */
#define FRESH_PAIRS   8                 /* of what is shown to help; fewer have no 95 % interval */
#define SHOWN_FOLD    3                 /* an effect that a session must be able to show */
#define MANY          UINT64_C(1000000) /* late wake-ups: chance does not matter then */
#define WITHOUT_PAIRS 10                /* pairs after which a setting that rather does harm is dropped */
#define WITHOUT_E     0.2
#define HARM_NEEDED   20.0 /* 5 %: what is not kept needs no more */
#define NULL_NEEDED   40.0 /* 95 %, both ends: the effect is between 0.8 and 1.25, not worth keeping */
#define SCREEN_RUNS   12
#define SCREEN_ROWS   11
#define GUARD_MISSED  20   /* missed periods in one block, ... */
#define GUARD_FOLD    5    /* ... and this multiple of the block beside it */
#define GUARD_OTHERS  3    /* dropouts of other programs beyond those of the block beside it */
#define COST_FOLD     1.25 /* a cost that rises by less is accepted */
#define SCREEN_PAIRS  3.0  /* the screening counts as this number of pairs, ... */
#define NO_PAIRS      1.0  /* ... and no screening as one without a difference */
#define BOLD          0.6  /* how much more is expected of a row that was tried little */
#define SHOWN_ALL     20.0 /* 5 %: nothing is kept because of it */
#define NO_ROW        (-1)

struct run {
    struct st_tuning *t;
    const struct st_tuning_bench *bench;
    struct st_random random;
    uint32_t on;   /* what stays on */
    size_t kept_n; /* rows shown to help */
};

const char *st_tuning_outcome_name(enum st_tuning_outcome outcome)
{
    static const char *const names[] = {
        [ST_TUNING_NOT_TRIED] = "not-tried", [ST_TUNING_HELPS] = "helps",
        [ST_TUNING_NO_EFFECT] = "no-effect", [ST_TUNING_HARMFUL] = "harmful",
        [ST_TUNING_UNDECIDED] = "undecided", [ST_TUNING_FOUGHT] = "fought",
        [ST_TUNING_FAILED] = "failed",
    };
    return names[outcome];
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

/* For one of open_n rows: its trial, if each pair shows the effect exactly, and what helps is measured
 * again. */
static uint32_t pairs_each(size_t open_n)
{
    struct st_sequential s;
    st_sequential_init(&s);
    while (st_sequential_e(&s, ST_SEQUENTIAL_FEWER) < st_sequential_needed(open_n, 0))
        st_sequential_add(&s, SHOWN_FOLD * MANY, MANY);
    return s.pairs_n + FRESH_PAIRS;
}

static uint32_t screen_blocks(size_t open_n)
{
    return open_n >= ST_TUNING_SCREEN_FROM ? SCREEN_RUNS : 0;
}

static void sort_rows(struct st_tuning *t)
{
    size_t *rows = t->order;
    for (size_t i = 1; i < t->open_n; i++) {
        for (size_t k = i; k > 0 && t->rows[rows[k]].cost_us > t->rows[rows[k - 1]].cost_us; k--) {
            const size_t row = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = row;
        }
    }
}

void st_tuning_plan(struct st_tuning *tuning)
{
    double sum = 0;
    size_t known_n = 0;
    tuning->open_n = 0;
    for (size_t i = 0; i < tuning->n; i++) {
        sum += tuning->rows[i].cost_us > 0 ? tuning->rows[i].cost_us : 0;
        known_n += tuning->rows[i].cost_us > 0;
        if (is_open(&tuning->rows[i]))
            tuning->order[tuning->open_n++] = i;
    }
    ST_EACH_OF (row, tuning->rows, tuning->n) {
        row->cost_us = row->cost_us > 0 ? row->cost_us : known_n > 0 ? sum / (double)known_n : 1;
    }
    sort_rows(tuning); /* what may cost much is tried first */
    const uint32_t each = 2 * pairs_each(tuning->open_n > 0 ? tuning->open_n : 1);
    const uint32_t before = 2 * SAME_PAIRS + screen_blocks(tuning->open_n);
    tuning->blocks_least = before + each;
    tuning->blocks_all = before + each * (uint32_t)tuning->open_n;
    const uint32_t fit_n = tuning->blocks_max > before ? (tuning->blocks_max - before) / each : 0;
    tuning->sure_n = fit_n < tuning->open_n ? fit_n : tuning->open_n;
}

/* --- one block, one pair --- */

/* A row that cannot be switched is out; the session goes on. @return 0, ROW_OUT, or an
 * error. */
static int set(struct run *run, uint32_t on)
{
    size_t at = 0;
    char why[ST_TUNING_WHY_BYTES] = "";
    const int r = run->bench->set(run->bench->ctx, on, &at, why);
    if ((r != -EBUSY && r != -EIO) || at >= run->t->n) {
        if (r != 0)
            memcpy(run->t->why, why, sizeof(why));
        return r;
    }
    struct st_tuning_row *row = &run->t->rows[at];
    row->outcome = r == -EBUSY ? ST_TUNING_FOUGHT : ST_TUNING_FAILED;
    memcpy(row->why, why, sizeof(why));
    run->on &= ~(UINT32_C(1) << at);
    const int back = run->bench->set(run->bench->ctx, run->on, &at, why);
    return back == 0 || back == -EBUSY ? ROW_OUT : back;
}

static int measure(struct run *run, uint32_t on, int row, const char *phase, struct st_tuning_block *ret)
{
    const int r = set(run, on);
    if (r != 0)
        return r;
    if (run->bench->look != NULL)
        run->bench->look(run->bench->ctx, run->t, row, phase);
    run->t->blocks_n++;
    return run->bench->block(run->bench->ctx, ret, run->t->why);
}

/* Both in random order: ret[0] without these rows beside the others, ret[1] with them. */
static int measure_pair(struct run *run, uint32_t others, uint32_t rows, int row, const char *phase,
                        struct st_tuning_block ret[2])
{
    const size_t first = (size_t)st_random_below(&run->random, 2);
    int r = 0;
    for (size_t turn = 0; turn < 2 && r == 0; turn++) {
        const size_t arm = (first + turn) % 2;
        r = measure(run, arm == 1 ? others | rows : others, row, phase, &ret[arm]);
    }
    return r;
}

static void add_mean(double *mean, double value, uint32_t n)
{
    if (value < 0 || *mean < 0)
        *mean = -1;
    else
        *mean += (value - *mean) / n;
}

static void add_means(struct st_tuning_row *row, const struct st_tuning_block blocks[2])
{
    for (size_t arm = 0; arm < 2; arm++) {
        struct st_tuning_block *mean = &row->mean[arm];
        const uint32_t n = ++row->blocks_n[arm];
        mean->late_n += blocks[arm].late_n;
        mean->missed_n += blocks[arm].missed_n;
        mean->events_n += blocks[arm].events_n;
        for (size_t c = 0; c < ST_TUNING_COSTS; c++)
            add_mean(&mean->cost[c], blocks[arm].cost[c], n);
    }
}

/* --- without a change: how small an effect can be shown --- */

static int measure_same(struct run *run)
{
    struct st_tuning *t = run->t;
    uint64_t late_n[2 * SAME_PAIRS];
    for (size_t i = 0; i < SAME_PAIRS; i++) {
        struct st_tuning_block blocks[2];
        const int r = measure_pair(run, 0, 0, NO_ROW, "no change", blocks);
        if (r != 0)
            return r;
        ST_EACH_OF (block, blocks, 2) {
            late_n[t->same_n++] = block->late_n;
            t->late_n += block->late_n;
        }
    }
    if (t->late_n == 0) {
        t->end = ST_TUNING_NOTHING;
        return 0;
    }
    /* a noisy machine needs longer trials: fewer of them */
    const uint32_t room = (left(run) - screen_blocks(t->open_n)) / 2;
    for (t->detectable = (double)INFINITY; t->sure_n > 0 && isinf(t->detectable);) {
        const uint32_t pairs_n = room / (uint32_t)t->sure_n - FRESH_PAIRS;
        t->detectable = st_sequential_detectable(late_n, t->same_n, pairs_n,
                                                 st_sequential_needed(t->open_n, 0), &run->random);
        t->sure_n -= isinf(t->detectable) ? 1 : 0;
    }
    if (t->sure_n == 0)
        t->end = ST_TUNING_NOISY;
    return 0;
}

/* --- screening: which ones promise most --- */

/* Is factor `column` on in run `line`? Source: Plackett and Burman, "The design of optimum multifactorial
 * experiments", 1946: 12 runs, of which each factor is on in half. */
static bool is_on(size_t line, size_t column)
{
    static const bool generator[SCREEN_ROWS] = {1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0};
    return line < SCREEN_ROWS && generator[(column + SCREEN_ROWS - line) % SCREEN_ROWS];
}

static int screen(struct run *run, const size_t *rows, size_t n)
{
    size_t lines[SCREEN_RUNS];
    double sum[SCREEN_ROWS] = {0};
    n = n < SCREEN_ROWS ? n : SCREEN_ROWS;
    for (size_t i = 0; i < SCREEN_RUNS; i++)
        lines[i] = i;
    st_random_shuffle(&run->random, lines, SCREEN_RUNS);
    ST_EACH_OF (line, lines, SCREEN_RUNS) {
        uint32_t on = 0;
        struct st_tuning_block block;
        for (size_t k = 0; k < n; k++) {
            if (is_on(*line, k) && is_open(&run->t->rows[rows[k]]))
                on |= UINT32_C(1) << rows[k];
        }
        const int r = measure(run, on, NO_ROW, "screening", &block);
        if (r == ROW_OUT)
            continue;
        if (r != 0)
            return r;
        const double value = log((double)block.late_n + 0.5) / (SCREEN_RUNS / 2);
        for (size_t k = 0; k < n; k++)
            sum[k] += is_on(*line, k) ? value : -value;
    }
    for (size_t k = 0; k < n; k++) /* (a - b) / (a + b) of two counts whose logarithms differ so much */
        run->t->rows[rows[k]].guess = tanh(-sum[k] / 2);
    run->t->screened_n = n;
    return 0;
}

/* --- a trial --- */

static bool guard_trips(struct st_tuning_row *row, const struct st_tuning_block blocks[2])
{
    const bool missed =
        blocks[1].missed_n >= GUARD_MISSED && blocks[1].missed_n > GUARD_FOLD * (blocks[0].missed_n + 1);
    const uint64_t n[2] = {missed ? blocks[0].missed_n : blocks[0].others_n,
                           missed ? blocks[1].missed_n : blocks[1].others_n};
    if (!missed && n[1] < n[0] + GUARD_OTHERS)
        return false;
    ST_PRINT(row->why, "%llu %s in one block, %llu in the block beside it", (unsigned long long)n[1],
             missed ? "missed periods" : "dropouts of other programs", (unsigned long long)n[0]);
    row->outcome = ST_TUNING_HARMFUL;
    return true;
}

/* What helps must not cost much: how many times as much, at least (95 %). */
static void judge_costs(const struct st_tuning *t, struct st_tuning_row *row,
                        double logs[2][ST_TUNING_COSTS][FRESH_PAIRS])
{
    static const char *const names[] = {[ST_TUNING_P99_US] = "the 99th percentile of lateness is",
                                        [ST_TUNING_CPU_NS] = "the CPU time of a cycle is",
                                        [ST_TUNING_WATTS] = "the processor's power is"};
    struct st_estimate fold;
    for (size_t c = 0; c < ST_TUNING_COSTS && row->why[0] == '\0'; c++) {
        if (st_estimate_of_pairs(logs[0][c], logs[1][c], FRESH_PAIRS, ST_CONFIDENCE_95, &fold) == 0 &&
            exp(fold.low) > COST_FOLD && !(c == ST_TUNING_WATTS && t->accepts_watts))
            ST_PRINT(row->why, "%s %.1f times as high with it", names[c], exp(fold.value));
    }
}

/* One pair of a row that is measured again. @return 0; ROW_OUT: once more, if the row is still in. */
static int measure_fresh_pair(struct run *run, size_t i, size_t k, double late[2][FRESH_PAIRS],
                              double logs[2][ST_TUNING_COSTS][FRESH_PAIRS])
{
    struct st_tuning_row *row = &run->t->rows[i];
    const uint32_t bit = UINT32_C(1) << i;
    struct st_tuning_block blocks[2];
    const int r = measure_pair(run, run->on & ~bit, bit, (int)i, "measured again", blocks);
    if (r != 0)
        return r;
    for (size_t arm = 0; arm < 2; arm++) {
        late[arm][k] = log((double)blocks[arm].late_n + 0.5);
        for (size_t c = 0; c < ST_TUNING_COSTS; c++) /* unknown figures are the same on both sides */
            logs[arm][c][k] = blocks[0].cost[c] > 0 && blocks[1].cost[c] > 0 ? log(blocks[arm].cost[c]) : 0;
    }
    add_means(row, blocks);
    guard_trips(row, blocks);
    return 0;
}

/* What helps is measured again, in the state that would be kept: the pairs that showed it were those in
 * which chance helped, too. */
static int measure_fresh(struct run *run, size_t i)
{
    struct st_tuning_row *row = &run->t->rows[i];
    double late[2][FRESH_PAIRS], logs[2][ST_TUNING_COSTS][FRESH_PAIRS];
    size_t k = 0;
    int r = 0;
    while (k < FRESH_PAIRS && row->outcome == ST_TUNING_HELPS && left(run) >= 2) {
        r = measure_fresh_pair(run, i, k, late, logs);
        if (r != 0 && r != ROW_OUT)
            return r;
        k += r == 0;
    }
    if (row->outcome != ST_TUNING_HELPS)
        return 0;
    r = k == FRESH_PAIRS ? st_estimate_of_pairs(late[1], late[0], FRESH_PAIRS, ST_CONFIDENCE_95, &row->fold)
                         : -ENODATA;
    if (r == -ENODATA) {
        row->outcome = ST_TUNING_UNDECIDED;
        ST_PRINT(row->why, "no time left to measure it again");
        return 0;
    }
    if (r != 0)
        return r;
    row->fold.value = exp(row->fold.value);
    row->fold.low = exp(row->fold.low);
    row->fold.high = exp(row->fold.high);
    if (row->fold.value > 1) {
        judge_costs(run->t, row, logs);
        return 0;
    }
    row->outcome = ST_TUNING_NO_EFFECT;
    ST_PRINT(row->why, "its effect was gone when it was measured again");
    return 0;
}

/* What came of a row so far. */
static enum st_tuning_outcome judge(const struct st_tuning_row *row, double needed)
{
    const double fewer = st_sequential_e(&row->evidence, ST_SEQUENTIAL_FEWER);
    if (fewer >= needed)
        return ST_TUNING_HELPS;
    if (st_sequential_e(&row->evidence, ST_SEQUENTIAL_MORE) >= HARM_NEEDED)
        return ST_TUNING_HARMFUL;
    if ((st_sequential_e(&row->evidence, ST_SEQUENTIAL_ABOVE_LOW) >= NULL_NEEDED &&
         st_sequential_e(&row->evidence, ST_SEQUENTIAL_BELOW_HIGH) >= NULL_NEEDED) ||
        (row->evidence.pairs_n >= WITHOUT_PAIRS && fewer < WITHOUT_E))
        return ST_TUNING_NO_EFFECT;
    return ST_TUNING_NOT_TRIED;
}

static uint32_t open_bits(const struct st_tuning *t)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < t->n; i++)
        bits |= is_open(&t->rows[i]) ? UINT32_C(1) << i : 0;
    return bits;
}

/* One pair of a row. */
static int try_row(struct run *run, size_t i, enum st_tuning_others others)
{
    struct st_tuning_row *row = &run->t->rows[i];
    const uint32_t bit = UINT32_C(1) << i;
    const uint32_t base = run->on | (others == ST_TUNING_OTHERS_ON ? open_bits(run->t) & ~bit : 0);
    struct st_tuning_block blocks[2];
    const int r = measure_pair(run, base, bit, (int)i, "trial", blocks);
    if (r != 0)
        return r;
    const double a = (double)blocks[0].late_n, b = (double)blocks[1].late_n;
    add_means(row, blocks);
    st_sequential_add(&row->evidence, blocks[0].late_n, blocks[1].late_n);
    row->seen[others] += a + b > 0 ? (a - b) / (a + b) : 0;
    row->seen_n[others]++;
    if (guard_trips(row, blocks))
        return 0;
    row->outcome = judge(row, st_sequential_needed(run->t->open_n, run->kept_n));
    if (row->outcome == ST_TUNING_HELPS) {
        run->kept_n++;
        run->on |= row->refused ? 0 : bit;
    }
    return 0;
}

/* The difference of its pairs so far, and more for what was tried little. */
static double promise(const struct st_tuning *t, const struct st_tuning_row *row,
                      enum st_tuning_others others)
{
    const double before_n = t->screened_n > 0 ? SCREEN_PAIRS : NO_PAIRS, n = before_n + row->seen_n[others];
    return (before_n * row->guess + row->seen[others]) / n + BOLD / sqrt(n);
}

/* The row for the next pair, and the state of the others. @return false: none is open. */
static bool find_next(const struct st_tuning *t, size_t *ret_row, enum st_tuning_others *ret_others)
{
    const uint32_t open = open_bits(t);
    double best = -(double)INFINITY;
    ST_EACH_OF (place, t->order, t->open_n) {
        const size_t i = *place;
        for (enum st_tuning_others others = 0; others < ST_TUNING_OTHERS && is_open(&t->rows[i]); others++) {
            const double value = promise(t, &t->rows[i], others);
            if (value <= best || (others == ST_TUNING_OTHERS_ON && open == UINT32_C(1) << i))
                continue;
            best = value;
            *ret_row = i;
            *ret_others = others;
        }
    }
    return open != 0;
}

/* All against none: two settings may help together only, or each too little to be shown. */
static int try_together(struct run *run)
{
    struct st_tuning *t = run->t;
    int r = 0;
    while (left(run) >= 2 && (r == 0 || r == ROW_OUT) && !st_tuning_together_helps(t)) {
        struct st_tuning_block blocks[2];
        uint32_t rows = open_bits(t);
        for (size_t i = 0; i < t->n; i++)
            rows |= t->rows[i].outcome == ST_TUNING_NO_EFFECT ? UINT32_C(1) << i : 0;
        if ((rows & (rows - 1)) == 0)
            return 0;
        r = measure_pair(run, 0, rows, NO_ROW, "all against none", blocks);
        if (r != 0)
            continue;
        st_sequential_add(&t->together, blocks[0].late_n, blocks[1].late_n);
        for (size_t arm = 0; arm < 2; arm++)
            t->together_n[arm] += blocks[arm].late_n;
    }
    return r == ROW_OUT ? 0 : r;
}

bool st_tuning_together_helps(const struct st_tuning *tuning)
{
    return st_sequential_e(&tuning->together, ST_SEQUENTIAL_FEWER) >= SHOWN_ALL;
}

static int measure_kept(struct run *run)
{
    struct st_tuning *t = run->t;
    int r = 0;
    for (size_t i = 0; i < t->n && r == 0; i++) {
        struct st_tuning_row *row = &t->rows[i];
        if (row->outcome != ST_TUNING_HELPS)
            continue;
        r = measure_fresh(run, i);
        if (row->outcome != ST_TUNING_HELPS || row->why[0] != '\0')
            run->on &= ~(UINT32_C(1) << i);
    }
    return r;
}

static int try_all(struct run *run)
{
    struct st_tuning *t = run->t;
    size_t row = 0;
    enum st_tuning_others others = ST_TUNING_OTHERS_OFF;
    int r = screen_blocks(t->open_n) > 0 ? screen(run, t->order, t->open_n) : 0;
    /* whatever the next pair shows can still be measured again */
    while ((r == 0 || r == ROW_OUT) && left(run) >= 2 * (1 + FRESH_PAIRS * (run->kept_n + 1)) &&
           find_next(t, &row, &others))
        r = try_row(run, row, others);
    if (r == 0 || r == ROW_OUT)
        r = run->kept_n > 0 ? measure_kept(run) : try_together(run);
    ST_EACH_OF (open, t->rows, r == 0 ? t->n : 0) {
        if (is_open(open) && open->evidence.pairs_n > 0)
            open->outcome = ST_TUNING_UNDECIDED;
        else if (is_open(open))
            ST_PRINT(open->why, "no time left: use a longer --budget");
    }
    return r;
}

int st_tuning_run(struct st_tuning *tuning, const struct st_tuning_bench *bench, uint64_t seed)
{
    struct run run = {.t = tuning, .bench = bench, .random = {seed}};
    char why[ST_TUNING_WHY_BYTES];
    size_t at;
    ST_EACH_OF (row, tuning->rows, tuning->n)
        st_sequential_init(&row->evidence);
    st_sequential_init(&tuning->together);
    st_tuning_plan(tuning);
    int r = measure_same(&run);
    if (r == 0 && tuning->end == ST_TUNING_DONE)
        r = try_all(&run);
    if (r != 0)
        tuning->end = ST_TUNING_STOPPED;
    ST_EACH_OF (row, tuning->rows, r != 0 ? tuning->n : 0) {
        const bool half = row->outcome == ST_TUNING_HELPS && row->fold.value <= 0;
        row->outcome = half ? ST_TUNING_UNDECIDED : row->outcome;
        if (half || is_open(row))
            ST_PRINT(row->why, "the session ended before%s", half ? " it was measured again" : "");
    }
    const int back = bench->set(bench->ctx, 0, &at, why);
    return r != 0 ? r : back == -EBUSY || back == -EIO ? 0 : back;
}
