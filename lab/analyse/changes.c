#include "lab/analyse/changes.h"

#include "core/stats/stats.h"
#include "lab/analyse/ticks.h"
#include "lab/stats/inflation.h"

#define TREND_GROUPS 64
#define STEP_MIN_N   12 /* blocks on each side of a step */
#define STEP_MIN_NS  5
#define CURVE_MIN_NS 1 /* rounding makes curves of less */

struct ranked {
    double value;
    size_t at;
};

/* Levels, what is left of them while trend and steps are taken away. */
struct blocks {
    size_t n;
    double *value_ns;
    double *time_s;  /* of the middle */
    uint64_t *index; /* of the first sample, from the first of all */
    double *work;    /* room for as many */
    double *left;    /* and what a model leaves */
    struct ranked *ranked;
    double least_step_ns;
};

struct trend {
    double slope; /* ns a second */
    double p_value;
};

struct cut {
    size_t at;
    double p_value;
};

struct model {
    struct trend trend;
    struct cut cuts[ST_CHANGES_STEPS_MAX];
    size_t cuts_n;
    double score; /* what it leaves, and what it takes to say it: less is better */
};

/* Sorts values. n > 0. */
static double blocks_median(double *values, size_t n)
{
    st_stats_sort_double(values, n);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void blocks_free(struct blocks *b)
{
    free(b->value_ns); /* and all other doubles */
    free(b->index);
    free(b->ranked);
}

/* Of levels; of means of neighbours where there are more than ST_LEVELS_MAX. @return 0 or -ENOMEM. Free with
 * blocks_free. */
static int blocks_make(const struct st_levels *levels, struct blocks *ret)
{
    const size_t each = (levels->n + ST_LEVELS_MAX - 1) / ST_LEVELS_MAX;
    struct blocks b = {.n = levels->n / each};
    b.value_ns = calloc(b.n, 4 * sizeof(*b.value_ns));
    b.index = calloc(b.n, sizeof(*b.index));
    b.ranked = calloc(b.n, sizeof(*b.ranked));
    if (b.value_ns == NULL || b.index == NULL || b.ranked == NULL) {
        blocks_free(&b);
        return -ENOMEM;
    }
    b.time_s = b.value_ns + b.n;
    b.work = b.time_s + b.n;
    b.left = b.work + b.n;
    const double period_s = st_period_seconds(&levels->period);
    for (size_t i = 0; i < b.n; i++) {
        const struct st_level *level = &levels->level[i * each], *last = level + each - 1;
        for (const struct st_level *l = level; l <= last; l++)
            b.value_ns[i] += l->value_ns / (double)each;
        b.index[i] = level->first - levels->first_index;
        b.time_s[i] = period_s * ((double)b.index[i] + (double)(last->last - levels->first_index)) / 2;
    }
    *ret = b;
    return 0;
}

/* Median in ns of blocks first .. end - 1. Uses b->work. */
static double blocks_level(struct blocks *b, size_t first, size_t end)
{
    memcpy(b->work, b->value_ns + first, (end - first) * sizeof(*b->work));
    return blocks_median(b->work, end - first);
}

/* Part i of a model, which has one more than steps: its first block, the one behind its last, its level. */
static size_t part_first(const struct model *m, size_t i)
{
    return i == 0 ? 0 : m->cuts[i - 1].at;
}

static size_t part_end(const struct blocks *b, const struct model *m, size_t i)
{
    return i == m->cuts_n ? b->n : m->cuts[i].at;
}

static double part_level(struct blocks *b, const struct model *m, size_t i)
{
    return blocks_level(b, part_first(m, i), part_end(b, m, i));
}

/* What the levels of the parts leave: into b->left. @return the sum of its absolute values. */
static double leave_levels(struct blocks *b, const struct model *m)
{
    double sum = 0;
    for (size_t part = 0; part <= m->cuts_n; part++) {
        const double level = part_level(b, m, part);
        for (size_t i = part_first(m, part); i < part_end(b, m, part); i++) {
            b->left[i] = b->value_ns[i] - level;
            sum += fabs(b->left[i]);
        }
    }
    return sum;
}

/* Of blocks: how much more their sum varies than that of independent ones. */
static double blocks_inflation(const double *values, size_t n)
{
    double mean = 0;
    ST_EACH_OF (value, values, n)
        mean += *value / (double)n;
    return st_inflation(values, n, mean, n / 2);
}

#define CURVE_N      4   /* level, slope and two curves */
#define ROUGH_MIN    0.1 /* of squares, between neighbours */
#define ROUGH_MIN_N  24
#define JUMP_MIN     0.5 /* of a step, between what is right before and right behind it */
#define JUMP_SURE    10  /* standard errors that a step has over its neighbourhood */
#define STEPS_SURE   4.6 /* half the log of a likelihood ratio against a curve: 1 in 100 */
#define PLACE_SDS    6   /* noise that a step of this size hides its place by about a block */
#define BESIDE_N     8   /* blocks beside a step; fewer are too often of one kind where there are two */
#define BESIDE_MAX   4 /* levels beside a step may be this many times further off than four of five others */
#define BESIDE_LEAST 0.005 /* of the step: less is ignored */
#define PART_MIN_N   24    /* blocks of a part that may have a slope of its own */
#define PART_SURE    13.8  /* half the log of a likelihood ratio, of two curves: 1 in a million */
#define PART_MOVES                                                                                           \
    6 /* squares that they take from so much to one: no noise does, however it hangs together */

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

/* Does lateness jump where step i is, as seen from right before and right behind it? A curve that was cut
 * into steps does not. @param size_ns of the step; noise_ns of a block: standard deviations. */
static bool jumps_there(const struct blocks *b, const struct model *model, size_t i, double size_ns,
                        double noise_ns)
{
    const size_t at = model->cuts[i].at, first = part_first(model, i), end = part_end(b, model, i + 1);
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
        ST_EACH_OF (earlier, column, c) {
            double same = 0, all = 0;
            for (size_t i = 0; i < n; i++) {
                same += column[c][i] * (*earlier)[i];
                all += (*earlier)[i] * (*earlier)[i];
            }
            for (size_t i = 0; i < n; i++)
                column[c][i] -= same / all * (*earlier)[i];
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
static size_t make_groups(struct blocks *b, const struct model *model, double *u, double *value, double *left)
{
    const size_t each = (b->n + TREND_GROUPS - 1) / TREND_GROUPS;
    size_t n = 0;
    for (size_t part = 0; part <= model->cuts_n; part++) {
        const size_t before_n = n, end = part_end(b, model, part);
        double mean = 0;
        for (size_t at = part_first(model, part); at + each <= end; at += each, n++) {
            value[n] = blocks_level(b, at, at + each);
            u[n] = 2 * (double)at / (double)(b->n - each) - 1;
            mean += value[n];
        }
        for (size_t i = before_n; i < n; i++)
            left[i] = value[i] - mean / (double)(n - before_n);
    }
    return n;
}

/* Are neighbours in what line and steps leave, which is in b, so close to each other that noise did not make
 * them (J. von Neumann 1941, of second differences)? */
static bool is_bent(struct blocks *b, const struct model *model)
{
    double u[TREND_GROUPS], all[TREND_GROUPS], value[TREND_GROUPS];
    const size_t n = make_groups(b, model, u, all, value);
    if (n < ROUGH_MIN_N)
        return false;
    /* by medians: a jump or two do not count, nor do groups that something kept busy */
    for (size_t i = 0; i + 2 < n; i++)
        b->work[i] = fabs(value[i + 2] - 2 * value[i + 1] + value[i]);
    const double rough = blocks_median(b->work, n - 2);
    for (size_t i = 0; i < n; i++)
        b->work[i] = fabs(value[i]);
    const double usual = blocks_median(b->work, n);
    return usual > CURVE_MIN_NS && rough * rough / 6 < ROUGH_MIN * usual * usual;
}

/* Do the steps fit better than a smooth curve does? By groups' medians; as likelihoods, for what hangs
 * together. b has what the line leaves. */
static bool fits_better_than_curve(struct blocks *b, const struct model *model)
{
    double u[TREND_GROUPS], value[TREND_GROUPS], left[TREND_GROUPS], steps = 0, curve = 0;
    const size_t n = make_groups(b, model, u, value, left);
    ST_EACH_OF (number, left, n)
        steps += *number * *number;
    if (n < 4 * CURVE_N)
        return true;
    take_curve(u, value, n);
    ST_EACH_OF (number, value, n)
        curve += *number * *number;
    const double free_n = fmax((double)n / blocks_inflation(left, n), 4);
    return free_n / 2 * log(curve / fmax(steps, 1e-12 * curve)) > STEPS_SURE;
}

static double median_of(const double *values, size_t n, double *room)
{
    memcpy(room, values, n * sizeof(*room));
    return blocks_median(room, n);
}

/* Is lateness beside a step where it is in the rest of the part? The levels of `each` blocks right before and
 * right behind it are compared with those of all others, whatever the noise is and however it hangs together.
 * What goes back after a jump, or comes before it, is no step. b->left: what the model leaves. */
static bool is_level_beside(const struct blocks *b, const struct model *model, size_t i, size_t each,
                            double size_ns, double noise_ns)
{
    const size_t at = model->cuts[i].at, first = part_first(model, i), end = part_end(b, model, i + 1);
    const double place = PLACE_SDS * noise_ns / size_ns;
    const size_t hidden = (size_t)fmin(ceil(place * place), (double)b->n); /* the place may be so far off */
    double room[STEP_MIN_N];
    size_t n = 0;
    for (size_t k = 0; k + each <= b->n; k += each)
        b->work[n++] = fabs(median_of(b->left + k, each, room));
    st_stats_sort_double(b->work, n);
    const double most =
        fmax(BESIDE_MAX * b->work[n * 4 / 5], fmax(BESIDE_LEAST * fabs(size_ns), STEP_MIN_NS));
    return (at < first + hidden + each ||
            fabs(median_of(b->left + at - hidden - each, each, room)) <= most) &&
           (at + hidden + each > end || fabs(median_of(b->left + at + hidden, each, room)) <= most);
}

/* Does this part move by itself? A line and a parabola must fit better than its level, as likelihoods. */
static bool is_level(const double *left, size_t n, double *room)
{
    double level_square = 0, square = 0, mean = 0, tt = 0, tv = 0, qq = 0, qv = 0;
    const double middle = (double)(n - 1) / 2, third = (double)n * (double)n / 12 - 1.0 / 12;
    if (n < PART_MIN_N)
        return true;
    ST_EACH_OF (number, left, n)
        mean += *number / (double)n;
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
    const double free_n = fmax(((double)n - 3) / blocks_inflation(room, n), 4);
    return free_n / 2 * log(level_square / fmax(square, 1e-12 * level_square)) < PART_SURE;
}

/* Is what line and steps leave noise, also right beside the steps and within each part? */
static bool is_noise(struct blocks *b, const struct model *model, const struct st_changes *told,
                     double noise_ns)
{
    (void)leave_levels(b, model);
    for (size_t i = 0; i < model->cuts_n; i++) {
        const double size_ns = told->steps[i].size_ns;
        if (!is_level_beside(b, model, i, BESIDE_N, size_ns, noise_ns))
            return false;
    }
    for (size_t part = 0; part <= model->cuts_n && model->cuts_n > 0; part++) {
        const size_t first = part_first(model, part);
        if (!is_level(b->left + first, part_end(b, model, part) - first, b->work))
            return false;
    }
    return true;
}

/* Is what line and steps leave, which is in b, anything but noise? Uses b->work and b->left. */
static bool is_curve(struct blocks *b, const struct model *model, const struct st_changes *told,
                     double noise_ns)
{
    return is_bent(b, model) || (model->cuts_n > 0 && !fits_better_than_curve(b, model)) ||
           !is_noise(b, model, told, noise_ns);
}

#define ROUNDS      30
#define ALPHA_TREND 1e-5
#define ALPHA_STEP  1e-6
#define SMALL_SHARE 0.05 /* of the largest step */
#define LONE_SDS    20   /* noise */
#define LONE_TIMES  10   /* of any other rise */
#define PARTS_CUT   2    /* times that each side of a step is cut, to see what hangs together beside steps */
#define PLACE_REACH 8    /* blocks that ranks may be off by */
#define STILL       0.01 /* of the noise, from end to end: a slope that moves by less has settled */

/* --- steps --- */

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Ranks of values[0 .. n) into b->work, equal ones share their mean. */
static void rank(struct blocks *b, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        b->ranked[i] = (struct ranked){values[i], i};
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
    ST_EACH_OF (value, values, n)
        sum += *value;
    ST_EACH_OF (number, values, n)
        *number -= sum / (double)n;
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

/* Centers each part between steps: cuts at the likeliest place, and each part again. */
static void center_parts(double *values, size_t n, int times)
{
    double largest;
    const size_t cut = times > 0 ? best_cut(values, n, &largest) : 0;
    if (cut > 0) {
        center_parts(values, cut, times - 1);
        center_parts(values + cut, n - cut, times - 1);
    } else {
        center(values, n);
    }
}

/* The likeliest step in blocks first .. end - 1. @return p; the first block behind the step in *ret (first:
 * none). */
static double best_step(struct blocks *b, size_t first, size_t end, size_t *ret)
{
    const size_t n = end - first;
    double largest;
    rank(b, b->value_ns + first, n);
    const size_t at = best_cut(b->work, n, &largest);
    *ret = first + at;
    if (at == 0)
        return 1;
    /* how correlated neighbours are apart from steps */
    center_parts(b->work, at, PARTS_CUT);
    center_parts(b->work + at, n - at, PARTS_CUT);
    const double size = (double)n;
    return fmin(
        2 * exp(-6 * largest * largest / ((size * size * size + size * size) * blocks_inflation(b->work, n))),
        1);
}

/* Ranks lean towards the middle, by a block where a step is large: the place nearby that leaves least of the
 * levels on both sides. */
static size_t place_exactly(struct blocks *b, size_t first, size_t at, size_t end)
{
    const double before = blocks_level(b, first, at), after = blocks_level(b, at, end);
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
static void find_steps(struct blocks *b, struct model *m)
{
    struct cut *cuts = m->cuts;
    bool again = true;
    while (again && m->cuts_n < ST_CHANGES_STEPS_MAX) {
        struct cut best = {.p_value = ALPHA_STEP};
        size_t place = 0;
        again = false;
        for (size_t i = 0; i <= m->cuts_n; i++) {
            const size_t first = part_first(m, i), end = part_end(b, m, i);
            struct cut cut;
            cut.p_value = best_step(b, first, end, &cut.at);
            if (cut.p_value >= best.p_value ||
                fabs(blocks_level(b, cut.at, end) - blocks_level(b, first, cut.at)) < b->least_step_ns)
                continue; /* less than what samples tell apart */
            best = cut;
            best.at = place_exactly(b, first, cut.at, end);
            place = i;
            again = true;
        }
        if (again) {
            memmove(cuts + place + 1, cuts + place, (m->cuts_n - place) * sizeof(*cuts));
            cuts[place] = best;
            m->cuts_n++;
        }
    }
    for (size_t i = 0; i < 2 * m->cuts_n; i++) { /* each was placed before its neighbours were known */
        const size_t k = i % m->cuts_n;
        cuts[k].at = place_exactly(b, part_first(m, k), cuts[k].at, part_end(b, m, k + 1));
    }
}

/* Drops steps that are much smaller than the largest: each may be the tail of what made that one, as where a
 * loop comes to rest. Keeps cuts in order. */
static void drop_small(struct model *m, const struct st_changes *told)
{
    double largest_ns = 0;
    size_t kept_n = 0;
    ST_EACH_OF (step, told->steps, told->steps_n)
        largest_ns = fmax(largest_ns, fabs(step->size_ns));
    for (size_t i = 0; i < m->cuts_n; i++) {
        if (fabs(told->steps[i].size_ns) >= SMALL_SHARE * largest_ns)
            m->cuts[kept_n++] = m->cuts[i];
    }
    m->cuts_n = kept_n;
}

static void tell_steps(struct blocks *b, const struct st_period *period, const struct model *m,
                       struct st_changes *ret)
{
    double before = part_level(b, m, 0);
    for (size_t i = 0; i < m->cuts_n; i++) {
        const double after = part_level(b, m, i + 1);
        const uint64_t index = b->index[m->cuts[i].at];
        ret->steps[i] = (struct st_step){
            .index = index,
            .at_s = (double)index * st_period_seconds(period),
            .size_ns = after - before,
            .p_value = m->cuts[i].p_value,
            .tick_hz = st_ticks_rate_about(fabs(after - before)),
        };
        before = after;
    }
    ret->steps_n = m->cuts_n;
}

/* --- trend --- */

/* A trend between the steps, over up to 64 groups of blocks: only groups of one part are compared. */
static struct trend find_trend(struct blocks *b, const struct model *m)
{
    const size_t each = (b->n + TREND_GROUPS - 1) / TREND_GROUPS;
    double value[TREND_GROUPS], time_s[TREND_GROUPS], slopes[TREND_GROUPS * (TREND_GROUPS - 1) / 2];
    size_t part_of[TREND_GROUPS], n = 0, slopes_n = 0;
    double sign_sum = 0, variance = 0;
    for (size_t part = 0; part <= m->cuts_n; part++) {
        const size_t end = part_end(b, m, part), before_n = n;
        for (size_t at = part_first(m, part); at + each <= end; at += each, n++) {
            part_of[n] = part;
            value[n] = blocks_level(b, at, at + each);
            time_s[n] = (b->time_s[at] + b->time_s[at + each - 1]) / 2;
            for (size_t j = before_n; j < n; j++) {
                const double rise = value[n] - value[j];
                sign_sum += (rise > 0) - (rise < 0);
                slopes[slopes_n++] = rise / (time_s[n] - time_s[j]);
            }
        }
        const double size = (double)(n - before_n);
        variance += size * (size - 1) * (2 * size + 5) / 18;
    }
    if (slopes_n == 0)
        return (struct trend){0, 1};
    const double slope = blocks_median(slopes, slopes_n);
    /* what line and steps leave */
    for (size_t first = 0, end = 0; first < n; first = end) {
        double mean = 0;
        for (end = first; end < n && part_of[end] == part_of[first]; end++)
            mean += value[end] - slope * time_s[end];
        for (size_t i = first; i < end; i++)
            value[i] -= slope * time_s[i] + mean / (double)(end - first);
    }
    double left = 0;
    ST_EACH_OF (number, value, n)
        left += *number * *number;
    if (left >
        (double)n * CURVE_MIN_NS * CURVE_MIN_NS) /* less is rounding, which hangs together and is nothing */
        variance *= blocks_inflation(value, n);
    return (struct trend){slope, slope != 0 ? erfc(fmax(fabs(sign_sum) - 1, 0) / sqrt(2 * variance)) : 1};
}

/* values less a line. */
static void take_line(struct blocks *b, double slope)
{
    for (size_t i = 0; i < b->n; i++)
        b->value_ns[i] -= slope * b->time_s[i];
}

/* Noise of a block and the least difference of two values, whatever moves slowly. Uses b->work. */
static void look_closely(struct blocks *b, double *ret_noise, double *ret_grain)
{
    double square = 0, grain = (double)INFINITY;
    for (size_t i = 1; i + 1 < b->n; i++) {
        const double bend = b->value_ns[i + 1] - 2 * b->value_ns[i] + b->value_ns[i - 1];
        b->work[i - 1] = fabs(bend);
    }
    const double usual = blocks_median(b->work, b->n - 2);
    for (size_t i = 0; i + 2 < b->n; i++)
        square += fmin(b->work[i], 8 * usual) * fmin(b->work[i], 8 * usual); /* steps are no noise */
    memcpy(b->work, b->value_ns, b->n * sizeof(*b->work));
    st_stats_sort_double(b->work, b->n);
    for (size_t i = 1; i < b->n; i++) {
        if (b->work[i] - b->work[i - 1] > 0.25)
            grain = fmin(grain, b->work[i] - b->work[i - 1]);
    }
    *ret_noise = fmax(sqrt(square / (double)(b->n - 2) / 6), 0.3);
    *ret_grain = isfinite(grain) ? grain : 0;
}

/* Slope of the best line with one step at any place, by least squares. */
static double slope_beside_step(struct blocks *b)
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
static double score(struct blocks *b, const struct model *model)
{
    take_line(b, model->trend.slope);
    const double left = leave_levels(b, model);
    take_line(b, -model->trend.slope);
    const double n = (double)b->n, figures = 2 * (double)model->cuts_n + (model->trend.slope != 0 ? 1 : 0);
    return n * log(left / n + 1e-3) + figures * log(n);
}

/* Steps in what a line leaves, then the line between the steps, until both stay. */
static struct model settle(struct blocks *b, double slope, double noise_ns)
{
    const double span_s = b->time_s[b->n - 1] - b->time_s[0];
    struct model model = {.trend = {slope, 1}};
    for (int round = 0; round < ROUNDS; round++) {
        const double before = model.trend.slope;
        model.cuts_n = 0;
        take_line(b, before);
        find_steps(b, &model);
        /* medians of groups are no better than single blocks while a line is steep: they tell what is left */
        const double more = find_trend(b, &model).slope;
        take_line(b, -before);
        model.trend.p_value = find_trend(b, &model).p_value;
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
static void trim(struct blocks *b, double noise_ns)
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
    struct blocks b;
    double noise_ns, grain_ns;
    if (levels->n < ST_CHANGES_SAMPLES_MIN)
        return -ENODATA;
    const int r = blocks_make(levels, &b);
    if (r != 0)
        return r;
    look_closely(&b, &noise_ns, &grain_ns);
    trim(&b, noise_ns);
    b.least_step_ns = fmax(STEP_MIN_NS, noise_ns < grain_ns ? 2 * grain_ns : 0);
    struct model line = {.cuts_n = 0};
    const struct trend whole = line.trend = find_trend(&b, &line);
    const double starts[] = {whole.slope, slope_beside_step(&b)};
    struct model best = settle(&b, 0, noise_ns);
    ST_EACH (start, starts) {
        const struct model model = settle(&b, *start, noise_ns);
        if (model.score < best.score)
            best = model;
    }
    /* a slope that is too small to report may still have been taken for a step */
    const bool moves = best.trend.slope != 0 || best.cuts_n > 0;
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
    tell_steps(&b, &levels->period, &best, &changes);
    for (size_t i = 0; i < changes.steps_n; i++)
        curved |= !jumps_there(&b, &best, i, changes.steps[i].size_ns, noise_ns);
    curved |= moves && is_curve(&b, &best, &changes, noise_ns);
    if (!curved) {
        drop_small(&best, &changes);
        tell_steps(&b, &levels->period, &best, &changes);
    }
    take_line(&b, -best.trend.slope);
    if (curved)
        changes = (struct st_changes){.trend_p_value = 1, .curve_found = true};
    blocks_free(&b);
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
