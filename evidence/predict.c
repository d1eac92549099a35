#include "evidence/predict.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/distribution.h"
#include "core/stats/stats.h"
#include "evidence/miss_events.h"

#define KEPT_MAX   ((size_t)1 << 18) /* late wake-ups in memory: 6 MB, twice that while they are read */
#define RATIO_MAX  1024              /* of two sizes of which one is a multiple of the other */
#define PARTS      10                /* of a run, to see whether it was the same all the time */
#define SCATTER_P  0.01              /* probability below which the parts differ */
#define SCATTER_N  10                /* events without which that is not tested */
#define GROUP_NS   1e9               /* events that are closer may have one cause: a group has one weight */
#define FAR        2.0               /* slack, in longest stalls, up to which there is a model */
#define LOAD_STEPS 10                /* of a bisection: 0.1 % */
#define SPAN_KEPT  8                 /* values of a span that are kept; the rest counts as the last one */
#define BUCKET     1.005             /* the most that a value exceeds the middle of its bucket by */
#define SPAN_RATIO 2.0               /* of the bounds of events, up to which their middle is an estimate */

/* --- the run --- */

static int latest_first(const void *a, const void *b)
{
    const int64_t x = ((const struct st_predict_late *)a)->lateness_ns;
    const int64_t y = ((const struct st_predict_late *)b)->lateness_ns;
    return (x < y) - (x > y);
}

static int in_order(const void *a, const void *b)
{
    const uint64_t x = ((const struct st_predict_late *)a)->k, y = ((const struct st_predict_late *)b)->k;
    return x != y ? (x > y) - (x < y) : latest_first(a, b);
}

/* Keeps the KEPT_MAX latest; those that are as late as the first one left out go, too. */
static void thin_out(struct st_predict_run *run)
{
    if (run->n <= KEPT_MAX)
        return;
    qsort(run->late, run->n, sizeof(run->late[0]), latest_first);
    run->kept_above_ns = run->late[KEPT_MAX].lateness_ns;
    run->n = KEPT_MAX;
    while (run->n > 0 && run->late[run->n - 1].lateness_ns <= run->kept_above_ns)
        run->n--;
}

static int add(struct st_predict_run *run, const struct st_predict_late *late_one)
{
    if (late_one->lateness_ns <= run->kept_above_ns)
        return 0;
    if (run->n == run->room && run->room == 2 * KEPT_MAX)
        thin_out(run);
    if (run->n == run->room) {
        const size_t room = run->room == 0 ? 4096 : 2 * run->room;
        struct st_predict_late *late = realloc(run->late, room * sizeof(*late));
        if (late == NULL)
            return -ENOMEM;
        run->late = late;
        run->room = room;
    }
    if (late_one->lateness_ns > run->kept_above_ns)
        run->late[run->n++] = *late_one;
    return 0;
}

int st_predict_add(struct st_predict_run *run, uint64_t k, int64_t lateness_ns)
{
    const struct st_predict_late late = {.k = k, .lateness_ns = lateness_ns, .n = 1, .events_n = -1};
    return add(run, &late);
}

/* All but the latest one, latest first. After SPAN_KEPT values all others count as late as the last one. */
static int add_others(struct st_predict_run *run, const struct st_predict_span *span, uint64_t k)
{
    const struct st_hist *hist = span->lateness;
    const double span_ns = (double)span->periods_n * st_period_seconds(&run->period) * 1e9;
    /* there are no more events than this in the span, so more wake-ups need not be counted */
    uint64_t left_n = (uint64_t)fmin(UINT32_MAX, span_ns / (double)ST_MISS_EVENTS_GAP_NS);
    uint64_t latest_n = hist->over_n == 0;
    struct st_predict_late late = {.k = k, .events_n = -1};
    size_t kept_n = 0;
    int r = 0;
    for (uint32_t i = st_hist_index(hist, hist->max_ns) + 1; r == 0 && i-- > 0 && left_n > 0;) {
        uint64_t n = hist->late[i];
        if (n == 0)
            continue;
        const double most_ns = fmin((double)st_hist_bucket_middle(hist, i) * BUCKET, (double)span->max_ns);
        if (most_ns <= (double)run->kept_above_ns)
            break;
        n -= latest_n;
        latest_n = 0;
        n = n < left_n ? n : left_n;
        left_n -= n;
        if (late.n == 0 || kept_n < SPAN_KEPT) {
            r = late.n > 0 ? add(run, &late) : 0;
            late.n = 0;
            late.lateness_ns = (int64_t)most_ns;
            kept_n++;
        }
        late.n += (uint32_t)n;
    }
    return r == 0 && late.n > 0 ? add(run, &late) : r;
}

