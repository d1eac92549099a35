#include "evidence/predict.h"

#include "evidence/miss_events.h"

#define DIGITS     3
#define BUCKET     1.005 /* factor by which a value can exceed the middle of its bucket at most */
#define LOAD_STEPS 10    /* steps of the bisection for the load, which is then known to 0.1 % */

/* --- the run --- */

int st_predict_begin(struct st_predict_run *run, const struct st_period *period, uint32_t frames,
                     uint32_t rate_hz)
{
    *run = (struct st_predict_run){.period = *period, .frames = frames, .rate_hz = rate_hz};
    return st_hist_init(&run->latest, DIGITS);
}

/* Counts n late wake-ups. Data that other programs wrote can have any number, so lateness above
 * ST_HIST_HIGHEST_NS (an hour) counts as that. */
static void put(struct st_predict_run *run, int64_t lateness_ns, uint64_t n)
{
    st_hist_add_n(&run->latest, ST_MIN(lateness_ns, ST_HIST_HIGHEST_NS), n);
}

void st_predict_add(struct st_predict_run *run, uint64_t k, int64_t lateness_ns)
{
    const int64_t second = (int64_t)((double)k * st_period_seconds(&run->period));
    if (second != run->second) {
        put(run, run->latest_ns, 1);
        run->latest_ns = 0;
    }
    run->second = second;
    run->latest_ns = ST_MAX(run->latest_ns, lateness_ns);
}

void st_predict_add_span(struct st_predict_run *run, uint64_t periods_n, int64_t max_ns,
                         const struct st_hist *lateness)
{
    /* Counts at most one wake-up for each second of the span, the latest ones: several within a
     * second are one episode anyway. */
    uint64_t left_n = (uint64_t)(1 + (double)periods_n * st_period_seconds(&run->period));
    run->periods_n += periods_n;
    if (max_ns <= run->kept_above_ns || lateness == NULL)
        return;
    /* a damaged file may have an empty histogram */
    const bool has_buckets = lateness->total_n > lateness->early_n;
    /* values above the histogram's range are in no bucket, so the largest one is added here */
    if (!has_buckets || lateness->over_n > 0)
        put(run, max_ns, 1);
    for (uint32_t i = has_buckets ? st_hist_index(lateness, lateness->max_ns) + 1 : 0;
         i-- > 0 && left_n > 0;) {
        const double late_ns =
            fmin((double)st_hist_bucket_middle(lateness, i) * BUCKET, (double)max_ns);
        const uint64_t n = ST_MIN(lateness->late[i], left_n);
        put(run, (int64_t)late_ns, n);
        left_n -= n;
    }
}

void st_predict_finish(struct st_predict_run *run)
{
    st_hist_finish(&run->latest);
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

/* --- predictions, one for each buffer size --- */

static double frame_ns(const struct st_predict_run *run)
{
    return st_period_seconds(&run->period) * 1e9 / run->frames;
}

/* Fills in the rates of episodes if wake-ups may be late by `slack` ns. @return false: unknown,
 * because wake-ups that are later than `slack` may be missing in the run. */
static bool fill(const struct st_predict_run *run, double slack, struct st_predict_row *row)
{
    const double seconds = st_predict_seconds(run);
    const int64_t slack_ns = (int64_t)slack;
    if (slack_ns <= run->kept_above_ns)
        return false;
    row->episodes_n = st_hist_count_above(&run->latest, slack_ns) + (run->latest_ns > slack_ns);
    row->per_hour = fmin(ST_PREDICT_MOST, (double)row->episodes_n * 3600 / seconds);
    row->high = fmin(ST_PREDICT_MOST, st_miss_events_per_hour_max95(row->episodes_n, seconds));
    return true;
}

static double headroom_of(const struct st_predict_run *run, struct st_predict_row row)
{
    double low = -1, high = 100, load = 0;
    for (int i = 0; i <= LOAD_STEPS; i++) {
        const bool holds =
            fill(run, row.period_us * 1e3 * (1 - load / 100), &row) && st_predict_holds(&row);
        *(holds ? &low : &high) = load;
        load = (low + high) / 2;
    }
    return low;
}

void st_predict_row(const struct st_predict_run *run, uint32_t frames, struct st_predict_row *ret)
{
    *ret = (struct st_predict_row){
        .frames = frames,
        .period_us = frame_ns(run) * frames / 1e3,
        .headroom_percent = -1,
        .high = ST_PREDICT_MOST,
        .target_per_hour = st_predict_target(st_predict_seconds(run)),
    };
    if (frames < run->frames)
        ST_PRINT(ret->reason, "measure at %u frames or less", frames);
    else if (st_predict_seconds(run) < ST_PREDICT_SECONDS)
        ST_PRINT(ret->reason, "less than 3 seconds were measured");
    else {
        ret->known = fill(run, ret->period_us * 1e3, ret);
        ret->headroom_percent = headroom_of(run, *ret);
    }
    if (run->lost_n > 0 && ret->known && st_predict_holds(ret)) {
        ret->known = false;
        ret->high = ST_PREDICT_MOST;
        ret->headroom_percent = -1;
        ST_PRINT(ret->reason, "%ju cycle%s not recorded, because the CPU was too busy", run->lost_n,
                 run->lost_n == 1 ? " was" : "s were");
    }
}
