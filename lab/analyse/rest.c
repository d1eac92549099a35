#include "lab/analyse/rest.h"

#include "core/stats/stats.h"
#include "lab/analyse/periodic.h"

#define GAIN_MIN       0.004
#define GAIN_STEP      1.1 /* of the grid */
#define REST_SHARE     0.01
#define RESIDUAL_MAX   (1.0 / 64)   /* of the largest distance */
#define RESIDUAL_FINE  (1.0 / 1000) /* up to here, residuals may be related: they are what is rounded */
#define RELATED_MAX    0.5          /* autocorrelation of neighbouring residuals */
#define SQUARE_MAX     (1.0 / 8)    /* of what a step or a line leaves */
#define PROMISING      0.5          /* the same, outliers and all, on the grid */
#define AWAY_MIN       8            /* samples that are further away than AWAY_SDS residuals */
#define AWAY_SDS       4
#define DECAY_MIN      1e-30 /* less is nothing, and slow to reckon with */
#define ODD_SDS        5     /* what is further from the curve is an outlier */
#define ODD_SHARE      0.01  /* ... unless it is nearer than that share of the largest distance */
#define BEFORE_N       2     /* samples before the loop has acted */
#define TICK_REACH     0.4   /* of the longest rise or fall from a tick, ticks: what it moves by itself */
#define TICK_GAIN      0.5   /* residuals that a jump must leave at most, of those without */
#define ODD_MAX        0.05  /* of the samples */
#define MOVING_ODD_MAX 0.1   /* outliers on the way to rest */

/* Samples without jumps: time after the first one, lateness from the first one on. */
struct curve {
    size_t n;
    double *time_s, *value_ns, *work;
    double *slow, *late; /* of the gain that was fitted last: p^t, and (p^t - q^t) / (p - q) */
    bool *odd;
};

/* value = rest + a p^t + b (p^t - q^t) / (p - q) */
struct fit {
    double gain, rest_ns, a_ns, b_ns;
    double square;
    size_t used_n;
};

/* factor^t, where mostly all samples are equally far from each other. */
static void fill_powers(const struct curve *c, double factor, double *powers)
{
    double between_s = 0, once = 1;
    powers[0] = 1;
    for (size_t i = 1; i < c->n; i++) {
        const double now_s = c->time_s[i] - c->time_s[i - 1];
        if (fabs(now_s - between_s) > 1e-9 * now_s) {
            between_s = now_s;
            once = pow(factor, between_s);
        }
        powers[i] = powers[i - 1] > DECAY_MIN ? powers[i - 1] * once : 0;
    }
}

/* The loop's error follows e' = e - g e - s, with s' = s + g^2 / 4 e': its poles. */
static void fill_decay(struct curve *c, double gain)
{
    const double half_trace = (2 - gain - gain * gain / 4) / 2;
    const double apart = sqrt(fmax(half_trace * half_trace - (1 - gain), 0));
    fill_powers(c, half_trace + apart, c->slow);
    fill_powers(c, fmax(half_trace - apart, 0), c->late);
    for (size_t i = 0; i < c->n; i++)
        c->late[i] = (c->slow[i] - c->late[i]) / (2 * apart);
}

/* From rest; the decay is that of the fit. */
static double distance_ns(const struct curve *c, const struct fit *fit, size_t i)
{
    return fit->a_ns * c->slow[i] + fit->b_ns * c->late[i];
}

/* Solves m x = v, symmetric, 3 by 3. */
static bool solve(double m[3][3], double v[3], double x[3])
{
    for (int i = 0; i < 3; i++) {
        if (!(fabs(m[i][i]) > 0))
            return false;
        for (int j = i + 1; j < 3; j++) {
            const double f = m[j][i] / m[i][i];
            for (int k = i; k < 3; k++)
                m[j][k] -= f * m[i][k];
            v[j] -= f * v[i];
        }
    }
    for (int i = 2; i >= 0; i--) {
        x[i] = v[i];
        for (int k = i + 1; k < 3; k++)
            x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
    }
    return true;
}

/* The best curve of this gain over all samples that are not odd. */
static bool fit_gain(struct curve *c, double gain, struct fit *ret)
{
    double m[3][3] = {{0}}, v[3] = {0}, x[3], square = 0;
    size_t used_n = 0;
    fill_decay(c, gain);
    for (size_t i = 0; i < c->n; i++) {
        if (c->odd[i])
            continue;
        const double row[3] = {1, c->slow[i], c->late[i]};
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++)
                m[j][k] += row[j] * row[k];
            v[j] += row[j] * c->value_ns[i];
        }
        used_n++;
    }
    if (!solve(m, v, x))
        return false;
    struct fit fit = {.gain = gain, .rest_ns = x[0], .a_ns = x[1], .b_ns = x[2], .used_n = used_n};
    for (size_t i = 0; i < c->n; i++) {
        if (c->odd[i])
            continue;
        const double off = c->value_ns[i] - fit.rest_ns - distance_ns(c, &fit, i);
        square += off * off;
    }
    fit.square = square;
    *ret = fit;
    return true;
}

