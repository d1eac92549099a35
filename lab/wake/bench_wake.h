/* Measures how fast a sleeper wakes up: each combination of mechanism, same or other CPU,
 * interrupted or timed out, and slice (length of the sleep) is a cell. Blocks of rounds of the
 * cells follow each other in random order. */
#pragma once

#include <jansson.h>

#include "lab/summary.h"
#include "lab/wake/wake.h"

#define ST_BENCH_WAKE_CELLS_MAX 4096
/* rounds of one cell in a row, before another cell follows */
#define ST_BENCH_WAKE_BLOCK_ROUNDS 20

enum st_wake_kind { ST_WAKE_INTERRUPTED, ST_WAKE_TIMED_OUT };

/** "interrupted", "timed-out". */
const char *st_bench_wake_kind_name(enum st_wake_kind kind);

enum st_wake_placement { ST_WAKE_SAME_CPU, ST_WAKE_OTHER_CPU };

/** "same-cpu", "other-cpu". */
const char *st_bench_wake_placement_name(enum st_wake_placement placement);

struct st_wake_cell {
    const struct st_wake_method *method;
    enum st_wake_placement placement;
    enum st_wake_kind kind;
    int64_t slice_ns; /* how long the sleeper had slept when it was signalled, or should sleep until
                         it times out */
    const char *why;  /* why the cell has no rounds or no more of them; NULL: it was measured */
    int error;        /* error of the kernel that goes with `why`, < 0; 0: none */
    int64_t *delay_ns; /* in the order of measurement: woke - signalled, or woke - due */
    int64_t *
        send_ns; /* how long signalling took, including one clock read; 0 in rounds that time out */
    size_t n;

    /* figures of delay_ns and send_ns */
    struct st_summary delay, send;
};

struct st_bench_wake;

struct st_bench_wake_config {
    const struct st_wake_method *const *methods;
    size_t methods_n;
    const int64_t *slices_ns; /* slices to measure, each > 0 */
    size_t slices_n;
    const enum st_wake_kind *kinds;
    size_t kinds_n;
    const enum st_wake_placement *placements;
    size_t placements_n;
    size_t rounds;     /* rounds of each cell; >= 1 */
    int64_t budget_ns; /* time for all rounds: if it is too short, there are fewer of them; 0: no
                          limit */
    int sender_cpu;    /* CPU of the sender, and of the sleeper if both share a CPU */
    int other_cpu;     /* CPU of the sleeper if it does not share the sender's CPU; -1: there is no
                          second CPU */
    uint64_t seed;     /* seed of the random order of the cells */
    /** Called before each round, in the sending thread. @return false: stop here. NULL: go on. */
    bool (*go_on)(void *ctx, const struct st_bench_wake *bench);
    void *ctx;
};

struct st_bench_wake {
    struct st_bench_wake_config config;
    struct st_wake_cell *cells;
    size_t cells_n;
    int64_t elapsed_ns;
    bool stopped; /* go_on ended the measurement early */
};

/** Makes the cells, without measuring. The arrays of config must stay valid.
 * @return 0, -EINVAL (nothing to measure), -E2BIG (too many cells), -ERANGE (the budget is too
 * short for one round of each cell: ask st_bench_wake_expected_ns what that takes, then call
 * st_bench_wake_finish), -ENOMEM. */
ST_NODISCARD int st_bench_wake_init(struct st_bench_wake *bench,
                                    const struct st_bench_wake_config *config);

/** About how long measuring all cells takes, in ns. */
int64_t st_bench_wake_expected_ns(const struct st_bench_wake *bench);

/** Measures all cells. The calling thread is the sender: it keeps its policy and stays on
 * sender_cpu. If a cell cannot be measured, its `why` says the reason. @return 0, -ENOMEM (what was
 * measured stays valid). */
ST_NODISCARD int st_bench_wake_measure(struct st_bench_wake *bench, struct st_lab *lab);

/** How much the delay of a wake-up grows with the slice. */
struct st_wake_growth {
    int64_t from_ns, to_ns;   /* the shortest and the longest slice, ns */
    size_t blocks_n;          /* blocks of rounds that the cells of all slices have */
    struct st_estimate by_ns; /* growth of the delay from the shortest to the longest slice, by a
                                 line through all slices; with a 99 % interval, because many growths
                                 are looked at together; known from 8 blocks and two slices on */
};

/**
 * Computes the growth from the cells that differ from `first`, a cell of the first slice, by their
 * slice only. A line is fitted to each block, and the result is the median of the growths of these
 * lines, so that drift from block to block has no effect; the interval is that of the sign test.
 * @return 0, -ENOMEM. */
ST_NODISCARD int st_bench_wake_growth(const struct st_bench_wake *bench,
                                      const struct st_wake_cell *first, struct st_wake_growth *ret);

/** The result as the document sleeptune-bench-wake/1. New reference; NULL when out of memory. */
json_t *st_bench_wake_json(const struct st_bench_wake *bench, struct st_lab *lab);

void st_bench_wake_finish(struct st_bench_wake *bench);

/* The text that `sleeptune-lab wake` prints. */

/** Lists all mechanisms, one a line. */
void st_bench_wake_list(struct st_lab *lab, FILE *out, int width);

/** Prints the result: a row for each mechanism, kind and placement, with a median and a mean for
 * each slice; and whether the delay grows with the slice. */
void st_bench_wake_print(const struct st_bench_wake *bench, struct st_lab *lab, FILE *out,
                         int width);
