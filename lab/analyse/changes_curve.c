#include "lab/analyse/changes_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define P_CURVE      1e-6
#define CURVE_N      4   /* level, slope and two curves */
#define ROUGH_MIN    0.1 /* of squares, between neighbours */
#define ROUGH_MIN_N  24
#define JUMP_MIN     0.5   /* of a step, between what is right before and right behind it */
#define JUMP_SURE    10    /* standard errors that a step has over its neighbourhood */
#define STEPS_SURE   4.6   /* half the log of a likelihood ratio against a curve: 1 in 100 */
#define PLACE_SDS    6     /* noise that a step of this size hides its place by about a block */
#define BESIDE_N     8     /* blocks beside a step; fewer are too often of one kind where there are two */
#define BESIDE_MAX   4     /* what is beside a step may be so much further off than four of five others are */
#define BESIDE_LEAST 0.005 /* of the step: less is not told */
#define PART_MIN_N   24    /* blocks of a part that may have a slope of its own */
#define PART_SURE    13.8  /* half the log of a likelihood ratio, of two curves: 1 in a million */
#define PART_MOVES                                                                                           \
    6 /* squares that they take from so much to one: no noise does, however it hangs together */
#define LAGS_N      8
#define REGULAR_MAX 0.25 /* values so much closer to others before them than noise would put them */

/* Least squares of a line through values[0 .. n): its value at x, counted in values from the first. */
static double line_at(const double *values, size_t n, double x)
{
    const double middle = (double)(n - 1) / 2;
    double sum = 0, tv = 0, tt = 0;
    for (size_t i = 0; i < n; i++) {
        const double t = (double)i - middle;
        sum += values[i];
        tv += t * values[i];
        tt += t * t;
    }
    return sum / (double)n + (tt > 0 ? tv / tt * (x - middle) : 0);
}

bool st_changes_curve_jumps_there(const struct st_change_blocks *b, const struct st_change_model *model,
                                  size_t i, double size_ns, double noise_ns)
{
    const size_t at = model->cuts[i].at, first = i == 0 ? 0 : model->cuts[i - 1].at;
    const size_t end = i + 1 == model->cuts_n ? b->n : model->cuts[i + 1].at;
    const size_t most = at - first < end - at ? at - first : end - at;
    /* as many on each side as the noise asks for: the end of a line varies by 4 / n of a value's variance */
    const double wanted = ceil(8 * (JUMP_SURE * noise_ns / size_ns) * (JUMP_SURE * noise_ns / size_ns));
    const size_t n = wanted > (double)most ? most : wanted > 6 ? (size_t)wanted : 6;
    const double before = line_at(b->value_ns + at - n, n, (double)n - 0.5);
    const double behind = line_at(b->value_ns + at, n, -0.5);
    const double error_ns = noise_ns * sqrt(8 / (double)n);
    return (behind - before) * (size_ns > 0 ? 1 : -1) > JUMP_MIN * fabs(size_ns) - error_ns;
}

/* Takes the best line and curves, u from -1 to 1, from values: by orthogonal columns. */
static void take_curve(const double *u, double *values, size_t n)
{
    double column[CURVE_N][TREND_GROUPS];
    for (size_t c = 0; c < CURVE_N; c++) {
        double square = 0, product = 0;
        for (size_t i = 0; i < n; i++)
            column[c][i] = pow(u[i], (double)c);
        for (size_t of = 0; of < c; of++) {
            double same = 0, all = 0;
            for (size_t i = 0; i < n; i++) {
                same += column[c][i] * column[of][i];
                all += column[of][i] * column[of][i];
            }
            for (size_t i = 0; i < n; i++)
                column[c][i] -= same / all * column[of][i];
        }
        for (size_t i = 0; i < n; i++) {
            square += column[c][i] * column[c][i];
            product += column[c][i] * values[i];
        }
        for (size_t i = 0; i < n; i++)
            values[i] -= product / square * column[c][i];
    }
}

/* Medians of groups of blocks within the parts, u from -1 to 1, and what the means of the parts leave of
 * them.
 * @return how many, up to TREND_GROUPS. */
