/* The words of compare. A *run* is one file. It is cut into up to 64 *blocks* of equally many
 * values. A *figure* is one number of a run, such as its median. For the difference of two runs in
 * a figure, pairs.h computes an *interval* and a p-value, and verdict.h a *verdict*. */
#pragma once

#include "lab/stats/estimate.h"

enum st_figure_id { ST_FIGURE_MEDIAN, ST_FIGURE_P99, ST_FIGURE_P999, ST_FIGURES };
#define ST_EACH_FIGURE(id) for (enum st_figure_id id = 0; id < ST_FIGURES; id++)

enum st_verdict {
    ST_VERDICT_TOO_SHORT, /* cannot tell: too few values or blocks for an interval */
    ST_VERDICT_NONE,      /* no difference shown */
    ST_VERDICT_DRIFTING, /* cannot tell: the difference is more than chance, but not more than a run
                            changes by itself */
    ST_VERDICT_BETTER,   /* B has the lower figure */
    ST_VERDICT_WORSE,
};

struct st_figure {
    bool known[2];   /* whether A and B have enough values for the quantile p: n >= 10 / (1 - p) */
    double value[2]; /* the figure of A and of B, ns */
    struct st_estimate difference; /* B - A with its interval, ns; not known: the members are 0 */
    double error;                  /* standard error of the difference; 0: not known */
    double p_value;                /* probability of so large a difference between equal runs */
    double drift[2]; /* for each run, the figure's largest minus its smallest value in five
                        sections, ns; NAN: too few values */
    double drifts; /* the larger drift of both runs, counting only drifts that are more than chance;
                      0: there is none */
    bool narrow;   /* values depend on each other for so long that the interval may be too narrow */
    double p_corrected; /* p_value, corrected for all figures that are judged together;
                           st_verdict_judge sets it and verdict */
    enum st_verdict verdict;
};

/** "median", "p99", "p99.9". */
extern const char *const st_figure_names[ST_FIGURES];

/** 0.5, 0.99, 0.999. */
extern const double st_figure_quantiles[ST_FIGURES];