int st_predict_add_span(struct st_predict_run *run, const struct st_predict_span *span)
{
    const struct st_predict_late latest = {
        .k = run->periods_n,
        .lateness_ns = span->max_ns,
        .n = 1,
        .events_n = span->events_n >= 0 && span->events_n <= INT32_MAX ? (int32_t)span->events_n : -1};
    run->spans = true;
    run->periods_n += span->periods_n;
    if (span->max_ns <= run->kept_above_ns || span->lateness == NULL)
        return 0;
    const int r = add(run, &latest);
    return r == 0 && span->lateness->total_n > span->lateness->early_n ? add_others(run, span, latest.k) : r;
}

/* Of the latest wake-ups, in order. */
static int fit_tail(struct st_predict_run *run)
{
    double *room = malloc((run->n + 2 * ST_TAIL_POINTS_MAX) * sizeof(*room));
    double above_ns = 0;
    size_t n = 0;
    if (room == NULL)
        return -ENOMEM;
    double *at_s = room, *lateness_ns = room + ST_TAIL_POINTS_MAX, *all = room + 2 * ST_TAIL_POINTS_MAX;
    for (size_t i = 0; i < run->n; i++)
        all[i] = (double)run->late[i].lateness_ns;
    if (run->n > ST_TAIL_POINTS_MAX) {
        st_stats_sort_double(all, run->n);
        above_ns = all[run->n - 1 - ST_TAIL_POINTS_MAX];
    }
    for (size_t i = 0; i < run->n; i++)
        if ((double)run->late[i].lateness_ns > above_ns) {
            at_s[n] = (double)run->late[i].k * st_period_seconds(&run->period);
            lateness_ns[n++] = (double)run->late[i].lateness_ns;
        }
    const int r = st_tail_fit(at_s, lateness_ns, n, st_predict_seconds(run), &run->tail);
    free(room);
    return r;
}

