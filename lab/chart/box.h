/* A box plot: quartiles, whiskers, and what lies beyond them (Tukey's 1.5 IQR). */
#pragma once

#include "lab/stats/sample.h"

struct st_box {
    uint64_t n;
    bool known;        /* n >= 40: 10 values at least lie beyond each quartile */
    bool median_known; /* n >= 20: on each side of the median */
    bool mean_known;   /* below 40 values, whose only mark it may be */
    int64_t min_ns, q1_ns, median_ns, q3_ns, max_ns, mean_ns;
    /* the outermost values that are not more than 1.5 times q3 - q1 away from the box */
    int64_t low_ns, high_ns;
    bool outliers_known;
    uint64_t outliers_n; /* values beyond the whiskers */
};

/** Of n >= 1 values. Threads: any. Source: Tukey, Exploratory Data Analysis, 1977, 2C. */
void st_box_of(const struct st_sample *sample, struct st_box *ret);

/** Of min, quartiles and max (in ret) where the values are not known: whiskers end at the fences where the
 * extremes lie beyond, and how many values do is unknown, unless none does. */
void st_box_of_figures(struct st_box *ret);
