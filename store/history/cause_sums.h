/* Late wake-ups of the timing test, summed by cause and culprit, and their JSON document. */
#pragma once

#include <jansson.h>

#include "core/cause_kind.h"

#define ST_CAUSE_SUMS_MAX      64
#define ST_CAUSE_CULPRIT_BYTES 64

/** Culprit of the row to which late wake-ups are added when the table is full. */
#define ST_CAUSE_CULPRIT_OTHER "other"

/** The late wake-ups with one cause and culprit. */
struct st_cause_sum {
    enum st_cause cause;
    char culprit[ST_CAUSE_CULPRIT_BYTES]; /* "ffmpeg", "irq/27-hda"; "": unknown */
    uint64_t n;
    int64_t total_ns, worst_ns; /* lateness: sum, and largest */
    int64_t explained_ns;       /* the part of total_ns that a counter of the kernel explains */
    /* a counter explains explained_ns; false: no counter did, the cause was found by exclusion */
    bool figures;
};

struct st_cause_sums {
    struct st_cause_sum rows[ST_CAUSE_SUMS_MAX];
    size_t n;
};

/** Adds a row to the row with the same cause and culprit, or else as a new row. If only the rows
 * reserved for "other" are free, adds it to the row "other" of its cause. */
void st_cause_sums_add(struct st_cause_sums *sums, const struct st_cause_sum *row);

/** The time that the sums cover. */
struct st_cause_span {
    int64_t from_wall_ns, to_wall_ns;
    /* begin of the time that was asked for; INT64_MIN: since the beginning of the history */
    int64_t asked_from_wall_ns;
    int64_t measured_ns; /* time in which a loop ran (CLOCK_MONOTONIC) */
    uint64_t wakes_n;
    /* smallest and largest limit above which a wake-up counts as late, which depends on the buffer
     * size; 0: unknown, or nothing was late */
    int64_t above_ns, above_most_ns;
    char tracer[200]; /* why no culprit is known; "": culprits are known */
};

/** Document sleeptune-causes/1. Sorts the sums: longest total first. New reference; NULL: out of
 * memory. */
json_t *st_cause_sums_json(struct st_cause_sums *sums, const struct st_cause_span *span);
