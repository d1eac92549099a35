/* Predicts dropouts per hour at other buffer sizes from the late wake-ups of one run: a wake-up
 * that is later than the period of a buffer size would cause a dropout at that size. */
#pragma once

#include "core/period.h"
#include "core/stats/hist.h"

#define ST_PREDICT_FRAMES_MAX 8192
#define ST_PREDICT_MOST       3600.0 /* most episodes in an hour: one in each second */
/* a run of fewer seconds is refused: even without an episode, its bound would be ST_PREDICT_MOST */
#define ST_PREDICT_SECONDS 2.996

/** A run, reduced to the latest wake-up in each second. Begin with st_predict_begin. */
struct st_predict_run {
    struct st_period period; /* period of the measurement */
    uint32_t frames, rate_hz;
    uint64_t periods_n; /* number of seen periods, including skipped ones */
    uint64_t lost_n;    /* number of cycles whose lateness was not recorded */
    /* lateness of the latest wake-up in each second; in a run of spans (st_predict_add_span), upper
     * bounds of it */
    struct st_hist latest;
    int64_t second, latest_ns; /* the second that is being read, and its latest wake-up */
    /* in a run of spans: wake-ups that are late by at most this are missing */
    int64_t kept_above_ns;
};

/** A prediction for one buffer size. Late wake-ups in the same second form an *episode*: one load
 * causes several late wake-ups, and a permanent load causes an episode in each second. */
struct st_predict_row {
    uint32_t frames;
    /* period of the size (us), which is also how late a wake-up may be: a device has room for two
     * periods, one of which is playing */
    double period_us;
    bool known;            /* false: only `reason` is set, and high is ST_PREDICT_MOST */
    uint64_t episodes_n;   /* number of episodes; in a run of spans (st_predict_add_span) an upper
                              bound of it */
    double per_hour, high; /* episodes per hour: seen, and their one-sided 95 % bound */
    /* smallest rate that a run of this length can show (st_predict_target) */
    double target_per_hour;
    /* largest load, in % of the period, with which `high` is at most the target; < 0: none */
    double headroom_percent;
    char reason[160]; /* why nothing is known: "", or a sentence without a full stop */
};

/** Begins a run without wake-ups. @return 0 or -ENOMEM. End with st_predict_finish. */
ST_NODISCARD int st_predict_begin(struct st_predict_run *run, const struct st_period *period,
                                  uint32_t frames, uint32_t rate_hz);

/** Adds the wake-up of period k; k must ascend. Threads: one for each run. */
void st_predict_add(struct st_predict_run *run, uint64_t k, int64_t lateness_ns);

/** Adds periods_n periods of which only the histogram of lateness is known. A run uses either this
 * function or st_predict_add, never both. @param max_ns exact largest lateness. @param lateness
 * exact to at least 0.5 %; NULL if max_ns <= kept_above_ns. */
void st_predict_add_span(struct st_predict_run *run, uint64_t periods_n, int64_t max_ns,
                         const struct st_hist *lateness);
void st_predict_finish(struct st_predict_run *run);

double st_predict_seconds(const struct st_predict_run *run);

/** The smallest target (episodes per hour) that a run of this length without an episode can show:
 * 1, or 3 / hours if that is larger. */
double st_predict_target(double seconds);

/** Makes the prediction for one buffer size of 1 .. ST_PREDICT_FRAMES_MAX frames. Threads: any. */
void st_predict_row(const struct st_predict_run *run, uint32_t frames, struct st_predict_row *ret);

/** Is the row's bound at most its target? */
bool st_predict_holds(const struct st_predict_row *row);
