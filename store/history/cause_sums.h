/* Late wake-ups summed by cause and culprit, and the document that tells them. */
#ifndef ST_STORE_HISTORY_CAUSE_SUMS_H
#define ST_STORE_HISTORY_CAUSE_SUMS_H

#include <jansson.h>

#include "core/cause_kind.h"

#define ST_CAUSE_SUMS_MAX      64
#define ST_CAUSE_CULPRIT_BYTES 64

/** What takes up the rest when the table is full. */
#define ST_CAUSE_CULPRIT_OTHER "other"

/** One cause with one culprit. */
struct st_cause_sum {
    enum st_cause cause;
    char culprit[ST_CAUSE_CULPRIT_BYTES]; /* "ffmpeg/4711", "irq/27-hda"; "": nobody was named */
    uint64_t n;
    int64_t total_ns, worst_ns; /* lateness */
    int64_t explained_ns;       /* of total_ns, by figures */
    bool figures;               /* some of it has a figure; false: by exclusion */
    uint64_t xruns_n;           /* simulated xruns that came of it */
};

struct st_cause_sums {
    struct st_cause_sum rows[ST_CAUSE_SUMS_MAX];
    size_t n;
};

/** Adds one row to the table: to the row of the same cause and culprit, to a new one, or, when the table is
 * full but for the last rows, to the row "other" of its cause. */
void st_cause_sums_add(struct st_cause_sums *sums, const struct st_cause_sum *row);

/** The longest total first. */
void st_cause_sums_sort(struct st_cause_sums *sums);

/** What the sums are of. */
struct st_cause_span {
    int64_t from_wall_ns, to_wall_ns;
    int64_t asked_from_wall_ns; /* INT64_MIN: everything there is */
    int64_t measured_ns;        /* in which somebody measured, on CLOCK_MONOTONIC */
    uint64_t wakes_n;
    int64_t above_ns; /* what late means, the least of it; 0: not known, nothing was */
    uint64_t xruns_n; /* simulated */
    uint64_t xruns_unknown_n;
    const char *tracer; /* "" it runs; else why nobody can be named */
};

/** Document sleeptune-causes/1 of sorted sums. New reference, NULL when out of memory. */
json_t *st_cause_sums_json(const struct st_cause_sums *sums, const struct st_cause_span *span);

#endif
