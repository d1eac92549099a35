/* Times and durations, without overflow. All of sleeptune uses signed 64-bit nanoseconds (292
 * years). */
#pragma once

#include "core/text/text.h"

#define ST_NS_PER_DAY    (24 * ST_NS_PER_HOUR)
#define ST_NS_PER_HOUR   (60 * ST_NS_PER_MINUTE)
#define ST_NS_PER_MINUTE (60 * ST_NS_PER_S)
#define ST_NS_PER_S      INT64_C(1000000000)
#define ST_NS_PER_MS     INT64_C(1000000)
#define ST_NS_PER_US     INT64_C(1000)

static inline double st_ns_seconds(int64_t ns)
{
    return (double)ns / (double)ST_NS_PER_S;
}

/** Converts a timespec to ns. @return ns; saturates at INT64_MIN/MAX. Threads: any; real-time
 * safe. */
int64_t st_ns_from_timespec(const struct timespec *ts) ST_NONBLOCKING;

/** Converts ns to a timespec with 0 <= tv_nsec < 1e9, also for negative ns; at most 2^31 - 1 s
 * where time_t has 32 bits. Threads: any; real-time safe. */
struct timespec st_ns_to_timespec(int64_t ns) ST_NONBLOCKING;

/** a + b, saturating at INT64_MIN/MAX instead of wrapping. Threads: any; real-time safe. */
int64_t st_ns_add(int64_t a_ns, int64_t b_ns) ST_NONBLOCKING;

/** a - b, saturating. Threads: any; real-time safe. */
int64_t st_ns_sub(int64_t a_ns, int64_t b_ns) ST_NONBLOCKING;

/** Reads a duration: "30s", "2.5s", "500ms", "250us", "10m", "1h", "1h30m"; a bare number is in
 * seconds.
 * @param ret_ns written on success only; >= 0. @return 0, -EINVAL (not a duration, negative),
 * -ERANGE (more than 292 years). Threads: any. */
ST_NODISCARD int st_ns_parse(const char *text, int64_t *ret_ns);

/** A duration for people, in a suitable unit: "83.3 µs", "1.333 ms", "2.00 s", "412 ns". UTF-8.
 * Lives as long as texts of st_text() (core/text/text.h). */
ST_NODISCARD const char *st_ns_text(int64_t ns);

/** As st_ns_text, with three digits, for sentences: "25.0 ms", "1.33 ms", "83.3 µs". */
ST_NODISCARD const char *st_ns_short(int64_t ns);

/** A long duration: "59 s", "5 min", "23 h 2 min", "2 d 3 h". */
ST_NODISCARD const char *st_ns_long(int64_t ns);
