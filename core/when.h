/* Reads points in time as users type them, and chooses intervals for time axes. */
#pragma once

#include "core/base.h"

/**
 * Reads a point in time: "now"; how long ago ("90s", "10m", "1h30m", "2d", "1w"); a date or a date
 * and time
 * ("2026-11-20", "2026-11-20 15:04", "2026-11-20T15:04:05", with "Z" for UTC behind it); seconds
 * since 1970, with a fraction if need be; ns since 1970 (at least 17 digits).
 * @param now_wall_ns CLOCK_REALTIME. @param local  a date without "Z" is one of TZ, else of UTC.
 * @param ret_wall_ns  written on success only.
 * @return 0, -EINVAL, -ERANGE (before 1970, after 2200). Threads: any; TZ is read. */
ST_NODISCARD int st_when_parse(const char *text, int64_t now_wall_ns, bool local,
                               int64_t *ret_wall_ns);

/** Reads a duration: as st_ns_parse, and days and weeks: "1d", "1d12h", "2w". @return 0, -EINVAL,
 * -ERANGE. */
ST_NODISCARD int st_when_parse_length(const char *text, int64_t *ret_ns);

/** A point in time for people, in the time zone TZ: "2026-11-20 15:04:05"; "?" if it cannot be
 * shown. Lives as long as texts of st_text(). */
ST_NODISCARD const char *st_when_text(int64_t wall_ns);

/** As st_when_text, without the date if it is the day of now_wall_ns: "15:04:05". */
ST_NODISCARD const char *st_when_text_near(int64_t wall_ns, int64_t now_wall_ns);

/** The shortest of 1, 5, 10, 30 minutes, 1, 3, 6, 12 hours, 1, 7, 30 days ... that divides a time
 * of span_ns into at most `steps` steps. @param steps >= 1. @return ns. Pure. */
int64_t st_when_step(int64_t span_ns, int64_t steps);
