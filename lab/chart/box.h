/* The figures of a box plot: quartiles, whiskers, and the number of outliers beyond the whiskers
 * (Tukey's 1.5 IQR). */
#pragma once

#include "lab/stats/sample.h"

struct st_box {
    uint64_t n;
    bool known; /* quartiles and whiskers are known: n >= 40, so that at least 10 values lie beyond
                   each quartile */
    bool median_known; /* n >= 20, so that at least 10 values lie on each side of the median */
    bool mean_known; /* only with fewer than 40 values: without a box, the mean may be the only mark
                        in the picture */
    int64_t min_ns, q1_ns, median_ns, q3_ns, max_ns, mean_ns;
    /* ends of the whiskers: the outermost values that are at most 1.5 times q3 - q1 away from the
     * box */
    int64_t low_ns, high_ns;
    bool outliers_known;
    uint64_t outliers_n; /* values beyond the whiskers */
};

/** Makes the box of a sample of n >= 1 values. Threads: any. Source: Tukey, Exploratory Data
 * Analysis, 1977, 2C. */
void st_box_of(const struct st_sample *sample, struct st_box *ret);

/** Computes the whiskers from min, quartiles and max (in ret), for results whose single values are
 * unknown. A whisker ends at the extreme, or at the outlier limit if the extreme lies beyond it;
 * the number of outliers is then unknown. */
void st_box_of_figures(struct st_box *ret);
