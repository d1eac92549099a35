#include "lab/analyse/changes.h"

#include "core/stats/stats.h"
#include "lab/analyse/ticks.h"
#include "lab/stats/inflation.h"

#define GROUPS     64
#define STEP_MIN_N 12 /* least number of levels on each side of a step */
#define MIN_NS     5  /* ns: rounding to whole ns makes smaller steps and lines */
/* levels that count as near a step, on each side: 1 / 8 of those on its shorter side */
#define NEAR_SHARE 8
#define PARTS_CUT  2 /* how often each side of a step is cut in two, to subtract other steps */
#define ALPHA_LINE 1e-5
#define ALPHA_STEP 1e-6
#define ALPHA_SURE                                                                                 \
    1e-10 /* largest p-value of a reported step: noise correlated over 1/9 of a series has a       \
             larger one */

struct ranked {
    double value;
    size_t at;
};

struct values {
    size_t n;
    double *ns, *time_s; /* for each level: its value, and the time of the middle of its block */
    double *room;        /* scratch space for n values */
    struct ranked *ranked;
    size_t cut[ST_CHANGES_STEPS_MAX +
               2]; /* first level of each part between two steps; after the last part: n */
    size_t cuts_n;
    bool moves;
};

/* The median of n > 0 values, which it sorts. */
static double median(double *ns, size_t n)
{
    st_stats_sort_double(ns, n);
    return n % 2 == 1 ? ns[n / 2] : (ns[n / 2 - 1] + ns[n / 2]) / 2;
}

static double level(struct values *v, size_t first, size_t end)
{
    memcpy(v->room, v->ns + first, (end - first) * sizeof(*v->room));
    return median(v->room, end - first);
}

static void take_line(struct values *v, double slope)
{
    for (size_t i = 0; i < v->n; i++)
        v->ns[i] -= slope * v->time_s[i];
}

/* Finds the slope of the levels from the medians of up to GROUPS groups of them. @return ns a
 * second; 0: noise can explain the slope. */
static double find_line(struct values *v)
{
    const size_t each = (v->n + GROUPS - 1) / GROUPS, n = v->n / each;
    double ns[GROUPS], time_s[GROUPS], slopes[GROUPS * (GROUPS - 1) / 2], sign_sum = 0;
    size_t slopes_n = 0;
    for (size_t i = 0; i < n; i++) {
        ns[i] = level(v, i * each, (i + 1) * each);
        time_s[i] = (v->time_s[i * each] + v->time_s[(i + 1) * each - 1]) / 2;
        for (size_t j = 0; j < i; j++) {
            sign_sum += (ns[i] > ns[j]) - (ns[i] < ns[j]);
            slopes[slopes_n++] = (ns[i] - ns[j]) / (time_s[i] - time_s[j]);
        }
    }
    const double slope = median(slopes, slopes_n), size = (double)n;
    double mean = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        ns[i] -= slope * time_s[i];
        mean += ns[i] / size;
    }
    ST_EACH_OF (x, ns, n)
        left += (*x - mean) * (*x - mean);
    /* residuals below 1 ns are rounding errors, whose correlation means nothing */
    const double variance = size * (size - 1) * (2 * size + 5) / 18 *
                            (left > size ? st_inflation(ns, n, mean, n / 2) : 1);
    const bool is_line = fabs(slope) * (time_s[n - 1] - time_s[0]) >= MIN_NS &&
                         erfc(fmax(fabs(sign_sum) - 1, 0) / sqrt(2 * variance)) < ALPHA_LINE;
    return is_line ? slope : 0;
}

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Stores the ranks of levels first .. first + n - 1 in v->room; equal levels get their mean
 * rank. */
static void rank(struct values *v, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v->ranked[i] = (struct ranked){v->ns[first + i], i};
    qsort(v->ranked, n, sizeof(*v->ranked), compare_ranked);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && v->ranked[next].value <= v->ranked[i].value; next++)
            ;
        for (size_t j = i; j < next; j++)
            v->room[v->ranked[j].at] = (double)(i + 1 + next) / 2;
    }
}

/* Subtracts the mean from x, and finds the cut that divides x best into two parts: the one that
 * leaves the least squares.
 * @param ret_largest Pettitt's K if x are ranks: twice the largest absolute sum of the values
 * before a cut.
 * @return number of values before the cut; 0: too few, or all equal. */
static size_t best_cut(double *x, size_t n, double *ret_largest)
{
    double mean = 0, sum = 0, best = 0;
    size_t at = 0;
    *ret_largest = 0;
    ST_EACH_OF (value, x, n)
        mean += *value / (double)n;
    for (size_t i = 0; i < n; i++) {
        x[i] -= mean;
        sum += x[i];
        if (i + 1 < STEP_MIN_N || i + 1 + STEP_MIN_N > n)
            continue;
        const double before = (double)(i + 1), score = sum * sum / (before * ((double)n - before));
        *ret_largest = fmax(*ret_largest, fabs(2 * sum));
        if (score > best) {
            best = score;
            at = i + 1;
        }
    }
    return at;
}

