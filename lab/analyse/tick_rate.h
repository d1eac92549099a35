/* Which rate has a tick of this length? */
#ifndef ST_LAB_ANALYSE_TICK_RATE_H
#define ST_LAB_ANALYSE_TICK_RATE_H

#include <stdbool.h>

#include "core/base.h"

/** Of a tick against its nominal rate: no clock that is of use drifts by more. */
#define ST_TICK_DRIFT_MAX_PPM 500

/** @param tick_ns > 0, with its standard error. @return the whole rate in Hz that it has, within four of
 * these and the drift that ticks may have: a usual one (lab/analyse/periodic.h) if one fits; 0: none. Threads:
 * any. */
int st_tick_rate_of(double tick_ns, double tick_sd_ns);

/** Is that a rate that kernels have? */
bool st_tick_rate_is_usual(int hz);

/** @return the commonest rate in Hz of those that kernels' schedulers have (24 to 1024), with a tick within
 * 12 % of length_ns; 0: none. */
int st_tick_rate_about(double length_ns);

#endif
