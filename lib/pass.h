/* What two runs of the cycle loop are compared by: every lateness with its place in time, and the misses. */
#ifndef ST_LIB_PASS_H
#define ST_LIB_PASS_H

#include "lib/bootstrap.h"
#include "lib/period.h"

#define ST_PASS_VALUES_MAX (UINT32_C(1) << 24) /* 12 hours of 128 frames at 48 kHz, 200 MB */

/** Periods first .. first + n - 1. */
struct st_pass_span {
    uint64_t first, n;
};

/** One run of the loop. Fill it in ascending order of periods. */
struct st_pass {
    struct st_period period;
    int64_t *lateness_ns; /* of cycles, in order */
    uint32_t *index;      /* their periods */
    size_t n;
    size_t room;
    struct st_pass_span *missed; /* ascending */
    size_t missed_len;
    size_t missed_room;
    uint64_t missed_n; /* cycles past due(k+1), and skipped periods */
    uint64_t lost_n;   /* cycles that are not there */
    uint64_t end;      /* the last period and one: so many went by */
    int error;         /* the first one: what came after it is not there */
};

void st_pass_init(struct st_pass *pass, const struct st_period *period);
void st_pass_finish(struct st_pass *pass);

/* Arguments as in measure/session.h's sinks. Errors stay in pass->error: -ENOMEM, -EFBIG (ST_PASS_VALUES_MAX,
 * or more than 2^32 periods). One thread a pass. */

void st_pass_cycle(struct st_pass *pass, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns);
void st_pass_skipped(struct st_pass *pass, uint64_t first, uint64_t n);
void st_pass_lost(struct st_pass *pass, uint64_t first, uint64_t n);

enum st_pass_figure_id { ST_PASS_MEDIAN, ST_PASS_P99, ST_PASS_MISSED, ST_PASS_FIGURES };

/** A figure of both runs and how much it differs: a quantile of lateness, ns, or the share of missed periods.
 */
struct st_pass_figure {
    bool known[2]; /* a quantile: n >= 10 / (1 - p) */
    double value[2];
    struct st_estimate difference; /* second - first. Misses: the wider of two intervals, as if they came one
                                      by one, and from the shares of the blocks, as they come in bursts */
    double drift; /* how far the fifths of one run lie apart, the larger of both: what the machine does
                     without being changed. 0 where it is not known */
};

struct st_pass_difference {
    uint32_t blocks_n; /* each run was cut into so many; whole blocks are resampled */
    struct st_pass_figure figures[ST_PASS_FIGURES];
};

/**
 * How much the second run differs from the first, with 95 % intervals that allow for values that depend on
 * their neighbours: blocks of a second, at least 10 and at most 60 of them. Both ran once, so what else
 * changed from one to the other is in the difference; the drift within each run tells how much that may be.
 * @return 0, -EINVAL (a run without periods), -ENOMEM. Threads: any. Some 0.1 s.
 */
ST_NODISCARD int st_pass_compare(const struct st_pass *first, const struct st_pass *second,
                                 struct st_random *random, struct st_pass_difference *ret);

/** Does the figure differ: is 0 outside the interval, and the difference larger than the drift? */
bool st_pass_shows(const struct st_pass_figure *figure);

/** A difference much smaller than this would not have been shown: half the interval's width, or the drift. */
double st_pass_resolution(const struct st_pass_figure *figure);

#endif
