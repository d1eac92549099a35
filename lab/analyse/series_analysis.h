/* What a series of lateness shows, as figures and as sentences. */
#pragma once

#include "lab/analyse/changes.h"
#include "lab/analyse/late_ones.h"
#include "lab/analyse/periodic.h"
#include "lab/analyse/ticks.h"
#include "lab/analyse/whole_ticks.h"

#define ST_SENTENCES_MAX  20
#define ST_SENTENCE_BYTES 400
#define ST_BLIND_MAX      24
/** Ticks, intervals and periodic components are looked for only in the first samples of a series,
 * at most this number. */
#define ST_ANALYSIS_HEAD_N ((size_t)1 << 18)

/** Wake-ups whose distance does not depend on the period that the program asks for, because each
 * sleep takes whole clock ticks and these are longer than the period. */
struct st_interval {
    bool skips; /* more than half of the samples follow a skipped period: lateness then depends on
                   the intervals, and periodic components are not looked for */
    bool found; /* the intervals are equal, and not a multiple of the period */
    double interval_ns; /* median of the intervals between wake-ups */
    double spread_ns;   /* from the 5 % to the 95 % quantile of the intervals */
    int hz; /* whole-number tick rate whose tick is as long as the interval; 0: none fits */
};

struct st_analysis {
    uint64_t samples_n, span_periods;
    double span_s;
    uint64_t head_n; /* first samples in which ticks and periodic components are looked for; at most
                        ST_ANALYSIS_HEAD_N */
    uint64_t
        overlaps_n; /* samples among the first head_n that woke up after the next one was due */
    bool skips;     /* too many periods were skipped to look for a trend or steps */
    bool counted;   /* the time between samples is unknown: they are counted, and 1 s means one
                     * sample */
    bool untimed;   /* periods were skipped and the indices do not show which: the times of samples
                       are unknown, and nothing is looked for */
    struct st_ticks ticks;
    struct st_interval interval; /* looked for only if neither ticks nor whole_ticks are found,
                                    since ticks cause equal intervals, too */
    struct st_whole_ticks
        whole_ticks;               /* looked for only if ticks.found is false or ticks.hz is 0 */
    bool late_known;               /* late_ones is valid */
    struct st_late_ones late_ones; /* outliers of the first head_n samples; `regular` and `group`
                                      are never set if ticks or whole_ticks are found */
    struct st_periodic
        periodic; /* looked for only if neither ticks nor whole_ticks are found and interval.skips
                     is false; the outliers of a train (late_ones) are removed before */
    struct st_changes changes;
    int blind_hz[ST_BLIND_MAX]; /* usual tick rates and the kernel's, in Hz, ascending, that these
                                   samples could not show; none if a tick was found */
    size_t blind_n;
    int coarse_hz; /* the samples do not show whether sleeps end only at ticks of a lower rate than
                      this; 0: they show it for all rates */
    /* sentences for people, made from the other members */
    char sentence[ST_SENTENCES_MAX][ST_SENTENCE_BYTES];
    size_t sentences_n;
    size_t findings_n; /* number of sentences that report a finding, which come first; the others
                          say what could not be found */
};

/**
 * Analyses a series.
 * @param known_hz the kernel's tick rate; 0: unknown.
 * @param counted the samples have no known times, and their period of 1 s is only a placeholder:
 * ticks and intervals are not looked for.
 * @return 0 (also for too few samples: a sentence says so), -ENODATA (no sample), -ENOMEM. Threads:
 * any. In noise less than 1 of 1000 series gets any finding; docs/results.md says how many series
 * were tried. */
ST_NODISCARD int st_series_analysis_of(const struct st_series *series, int known_hz, bool counted,
                                       struct st_analysis *ret);
