/* Durations with more digits than st_ns_text: means of many measurements. */
#pragma once

#include "core/base.h"

/** As st_ns_text, with four digits from 1 us to 1 ms: "1.184 µs", "83.33 µs". */
ST_NODISCARD const char *st_ns_exact(int64_t ns);
