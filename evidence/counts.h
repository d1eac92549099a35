/* One test for "did it happen less often, or more often?": events before and after a change, counted in
 * parts of time (sections of a run, evenings with music). Exact permutation test: the sum of the
 * logarithmic rates of one side, compared with all ways to choose the same number of parts. A burst of
 * events raises the score of its part only by its logarithm. */
#pragma once

#include "core/base.h"

#define ST_COUNTS_SIDE_MAX 60
#define ST_COUNTS_SECTIONS                                                                                   \
    8 /* sections of a run, of equal length, and so long that they hardly depend on each other */
#define ST_COUNTS_LEVEL 0.005 /* significance level for the comparison of two runs */

/** Scores of comparable parts: first those before the change, then those since. All groups together have
 * at most ST_COUNTS_SIDE_MAX since. */
struct st_counts_group {
    size_t before_n, n;
    int scores[2 * ST_COUNTS_SIDE_MAX];
};

/** Logarithmic score, since otherwise one bad part would hide all others. @param rate events in a unit of
 * time, the same unit for all parts. */
int st_counts_score(double rate);

/** Judges whether the scores differ. @param ret_p two-sided. @param ret_more more events since the change.
 * @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_counts_judge(const struct st_counts_group *groups, size_t n, double *ret_p,
                                 bool *ret_more);

enum st_counts_verdict {
    ST_COUNTS_TOO_SHORT, /* a run has no sections */
    ST_COUNTS_SAME,      /* no difference shown */
    ST_COUNTS_DRIFTING,  /* more than chance, but within the drift of a single run */
    ST_COUNTS_FEWER,
    ST_COUNTS_MORE,
};

struct st_counts_difference {
    enum st_counts_verdict verdict;
    bool none;              /* no event on either side */
    double fold, low, high; /* ratio of the two rates, with its 95 % interval */
    double p_value;
};

/** Compares two runs by the number of events in each section. A difference must exceed that between the
 * quarters of a single run, unless chance explains the latter. @return 0, -ENOMEM. */
ST_NODISCARD int st_counts_compare(const uint64_t before_n[ST_COUNTS_SECTIONS],
                                   const uint64_t now_n[ST_COUNTS_SECTIONS],
                                   struct st_counts_difference *ret);

/** "3.2 times fewer late wake-ups than before (95 %: 2.1 to 4.8)", or why nothing is shown. */
const char *st_counts_text(const struct st_counts_difference *d);
