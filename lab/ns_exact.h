/* Durations with more digits than st_ns_text prints, for means of many measurements. */
#pragma once

#include "core/base.h"

/** Text of a duration: four digits from 1 us to 1 ms ("1.184 µs", "83.33 µs"), otherwise that of
 * st_ns_text. */
ST_NODISCARD const char *st_ns_exact(int64_t ns);
