/* Late wake-ups summed by cause and culprit, and their JSON document. */
#pragma once

#include <jansson.h>

#include "core/cause_kind.h"

#define ST_CAUSE_SUMS_MAX      64
#define ST_CAUSE_CULPRIT_BYTES 64

/** Culprit of the row that takes the rest when the table is full. */
#define ST_CAUSE_CULPRIT_OTHER "other"

/** One cause with one culprit. */
struct st_cause_sum {
    enum st_cause cause;
    char culprit[ST_CAUSE_CULPRIT_BYTES]; /* "ffmpeg", "irq/27-hda"; "": unknown */
    uint64_t n;
    int64_t total_ns, worst_ns; /* lateness */
    int64_t explained_ns;       /* part of total_ns that a counter explains */
    bool figures;               /* a counter explains a part; false: the cause was found by exclusion */
};

struct st_cause_sums {
    struct st_cause_sum rows[ST_CAUSE_SUMS_MAX];
    size_t n;
};

/** Adds a row to the row of the same cause and culprit, or as a new row; if only the reserved rows are
 * free, to the row "other" of its cause. */
void st_cause_sums_add(struct st_cause_sums *sums, const struct st_cause_sum *row);

/** The time that the sums cover. */
struct st_cause_span {
    int64_t from_wall_ns, to_wall_ns;
    int64_t asked_from_wall_ns; /* INT64_MIN: since the beginning */
    int64_t measured_ns;        /* time in which a loop ran, on CLOCK_MONOTONIC */
    uint64_t wakes_n;
    int64_t above_ns, above_most_ns; /* smallest and largest limit of a late wake-up, by buffer size; 0:
                                        unknown, or nothing was late */
    char tracer[200];                /* why culprits are unknown; empty: they are known */
};

/** Document sleeptune-causes/1. Sorts the sums: longest total first. New reference; NULL: out of memory. */
json_t *st_cause_sums_json(struct st_cause_sums *sums, const struct st_cause_span *span);