static size_t make_groups(struct st_change_blocks *b, const struct st_change_model *model, double *u,
                          double *value, double *left)
{
    const size_t each = (b->n + TREND_GROUPS - 1) / TREND_GROUPS;
    size_t n = 0;
    for (size_t part = 0; part <= model->cuts_n; part++) {
        const size_t first = part == 0 ? 0 : model->cuts[part - 1].at, part_first = n;
        const size_t end = part == model->cuts_n ? b->n : model->cuts[part].at;
        double mean = 0;
        for (size_t at = first; at + each <= end; at += each, n++) {
            value[n] = st_change_blocks_level(b, at, at + each);
            u[n] = 2 * (double)at / (double)(b->n - each) - 1;
            mean += value[n];
        }
        for (size_t i = part_first; i < n; i++)
            left[i] = value[i] - mean / (double)(n - part_first);
    }
    return n;
}

/* Does a curve fit what line and steps leave, which is in b? An F test; or are neighbours so close to each
 * other that noise did not make them (J. von Neumann 1941, of second differences)? */
static bool is_bent(struct st_change_blocks *b, const struct st_change_model *model)
{
    double u[TREND_GROUPS], all[TREND_GROUPS], value[TREND_GROUPS], line = 0, curve = 0;
    const size_t n = make_groups(b, model, u, all, value);
    if (n < 4 * CURVE_N)
        return false;
    for (size_t i = 0; i < n; i++)
        line += value[i] * value[i];
    /* by medians: a jump or two do not count, nor do groups that something kept busy */
    for (size_t i = 0; i + 2 < n; i++)
        b->work[i] = fabs(value[i + 2] - 2 * value[i + 1] + value[i]);
    const double rough = n >= ROUGH_MIN_N ? st_change_blocks_median(b->work, n - 2) : 0;
    for (size_t i = 0; i < n; i++)
        b->work[i] = fabs(value[i]);
    const double usual = n >= ROUGH_MIN_N ? st_change_blocks_median(b->work, n) : 0;
    if (usual > CURVE_MIN_NS && rough * rough / 6 < ROUGH_MIN * usual * usual)
        return true;
    take_curve(u, value, n);
    for (size_t i = 0; i < n; i++)
        curve += value[i] * value[i];
    const double size = (double)n;
    if (line - curve < size * CURVE_MIN_NS * CURVE_MIN_NS)
        return false;
    const double free_n =
        fmax((size - CURVE_N - (double)model->cuts_n) / st_change_blocks_inflation(value, n), 4);
    return -free_n / 2 * log(line / fmax(curve, 1e-12 * line)) < log(P_CURVE);
}

/* Do the steps fit better than a smooth curve does? By groups' medians; as likelihoods, for what hangs
 * together. b has what the line leaves. */
static bool beat_curve(struct st_change_blocks *b, const struct st_change_model *model)
{
    double u[TREND_GROUPS], value[TREND_GROUPS], left[TREND_GROUPS], steps = 0, curve = 0;
    const size_t n = make_groups(b, model, u, value, left);
    for (size_t i = 0; i < n; i++)
        steps += left[i] * left[i];
    if (n < 4 * CURVE_N)
        return true;
    take_curve(u, value, n);
    for (size_t i = 0; i < n; i++)
        curve += value[i] * value[i];
    const double free_n = fmax((double)n / st_change_blocks_inflation(left, n), 4);
    return free_n / 2 * log(curve / fmax(steps, 1e-12 * curve)) > STEPS_SURE;
}

static double median_of(const double *values, size_t n, double *room)
{
    memcpy(room, values, n * sizeof(*room));
    return st_change_blocks_median(room, n);
}

/* Is lateness beside a step where it is in the rest of the part? The levels of `each` blocks right before and
 * right behind it are compared with those of all others, whatever the noise is and however it hangs together.
 * What goes back after a jump, or comes before it, is no step. left: what the model leaves. */
