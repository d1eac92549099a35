#include "lab/analyse/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "lab/analyse/changes_curve.h"
#include "lab/analyse/tick_rate.h"

#define ROUNDS      30
#define ALPHA_TREND 1e-5
#define ALPHA_STEP  1e-6
#define SMALL_SHARE 0.05 /* of the largest step */
#define LONE_SDS    20   /* noise */
#define LONE_TIMES  10   /* of any other rise */
#define PLACE_REACH 8    /* blocks that ranks may be off by */
#define STILL       0.01 /* of the noise, from end to end: a slope that moves by less has settled */

/* --- steps --- */

static int compare_ranked(const void *a, const void *b)
{
    const struct st_change_ranked *x = a, *y = b;
    return st_change_blocks_compare(&x->value, &y->value);
}

/* Ranks of values[0 .. n) into b->work, equal ones share their mean. */
static void rank(struct st_change_blocks *b, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        b->ranked[i] = (struct st_change_ranked){values[i], i};
    qsort(b->ranked, n, sizeof(*b->ranked), compare_ranked);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && b->ranked[next].value <= b->ranked[i].value; next++)
            ;
        for (size_t j = i; j < next; j++)
            b->work[b->ranked[j].at] = (double)(i + 1 + next) / 2;
    }
}

/* Takes the mean away. */
static void center(double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        values[i] -= sum / (double)n;
}

/* Where values are cut best in two: the place that leaves the least squares. Takes their mean away.
 * @param ret_largest Pettitt's K, from ranks: the largest doubled sum before a place; it leans towards the
 * middle.
 * @return values before the cut; 0: too few, or all equal. */
static size_t best_cut(double *values, size_t n, double *ret_largest)
{
    double sum = 0, best = 0;
    size_t at = 0;
    *ret_largest = 0;
    center(values, n);
    for (size_t before = 1; before + STEP_MIN_N <= n; before++) {
        sum += values[before - 1];
        const double score = sum * sum / ((double)before * (double)(n - before));
        if (before < STEP_MIN_N)
            continue;
        *ret_largest = fmax(*ret_largest, fabs(2 * sum));
        if (score > best) {
            best = score;
            at = before;
        }
    }
    return at;
}

/* The likeliest step in blocks first .. end - 1. @return p; the first block behind the step in *ret (first:
 * none). */
static double best_step(struct st_change_blocks *b, size_t first, size_t end, size_t *ret)
{
    const size_t n = end - first;
    double largest, other;
    rank(b, b->value_ns + first, n);
    const size_t at = best_cut(b->work, n, &largest);
    *ret = first + at;
    if (at == 0)
        return 1;
    /* how correlated neighbours are apart from steps: each part is cut once more */
    const size_t parts[] = {0, at, n};
    for (int part = 0; part < 2; part++) {
        double *values = b->work + parts[part];
        const size_t part_n = parts[part + 1] - parts[part], cut = best_cut(values, part_n, &other);
        if (cut > 0) {
            center(values, cut);
            center(values + cut, part_n - cut);
        }
    }
    const double size = (double)n;
    return fmin(2 * exp(-6 * largest * largest /
                        ((size * size * size + size * size) * st_change_blocks_inflation(b->work, n))),
                1);
}

/* Ranks lean towards the middle, by a block where a step is large: the place nearby that leaves least of the
 * levels on both sides. */
static size_t place_exactly(struct st_change_blocks *b, size_t first, size_t at, size_t end)
{
    const double before = st_change_blocks_level(b, first, at), after = st_change_blocks_level(b, at, end);
    const size_t low = at > first + STEP_MIN_N + PLACE_REACH ? at - PLACE_REACH : first + STEP_MIN_N;
    const size_t high = at + STEP_MIN_N + PLACE_REACH < end ? at + PLACE_REACH : end - STEP_MIN_N;
    double left = 0, least = 0; /* against a cut at low */
    size_t best = low;
    for (size_t i = low; i < high; i++) {
        left += fabs(b->value_ns[i] - before) - fabs(b->value_ns[i] - after);
        if (left < least) {
            least = left;
            best = i + 1;
        }
    }
    return best;
}