/* The gain whose curve leaves the least: the best of a grid. */
static bool fit_grid(struct curve *c, struct fit *ret)
{
    struct fit best = {.square = (double)INFINITY}, fit;
    for (double gain = GAIN_MIN; gain <= 1; gain *= GAIN_STEP) {
        if (fit_gain(c, gain, &fit) && fit.square < best.square)
            best = fit;
    }
    fill_decay(c, best.gain);
    *ret = best;
    return isfinite(best.square);
}

/* Ever smaller steps around it. */
static void fit_fine(struct curve *c, struct fit *best)
{
    struct fit fit;
    for (double step = GAIN_STEP - 1; step > 1e-6; step /= 2) {
        for (int side = -1; side <= 1; side += 2) {
            const double gain = best->gain * (1 + side * step);
            if (gain <= 1 && fit_gain(c, gain, &fit) && fit.square < best->square)
                *best = fit;
        }
    }
    fill_decay(c, best->gain);
}

/* Samples far from the curve become odd, and no others. @return how many. */
static size_t mark_odd(struct curve *c, const struct fit *fit)
{
    size_t odd_n = 0;
    double largest = 0;
    for (size_t i = 0; i < c->n; i++) {
        largest = fmax(largest, fabs(distance_ns(c, fit, i)));
        c->work[i] = fabs(c->value_ns[i] - fit->rest_ns - distance_ns(c, fit, i));
    }
    st_stats_sort_double(c->work, c->n);
    const double mad = c->work[c->n / 2]; /* median absolute deviation */
    const double limit = fmax(ODD_SDS * 1.4826 * mad, ODD_SHARE * largest);
    for (size_t i = 0; i < c->n; i++) {
        c->odd[i] = fabs(c->value_ns[i] - fit->rest_ns - distance_ns(c, fit, i)) > limit;
        odd_n += c->odd[i];
    }
    return odd_n;
}

/* The least squares that one step, or a line, leaves of the samples that are not odd. */
static double plain_square(const struct curve *c)
{
    double n = 0, sum = 0, square = 0, t = 0, tt = 0, tx = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->odd[i])
            continue;
        n++;
        sum += c->value_ns[i];
        square += c->value_ns[i] * c->value_ns[i];
        t += c->time_s[i];
        tt += c->time_s[i] * c->time_s[i];
        tx += c->time_s[i] * c->value_ns[i];
    }
    const double flat = square - sum * sum / n, ttc = tt - t * t / n, txc = tx - t * sum / n;
    double best = flat - (ttc > 0 ? txc * txc / ttc : 0), before_n = 0, before = 0;
    for (size_t i = 0; i + 1 < c->n; i++) {
        if (c->odd[i])
            continue;
        before_n++;
        before += c->value_ns[i];
        const double after_n = n - before_n, after = sum - before;
        if (after_n > 0)
            best = fmin(best, square - before * before / before_n - after * after / after_n);
    }
    return fmax(best, 0);
}

/* Autocorrelation of neighbouring residuals while it is away from rest. */
static double related(const struct curve *c, const struct fit *fit, double away_ns)
{
    double square = 0, product = 0, last = 0;
    for (size_t i = 0; i < c->n; i++) {
        const double away = distance_ns(c, fit, i);
        if (c->odd[i] || fabs(away) < away_ns)
            continue;
        const double off = c->value_ns[i] - fit->rest_ns - away;
        square += off * off;
        product += off * last;
        last = off;
    }
    return square > 0 ? product / square : 0;
}

/* Does the fit show that lateness comes to rest? Fills what is reported of it. */
static bool judge(struct curve *c, const struct fit *fit, struct st_rest *ret)
{
    const double variance = fit->square / (double)(fit->used_n - 4), sd = sqrt(variance);
    const double end_s = c->time_s[c->n - 1];
    double largest = 0;
    size_t away_n = 0, moving_n = 0, odd_n = 0;
    struct st_rest s = {.found = true, .rest_ns = fit->rest_ns, .residual_sd_ns = sd};
    for (size_t i = 0; i < c->n; i++)
        largest = fmax(largest, fabs(distance_ns(c, fit, i)));
    for (size_t i = 0; i < c->n; i++) {
        const double away = fabs(distance_ns(c, fit, i));
        away_n += away > AWAY_SDS * sd && !c->odd[i];
        moving_n += away > REST_SHARE * largest;
        odd_n += away > REST_SHARE * largest && c->odd[i];
        if (away > REST_SHARE * largest)
            s.within_s = c->time_s[i];
    }
    if (sd > RESIDUAL_MAX * largest || fit->square > SQUARE_MAX * plain_square(c) || away_n < AWAY_MIN ||
        s.within_s > end_s * 2 / 3 || (double)odd_n > MOVING_ODD_MAX * (double)moving_n ||
        (sd > RESIDUAL_FINE * largest && related(c, fit, AWAY_SDS * sd) > RELATED_MAX))
        return false;
    s.start_ns = distance_ns(c, fit, 0);
    *ret = s;
    return true;
}

