#include "lab/analyse/settling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lab/analyse/beat.h"

#define GAIN_MIN         0.004
#define GAIN_STEP        1.1  /* of the grid */
#define OTHER_STEP       1.02 /* of the finer one that others are looked for on: two may be near */
#define REST_SHARE       0.01
#define RESIDUAL_MAX     (1.0 / 64)   /* of the largest distance */
#define RESIDUAL_FINE    (1.0 / 1000) /* up to here, residuals may be related: they are what is rounded */
#define RELATED_MAX      0.5          /* autocorrelation of neighbouring residuals */
#define SQUARE_MAX       (1.0 / 8)    /* of what a step or a line leaves */
#define PROMISING        0.5          /* the same, outliers and all, on the grid */
#define AWAY_MIN         8            /* samples that are further away than AWAY_SDS residuals */
#define AWAY_SDS         4
#define DECAY_MIN        1e-30 /* less is nothing, and slow to reckon with */
#define ODD_SDS          5     /* what is further from the curve is an outlier */
#define ODD_SHARE        0.01  /* ... unless it is nearer than that share of the largest distance */
#define SLOW_SHARE       0.1   /* of the slow pole, against the fast one */
#define SLOW_SHARE_LEAST 0.02  /* ... where it is asked whether another gain fits as well, and the fast */
#define FAST_GONE_GAIN   0.8  /* ... pole of this one is over at once: then the slow one alone is no chance */
#define BEFORE_N         2    /* samples before the loop has acted */
#define TICK_REACH       0.4  /* of the longest rise or fall from a tick, ticks: what it moves by itself */
#define TICK_GAIN        0.5  /* residuals that a jump must leave at most, of those without */
#define ODD_MAX          0.05 /* of the samples */
#define GAIN_SD_MAX      0.02 /* of the gain: 5 % are more than two of it */
#define MOVING_ODD_MAX   0.1  /* outliers on the way to rest */
#define STEERED_SHARE    1.5  /* gains that a jump may differ from a nominal tick by */
#define APART            0.05 /* a gain that differs by more, as a share, is another one */
#define LATER_SHARE      0.25 /* of the largest distance: from there on is the later part */
#define AS_WELL          9    /* variances: what a curve may leave more than the best one and fit as well */

