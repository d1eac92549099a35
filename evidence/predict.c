#include "evidence/predict.h"

#include "evidence/miss_events.h"

#define KEPT_MAX   ((size_t)1 << 18) /* late wake-ups in memory: 6 MB */
#define KEPT_LEAST 1000              /* ns; what is left out first */
#define SPAN_KEPT  8                 /* values of a span that are kept; the rest counts as the last one */
#define BUCKET     1.005             /* the most that a value exceeds the middle of its bucket by */
#define LOAD_STEPS 10                /* of a bisection: 0.1 % */

/* --- the run --- */

/* Leaves out the least late ones, until half of the room is free. */
static void thin_out(struct st_predict_run *run)
{
    while (run->n > KEPT_MAX / 2) {
        size_t n = 0;
        run->kept_above_ns = ST_MAX(KEPT_LEAST, run->kept_above_ns + run->kept_above_ns / 4);
        ST_EACH_OF (late, run->late, run->n)
            if (late->lateness_ns > run->kept_above_ns)
                run->late[n++] = *late;
        run->n = n;
    }
}

/* Data of others may have any number: what is later than ST_HIST_HIGHEST_NS, an hour, is as late as that. */
static int add(struct st_predict_run *run, struct st_predict_late late_one)
{
    late_one.lateness_ns = ST_MIN(late_one.lateness_ns, ST_HIST_HIGHEST_NS);
    if (run->n == KEPT_MAX)
        thin_out(run);
    if (late_one.lateness_ns <= run->kept_above_ns)
        return 0;
    if (run->n == run->room) {
        const size_t room = run->room == 0 ? 4096 : 2 * run->room;
        struct st_predict_late *late = realloc(run->late, room * sizeof(*late));
        if (late == NULL)
            return -ENOMEM;
        run->late = late;
        run->room = room;
    }
    run->late[run->n++] = late_one;
    return 0;
}

int st_predict_add(struct st_predict_run *run, uint64_t k, int64_t lateness_ns)
{
    const struct st_predict_late late = {.k = k, .lateness_ns = lateness_ns, .n = 1};
    return add(run, late);
}

int st_predict_add_span(struct st_predict_run *run, uint64_t periods_n, int64_t max_ns,
                        const struct st_hist *lateness)
{
    struct st_predict_late late = {.k = run->periods_n, .lateness_ns = max_ns};
    const double span_ns = (double)periods_n * st_period_seconds(&run->period) * 1e9;
    /* there are no more episodes than this in the span, so more wake-ups need not be counted */
    uint64_t left_n = (uint64_t)fmin(UINT32_MAX, 1 + span_ns / (double)ST_PREDICT_EPISODE_NS);
    size_t kept_n = 1;
    int r = 0;
    run->spans = true;
    run->periods_n += periods_n;
    if (max_ns <= run->kept_above_ns || lateness == NULL)
        return 0;
    const bool has_buckets = lateness->total_n > lateness->early_n; /* a damaged file may have none */
    late.n = !has_buckets || lateness->over_n > 0;                  /* beyond the last bucket */
    for (uint32_t i = has_buckets ? st_hist_index(lateness, lateness->max_ns) + 1 : 0;
         r == 0 && i-- > 0 && left_n > 0;) {
        const double most_ns = fmin((double)st_hist_bucket_middle(lateness, i) * BUCKET, (double)max_ns);
        if (lateness->late[i] == 0)
            continue;
        if (most_ns <= (double)run->kept_above_ns)
            break;
        if (late.n > 0 && kept_n < SPAN_KEPT) {
            r = add(run, late);
            late.n = 0;
            late.lateness_ns = (int64_t)most_ns;
            kept_n++;
        }
        const uint64_t n = ST_MIN(lateness->late[i], left_n);
        left_n -= n;
        late.n += (uint32_t)n;
    }
    return r == 0 && late.n > 0 ? add(run, late) : r;
}

void st_predict_finish(struct st_predict_run *run)
{
    free(run->late);
    run->late = NULL;
    run->n = run->room = 0;
}

double st_predict_seconds(const struct st_predict_run *run)
{
    return (double)run->periods_n * st_period_seconds(&run->period);
}

double st_predict_target(double seconds)
{
    return fmax(1, st_miss_events_per_hour_max95(0, seconds));
}

bool st_predict_holds(const struct st_predict_row *row)
{
    return row->high < ST_PREDICT_MOST && row->high <= row->target_per_hour * (1 + 1e-9);
}

/* --- counting --- */

struct counts {
    double seconds;
    uint64_t n, most_n; /* episodes: at least, at most (of a span: as many as wake-ups were late) */
};

