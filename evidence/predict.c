#include "evidence/predict.h"

#include "core/stats/stats.h"
#include "evidence/miss_events.h"

#define KEPT_MAX   ((size_t)1 << 18) /* late wake-ups in memory: 6 MB, twice that while they are read */
#define RATIO_MAX  1024              /* of two sizes of which one is a multiple of the other */
#define GROUP_NS   1e9               /* events that are closer may have one cause: a group has one weight */
#define FAR        2.0               /* slack, in longest stalls, up to which there is a model */
#define LOAD_STEPS 10                /* of a bisection: 0.1 % */
#define SPAN_KEPT  8                 /* values of a span that are kept; the rest counts as the last one */
#define BUCKET     1.005             /* the most that a value exceeds the middle of its bucket by */
#define SPAN_RATIO 2.0               /* of the bounds of events, up to which their middle is an estimate */

/* --- the run --- */

static int latest_first(const void *a, const void *b)
{
    const struct st_predict_late *x = a, *y = b;
    if (x->lateness_ns != y->lateness_ns)
        return x->lateness_ns < y->lateness_ns ? 1 : -1;
    if (x->k != y->k) /* qsort keeps no order of equals: another one on each system */
        return x->k > y->k ? 1 : -1;
    return (x->events_n < y->events_n) - (x->events_n > y->events_n);
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
    ST_EACH_OF (late, run->late, run->n)
        if ((double)late->lateness_ns > above_ns) {
            at_s[n] = (double)late->k * st_period_seconds(&run->period);
            lateness_ns[n++] = (double)late->lateness_ns;
        }
    const int r = st_tail_fit(at_s, lateness_ns, n, st_predict_seconds(run), &run->tail);
    free(room);
    return r;
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

/* Groups of late wake-ups; the weight of one is the number of events to be expected of it. */
struct tally {
    double sum, squares, largest; /* of weights */
    uint64_t n;
};

/* In equal parts of the time of all runs, one after the other. */
struct counts {
    double seconds, before_s; /* of all runs; of those before the one that is counted */
    uint64_t events_n;
    double own_high; /* per hour, that the run at this size had alone; 0: no event */
    struct tally low[ST_STEADY_PARTS], high[ST_STEADY_PARTS];
};

static void add_weight(struct tally *tally, double weight)
{
    if (weight <= 0)
        return;
    tally->sum += weight;
    tally->squares += weight * weight;
    tally->largest = fmax(tally->largest, weight);
    tally->n++;
}

static size_t part_of(const struct counts *counts, const struct st_predict_run *run, uint64_t k)
{
    const double at_s = counts->before_s + (double)k * st_period_seconds(&run->period);
    return (size_t)(fmin(0.999999, at_s / counts->seconds) * ST_STEADY_PARTS);
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

/* A period of this size begins at one of `ratio` measured periods. Each of them is tried: a wake-up that is
 * late by L is followed by ones that would be late by L - P, L - 2 P ... @param last the last missed period
 * of each phase, plus 1. */
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

/* The first period moves against the stall by chance, and the stall is as long as its lateness, or up to a
 * period longer. */
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

static void end_group(const struct size *size, struct group *group, size_t part, struct counts *counts)
{
    const double exact = size->ratio > 0 ? (double)group->phase_events / (double)size->ratio : 0;
    end_event(group);
    add_weight(&counts->low[part], size->ratio > 0 ? exact : group->low);
    add_weight(&counts->high[part], size->ratio > 0 ? exact : group->high);
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

/* At least one event if a wake-up is late enough, at most one for each of them. A span has one weight: its
 * events may have one cause. */
static void count_spans(const struct st_predict_run *run, const struct size *size, struct counts *counts)
{
    const bool as_measured = size->ratio == 1 && fabs(size->slack_ns - size->measured_ns) < 1;
    for (size_t i = 0; i < run->n;) {
        const struct st_predict_late *latest = &run->late[i];
        const size_t part = part_of(counts, run, latest->k);
        double least = share_of(size, latest, false), most = 0;
        for (; i < run->n && run->late[i].k == latest->k; i++)
            most += run->late[i].n * share_of(size, &run->late[i], true);
        if (as_measured && least > 0 && latest->events_n > 0)
            least = most = latest->events_n;
        add_weight(&counts->low[part], least);
        add_weight(&counts->high[part], most);
        counts->events_n += least > 0;
    }
}

/* Both tallies are the same if the size is a multiple of the measured one. */
static void count(const struct st_predict_run *run, const struct size *size, struct counts *counts)
{
    static const struct group none = {.none_low = 1, .none_high = 1};
    uint64_t last[RATIO_MAX] = {0};
    struct group group = none;
    uint64_t end_k = 0;
    size_t part = 0;
    bool open = false;
    if (run->spans) {
        count_spans(run, size, counts);
        return;
    }
    ST_EACH_OF (late, run->late, run->n) {
        const double over_ns = (double)late->lateness_ns - size->slack_ns;
        if (over_ns <= 0)
            continue;
        const double apart_ns = ((double)late->k - (double)end_k) * size->measured_ns;
        if (!open || apart_ns >= (double)ST_MISS_EVENTS_GAP_NS) {
            counts->events_n++;
            end_event(&group);
        }
        if (open && apart_ns >= GROUP_NS) {
            end_group(size, &group, part, counts);
            group = none;
            open = false;
        }
        if (!open)
            part = part_of(counts, run, late->k);
        open = true;
        end_k = late->k + (uint64_t)ceil(over_ns / size->measured_ns) - 1;
        if (size->ratio > 0)
            add_phases(size, late, last, &group);
        else
            add_bracket(size, late, &group);
    }
    if (open)
        end_group(size, &group, part, counts);
}

/* --- runs --- */

/* One size with one load, and the runs that show what happens there. */
struct question {
    const struct st_predict_run *first; /* the shortest */
    const struct st_predict_run *near;  /* the longest up to this size: what each wake-up is late by here */
    const struct st_predict_wish *wish;
    uint32_t frames;
    double load_percent; /* instead of the wish's */
};

static struct question question_of(const struct st_predict_run *first, const struct st_predict_wish *wish,
                                   uint32_t frames)
{
    struct question question = {first, first, wish, frames, wish->load_percent};
    for (const struct st_predict_run *run = first; run != NULL; run = run->longer)
        if (run->frames <= frames && run->frames > question.near->frames)
            question.near = run;
    return question;
}

/* The size as it is for the wake-ups of a run: those of longer sizes may each be later (idle states, rounded
 * timers). */
static struct size size_for(const struct question *question, const struct st_predict_run *run)
{
    const struct st_predict_wish *wish = question->wish;
    const uint32_t frames = question->frames;
    const double measured_ns = st_period_seconds(&run->period) * 1e9;
    const double frame_ns = measured_ns / run->frames, period_ns = frame_ns * frames;
    const bool multiple = frames % run->frames == 0 && frames / run->frames <= RATIO_MAX;
    const double slack_ns = period_ns * ((double)wish->periods - 1 - question->load_percent / 100) +
                            frame_ns * wish->headroom_frames - (double)wish->granularity_ns;
    return (struct size){.period_ns = period_ns,
                         .measured_ns = measured_ns,
                         .slack_ns = slack_ns - fmax(0, (double)(question->near->body_ns - run->body_ns)),
                         .ratio = multiple ? frames / run->frames : 0};
}

enum which { ALL, NEAREST, OTHERS };

static bool counts_in(const struct question *question, const struct st_predict_run *run, enum which which)
{
    return run->frames <= question->frames && (which == ALL || (run == question->near) == (which == NEAREST));
}

static void count_which(const struct question *question, enum which which, struct counts *ret)
{
    *ret = (struct counts){0};
    for (const struct st_predict_run *run = question->first; run != NULL; run = run->longer)
        ret->seconds += counts_in(question, run, which) ? st_predict_seconds(run) : 0;
    for (const struct st_predict_run *run = question->first; run != NULL; run = run->longer) {
        if (!counts_in(question, run, which))
            continue;
        const struct size size = size_for(question, run);
        count(run, &size, ret);
        ret->before_s += st_predict_seconds(run);
    }
}

/* --- bounds --- */

static struct tally sum_of(const struct tally parts[ST_STEADY_PARTS], size_t first, size_t end)
{
    struct tally sum = {0};
    for (size_t i = first; i < end; i++) {
        sum.sum += parts[i].sum;
        sum.squares += parts[i].squares;
        sum.largest = fmax(sum.largest, parts[i].largest);
        sum.n += parts[i].n;
    }
    return sum;
}

/* One-sided 95 % bounds of the mean of a weighted Poisson sum; exact (Garwood) if all weights are 1. Source:
 * Fay & Feuer, "Confidence intervals for directly standardized rates", 1997. */
static double bound(const struct tally *tally, double scatter, bool upper)
{
    const double most = upper ? fmax(1, tally->largest) : 0;
    const double y = tally->sum / scatter + most, v = tally->squares / scatter + most * most;
    return v > 0 ? scatter * v / y * st_stats_gamma_quantile(upper ? 0.95 : 0.05, y * y / v) : 0;
}

static struct st_steady steady_of(const struct counts *counts)
{
    uint64_t n[ST_STEADY_PARTS];
    for (size_t i = 0; i < ST_STEADY_PARTS; i++)
        n[i] = counts->high[i].n;
    return st_steady_of(n);
}

/* Of the time. */
static double busy_share(const struct st_steady *steady)
{
    return (double)(steady->end - steady->first) / ST_STEADY_PARTS;
}

/* Per hour. If the load changed, its busiest time may be what comes next. */
static double high_of(const struct counts *counts, const struct st_steady *steady)
{
    const struct tally all = sum_of(counts->high, 0, ST_STEADY_PARTS);
    const struct tally busy = sum_of(counts->high, steady->first, steady->end);
    const double most = fmax(bound(&all, steady->scatter, true), bound(&busy, 1, true) / busy_share(steady));
    return fmin(ST_PREDICT_MOST, fmax(counts->own_high, most * 3600 / counts->seconds));
}

/* Per hour. Or the rest of the time may be what comes next. */
static double low_of(const struct counts *counts, const struct st_steady *steady)
{
    const struct tally all = sum_of(counts->low, 0, ST_STEADY_PARTS);
    const struct tally busy = sum_of(counts->low, steady->first, steady->end);
    const struct tally rest = {.sum = all.sum - busy.sum, .squares = all.squares - busy.squares};
    double least = bound(&all, steady->scatter, false);
    if (steady->changed)
        least = all.n > busy.n ? fmin(least, bound(&rest, 1, false) / (1 - busy_share(steady))) : 0;
    return fmin(ST_PREDICT_MOST, least * 3600 / counts->seconds);
}

void st_predict_end(struct st_predict_run *run)
{
    thin_out(run);
    if (run->n > 0)
        qsort(run->late, run->n, sizeof(run->late[0]), in_order);
    run->tail.refused = "late wake-ups are known to the minute or interval only";
    if (!run->spans && fit_tail(run) < 0)
        run->tail.refused = "out of memory";
    run->steady = (struct st_steady){.changed = false};
    if (!run->spans && run->periods_n > 0) {
        const struct st_predict_wish plain = {.periods = 2};
        const struct question question = question_of(run, &plain, run->frames);
        struct counts counts;
        count_which(&question, NEAREST, &counts);
        run->steady = steady_of(&counts);
    }
}

/* Stalls are the same at each size, so all runs count. But a longer size may have late wake-ups of its own
 * that are rarer than what each of them is late by: if its run had any, the upper bound is at least that of
 * this run; if it had more than the others allow for, it alone counts. */
static bool count_runs(const struct question *question, struct counts *ret)
{
    struct counts own, others;
    count_which(question, ALL, ret);
    if (question->near == question->first)
        return false;
    count_which(question, NEAREST, &own);
    count_which(question, OTHERS, &others);
    const struct st_steady own_steady = steady_of(&own), others_steady = steady_of(&others);
    const bool alone = low_of(&own, &own_steady) > high_of(&others, &others_steady);
    if (alone)
        *ret = own;
    else if (own.events_n > 0)
        ret->own_high = high_of(&own, &own_steady);
    return alone;
}

/* --- rows --- */

/* A long size has few events: that the load changed may be known from the shortest one only. */
static struct st_steady steady_for(const struct st_predict_run *run, const struct counts *counts)
{
    struct st_steady steady = steady_of(counts);
    if (!steady.changed && run->steady.changed && run->longer == NULL) {
        steady = run->steady;
        steady.scatter = 1;
    }
    return steady;
}

/* Are all wake-ups kept that count? */
static bool all_kept(const struct question *question)
{
    bool kept = true;
    for (const struct st_predict_run *run = question->first; run != NULL; run = run->longer)
        kept = kept && (run->frames > question->frames ||
                        size_for(question, run).slack_ns > (double)run->kept_above_ns);
    return kept;
}

static bool keeps(const struct question *question)
{
    struct counts counts;
    if (!all_kept(question))
        return false;
    (void)count_runs(question, &counts);
    const struct st_steady steady = steady_for(question->first, &counts);
    const struct st_predict_row row = {.high = high_of(&counts, &steady),
                                       .target_per_hour =
                                           st_predict_target(counts.seconds * busy_share(&steady))};
    return st_predict_holds(&row);
}

static double headroom_of(struct question question)
{
    double low = 0, high = 100;
    question.load_percent = 0;
    if (!keeps(&question))
        return -1;
    for (int i = 0; i < LOAD_STEPS; i++) {
        question.load_percent = (low + high) / 2;
        *(keeps(&question) ? &low : &high) = question.load_percent;
    }
    return low;
}

static void refuse(struct st_predict_row *row, const char *reason)
{
    row->known = false;
    row->basis = ST_PREDICT_REFUSED;
    row->high = ST_PREDICT_MOST;
    ST_PRINT(row->reason, "%s", reason);
}

/* Beyond the longest stall that was seen; the row has the bound already. */
static void extrapolate(const struct st_predict_run *run, const struct size *size, struct st_predict_row *row)
{
    const struct st_tail *tail = &run->tail;
    const char *refused = tail->refused;
    double high;
    if (refused == NULL && size->slack_ns > FAR * tail->largest_ns)
        refused = "a dropout at this size needs a stall more than twice as long as the longest one seen";
    if (row->changed)
        refused = "the load changed during the recording";
    if (refused != NULL) {
        /* in a history weeks of minutes are the answer, not a law */
        const bool stalls = !run->spans && tail->largest_ns > size->measured_ns;
        row->basis = stalls ? ST_PREDICT_REFUSED : ST_PREDICT_NONE_SEEN;
        if (!stalls)
            refused = row->high > 1 ? "to show at most 1 per hour, measure 3 h" : "no stall was seen";
        ST_PRINT(row->reason, "no dropout was seen, so only an upper bound is known: %s", refused);
        return;
    }
    const uint64_t phases_n =
        size->ratio > 0 ? size->ratio : (uint64_t)ceil(size->period_ns / size->measured_ns);
    row->basis = ST_PREDICT_MODEL;
    row->estimated = true;
    row->estimate =
        st_tail_per_hour(tail, size->slack_ns, size->period_ns / (double)phases_n, phases_n, &high);
    row->high = fmin(row->high, high);
    ST_PRINT(row->reason,
             "no dropout was seen; the estimate extends the distribution of the longest stalls (shape %.2f; "
             "test on the third of the run that was held out: p = %.2f)",
             tail->shape, tail->held_out_p);
}

static void judge(const struct question *question, const struct size *size, struct st_predict_row *row)
{
    const struct st_predict_run *run = question->first;
    struct counts counts;
    const bool own = count_runs(question, &counts);
    const struct st_steady steady = steady_for(run, &counts);
    const double per_hour = 3600 / counts.seconds;
    const double least = sum_of(counts.low, 0, ST_STEADY_PARTS).sum * per_hour;
    const double most = sum_of(counts.high, 0, ST_STEADY_PARTS).sum * per_hour;
    row->n_events = counts.events_n;
    row->observed_s = counts.seconds;
    row->high = high_of(&counts, &steady);
    row->target_per_hour = st_predict_target(counts.seconds * busy_share(&steady));
    row->changed = steady.changed;
    if (counts.events_n == 0) {
        extrapolate(run, size, row);
        return;
    }
    row->basis = ST_PREDICT_OBSERVED;
    row->estimated = most <= SPAN_RATIO * least || !run->spans;
    row->estimate = fmin(ST_PREDICT_MOST, (least + most) / 2);
    row->low = low_of(&counts, &steady);
    ST_EACH_OF (part, counts.high, ST_STEADY_PARTS)
        row->worst_tenth =
            fmax(row->worst_tenth, fmin(ST_PREDICT_MOST, part->sum * per_hour * ST_STEADY_PARTS));
    if (steady.changed)
        snprintf(
            row->reason, sizeof(row->reason),
            "the load changed during the recording: the bounds hold for its busiest %zu0 %% and for the rest",
            steady.end - steady.first);
    else if (run->spans && most > least)
        ST_PRINT(row->reason,
                 "late wake-ups are known to the minute or interval only, so this is a range: %.3g to %.3g "
                 "dropouts per hour%s",
                 least, fmin(ST_PREDICT_MOST, most),
                 row->estimated ? ", of which the estimate is the middle" : "");
    else if (own)
        ST_PRINT(row->reason,
                 "wake-ups were late at this buffer size that were not late at shorter ones, so only the run "
                 "at this size counts");
}

void st_predict_row(const struct st_predict_run *run, const struct st_predict_wish *wish, uint32_t frames,
                    struct st_predict_row *ret)
{
    const struct question question = question_of(run, wish, frames);
    const struct size size = size_for(&question, run);
    char reason[sizeof(ret->reason)];
    *ret = (struct st_predict_row){.frames = frames,
                                   .known = true,
                                   .period_us = size.period_ns / 1e3,
                                   .slack_us = size.slack_ns / 1e3,
                                   .headroom_percent = -1,
                                   .observed_s = st_predict_seconds(run)};
    if (frames < run->frames) {
        ST_PRINT(reason, "to predict this size, measure at %u frames or less", frames);
        refuse(ret, reason);
    } else if (ret->observed_s < ST_PREDICT_SECONDS) {
        refuse(ret, "too little data: less than a second was measured");
    } else if (size.slack_ns <= 0) {
        refuse(ret, "--load and --granularity take the whole buffer: no wake-up may be late");
    } else if (!all_kept(&question)) {
        refuse(ret, "too many wake-ups were late, and the recording kept only the longest delays");
    } else {
        judge(&question, &size, ret);
        ret->headroom_percent = headroom_of(question);
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