/* Samples without jumps: time after the first one, lateness from the first one on. */
struct curve {
    size_t n;
    double *time_s, *value_ns, *work;
    double *slow, *late; /* of the gain that was fitted last: p^t, and (p^t - q^t) / (p - q) */
    double apart;        /* p - q */
    double slow_share;   /* of the slow pole, against the fast one: curves with less do not count */
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
    c->apart = 2 * apart;
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
    /* of one pole alone nobody knows which it is: the slow one, if the other does not fit as well */
    if (fabs(x[1] + x[2] / c->apart) < c->slow_share * fabs(x[2] / c->apart))
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

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
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
    qsort(c->work, c->n, sizeof(*c->work), compare);
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

/* How surely the gain is known: from how fast the squares grow on both sides. */
static double gain_sd(struct curve *c, const struct fit *fit, double variance)
{
    const double step = 0.01 * fit->gain;
    struct fit low, high;
    if (!fit_gain(c, fit->gain - step, &low) || !fit_gain(c, fmin(fit->gain + step, 1), &high))
        return (double)INFINITY;
    const double bend = (low.square - 2 * fit->square + high.square) / (step * step);
    return bend > 0 ? sqrt(2 * variance / bend) : (double)INFINITY;
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

/* By how much, as a share, another gain follows from the later part alone: what a tick that the loop slipped
 * by did to the first part, a curve of another gain may follow. */
static double later_apart(struct curve *c, const struct fit *fit, double largest)
{
    struct fit later;
    size_t last = 0, away_n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (fabs(distance_ns(c, fit, i)) > LATER_SHARE * largest)
            last = i;
    }
    for (size_t i = last; i < c->n; i++)
        away_n += fabs(distance_ns(c, fit, i)) > REST_SHARE * largest;
    if (away_n < ST_SETTLING_SAMPLES_MIN)
        return 0; /* too short to be judged by itself; no loop so fast has been seen to be told wrongly */
    for (size_t i = 0; i <= last; i++)
        c->odd[i] = true;
    if (!fit_gain(c, fit->gain, &later))
        return (double)INFINITY;
    fit_fine(c, &later);
    return fabs(later.gain / fit->gain - 1);
}

static bool is_apart(double gain, const struct fit *fit)
{
    return fabs(gain / fit->gain - 1) > APART;
}

/* Does no other gain fit as well, the fast pole alone counted too? */
static bool is_only_gain(struct curve *c, const struct fit *fit, double variance)
{
    struct fit best = {.square = (double)INFINITY}, other;
    c->slow_share = fit->gain >= FAST_GONE_GAIN ? SLOW_SHARE_LEAST : 0;
    for (double gain = GAIN_MIN; gain <= 1; gain *= OTHER_STEP) {
        if (is_apart(gain, fit) && fit_gain(c, gain, &other) && other.square < best.square)
            best = other;
    }
    /* the best of the others, not the one that is told again */
    for (double step = OTHER_STEP - 1; step > 1e-4 && isfinite(best.square); step /= 2) {
        for (int side = -1; side <= 1; side += 2) {
            const double gain = best.gain * (1 + side * step);
            if (gain <= 1 && is_apart(gain, fit) && fit_gain(c, gain, &other) && other.square < best.square)
                best = other;
        }
    }
    c->slow_share = SLOW_SHARE;
    fill_decay(c, fit->gain);
    /* right beside it is the same one, whose error is judged by itself */
    return best.square > fit->square + AS_WELL * variance ||
           (fit->gain >= FAST_GONE_GAIN && fabs(best.gain / fit->gain - 1) < APART * 1.2);
}

/* Is the fit a settling? Fills what is told of it. */
static bool judge(struct curve *c, const struct fit *fit, struct st_settling *ret)
{
    const double variance = fit->square / (double)(fit->used_n - 4), sd = sqrt(variance);
    const double end_s = c->time_s[c->n - 1];
    double largest = 0;
    size_t away_n = 0, moving_n = 0, odd_n = 0;
    struct st_settling s = {.gain = fit->gain, .rest_ns = fit->rest_ns, .residual_sd_ns = sd};
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
    s.gain_sd = gain_sd(c, fit, variance);
    s.found = isfinite(s.gain_sd) && s.gain_sd < fit->gain * GAIN_SD_MAX && is_only_gain(c, fit, variance) &&
              later_apart(c, fit, largest) <= APART;
    *ret = s;
    return s.found;
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

/* @return whether a curve follows the samples; ret says whether it is a settling. */
static bool try_tick(const struct st_series *series, int hz, struct curve *c, struct st_settling *ret,
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
        *ret = (struct st_settling){.residual_sd_ns = sqrt(fit.square / (double)(fit.used_n - 4))};
        return true;
    }
    ret->rest_ns += (double)series->lateness_ns[0];
    if (hz > 0) { /* rest is where the last samples are, not where the first one's tick would have been */
        const double tick_ns = 1e9 / hz, last_ns = (double)series->lateness_ns[c->n - 1];
        ret->rest_ns += nearbyint((last_ns - ret->rest_ns) / tick_ns) * tick_ns;
    }
    ret->hz = hz;
    if (hz > 0) /* jumps were taken for nominal ticks, but ticks are steered by a share of their own gain */
        ret->gain_sd = hypot(ret->gain_sd, STEERED_SHARE * ret->gain * ret->gain / hz);
    return true;
}

/* Room for n samples. @return false: out of memory. */
static bool curve_init(struct curve *c, size_t n)
{
    *c = (struct curve){
        .n = n,
        .slow_share = SLOW_SHARE,
        .time_s = calloc(n, sizeof(*c->time_s)),
        .value_ns = calloc(n, sizeof(*c->value_ns)),
        .work = calloc(n, sizeof(*c->work)),
        .slow = calloc(n, sizeof(*c->slow)),
        .late = calloc(n, sizeof(*c->late)),
        .odd = calloc(n, sizeof(*c->odd)),
    };
    return c->time_s != NULL && c->value_ns != NULL && c->work != NULL && c->slow != NULL &&
           c->late != NULL && c->odd != NULL;
}

static void curve_finish(struct curve *c)
{
    free(c->time_s);
    free(c->value_ns);
    free(c->work);
    free(c->slow);
    free(c->late);
    free(c->odd);
}

int st_settling_find(const struct st_series *all, struct st_settling *ret)
{
    struct st_settling best = {.found = false}, settling;
    struct curve c;
    if (all->n < ST_SETTLING_SAMPLES_MIN)
        return -ENODATA;
    *ret = best;
    if (st_period_seconds(&all->period) < 1 - 1e-6)
        return 0;
    const struct st_series view = {.period = all->period,
                                   .n = all->n - BEFORE_N,
                                   .lateness_ns = all->lateness_ns + BEFORE_N,
                                   .index = all->index + BEFORE_N};
    const struct st_series *series = &view;
    if (!curve_init(&c, series->n < ST_SETTLING_SAMPLES_MAX ? series->n : ST_SETTLING_SAMPLES_MAX)) {
        curve_finish(&c);
        return -ENOMEM;
    }
    /* a tick of another length leaves what was before a jump beside the curve; where the gain of the best one
     * cannot be told, that of a worse one is not told either */
    size_t best_odd_n = 0, odd_n = 0;
    bool any = try_tick(series, 0, &c, &best, &best_odd_n);
    const double longest = longest_ns(series, c.n);
    for (size_t i = 0; i < st_beat_usual_hz_n; i++) {
        if (fabs(longest * st_beat_usual_hz[i] / 1e9 - 1) >= TICK_REACH ||
            !try_tick(series, st_beat_usual_hz[i], &c, &settling, &odd_n))
            continue;
        if (!any || odd_n < best_odd_n ||
            (odd_n == best_odd_n && settling.residual_sd_ns < TICK_GAIN * best.residual_sd_ns)) {
            best = settling;
            best_odd_n = odd_n;
        }
        any = true;
    }
    curve_finish(&c);
    if (best.found)
        *ret = best;
    return 0;
}