/* Subtracts from x the means of up to 2^times parts, into which best_cut divides it. */
static void center_parts(double *x, size_t n, int times)
{
    double largest;
    const size_t cut = best_cut(x, n, &largest);
    if (times > 0 && cut > 0) {
        center_parts(x, cut, times - 1);
        center_parts(x + cut, n - cut, times - 1);
    }
}

/* Finds the steps in levels first .. end - 1 and adds them to v->cut, in order. */
static void find_steps(struct values *v, size_t first, size_t end)
{
    const size_t n = end - first;
    const double size = (double)n;
    double largest, ignored;
    rank(v, first, n);
    if (best_cut(v->room, n, &largest) == 0)
        return;
    center_parts(v->room, n, PARTS_CUT + 1);
    const double p_value =
        2 * exp(-6 * largest * largest /
                ((size * size * size + size * size) * st_inflation(v->room, n, 0, n / 2)));
    /* a cut found from ranks lies too near to the middle: find it again from the values */
    memcpy(v->room, v->ns + first, n * sizeof(*v->room));
    const size_t before = best_cut(v->room, n, &ignored), at = first + before, behind = n - before;
    const double step_ns = before > 0 ? level(v, at, end) - level(v, first, at) : 0;
    if (p_value >= ALPHA_STEP || fabs(step_ns) < MIN_NS)
        return;
    const size_t near = (before < behind ? before : behind) / NEAR_SHARE,
                 near_n = near > STEP_MIN_N ? near : STEP_MIN_N;
    v->moves |= p_value >= ALPHA_SURE ||
                (level(v, at, at + near_n) - level(v, at - near_n, at)) / step_ns < 0.5;
    if (!v->moves)
        find_steps(v, first, at);
    if (v->cuts_n <= ST_CHANGES_STEPS_MAX)
        v->cut[v->cuts_n++] = at;
    else
        v->moves = true;
    if (!v->moves)
        find_steps(v, at, end);
}

/* Finds the steps and replaces the levels by their residuals. @return the sum of the absolute
 * residuals, ns. */
static double take_steps(struct values *v, const struct st_levels *levels, struct st_changes *ret)
{
    double before = 0, sum = 0;
    v->moves = false;
    v->cut[0] = 0;
    v->cuts_n = 1;
    find_steps(v, 0, v->n);
    ret->steps_n = v->cuts_n - 1;
    v->cut[v->cuts_n] = v->n;
    for (size_t k = 0; k < v->cuts_n; k++) {
        const double here = level(v, v->cut[k], v->cut[k + 1]);
        const uint64_t index = levels->level[v->cut[k]].first - levels->first_index;
        if (k > 0)
            ret->steps[k - 1] = (struct st_step){
                .index = index,
                .at_s = (double)index * st_period_seconds(&levels->period),
                .size_ns = here - before,
                .tick_hz = st_ticks_rate_about(fabs(here - before)),
            };
        before = here;
        for (size_t i = v->cut[k]; i < v->cut[k + 1]; i++) {
            v->ns[i] -= here;
            sum += fabs(v->ns[i]);
        }
    }
    return sum;
}

static void fill(struct values *v, const struct st_levels *levels)
{
    const double period_s = st_period_seconds(&levels->period);
    for (size_t i = 0; i < v->n; i++) {
        const struct st_level *l = &levels->level[i];
        v->ns[i] = l->value_ns;
        v->time_s[i] = period_s * ((double)(l->first - levels->first_index) +
                                   (double)(l->last - l->first) / 2);
    }
}

int st_changes_of(const struct st_levels *levels, struct st_changes *ret)
{
    struct values v = {.n = levels->n};
    struct st_changes steps = {0}, line = {0};
    if (levels->n < ST_CHANGES_SAMPLES_MIN)
        return -ENODATA;
    v.ns = calloc(v.n, 3 * sizeof(*v.ns));
    v.ranked = calloc(v.n, sizeof(*v.ranked));
    if (v.ns == NULL || v.ranked == NULL) {
        free(v.ns);
        free(v.ranked);
        return -ENOMEM;
    }
    v.time_s = v.ns + v.n;
    v.room = v.time_s + v.n;
    fill(&v, levels);
    line.slope_ns_per_s = find_line(&v);
    const double steps_left = take_steps(&v, levels, &steps);
    steps.moves = v.moves || find_line(&v) != 0;
    if (line.slope_ns_per_s != 0) {
        fill(&v, levels);
        take_line(&v, line.slope_ns_per_s);
        line.trend_found = true;
        const double line_left = take_steps(&v, levels, &line);
        line.moves = v.moves || line.steps_n > 0 || find_line(&v) != 0;
        if (!line.moves && (steps.moves || line_left < steps_left))
            steps = line;
    }
    *ret = steps.moves ? (struct st_changes){.moves = true} : steps;
    free(v.ns);
    free(v.ranked);
    return 0;
}
