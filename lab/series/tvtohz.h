/* How many clock ticks a 4.4BSD kernel gives to a sleep. */
#ifndef ST_LAB_SERIES_TVTOHZ_H
#define ST_LAB_SERIES_TVTOHZ_H

#include "core/base.h"

enum st_rounding {
    ST_ROUNDING_NONE,   /* no tick: the timer is programmed for the due time itself */
    ST_ROUNDING_TVTOHZ, /* rounded up, and one more tick: never early whatever the phase of the caller */
    ST_ROUNDING_TVTOHZ_FIXED, /* rounded up only */
};

/** "none", "tvtohz", "tvtohz-fixed". */
const char *st_rounding_name(enum st_rounding rounding);
/** @return 0 or -EINVAL (no such name). */
ST_NODISCARD int st_rounding_parse(const char *name, enum st_rounding *ret);

/**
 * Ticks for a sleep of whole microseconds; at least one.
 * @param us 0 .. 2^53.  @param hz 1 .. 1000000, ticks a second.  @param rounding a tick's one.
 * @return ticks, or -ERANGE. Threads: any.
 * Source: 4.4BSD tvtohz() as P. Herman's article of January 2004 has it: (us + tick - 1) / tick + 1 with
 * tick = 1000000 / hz, all integer. The article's table parses seconds as a double and cuts it to us first,
 * which makes 1.000001 s one of 1000000 us and 101 ticks at 100 Hz; 1000001 us are 102.
 */
int64_t st_tvtohz(int64_t us, int64_t hz, enum st_rounding rounding);

#endif