void st_predict_end(struct st_predict_run *run)
{
    thin_out(run);
    if (run->n > 0)
        qsort(run->late, run->n, sizeof(run->late[0]), in_order);
    run->tail.refused = "late wake-ups are known to the minute or interval only";
    if (!run->spans && fit_tail(run) < 0)
        run->tail.refused = "out of memory";
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

double st_predict_target(const struct st_predict_run *run)
{
    return fmax(1, st_miss_events_per_hour_max95(0, st_predict_seconds(run)));
}

bool st_predict_holds(const struct st_predict_row *row, double target_per_hour)
{
    return row->high < ST_PREDICT_MOST && row->high <= target_per_hour * (1 + 1e-9);
}

/* --- counting --- */

/* Groups of late wake-ups; the weight of one is the number of events to be expected of it. */
struct tally {
    double sum, squares, largest; /* of weights */
    uint64_t n, events_n;
    double part[PARTS];
    uint64_t part_n[PARTS];
};

static void add_weight(struct tally *tally, double weight, size_t part)
{
    if (weight <= 0)
        return;
    tally->sum += weight;
    tally->squares += weight * weight;
    tally->largest = fmax(tally->largest, weight);
    tally->n++;
    tally->part[part] += weight;
    tally->part_n[part]++;
}

static size_t part_of(const struct st_predict_run *run, uint64_t k)
{
    return (size_t)(fmin(0.999999, (double)k / (double)run->periods_n) * PARTS);
}

struct size {
    double period_ns, measured_ns, slack_ns;
    uint64_t ratio; /* of the periods; 0: not a whole number */
};

/* --- events of wake-ups in order --- */

/* What one group of late wake-ups amounts to. */
struct group {
    double none_low, none_high; /* probability that none of the stalls of its last event is one */
    double low, high;           /* events before that one */
    uint64_t phase_events;      /* of all phases together */
};

/* A period of this size begins at one of `ratio` measured periods. Each of them is tried: a wake-up that is late by L is
 * followed by ones that would be late by L - P, L - 2 P ... @param last the last missed period of each phase, plus 1. */
static void add_phases(const struct size *size, const struct st_predict_late *late, uint64_t *last,
                       struct group *group)
{
    const double over_ns = (double)late->lateness_ns - size->slack_ns;
    const uint64_t missed_n = (uint64_t)ceil(over_ns / size->measured_ns), m = size->ratio;
    for (uint64_t i = 0; i < missed_n && i < m; i++) {
        const uint64_t first = late->k + i, end = first + (missed_n - 1 - i) / m * m + 1;
        uint64_t *before = &last[first % m];
        const double apart_ns = ((double)first + 1 - (double)*before) * size->measured_ns;
        group->phase_events += *before == 0 || apart_ns >= (double)ST_MISS_EVENTS_GAP_NS;
        *before = end > *before ? end : *before;
    }
}

/* The first period moves against the stall by chance, and the stall is as long as its lateness, or up to a period
 * longer. */
static void add_bracket(const struct size *size, const struct st_predict_late *late, struct group *group)
{
    const double over_ns = (double)late->lateness_ns - size->slack_ns;
    group->none_low *= 1 - fmin(1, over_ns / size->period_ns);
    group->none_high *= 1 - fmin(1, (over_ns + size->measured_ns) / size->period_ns);
}

static void end_event(struct group *group)
{
    group->low += 1 - group->none_low;
    group->high += 1 - group->none_high;
    group->none_low = group->none_high = 1;
}

static void end_group(const struct size *size, struct group *group, size_t part, struct tally *low,
                      struct tally *high)
{
    const double exact = size->ratio > 0 ? (double)group->phase_events / (double)size->ratio : 0;
    end_event(group);
    add_weight(low, size->ratio > 0 ? exact : group->low, part);
    add_weight(high, size->ratio > 0 ? exact : group->high, part);
}

/* --- events of spans --- */

/* The part of all phases in which a late wake-up is a dropout of its own. */
static double share_of(const struct size *size, const struct st_predict_late *late, bool upper)
{
    const double over_ns = (double)late->lateness_ns - size->slack_ns;
    if (over_ns <= 0)
        return 0;
    if (size->ratio > 0)
        return fmin(1, ceil(over_ns / size->measured_ns) / (double)size->ratio);
    return fmin(1, (over_ns + (upper ? size->measured_ns : 0)) / size->period_ns);
}

/* At least one event if a wake-up is late enough, at most one for each of them. A span has one weight: its events may
 * have one cause. */
static void count_spans(const struct st_predict_run *run, const struct size *size, struct tally *low,
                        struct tally *high)
{
    const bool as_measured = size->ratio == 1 && fabs(size->slack_ns - size->measured_ns) < 1;
    *low = *high = (struct tally){0};
    for (size_t i = 0; i < run->n;) {
        const struct st_predict_late *latest = &run->late[i];
        const size_t part = part_of(run, latest->k);
        double least = share_of(size, latest, false), most = 0;
        for (; i < run->n && run->late[i].k == latest->k; i++)
            most += run->late[i].n * share_of(size, &run->late[i], true);
        if (as_measured && least > 0 && latest->events_n > 0)
            least = most = latest->events_n;
        add_weight(low, least, part);
        add_weight(high, most, part);
    }
    low->events_n = high->events_n = low->n;
}

/* Both are the same if the size is a multiple of the measured one. */
static void count(const struct st_predict_run *run, const struct size *size, struct tally *low,
                  struct tally *high)
{
    static const struct group none = {.none_low = 1, .none_high = 1};
    uint64_t last[RATIO_MAX] = {0};
    struct group group = none;
    uint64_t end_k = 0, events_n = 0;
    size_t part = 0;
    bool open = false;
    if (run->spans) {
        count_spans(run, size, low, high);
        return;
    }
    *low = *high = (struct tally){0};
    for (size_t i = 0; i < run->n; i++) {
        const struct st_predict_late *late = &run->late[i];
        const double over_ns = (double)late->lateness_ns - size->slack_ns;
        if (over_ns <= 0)
            continue;
        const double apart_ns = ((double)late->k - (double)end_k) * size->measured_ns;
        if (!open || apart_ns >= (double)ST_MISS_EVENTS_GAP_NS) {
            events_n++;
            end_event(&group);
        }
        if (open && apart_ns >= GROUP_NS) {
            end_group(size, &group, part, low, high);
            group = none;
            open = false;
        }
        if (!open)
            part = part_of(run, late->k);
        open = true;
        end_k = late->k + (uint64_t)ceil(over_ns / size->measured_ns) - 1;
        if (size->ratio > 0)
            add_phases(size, late, last, &group);
        else
            add_bracket(size, late, &group);
    }
    if (open)
        end_group(size, &group, part, low, high);
    low->events_n = high->events_n = events_n;
}

/* How many times as much the events of the parts scatter as independent ones would; 1: not shown to. */
static double scatter_of(const struct tally *tally)
{
    const double mean = (double)tally->n / PARTS;
    double d = 0;
    for (size_t i = 0; i < PARTS && tally->n >= SCATTER_N; i++)
        d += ((double)tally->part_n[i] - mean) * ((double)tally->part_n[i] - mean) / mean;
    return d > 0 && st_distribution_chi_squared_p(d, PARTS - 1) < SCATTER_P ? fmax(1, d / (PARTS - 1)) : 1;
}

/* One-sided 95 % bounds of the mean of a weighted Poisson sum; exact (Garwood) if all weights are 1. Source: Fay & Feuer,
 * "Confidence intervals for directly standardized rates", 1997. */
static double bound(const struct tally *tally, double scatter, bool upper)
{
    const double most = upper ? fmax(1, tally->largest) : 0;
    const double y = tally->sum / scatter + most, v = tally->squares / scatter + most * most;
    return v > 0 ? scatter * v / y * st_stats_gamma_quantile(upper ? 0.95 : 0.05, y * y / v) : 0;
}

/* --- rows --- */

static struct size size_of(const struct st_predict_run *run, const struct st_predict_wish *wish,
                           uint32_t frames, double load_percent)
{
    const double measured_ns = st_period_seconds(&run->period) * 1e9;
    const double frame_ns = measured_ns / run->frames, period_ns = frame_ns * frames;
    const bool multiple = frames % run->frames == 0 && frames / run->frames <= RATIO_MAX;
    return (struct size){.period_ns = period_ns,
                         .measured_ns = measured_ns,
                         .slack_ns = period_ns * ((double)wish->periods - 1 - load_percent / 100) +
                                     frame_ns * wish->headroom_frames - (double)wish->granularity_ns,
                         .ratio = multiple ? frames / run->frames : 0};
}

static double high_at(const struct st_predict_run *run, const struct st_predict_wish *wish, uint32_t frames,
                      double load_percent)
{
    struct tally low, high;
    const struct size size = size_of(run, wish, frames, load_percent);
    if (size.slack_ns <= (double)run->kept_above_ns || size.slack_ns <= 0)
        return ST_PREDICT_MOST;
    count(run, &size, &low, &high);
    return bound(&high, scatter_of(&high), true) * 3600 / st_predict_seconds(run);
}

static double headroom_of(const struct st_predict_run *run, const struct st_predict_wish *wish,
                          uint32_t frames)
{
    const double target = wish->target_per_hour * (1 + 1e-9);
    double low = 0, high = 100;
    if (high_at(run, wish, frames, 0) > target)
        return -1;
    for (int i = 0; i < LOAD_STEPS; i++) {
        const double middle = (low + high) / 2;
        *(high_at(run, wish, frames, middle) <= target ? &low : &high) = middle;
    }
    return low;
}

static void refuse(struct st_predict_row *row, const char *reason)
{
    row->basis = ST_PREDICT_REFUSED;
    row->high = ST_PREDICT_MOST;
    snprintf(row->reason, sizeof(row->reason), "%s", reason);
}

/* Beyond the longest stall that was seen; the row has the bound already. */
static void extrapolate(const struct st_predict_run *run, const struct size *size, struct st_predict_row *row)
{
    const struct st_tail *tail = &run->tail;
    const bool far = tail->enough && size->slack_ns > FAR * tail->largest_ns;
    double high;
    if (tail->refused != NULL || far) {
        row->basis = tail->enough && !far ? ST_PREDICT_REFUSED : ST_PREDICT_NONE_SEEN;
        snprintf(row->reason, sizeof(row->reason),
                 "no wake-up was late enough, and there is only a bound: %s",
                 far ? "the slack is more than twice the longest stall" : tail->refused);
        return;
    }
    const uint64_t phases_n =
        size->ratio > 0 ? size->ratio : (uint64_t)ceil(size->period_ns / size->measured_ns);
    row->basis = ST_PREDICT_MODEL;
    row->estimated = true;
    row->estimate =
        st_tail_per_hour(tail, size->slack_ns, size->period_ns / (double)phases_n, phases_n, &high);
    row->high = fmin(row->high, high);
    snprintf(row->reason, sizeof(row->reason),
             "no stall was long enough; the estimate continues the law of the longest ones (shape %.2f)",
             tail->shape);
}

static void judge(const struct st_predict_run *run, const struct size *size, struct st_predict_row *row)
{
    struct tally low, high;
    const double per_hour = 3600 / row->observed_s;
    count(run, size, &low, &high);
    const double scatter = scatter_of(&high);
    row->n_events = high.events_n;
    row->high = fmin(ST_PREDICT_MOST, bound(&high, scatter, true) * per_hour);
    if (high.n == 0) {
        extrapolate(run, size, row);
        return;
    }
    row->basis = ST_PREDICT_OBSERVED;
    row->estimated = high.sum <= SPAN_RATIO * low.sum || !run->spans;
    row->estimate = fmin(ST_PREDICT_MOST, (low.sum + high.sum) / 2 * per_hour);
    row->low = fmin(ST_PREDICT_MOST, bound(&low, scatter, false) * per_hour);
    for (size_t i = 0; i < PARTS; i++)
        row->worst_tenth = fmax(row->worst_tenth, fmin(ST_PREDICT_MOST, high.part[i] * per_hour * PARTS));
    if (run->spans && high.sum > low.sum)
        snprintf(
            row->reason, sizeof(row->reason),
            "late wake-ups are known to the minute or interval only: %.3g to %.3g dropouts per hour were seen%s",
            low.sum * per_hour, fmin(ST_PREDICT_MOST, high.sum * per_hour),
            row->estimated ? ", the middle is the estimate" : "");
    else if (scatter > 1)
        snprintf(row->reason, sizeof(row->reason),
                 "dropouts were not as frequent all the time: the bounds are wider by a factor of %.1f",
                 scatter);
}

void st_predict_row(const struct st_predict_run *run, const struct st_predict_wish *wish, uint32_t frames,
                    struct st_predict_row *ret)
{
    const struct size size = size_of(run, wish, frames, wish->load_percent);
    char reason[sizeof(ret->reason)];
    *ret = (struct st_predict_row){.frames = frames,
                                   .period_us = size.period_ns / 1e3,
                                   .slack_us = size.slack_ns / 1e3,
                                   .headroom_percent = -1,
                                   .observed_s = st_predict_seconds(run)};
    if (frames < run->frames) {
        snprintf(reason, sizeof(reason), "measure at %u frames or less", frames);
        refuse(ret, reason);
    } else if (ret->observed_s < ST_PREDICT_SECONDS) {
        refuse(ret, "too little data: less than a second was measured");
    } else if (size.slack_ns <= 0) {
        refuse(ret, "load and granularity leave no time for a late wake-up");
    } else if (size.slack_ns <= (double)run->kept_above_ns) {
        refuse(ret, "too many wake-ups are late: only the latest were kept");
    } else {
        judge(run, &size, ret);
        ret->headroom_percent = headroom_of(run, wish, frames);
    }
}

const char *st_predict_basis_name(enum st_predict_basis basis)
{
    static const char *const names[] = {[ST_PREDICT_OBSERVED] = "observed",
                                        [ST_PREDICT_NONE_SEEN] = "none seen",
                                        [ST_PREDICT_MODEL] = "model",
                                        [ST_PREDICT_REFUSED] = "refused"};
    return names[basis];
}
