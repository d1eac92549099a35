/* Dropouts per hour at other buffer sizes, from the late wake-ups of one run: a wake-up that is later than
 * a period of that size counts. */
#pragma once

#include "core/base.h"
#include "core/period.h"
#include "core/stats/hist.h"

#define ST_PREDICT_FRAMES_MAX 8192
#define ST_PREDICT_SECONDS    1.0    /* a shorter run is refused */
#define ST_PREDICT_MOST       3600.0 /* episodes per hour */

/** A run: how late the latest wake-up of each second was. st_predict_begin. */
struct st_predict_run {
    struct st_period period; /* of the measurement */
    uint32_t frames, rate_hz;
    uint64_t periods_n;        /* that were seen, with skipped ones */
    struct st_hist latest;     /* of each second; of a span each as late as may be */
    int64_t second, latest_ns; /* of the last one */
    int64_t kept_above_ns;     /* of spans, earlier ones are left out */
};

/** Late wake-ups of the same second are an *episode*: one load makes several of them, and a load that never
 * ends is an episode each second. */
struct st_predict_row {
    uint32_t frames;
    double period_us;        /* and the time that a wake-up may be late: one of the two periods of a ring */
    bool known;              /* else there is only a reason, and high is ST_PREDICT_MOST */
    uint64_t episodes_n;     /* of a span the most that there may be */
    double per_hour, high;   /* episodes that were seen; one-sided 95 % bound */
    double target_per_hour;  /* that the time can show: st_predict_target */
    double headroom_percent; /* the largest load at which `high` keeps it; < 0: none */
    char reason[160];        /* "" or a sentence without a period */
};

/** @return 0 or -ENOMEM; st_predict_finish. */
ST_NODISCARD int st_predict_begin(struct st_predict_run *run, const struct st_period *period, uint32_t frames,
                                  uint32_t rate_hz);

/** Adds the wake-up of period k; k ascends. Threads: one per run. */
void st_predict_add(struct st_predict_run *run, uint64_t k, int64_t lateness_ns);

/** Adds a stretch of periods_n periods of which only the histogram of lateness is known. Not mixed with
 * st_predict_add.
 * @param max_ns exact @param lateness exact to 0.5 % at least; NULL if max_ns <= kept_above_ns. */
void st_predict_add_span(struct st_predict_run *run, uint64_t periods_n, int64_t max_ns,
                         const struct st_hist *lateness);
void st_predict_finish(struct st_predict_run *run);

double st_predict_seconds(const struct st_predict_run *run);

/** The tightest target that this time without an episode can show: 1 per hour, or 3 / its time. */
double st_predict_target(double seconds);

/** One size, 1 .. ST_PREDICT_FRAMES_MAX frames. Threads: any. */
void st_predict_row(const struct st_predict_run *run, uint32_t frames, struct st_predict_row *ret);

/** Does the row's bound keep its target? */
bool st_predict_holds(const struct st_predict_row *row);