/* tick_ns: jumps that are nearer to so much than to nothing are taken out; 0: none. @return how many. */
static size_t unfold(const struct st_series *series, double tick_ns, struct curve *c)
{
    size_t jumps_n = 0;
    double folded_ns = 0;
    const double period_s = st_period_seconds(&series->period);
    for (size_t i = 0; i < c->n; i++) {
        const double value_ns = (double)series->lateness_ns[i] - (double)series->lateness_ns[0];
        if (i > 0 && tick_ns > 0) {
            const double rise_ns = (double)series->lateness_ns[i] - (double)series->lateness_ns[i - 1];
            const double jump_ns = rise_ns - remainder(rise_ns, tick_ns);
            folded_ns += jump_ns;
            jumps_n += fabs(jump_ns) > 0;
        }
        c->value_ns[i] = value_ns - folded_ns;
        c->time_s[i] = period_s * (double)(series->index[i] - series->index[0]);
        c->odd[i] = false;
    }
    return jumps_n;
}

/* The longest rise or fall from one sample to the next. */
static double longest_ns(const struct st_series *series, size_t n)
{
    double longest = 0;
    for (size_t i = 1; i < n; i++)
        longest = fmax(longest, fabs((double)series->lateness_ns[i] - (double)series->lateness_ns[i - 1]));
    return longest;
}

/* @return whether a curve follows the samples; ret says whether it is a rest. */
static bool try_tick(const struct st_series *series, int hz, struct curve *c, struct st_rest *ret,
                     size_t *ret_odd_n)
{
    struct fit fit;
    const size_t jumps_n = unfold(series, hz > 0 ? 1e9 / hz : 0, c);
    if (hz > 0 && (jumps_n == 0 || (double)jumps_n > ODD_MAX * (double)c->n))
        return false;
    if (!fit_grid(c, &fit) || fit.square > PROMISING * plain_square(c))
        return false;
    for (int round = 0; round < 2; round++) {
        fit_fine(c, &fit);
        *ret_odd_n = mark_odd(c, &fit);
        if ((double)*ret_odd_n > ODD_MAX * (double)c->n)
            return false;
    }
    fit_fine(c, &fit);
    if (!judge(c, &fit, ret)) {
        *ret = (struct st_rest){.residual_sd_ns = sqrt(fit.square / (double)(fit.used_n - 4))};
        return true;
    }
    ret->rest_ns += (double)series->lateness_ns[0];
    if (hz > 0) { /* rest is where the last samples are, not where the first one's tick would have been */
        const double tick_ns = 1e9 / hz, last_ns = (double)series->lateness_ns[c->n - 1];
        ret->rest_ns += nearbyint((last_ns - ret->rest_ns) / tick_ns) * tick_ns;
    }
    ret->hz = hz;
    return true;
}

/* Room for n samples. @return false: out of memory. */
static bool curve_init(struct curve *c, size_t n)
{
    double *room = calloc(n, 5 * sizeof(*room));
    *c = (struct curve){.n = n, .time_s = room, .odd = calloc(n, sizeof(*c->odd))};
    if (room == NULL || c->odd == NULL)
        return false;
    c->value_ns = room + n;
    c->work = room + 2 * n;
    c->slow = room + 3 * n;
    c->late = room + 4 * n;
    return true;
}

static void curve_finish(struct curve *c)
{
    free(c->time_s); /* and all other doubles */
    free(c->odd);
}

int st_rest_find(const struct st_series *all, struct st_rest *ret)
{
    struct st_rest best = {.found = false}, rest;
    struct curve c;
    if (all->n < ST_REST_SAMPLES_MIN)
        return -ENODATA;
    *ret = best;
    if (st_period_seconds(&all->period) < 1 - 1e-6)
        return 0;
    const struct st_series view = {.period = all->period,
                                   .n = all->n - BEFORE_N,
                                   .lateness_ns = all->lateness_ns + BEFORE_N,
                                   .index = all->index + BEFORE_N};
    const struct st_series *series = &view;
    if (!curve_init(&c, series->n < ST_REST_SAMPLES_MAX ? series->n : ST_REST_SAMPLES_MAX)) {
        curve_finish(&c);
        return -ENOMEM;
    }
    /* a tick of another length leaves what was before a jump beside the curve */
    size_t best_odd_n = 0, odd_n = 0;
    bool any = try_tick(series, 0, &c, &best, &best_odd_n);
    const double longest = longest_ns(series, c.n);
    ST_EACH_OF (usual, st_periodic_usual_hz, st_periodic_usual_hz_n) {
        if (fabs(longest * *usual / 1e9 - 1) >= TICK_REACH || !try_tick(series, *usual, &c, &rest, &odd_n))
            continue;
        if (!any || odd_n < best_odd_n ||
            (odd_n == best_odd_n && rest.residual_sd_ns < TICK_GAIN * best.residual_sd_ns)) {
            best = rest;
            best_odd_n = odd_n;
        }
        any = true;
    }
    curve_finish(&c);
    if (best.found)
        *ret = best;
    return 0;
}
