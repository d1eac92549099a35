/* How fast a sleeper is woken early: mechanisms x same or other CPU x interrupted or timed out x slices,
 * measured in random order, block by block. */
#pragma once

#include <jansson.h>

#include "lab/summary.h"
#include "lab/wake/wake.h"

#define ST_BENCH_WAKE_CELLS_MAX    4096
#define ST_BENCH_WAKE_BLOCK_ROUNDS 20 /* of a cell at a time; then another one */

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
    int64_t slice_ns;  /* how long the sleeper had slept when it was signalled, or was to sleep */
    const char *why;   /* why it is not measured (any further); NULL: it is */
    int error;         /* what the kernel said then, < 0; 0: nothing */
    int64_t *delay_ns; /* in order: woke - signalled, or woke - due */
    int64_t *send_ns;  /* interrupted: what signalling took the sender, one clock read included */
    size_t n;

    /* figures */
    struct st_summary delay, send;
};

struct st_bench_wake;

struct st_bench_wake_config {
    const struct st_wake_method *const *methods;
    size_t methods_n;
    const int64_t *slices_ns; /* > 0 */
    size_t slices_n;
    const enum st_wake_kind *kinds;
    size_t kinds_n;
    const enum st_wake_placement *placements;
    size_t placements_n;
    size_t rounds;     /* of each cell; >= 1 */
    int64_t budget_ns; /* fewer rounds where they would take longer; 0: any time */
    int sender_cpu;    /* also the sleeper's on the same CPU */
    int other_cpu;     /* the sleeper's; -1: this machine has no other one */
    uint64_t seed;     /* of the order */
    /** Asked before each round, in the sending thread. @return false: stop here. NULL: go on. */
    bool (*go_on)(void *ctx, const struct st_bench_wake *bench);
    void *ctx;
};

struct st_bench_wake {
    struct st_bench_wake_config config;
    struct st_wake_cell *cells;
    size_t cells_n;
    int64_t elapsed_ns;
    bool stopped; /* by go_on */
};

/** Makes the cells; nothing is measured yet. The config's arrays must stay.
 * @return 0, -EINVAL (nothing to measure), -E2BIG (too many cells), -ERANGE (not one round of each within the
 * budget: finish it after asking st_bench_wake_expected_ns what that takes), -ENOMEM. */
ST_NODISCARD int st_bench_wake_init(struct st_bench_wake *bench, const struct st_bench_wake_config *config);

/** About how long all of it takes. */
int64_t st_bench_wake_expected_ns(const struct st_bench_wake *bench);

/** Measures, in the calling thread, which stays on sender_cpu with the policy. A cell that cannot be measured
 * says why. @return 0, -ENOMEM (what was measured is there). */
ST_NODISCARD int st_bench_wake_measure(struct st_bench_wake *bench, struct st_lab *lab);

/** How much later a sleeper wakes that had slept for longer. */
struct st_wake_growth {
    int64_t from_ns, to_ns;   /* the shortest and the longest slice */
    size_t blocks_n;          /* that all slices have */
    struct st_estimate by_ns; /* from the shortest to the longest, by a line through all; 99 %, as one looks
                                 at many; known from 8 blocks and two slices on */
};

/**
 * Of the cells that differ from `first`, which is one of the first slice, by their slice only: the median of
 * the blocks' lines, so that what drifts from block to block drops out, with the interval of the sign test.
 * @return 0, -ENOMEM. */
ST_NODISCARD int st_bench_wake_growth(const struct st_bench_wake *bench, const struct st_wake_cell *first,
                                      struct st_wake_growth *ret);

/** sleeptune-bench-wake/1. New reference; NULL when out of memory. */
json_t *st_bench_wake_json(const struct st_bench_wake *bench, struct st_lab *lab);

void st_bench_wake_finish(struct st_bench_wake *bench);

/* sleeptune-lab wake: its text. */

/** One line a way; missing ones with the reason. */
void st_bench_wake_list(struct st_lab *lab, FILE *out, int width);

/** The result: a row for each mechanism, kind and placement, with a median and a mean for each slice; and
 * whether the delay grows with the slice. */
void st_bench_wake_print(const struct st_bench_wake *bench, struct st_lab *lab, FILE *out, int width);