/* Cuts first .. end - 1 at its likeliest step, then both parts. cuts: ascending. */
static void find_steps(struct st_change_blocks *b, struct st_change_cut *cuts, size_t *cuts_n)
{
    bool again = true;
    while (again && *cuts_n < ST_CHANGES_STEPS_MAX) {
        struct st_change_cut best = {.p_value = ALPHA_STEP};
        size_t place = 0;
        again = false;
        for (size_t i = 0; i <= *cuts_n; i++) {
            const size_t first = i == 0 ? 0 : cuts[i - 1].at, end = i == *cuts_n ? b->n : cuts[i].at;
            struct st_change_cut cut;
            cut.p_value = best_step(b, first, end, &cut.at);
            if (cut.p_value < best.p_value &&
                fabs(st_change_blocks_level(b, cut.at, end) - st_change_blocks_level(b, first, cut.at)) <
                    b->least_step_ns)
                continue; /* less than what samples tell apart */
            if (cut.p_value < best.p_value) {
                best = cut;
                best.at = place_exactly(b, first, cut.at, end);
                place = i;
                again = true;
            }
        }
        if (again) {
            memmove(cuts + place + 1, cuts + place, (*cuts_n - place) * sizeof(*cuts));
            cuts[place] = best;
            ++*cuts_n;
        }
    }
}

/* What is so much less than the largest step may be the end of what made that one, as where a loop comes to
 * rest: it is not told. Keeps cuts in order. */
static void drop_small(struct st_change_blocks *b, struct st_change_cut *cuts, size_t *cuts_n)
{
    double sizes_ns[ST_CHANGES_STEPS_MAX], largest_ns = 0;
    for (size_t i = 0; i < *cuts_n; i++) {
        const size_t first = i == 0 ? 0 : cuts[i - 1].at, end = i + 1 == *cuts_n ? b->n : cuts[i + 1].at;
        sizes_ns[i] =
            fabs(st_change_blocks_level(b, cuts[i].at, end) - st_change_blocks_level(b, first, cuts[i].at));
        largest_ns = fmax(largest_ns, sizes_ns[i]);
    }
    size_t kept_n = 0;
    for (size_t i = 0; i < *cuts_n; i++) {
        if (sizes_ns[i] >= SMALL_SHARE * largest_ns)
            cuts[kept_n++] = cuts[i];
    }
    *cuts_n = kept_n;
}

static void tell_steps(struct st_change_blocks *b, const struct st_period *period,
                       const struct st_change_cut *cuts, size_t cuts_n, struct st_changes *ret)
{
    double before = st_change_blocks_level(b, 0, cuts_n == 0 ? b->n : cuts[0].at);
    for (size_t i = 0; i < cuts_n; i++) {
        const double after = st_change_blocks_level(b, cuts[i].at, i + 1 == cuts_n ? b->n : cuts[i + 1].at);
        const uint64_t index = b->index[cuts[i].at];
        ret->steps[i] = (struct st_step){
            .index = index,
            .at_s = (double)index * st_period_seconds(period),
            .size_ns = after - before,
            .p_value = cuts[i].p_value,
            .tick_hz = st_tick_rate_about(fabs(after - before)),
        };
        before = after;
    }
    ret->steps_n = cuts_n;
}

/* --- trend --- */

/* A trend between the steps, over up to 64 groups of blocks: only groups of one part are compared. */
static struct st_change_trend find_trend(struct st_change_blocks *b, const struct st_change_cut *cuts,
                                         size_t cuts_n)
{
    const size_t each = (b->n + TREND_GROUPS - 1) / TREND_GROUPS;
    double value[TREND_GROUPS], time_s[TREND_GROUPS], slopes[TREND_GROUPS * (TREND_GROUPS - 1) / 2];
    size_t part_of[TREND_GROUPS], n = 0, slopes_n = 0;
    double sign_sum = 0, variance = 0;
    for (size_t part = 0; part <= cuts_n; part++) {
        const size_t end = part == cuts_n ? b->n : cuts[part].at, part_first = n;
        for (size_t at = part == 0 ? 0 : cuts[part - 1].at; at + each <= end; at += each, n++) {
            part_of[n] = part;
            value[n] = st_change_blocks_level(b, at, at + each);
            time_s[n] = (b->time_s[at] + b->time_s[at + each - 1]) / 2;
            for (size_t j = part_first; j < n; j++) {
                const double rise = value[n] - value[j];
                sign_sum += (rise > 0) - (rise < 0);
                slopes[slopes_n++] = rise / (time_s[n] - time_s[j]);
            }
        }
        const double size = (double)(n - part_first);
        variance += size * (size - 1) * (2 * size + 5) / 18;
    }
    if (slopes_n == 0)
        return (struct st_change_trend){0, 1};
    const double slope = st_change_blocks_median(slopes, slopes_n);
    /* what line and steps leave */
    for (size_t first = 0, end = 0; first < n; first = end) {
        double mean = 0;
        for (end = first; end < n && part_of[end] == part_of[first]; end++)
            mean += value[end] - slope * time_s[end];
        for (size_t i = first; i < end; i++)
            value[i] -= slope * time_s[i] + mean / (double)(end - first);
    }
    double left = 0;
    for (size_t i = 0; i < n; i++)
        left += value[i] * value[i];
    if (left >
        (double)n * CURVE_MIN_NS * CURVE_MIN_NS) /* less is rounding, which hangs together and is nothing */
        variance *= st_change_blocks_inflation(value, n);
    return (struct st_change_trend){slope,
                                    slope != 0 ? erfc(fmax(fabs(sign_sum) - 1, 0) / sqrt(2 * variance)) : 1};
}

