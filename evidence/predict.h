/* Expected dropouts per hour at other buffer sizes, from the late wake-ups of one run: a wake-up that is
 * later than a period of that size counts. */
#pragma once

#include "core/period.h"
#include "core/stats/hist.h"

#define ST_PREDICT_FRAMES_MAX 8192
#define ST_PREDICT_SECONDS    1.0    /* a shorter run is refused */
#define ST_PREDICT_MOST       3600.0 /* episodes per hour */

/** A run: the latest wake-up of each second. Begin with st_predict_begin. */
struct st_predict_run {
    struct st_period period; /* of the measurement */
    uint32_t frames, rate_hz;
    uint64_t periods_n;        /* number of seen periods, including skipped ones */
    struct st_hist latest;     /* latest wake-up of each second; of a span, an upper bound for each */
    int64_t second, latest_ns; /* the current second, and its latest wake-up */
    int64_t kept_above_ns;     /* of spans: lateness below this was left out */
};

/** Late wake-ups in the same second form an *episode*: one load causes several late wake-ups, and a
 * permanent load causes an episode in each second. */
struct st_predict_row {
    uint32_t frames;
    double period_us;        /* also the time that a wake-up may be late: one of the two periods of a ring */
    bool known;              /* false: only `reason` is set, and high is ST_PREDICT_MOST */
    uint64_t episodes_n;     /* of a span: the largest possible number */
    double per_hour, high;   /* episodes per hour: seen, and one-sided 95 % bound */
    double target_per_hour;  /* the target that the measured time can show: st_predict_target */
    double headroom_percent; /* largest load with which `high` keeps the target; < 0: none */
    char reason[160];        /* "", or a sentence without a full stop */
};

/** @return 0 or -ENOMEM. End with st_predict_finish. */
ST_NODISCARD int st_predict_begin(struct st_predict_run *run, const struct st_period *period, uint32_t frames,
                                  uint32_t rate_hz);

/** Adds the wake-up of period k; k ascends. Threads: one for each run. */
void st_predict_add(struct st_predict_run *run, uint64_t k, int64_t lateness_ns);

/** Adds periods_n periods of which only the histogram of lateness is known. Not to be mixed with
 * st_predict_add. @param max_ns exact. @param lateness exact to at least 0.5 %; NULL if max_ns <=
 * kept_above_ns. */
void st_predict_add_span(struct st_predict_run *run, uint64_t periods_n, int64_t max_ns,
                         const struct st_hist *lateness);
void st_predict_finish(struct st_predict_run *run);

double st_predict_seconds(const struct st_predict_run *run);

/** The smallest target that this time without an episode can show: 1 per hour, or 3 / time if that is
 * larger. */
double st_predict_target(double seconds);

/** Fills the row of one size, 1 .. ST_PREDICT_FRAMES_MAX frames. Threads: any. */
void st_predict_row(const struct st_predict_run *run, uint32_t frames, struct st_predict_row *ret);

/** Does the row's bound keep its target? */
bool st_predict_holds(const struct st_predict_row *row);
