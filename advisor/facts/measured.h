/* A measurement of this machine, and what was seen of the music meanwhile, brought to the advisor as facts. */
#ifndef ST_ADVISOR_FACTS_MEASURED_H
#define ST_ADVISOR_FACTS_MEASURED_H

#include "advisor/rules/rule.h"

/* Keys. Texts but where the unit says otherwise; of several loops, the worst. */
#define ST_MEASURED_SOURCE        "measured.source"                /* "sleeptune check" */
#define ST_MEASURED_FRAMES        "measured.frames"                /* whole number */
#define ST_MEASURED_RATE_HZ       "measured.rate_hz"               /* whole number */
#define ST_MEASURED_PERIODS       "measured.periods_n"             /* whole number: periods that were seen */
#define ST_MEASURED_MISSES        "measured.misses_n"              /* whole number */
#define ST_MEASURED_EVENTS        "measured.miss_events_n"         /* whole number */
#define ST_MEASURED_BOUND         "measured.misses_per_hour_max95" /* upper bound, as text with its digits */
#define ST_MEASURED_DURATION_NS   "measured.duration_ns"           /* whole number */
#define ST_MEASURED_LATEST_NS     "measured.lateness_max_ns"       /* whole number */
#define ST_MEASURED_BOOKS_BALANCE "measured.books_balance"         /* 0 or 1 */
#define ST_MEASURED_POLICY        "measured.policy"                /* "fifo 70", "other" */
#define ST_MEASURED_DEGRADED      "measured.degraded"              /* why it is not what was asked */
#define ST_MEASURED_ERROR         "measured.error"                 /* what ended it */

/* What sleeptune check saw of the music that played while it measured. The report's JSON has them as its object "music", without the prefix. */
#define ST_MUSIC_PREFIX          "music."
#define ST_MUSIC_ANSWER          "music.answer"      /* sentences: always there if the music was watched */
#define ST_MUSIC_SERVER          "music.server"      /* "PipeWire"; absent: none was watched */
#define ST_MUSIC_DURATION_NS     "music.duration_ns" /* whole number: of watching */
#define ST_MUSIC_DROPOUTS        "music.dropouts"    /* whole number: device xruns and clients not ready */
#define ST_MUSIC_CLIENT          "music.client"      /* who made most of them */
#define ST_MUSIC_CLIENT_DROPOUTS "music.client_dropouts" /* whole number */
#define ST_MUSIC_REASON          "music.reason"          /* of most of that client's: "too-slow" */
#define ST_MUSIC_FRAMES          "music.frames"          /* whole number: what the server runs at */

struct st_measured {
    bool of_this_period; /* the wished one; else nothing of it counts */
    bool valid;          /* cycles + skipped periods = elapsed periods > 0, and no error ended it */
    int64_t frames, rate_hz, periods_n, misses_n, duration_ns, latest_ns;
    int64_t events_n; /* of missed periods; -1: not known */
    const char *bound, *policy, *source;
    const char *degraded; /* NULL: it is what was asked */
};

/** @return false when no measurement is among the facts, or one of its numbers is missing. Texts point into
 * the facts. */
bool st_measured_read(const struct st_facts *facts, const struct st_wish *wish, struct st_measured *ret);

#endif
