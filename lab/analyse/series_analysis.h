/* What a series of lateness shows, and in which words. */
#pragma once

#include "lab/analyse/changes.h"
#include "lab/analyse/late_ones.h"
#include "lab/analyse/periodic.h"
#include "lab/analyse/ticks.h"
#include "lab/analyse/whole_ticks.h"

#define ST_SENTENCES_MAX  20
#define ST_SENTENCE_BYTES 400
#define ST_BLIND_MAX      24
/** Ticks, intervals and periodic components are looked for in this many samples, the first ones. */
#define ST_ANALYSIS_HEAD_N ((size_t)1 << 18)

/** Wake-ups that come at intervals of their own, whatever was asked for: sleeps take whole ticks, longer than
 * the period. */
struct st_interval {
    bool skips; /* most samples come after periods without one: lateness then follows from the intervals */
    bool found; /* the intervals are equal, and no multiple of the period */
    double interval_ns; /* median */
    double spread_ns;   /* 5 % to 95 % */
    int hz;             /* whole rate with that interval; 0: none fits */
};

struct st_analysis {
    uint64_t samples_n, span_periods;
    double span_s;
    uint64_t head_n;     /* at most ST_ANALYSIS_HEAD_N */
    uint64_t overlaps_n; /* of the first head_n samples: later than the next one was due */
    bool skips;          /* too many periods are skipped to look for trend or steps */
    bool counted;        /* no one said how far apart the samples are: a second stands for one of them */
    bool untimed;        /* indices are no times, because periods are missing: nothing is looked for */
    struct st_ticks ticks;
    struct st_interval
        interval; /* not looked for, like the next two, where wake-ups are at ticks: it is the same thing */
    struct st_whole_ticks whole_ticks; /* nor this with ticks; nothing below where they are found */
    bool late_known;                   /* late_ones is */
    struct st_late_ones late_ones;     /* of the head; regular or a group only where there are no ticks */
    struct st_periodic periodic; /* nor this when wake-ups have intervals of their own; regular outliers are
                                    left out */
    struct st_changes changes;
    int blind_hz[ST_BLIND_MAX]; /* usual tick rates, and the known one, that these samples could not show:
                                   ascending; none where wake-ups are at ticks */
    size_t blind_n;
    int coarse_hz; /* whether it wakes at ticks of less than this could not be shown; 0: it could */
    char sentence[ST_SENTENCES_MAX][ST_SENTENCE_BYTES]; /* for people, each from the figures above */
    size_t sentences_n;
    size_t findings_n; /* of them; the rest say what could not be found */
};

/**
 * @param known_hz the kernel's tick rate; 0: unknown.
 * @param counted its period, 1 s, is none: what has to do with time is not looked for.
 * @return 0 (also for too few samples: a sentence says so), -ENODATA (no sample), -ENOMEM. Threads: any.
 * In noise less than 1 of 1000 series gets any finding; docs/results.md has how many were tried. */
ST_NODISCARD int st_series_analysis_of(const struct st_series *series, int known_hz, bool counted,
                                       struct st_analysis *ret);
