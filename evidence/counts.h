/* One test for "did it happen less often, or more?": events of two sides, counted in stretches of time:
 * sections of a run, evenings with music. Exact: the sum of the logarithmic rates of one side, over all ways
 * to choose as many of all stretches. A burst of events raises the score of its stretch by its logarithm
 * only. */
#pragma once

#include "core/base.h"

#define ST_COUNTS_SIDE_MAX 60
#define ST_COUNTS_SECTIONS 8 /* of a run, of equal length; so long that they hardly depend on each other */
#define ST_COUNTS_LEVEL    0.005 /* of two runs */

/** Scores of stretches that are comparable: those before the change, then those since. Of all groups together
 * at most ST_COUNTS_SIDE_MAX since. */
struct st_counts_group {
    size_t before_n, n;
    int scores[2 * ST_COUNTS_SIDE_MAX];
};

/** Logarithmic, or one bad stretch would hide all others. @param rate events per unit of time, the same unit
 * for all stretches. */
int st_counts_score(double rate);

/** @param ret_p two-sided. @param ret_more since the change. @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_counts_judge(const struct st_counts_group *groups, size_t n, double *ret_p,
                                 bool *ret_more);

enum st_counts_verdict {
    ST_COUNTS_TOO_SHORT, /* a run has no sections */
    ST_COUNTS_SAME,      /* no difference shown */
    ST_COUNTS_DRIFTING,  /* more than chance, and no more than a run changes by itself */
    ST_COUNTS_FEWER,
    ST_COUNTS_MORE,
};

struct st_counts_difference {
    enum st_counts_verdict verdict;
    bool none;              /* no event on either side */
    double fold, low, high; /* how many times as many, with its 95 % interval */
    double p_value;
};

/** Two runs, one after the other: how many events each section had. A difference must be larger than that
 * between the quarters of a run, as far as chance does not explain this one. @return 0, -ENOMEM. */
ST_NODISCARD int st_counts_compare(const uint64_t before_n[ST_COUNTS_SECTIONS],
                                   const uint64_t now_n[ST_COUNTS_SECTIONS],
                                   struct st_counts_difference *ret);

/** "3.2 times fewer late wake-ups than before (95 %: 2.1 to 4.8)", or why nothing is shown. */
const char *st_counts_text(const struct st_counts_difference *d);