/* values less a line. */
static void take_line(struct st_change_blocks *b, double slope)
{
    for (size_t i = 0; i < b->n; i++)
        b->value_ns[i] -= slope * b->time_s[i];
}

/* Noise of a block and the least difference of two values, whatever moves slowly. Uses b->work. */
static void look_closely(struct st_change_blocks *b, double *ret_noise, double *ret_grain)
{
    double square = 0, grain = (double)INFINITY;
    for (size_t i = 1; i + 1 < b->n; i++) {
        const double bend = b->value_ns[i + 1] - 2 * b->value_ns[i] + b->value_ns[i - 1];
        b->work[i - 1] = fabs(bend);
    }
    const double usual = st_change_blocks_median(b->work, b->n - 2);
    for (size_t i = 0; i + 2 < b->n; i++)
        square += fmin(b->work[i], 8 * usual) * fmin(b->work[i], 8 * usual); /* steps are no noise */
    memcpy(b->work, b->value_ns, b->n * sizeof(*b->work));
    qsort(b->work, b->n, sizeof(*b->work), st_change_blocks_compare);
    for (size_t i = 1; i < b->n; i++) {
        if (b->work[i] - b->work[i - 1] > 0.25)
            grain = fmin(grain, b->work[i] - b->work[i - 1]);
    }
    *ret_noise = fmax(sqrt(square / (double)(b->n - 2) / 6), 0.3);
    *ret_grain = isfinite(grain) ? grain : 0;
}

/* Slope of the best line with one step at any place, by least squares. */
static double slope_beside_step(struct st_change_blocks *b)
{
    double time = 0, value = 0;
    for (size_t i = 0; i < b->n; i++) {
        time += b->time_s[i] / (double)b->n;
        value += b->value_ns[i] / (double)b->n;
    }
    double tt = 0, tv = 0;
    for (size_t i = 0; i < b->n; i++) {
        tt += (b->time_s[i] - time) * (b->time_s[i] - time);
        tv += (b->time_s[i] - time) * (b->value_ns[i] - value);
    }
    /* the step's column is 1 - (share before) behind it; its sums follow from those before it */
    double t_before = 0, v_before = 0, best = 0, slope = tv / tt;
    for (size_t i = 0; i + STEP_MIN_N < b->n; i++) {
        t_before += b->time_s[i] - time;
        v_before += b->value_ns[i] - value;
        const double n_before = (double)(i + 1);
        const double ss = n_before * ((double)b->n - n_before) / (double)b->n, ts = -t_before, sv = -v_before;
        const double det = tt * ss - ts * ts;
        if (i + 1 < STEP_MIN_N || !(det > 0))
            continue;
        const double line = (tv * ss - sv * ts) / det, step = (sv * tt - tv * ts) / det;
        const double explained = line * tv + step * sv;
        if (explained > best) {
            best = explained;
            slope = line;
        }
    }
    return slope;
}

/* Schwarz's criterion for absolute residuals. */
static double score(struct st_change_blocks *b, const struct st_change_model *model)
{
    double left = 0;
    take_line(b, model->trend.slope);
    for (size_t part = 0; part <= model->cuts_n; part++) {
        const size_t first = part == 0 ? 0 : model->cuts[part - 1].at;
        const size_t end = part == model->cuts_n ? b->n : model->cuts[part].at;
        const double middle = st_change_blocks_level(b, first, end);
        for (size_t i = first; i < end; i++)
            left += fabs(b->value_ns[i] - middle);
    }
    take_line(b, -model->trend.slope);
    const double n = (double)b->n, figures = 2 * (double)model->cuts_n + (model->trend.slope != 0 ? 1 : 0);
    return n * log(left / n + 1e-3) + figures * log(n);
}

/* Steps in what a line leaves, then the line between the steps, until both stay. */
static struct st_change_model settle(struct st_change_blocks *b, double slope, double noise_ns)
{
    const double span_s = b->time_s[b->n - 1] - b->time_s[0];
    struct st_change_model model = {.trend = {slope, 1}};
    for (int round = 0; round < ROUNDS; round++) {
        const double before = model.trend.slope;
        model.cuts_n = 0;
        take_line(b, before);
        find_steps(b, model.cuts, &model.cuts_n);
        /* medians of groups are no better than single blocks while a line is steep: they tell what is left */
        const double more = find_trend(b, model.cuts, model.cuts_n).slope;
        take_line(b, -before);
        model.trend.p_value = find_trend(b, model.cuts, model.cuts_n).p_value;
        model.trend.slope = model.trend.p_value < ALPHA_TREND ? before + more : 0;
        if (fabs(model.trend.slope - before) * span_s <= STILL * noise_ns)
            break;
    }
    model.score = score(b, &model);
    return model;
}