static void count(const struct st_predict_run *run, double slack_ns, struct counts *counts)
{
    const double period_ns = st_period_seconds(&run->period) * 1e9;
    double end_ns = -1; /* of the episode */
    counts->seconds += st_predict_seconds(run);
    ST_EACH_OF (late, run->late, run->n) {
        const double at_ns = (double)late->k * period_ns;
        if ((double)late->lateness_ns <= slack_ns)
            continue;
        const bool begins = at_ns >= end_ns;
        if (begins)
            end_ns = at_ns + (double)(late->lateness_ns + ST_PREDICT_EPISODE_NS);
        counts->n += begins;
        counts->most_n += run->spans ? late->n : begins;
    }
}

static double high_of(const struct counts *counts)
{
    return fmin(ST_PREDICT_MOST, st_miss_events_per_hour_max95(counts->most_n, counts->seconds));
}

/* --- rows --- */

static double frame_ns(const struct st_predict_run *run)
{
    return st_period_seconds(&run->period) * 1e9 / run->frames;
}

/* The longest run up to this size: what each wake-up is late by here (idle states, rounded timers). */
static const struct st_predict_run *nearest(const struct st_predict_run *first, uint32_t frames)
{
    const struct st_predict_run *near = first;
    for (const struct st_predict_run *run = first; run != NULL; run = run->longer)
        if (run->frames <= frames && run->frames > near->frames)
            near = run;
    return near;
}

/* For the wake-ups of `run`. */
static double slack_of(const struct st_predict_run *first, const struct st_predict_run *run,
                       const struct st_predict_wish *wish, uint32_t frames)
{
    return frame_ns(first) *
               (frames * ((double)wish->periods - 1 - wish->load_percent / 100) + wish->headroom_frames) -
           (double)wish->granularity_ns - fmax(0, (double)(nearest(first, frames)->body_ns - run->body_ns));
}

/* Stalls are the same at each size, so all runs count. But a longer size may have late wake-ups of its own:
 * the bound is at least that of its run, if this had any. @return false: too few wake-ups are kept. */
static bool fill(const struct st_predict_run *first, const struct st_predict_wish *wish, uint32_t frames,
                 struct st_predict_row *row)
{
    struct counts all = {0}, own = {0};
    for (const struct st_predict_run *run = first; run != NULL; run = run->longer) {
        const double slack_ns = slack_of(first, run, wish, frames);
        if (run->frames > frames)
            continue;
        if (slack_ns <= (double)run->kept_above_ns)
            return false;
        count(run, slack_ns, &all);
        if (run == nearest(first, frames))
            count(run, slack_ns, &own);
    }
    row->episodes_n = all.n;
    row->observed_s = all.seconds;
    row->per_hour = fmin(ST_PREDICT_MOST, (double)all.n * 3600 / all.seconds);
    row->high = fmax(high_of(&all), own.n > 0 ? high_of(&own) : 0);
    row->target_per_hour = st_predict_target(all.seconds);
    return true;
}

static double headroom_of(const struct st_predict_run *run, struct st_predict_wish wish, uint32_t frames)
{
    struct st_predict_row row;
    double low = -1, high = 100;
    wish.load_percent = 0;
    for (int i = 0; i <= LOAD_STEPS; i++) {
        if (fill(run, &wish, frames, &row) && st_predict_holds(&row))
            low = wish.load_percent;
        else
            high = wish.load_percent;
        wish.load_percent = (low + high) / 2;
    }
    return low;
}

void st_predict_row(const struct st_predict_run *run, const struct st_predict_wish *wish, uint32_t frames,
                    struct st_predict_row *ret)
{
    *ret = (struct st_predict_row){
        .frames = frames,
        .period_us = frame_ns(run) * frames / 1e3,
        .slack_us = slack_of(run, run, wish, frames) / 1e3,
        .headroom_percent = -1,
        .observed_s = st_predict_seconds(run),
        .high = ST_PREDICT_MOST,
    };
    if (frames < run->frames)
        ST_PRINT(ret->reason, "to predict this size, measure at %u frames or less", frames);
    else if (ret->observed_s < ST_PREDICT_SECONDS)
        ST_PRINT(ret->reason, "too little data: less than a second was measured");
    else if (ret->slack_us <= 0)
        ST_PRINT(ret->reason, "--load and --granularity take the whole buffer: no wake-up may be late");
    else if (!fill(run, wish, frames, ret))
        ST_PRINT(ret->reason, "too many wake-ups were late, and the recording kept only the longest delays");
    else {
        ret->known = true;
        ret->headroom_percent = headroom_of(run, *wish, frames);
    }
}
