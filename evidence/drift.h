/* What a figure does within one run, without any change: a run has five sections of equal length, and the
 * figure differs from one to the other, by chance or by more than that. */
#ifndef ST_EVIDENCE_DRIFT_H
#define ST_EVIDENCE_DRIFT_H

#include "core/base.h"

#define ST_DRIFT_SECTIONS 5

/** The section in which block k of n lies. */
size_t st_drift_section(size_t k, size_t n);

/**
 * How often the sections of a run that does not drift differ so much: a one-way analysis of variance of the
 * blocks in each.
 * @param figures of n blocks, in order. @return 1: fewer than 2 blocks a section, or all are equal.
 * Source: Fisher, "Statistical Methods for Research Workers", 1925.
 */
double st_drift_p(const double *figures, size_t n);

#endif