static bool is_level_beside(const struct st_change_blocks *b, const double *left,
                            const struct st_change_model *model, size_t i, size_t each, double size_ns,
                            double noise_ns)
{
    const size_t at = model->cuts[i].at, first = i == 0 ? 0 : model->cuts[i - 1].at;
    const size_t end = i + 1 == model->cuts_n ? b->n : model->cuts[i + 1].at;
    const double place = PLACE_SDS * noise_ns / size_ns;
    const size_t hidden = (size_t)fmin(ceil(place * place), (double)b->n); /* the place may be so far off */
    double room[STEP_MIN_N];
    size_t n = 0;
    for (size_t k = 0; k + each <= b->n; k += each)
        b->work[n++] = fabs(median_of(left + k, each, room));
    qsort(b->work, n, sizeof(*b->work), st_change_blocks_compare);
    const double most =
        fmax(BESIDE_MAX * b->work[n * 4 / 5], fmax(BESIDE_LEAST * fabs(size_ns), STEP_MIN_NS));
    return (at < first + hidden + each || fabs(median_of(left + at - hidden - each, each, room)) <= most) &&
           (at + hidden + each > end || fabs(median_of(left + at + hidden, each, room)) <= most);
}

/* Does this part move by itself? A line and a parabola must fit better than its level, as likelihoods. */
static bool is_level(const double *left, size_t n, double *room)
{
    double level_square = 0, square = 0, mean = 0, tt = 0, tv = 0, qq = 0, qv = 0;
    const double middle = (double)(n - 1) / 2, third = (double)n * (double)n / 12 - 1.0 / 12;
    if (n < PART_MIN_N)
        return true;
    for (size_t i = 0; i < n; i++)
        mean += left[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double t = (double)i - middle, q = t * t - third;
        tt += t * t;
        tv += t * left[i];
        qq += q * q;
        qv += q * left[i];
        level_square += (left[i] - mean) * (left[i] - mean);
    }
    for (size_t i = 0; i < n; i++) {
        const double t = (double)i - middle;
        room[i] = left[i] - mean - tv / tt * t - qv / qq * (t * t - third);
        square += room[i] * room[i];
    }
    if (level_square - square < (double)n * CURVE_MIN_NS * CURVE_MIN_NS)
        return true;
    if (level_square > PART_MOVES * square)
        return false;
    const double free_n = fmax(((double)n - 3) / st_change_blocks_inflation(room, n), 4);
    return free_n / 2 * log(level_square / fmax(square, 1e-12 * level_square)) < PART_SURE;
}

/* Does what line and steps leave repeat itself? Noise is not so close to what was just before. */
static bool is_regular(const struct st_change_blocks *b, const double *left)
{
    for (size_t i = 0; i < b->n; i++)
        b->work[i] = fabs(left[i]);
    const double usual = st_change_blocks_median(b->work, b->n);
    for (size_t lag = 1; lag <= LAGS_N && usual > CURVE_MIN_NS; lag++) {
        for (size_t i = lag; i < b->n; i++)
            b->work[i - lag] = fabs(left[i] - left[i - lag]);
        if (st_change_blocks_median(b->work, b->n - lag) < REGULAR_MAX * M_SQRT2 * usual)
            return true;
    }
    return false;
}

/* Is what line and steps leave noise, also right beside the steps and within each part? */
static bool is_noise(struct st_change_blocks *b, const struct st_change_model *model,
                     const struct st_changes *told, double noise_ns, double *left)
{
    for (size_t part = 0; part <= model->cuts_n; part++) {
        const size_t first = part == 0 ? 0 : model->cuts[part - 1].at;
        const size_t end = part == model->cuts_n ? b->n : model->cuts[part].at;
        const double middle = st_change_blocks_level(b, first, end);
        for (size_t i = first; i < end; i++)
            left[i] = b->value_ns[i] - middle;
    }
    if (is_regular(b, left))
        return false;
    for (size_t i = 0; i < model->cuts_n; i++) {
        const double size_ns = told->steps[i].size_ns;
        if (!is_level_beside(b, left, model, i, BESIDE_N, size_ns, noise_ns))
            return false;
    }
    for (size_t part = 0; part <= model->cuts_n && model->cuts_n > 0; part++) {
        const size_t first = part == 0 ? 0 : model->cuts[part - 1].at;
        const size_t end = part == model->cuts_n ? b->n : model->cuts[part].at;
        if (!is_level(left + first, end - first, b->work))
            return false;
    }
    return true;
}

bool st_changes_curve_is_there(struct st_change_blocks *b, const struct st_change_model *model,
                               const struct st_changes *told, double noise_ns)
{
    return is_bent(b, model) || (model->cuts_n > 0 && !beat_curve(b, model)) ||
           !is_noise(b, model, told, noise_ns, b->left);
}