/* One jump among values, and hardly anything beside it: where. 0: none. A loop that comes to rest moves by
 * less and less, not at once. */
static size_t lone_jump(const double *value_ns, size_t n, double noise_ns)
{
    double largest = 0, second = 0;
    size_t at = 0;
    for (size_t i = 1; i < n; i++) {
        const double rise = fabs(value_ns[i] - value_ns[i - 1]);
        if (rise > largest) {
            second = largest;
            largest = rise;
            at = i;
        } else {
            second = fmax(second, rise);
        }
    }
    return largest > LONE_SDS * noise_ns && largest > LONE_TIMES * second ? at : 0;
}

/* Takes away what lies beyond a jump so near to an end that no test would call it a step (with n1 n2 of n
 * blocks on its sides Pettitt's p is 2 exp(-6 (n1 n2)^2 / n^3) at best): it would be a corner, and a line
 * with a corner is a curve. */
static void trim(struct st_change_blocks *b, double noise_ns)
{
    const size_t n = (size_t)ceil(sqrt(log(2 / ALPHA_STEP) / 6 * (double)b->n)) + 1;
    if (n <= STEP_MIN_N || b->n < ST_CHANGES_SAMPLES_MIN + 2 * n)
        return;
    const size_t last = lone_jump(b->value_ns + b->n - n, n, noise_ns);
    b->n -= last > 0 ? n - last : 0;
    const size_t first = lone_jump(b->value_ns, n, noise_ns);
    b->n -= first;
    memmove(b->value_ns, b->value_ns + first, b->n * sizeof(*b->value_ns));
    memmove(b->time_s, b->time_s + first, b->n * sizeof(*b->time_s));
    memmove(b->index, b->index + first, b->n * sizeof(*b->index));
}

int st_changes_of(const struct st_levels *levels, struct st_changes *ret)
{
    struct st_change_blocks b;
    double noise_ns, grain_ns;
    if (levels->n < ST_CHANGES_SAMPLES_MIN)
        return -ENODATA;
    const int r = st_change_blocks_make(levels, &b);
    if (r != 0)
        return r;
    look_closely(&b, &noise_ns, &grain_ns);
    trim(&b, noise_ns);
    b.least_step_ns = fmax(STEP_MIN_NS, noise_ns < grain_ns ? 2 * grain_ns : 0);
    const struct st_change_trend whole = find_trend(&b, NULL, 0);
    const double starts[] = {whole.slope, slope_beside_step(&b)};
    struct st_change_model best = settle(&b, 0, noise_ns);
    for (size_t i = 0; i < ST_ARRAY_LEN(starts); i++) {
        const struct st_change_model model = settle(&b, starts[i], noise_ns);
        if (model.score < best.score)
            best = model;
    }
    /* a line that is too little to be told may still be what a step was taken for */
    const bool moves = best.trend.slope != 0 || best.cuts_n > 0;
    struct st_change_model line = {.trend = whole};
    line.score = score(&b, &line);
    if (best.trend.slope == 0 && best.cuts_n > 0 && line.score < best.score)
        best = line;
    struct st_changes changes = {
        .trend_found = best.trend.slope != 0 && best.trend.p_value < ALPHA_TREND,
        .slope_ns_per_s = best.trend.slope,
        .trend_p_value = best.trend.p_value,
    };
    bool curved = false;
    take_line(&b, best.trend.slope);
    tell_steps(&b, &levels->period, best.cuts, best.cuts_n, &changes);
    for (size_t i = 0; i < changes.steps_n; i++)
        curved |= !st_changes_curve_jumps_there(&b, &best, i, changes.steps[i].size_ns, noise_ns);
    curved |= moves && st_changes_curve_is_there(&b, &best, &changes, noise_ns);
    if (!curved) {
        drop_small(&b, best.cuts, &best.cuts_n);
        tell_steps(&b, &levels->period, best.cuts, best.cuts_n, &changes);
    }
    take_line(&b, -best.trend.slope);
    if (curved)
        changes = (struct st_changes){.trend_p_value = 1, .curve_found = true};
    st_change_blocks_free(&b);
    *ret = changes;
    return 0;
}

int st_changes_find(const struct st_series *series, struct st_changes *ret)
{
    struct st_levels levels;
    if (series->n < ST_CHANGES_SAMPLES_MIN)
        return -ENODATA;
    int r = st_levels_of(series, &levels);
    if (r != 0)
        return r;
    r = st_changes_of(&levels, ret);
    st_levels_finish(&levels);
    return r;
}
