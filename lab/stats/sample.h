/* Sorted values, for look-ups by rank. */
#pragma once

#include "core/stats/random.h"

struct st_sample {
    const int64_t *values_ns; /* ascending: rank r of 1 .. n is values_ns[r - 1] */
    size_t n;
};

/** Sorts n values, least first. Threads: any. */
void st_sample_sort(int64_t *values, size_t n);
/** Puts order[0 .. n - 1] into random order. Source: Durstenfeld, CACM algorithm 235, 1964. */
void st_sample_shuffle(struct st_random *random, size_t *order, size_t n);
/** Sorts an array of values and makes a sample of it; the array still belongs to the caller.
 * Threads: any. */
struct st_sample st_sample_of(int64_t *values_ns, size_t n);

/** The p-quantile: the value at rank st_hist_quantile_rank(n, p); n >= 1. */
int64_t st_sample_quantile(const struct st_sample *sample, double p);
/** The step of the clock with which the values were measured. If the step is not a whole number of
 * ns, such as 10.02, values are rounded up or down: 20 and 21 then count as one value, if 22 does
 * not occur. The step is the distance of the two neighbouring values that occur most often, such as
 * 20 and 30; if they occur only once, such as 251 and 260, it may be 1 ns too short. @return 0:
 * there is only one value. */
int64_t st_sample_clock_step_ns(const struct st_sample *sample);

/**
 * The value that would be at `rank` (0 .. n - 1) of the sorted values. Reorders them: smaller ones
 * rank before it, larger ones behind it. Threads: any; no allocation; time in proportion to n,
 * whatever the order. Source: Hoare, "Algorithm 65: Find", 1961, with random pivots. */
int64_t st_sample_select(int64_t *values, size_t n, size_t rank);
