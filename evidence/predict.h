/* Dropouts per hour at other buffer sizes, from the late wake-ups of one run. A stall (a time in which the
 * thread could not run) does not depend on the buffer size; the time that a size leaves for it, its slack,
 * does. Events are those of evidence/miss_events.h. */
#pragma once

#include "core/base.h"
#include "core/period.h"
#include "core/stats/hist.h"
#include "evidence/steady.h"
#include "evidence/tail.h"

#define ST_PREDICT_FRAMES_MAX 8192
#define ST_PREDICT_SECONDS    1.0     /* a shorter run is refused */
#define ST_PREDICT_MOST       36000.0 /* events per hour: they are 100 ms apart */

/** The wake-up of period k, late by lateness_ns. In a span: n of them, anywhere from period k on. */
struct st_predict_late {
    uint64_t k;
    int64_t lateness_ns;
    uint32_t n;
    int32_t events_n; /* of the span, in its latest wake-up; < 0: unknown */
};

/** A run: its latest wake-ups (the other ones take no memory). Begins with zeros but for its period and
 * frames. */
struct st_predict_run {
    struct st_period period; /* of the measurement */
    uint32_t frames, rate_hz;
    uint64_t periods_n; /* that were seen, with skipped ones */
    struct st_predict_late *late;
    size_t n, room;
    int64_t kept_above_ns; /* all wake-ups later than this are in `late` */
    bool spans; /* the order of wake-ups is not known within a span, such as a minute of the history */
    struct st_tail tail;     /* from st_predict_end on, as the next one */
    struct st_steady steady; /* of the dropouts at its own size; not of spans */
    int64_t body_ns;         /* what each wake-up is late by, if runs at several sizes are compared */
    const struct st_predict_run *longer; /* one of this computer at a longer size; NULL: none */
};

/** The program and device for which the rows hold. */
struct st_predict_wish {
    uint32_t periods;         /* of the ring, 2 at least */
    double load_percent;      /* own work of the program, of a period */
    uint32_t headroom_frames; /* added to the slack (api.alsa.headroom) */
    int64_t granularity_ns;   /* the device's position moves in steps of this: taken from the slack */
};

/** Of a row: late wake-ups were seen; none was; none was, and the tail of those that were seen says how
 * often; not known, or stalls were seen, but none was as long, and there is no model (then with a bound). */
enum st_predict_basis { ST_PREDICT_OBSERVED, ST_PREDICT_NONE_SEEN, ST_PREDICT_MODEL, ST_PREDICT_REFUSED };

struct st_predict_row {
    uint32_t frames;
    double period_us, slack_us;
    bool known;                 /* else there is only a reason, and high is ST_PREDICT_MOST */
    bool estimated;             /* else there is no estimate, only a bound */
    double estimate, low, high; /* events per hour; low, high: one-sided 95 % bounds each */
    double worst_tenth;         /* estimate of the worst of ten equal parts of the time */
    bool changed;               /* events were more frequent in a part of it */
    enum st_predict_basis basis;
    char reason[160];        /* "" or a sentence without a period */
    double target_per_hour;  /* that the time in which this load was seen can show: st_predict_target */
    double headroom_percent; /* the largest load at which `high` keeps it; < 0: none */
    uint64_t n_events;       /* of the runs that count at this size */
    double observed_s;       /* by these runs */
};

/** Adds a wake-up; k ascends. @return 0 or -ENOMEM. Threads: one per run. */
ST_NODISCARD int st_predict_add(struct st_predict_run *run, uint64_t k, int64_t lateness_ns);

/** A stretch of time of which only the histogram of lateness is known. Not mixed with st_predict_add. */
struct st_predict_span {
    uint64_t periods_n;
    int64_t max_ns;                 /* exact */
    const struct st_hist *lateness; /* exact to 0.5 % at least; NULL if max_ns <= kept_above_ns */
    int64_t events_n;               /* of missed periods at the measured size without load; < 0: unknown */
};

/** Spans in order. Errors as st_predict_add. */
ST_NODISCARD int st_predict_add_span(struct st_predict_run *run, const struct st_predict_span *span);
/** After the last one. */
void st_predict_end(struct st_predict_run *run);
void st_predict_finish(struct st_predict_run *run);

double st_predict_seconds(const struct st_predict_run *run);

/** The tightest target that this time without an event can show: 1 per hour, or 3 / its time. */
double st_predict_target(double seconds);

/** One size, 1 .. ST_PREDICT_FRAMES_MAX frames. Longer runs count from their own size on. Threads: any. */
void st_predict_row(const struct st_predict_run *run, const struct st_predict_wish *wish, uint32_t frames,
                    struct st_predict_row *ret);

/** Does the row's bound keep its target? */
bool st_predict_holds(const struct st_predict_row *row);

/** "observed", "none seen", "model", "refused". */
const char *st_predict_basis_name(enum st_predict_basis basis);
