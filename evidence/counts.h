/* One test for "did it happen less often, or more?": events of two sides, counted in stretches of time:
 * blocks of a run, evenings with music. Exact: the sum of the logarithmic rates of one side, over all ways to
 * choose as many of all stretches. A burst of events raises the score of its stretch by its logarithm only.
 */
#pragma once

#include "core/base.h"
#include "evidence/drift.h"

#define ST_COUNTS_SIDE_MAX 60
#define ST_COUNTS_LEAST    (2 * ST_DRIFT_SECTIONS) /* blocks of a run, to see drift */
#define ST_COUNTS_LEVEL    0.015                   /* of two runs; of real ones under changing load 6.2 % */

/** Scores of stretches that are comparable: those before the change, then those since. */
struct st_counts_group {
    size_t before_n, n;
    int scores[2 * ST_COUNTS_SIDE_MAX];
};

/** Logarithmic, or one bad stretch would hide all others. @param units of time, the same for all stretches.
 */
int st_counts_score(uint64_t events_n, double units);

/** @param far p-values above this one are of the normal distribution, which is enough then. @param ret_z
 * deviation since the change, > 0: more. @param ret_p two-sided. @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_counts_judge(const struct st_counts_group *groups, size_t n, double far, double *ret_z,
                                 double *ret_p);

/** A run in blocks of equal length. */
struct st_counts_run {
    uint64_t events_n[ST_COUNTS_SIDE_MAX];
    size_t n;
};

enum st_counts_verdict {
    ST_COUNTS_TOO_SHORT, /* fewer than ST_COUNTS_LEAST blocks */
    ST_COUNTS_SAME,      /* no difference shown */
    ST_COUNTS_DRIFTING,  /* more than chance, and no more than a run changes by itself */
    ST_COUNTS_FEWER,
    ST_COUNTS_MORE,
};

struct st_counts_difference {
    enum st_counts_verdict verdict;
    bool none;              /* no event on either side */
    double fold, low, high; /* how many times as many, with its 95 % interval; too short: 1 */
    double p_value;
};

/** Two runs, one after the other. Blocks depend on their neighbours: it is done with 1, 2, 4 ... of them
 * joined, and the largest p-value and the widest interval count. A run drifts if its five sections differ by
 * more than chance (evidence/drift.h): a difference must be larger than that. @return 0, -ENOMEM. */
ST_NODISCARD int st_counts_compare(const struct st_counts_run runs[2], struct st_counts_difference *ret);

/** "3.2 times fewer late wake-ups than before (95 %: 2.1 to 4.8)", or why nothing is shown. @return buf. */
const char *st_counts_text(const struct st_counts_difference *d, char *buf, size_t buf_bytes);
