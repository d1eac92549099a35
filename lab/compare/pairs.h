/* By how much run B differs from run A in each figure, with an interval and a p-value. Allows for
 * values that depend on their neighbours. */
#pragma once

#include "core/stats/random.h"
#include "lab/compare/figure.h"
#include "lab/stats/series.h"

/** Number of times that blocks are drawn to find an interval. The same random numbers give the same
 * result. */
#define ST_PAIRS_RESAMPLES 2000
/** An interval rests on at least this many blocks of each run. */
#define ST_PAIRS_BLOCKS_MIN 8

/**
 * Compares two runs. Whole blocks of each run are drawn with replacement, and the figures of the
 * drawn values are computed. Values that depend on their neighbours are in one block with them only
 * if the block is long enough: so all of this is done with blocks of 1, 2, 4 ... times the length
 * (down to ST_PAIRS_BLOCKS_MIN of them), and the widest interval and the largest p-value count.
 * Changes that last longer than an eighth of a run are left to the drift (drift.h). Only the order
 * of the values counts, not their times. The caller then judges the figures with st_verdict_judge.
 * @return 0, -ENOMEM; *ret is set on 0 only. Threads: any. Source: Kuensch, "The Jackknife and the
 * Bootstrap for General Stationary Observations", 1989 (blocks); Hesterberg 2015 (expanded
 * interval); Welch 1947 (degrees of freedom). */
ST_NODISCARD int st_pairs_compare(const struct st_series *a, const struct st_series *b,
                                  struct st_random *random, struct st_figure ret[ST_FIGURES]);
