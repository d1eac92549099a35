/* How much a figure (median, p99 ...) changes within one run: a run is cut into five sections of
 * equal length, and the figure differs between them by chance, or by more. */
#pragma once

#include "core/base.h"

#define ST_DRIFT_SECTIONS 5

/** The section in which block k of n lies. */
size_t st_drift_section(size_t k, size_t n);

/**
 * Probability that the sections of a run without drift differ as much as these do: a one-way
 * analysis of variance of the blocks in them.
 * @param figures one value for each of n blocks, in order. @return 1: fewer than 2 blocks a
 * section, or all are equal. Source: Fisher, "Statistical Methods for Research Workers", 1925. */
double st_drift_p(const double *figures, size_t n);
