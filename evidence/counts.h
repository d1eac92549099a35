/* Compares events before and after a change: are there fewer, or more? They are counted in sections
 * of time (of a run, or evenings with music). Exact permutation test: the sum of the logarithmic
 * rates of one side is compared with all ways to choose as many sections. A burst of events raises
 * the score of its section only by its logarithm. */
#pragma once

#include "core/base.h"

#define ST_COUNTS_SIDE_MAX 60
/* sections of a run, of equal length; so long that their counts hardly depend on each other */
#define ST_COUNTS_SECTIONS 8
#define ST_COUNTS_LEVEL    0.005 /* significance level of the comparison of two runs */

/** Scores of sections that can be compared with each other: first before_n from before the change,
 * then those since. All groups together have at most ST_COUNTS_SIDE_MAX scores since the change. */
struct st_counts_group {
    size_t before_n, n;
    int scores[2 * ST_COUNTS_SIDE_MAX];
};

/** The score of a section. Logarithmic, since otherwise one bad section would hide all others.
 * @param rate events in a unit of time, the same unit for all sections. */
int st_counts_score(double rate);

/** Judges whether the scores before and since the change differ. @param ret_p two-sided p-value.
 * @param ret_more there are more events since the change. @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_counts_judge(const struct st_counts_group *groups, size_t n, double *ret_p,
                                 bool *ret_more);

enum st_counts_verdict {
    ST_COUNTS_TOO_SHORT, /* a run has no sections */
    ST_COUNTS_SAME,      /* no difference was shown */
    ST_COUNTS_DRIFTING,  /* a difference beyond chance, but not larger than the drift within one
                          * run */
    ST_COUNTS_FEWER,
    ST_COUNTS_MORE,
};

struct st_counts_difference {
    enum st_counts_verdict verdict;
    bool none;              /* no event on either side */
    double fold, low, high; /* rate now divided by the rate before, with its 95 % interval */
    double p_value;
};

/** Compares two runs by the number of events in each section. A difference counts only if it
 * exceeds the drift within each run (between its quarters), unless chance explains the drift.
 * @return 0, -ENOMEM. */
ST_NODISCARD int st_counts_compare(const uint64_t before_n[ST_COUNTS_SECTIONS],
                                   const uint64_t now_n[ST_COUNTS_SECTIONS],
                                   struct st_counts_difference *ret);

/** A sentence: "3.2 times fewer late wake-ups than before (95 %: 2.1 to 4.8)", or why no difference
 * is shown.
 */
const char *st_counts_text(const struct st_counts_difference *d);
