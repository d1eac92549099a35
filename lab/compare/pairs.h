/* By how much run B differs from run A in each figure, with an interval and a p-value. Allows for values that
 * depend on their neighbours. */
#pragma once

#include "core/stats/random.h"
#include "lab/compare/figure.h"
#include "lab/stats/series.h"

/** The same random numbers give the same result. Some 0.1 s each. */
#define ST_PAIRS_RESAMPLES 2000
/** An interval rests on at least this many blocks of each run. */
#define ST_PAIRS_BLOCKS_MIN 8

/**
 * Compares. Whole blocks are drawn with replacement, and the figures of what was drawn are taken again.
 * Neighbours that depend on each other are in one block only if it is long enough: all of it is done with
 * blocks of 1, 2, 4 ... times the length (down to ST_PAIRS_BLOCKS_MIN of them), and the widest interval and
 * the largest p-value count. What changes over more than an eighth of a run is left to the drift. Only the
 * order of the values counts. The caller judges: st_verdict_judge.
 * @return 0, -ENOMEM; *ret on 0 only. Threads: any.
 * Source: Kuensch, "The Jackknife and the Bootstrap for General Stationary Observations", 1989 (blocks);
 * Hesterberg 2015 (expanded interval); Welch 1947 (degrees of freedom). */
ST_NODISCARD int st_pairs_compare(const struct st_series *a, const struct st_series *b,
                                  struct st_random *random, struct st_figure ret[ST_FIGURES]);
