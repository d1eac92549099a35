#include "lab/analyse/ticks.h"

#include "lab/analyse/periodic.h"
#include "lab/stats/inflation.h"

#define P_MAX 1e-5
/* largest share of samples, and of differences, that may not fit the sawtooth */
#define ODD_SHARE_MAX 0.05
/* if a larger share of the differences is far from both centres, the search for clusters ends */
#define HOPELESS_SHARE 0.2
#define SPREAD_MIN     0.4 /* least range of lateness, 5 % to 95 %, in ticks: less shows no jumps */
#define SPREAD_MAX     1.4
#define RESIDUAL_MAX   0.125 /* largest standard deviation around the sawtooth, in ticks */
/* how far a difference may lie from the centre of its cluster, in ticks */
#define CLUSTER_REACH 0.25
#define TICK_MIN_NS   900  /* shortest tick: below it, the jumps are steps of the clock */
#define LOW_REACH     0.02 /* by how many ticks a wake-up may be earlier than a whole tick */

#define UNSEEN_SDS                                                                                 \
    24 /* 6 standard errors of the change of slope between two halves of the samples; each error   \
          is 4 slope_sd */
#define LAGS_MAX    200
#define PARTS_N     12
#define PARTS_MOVE  50  /* limit of chi-squared with 12 - 3 degrees of freedom: 1 in 10 million */
#define ROUNDING_NS 1.0 /* rounding error of samples, which are whole ns */
#define BEND_SHARED 1.5
/* largest standard deviation around one slope, divided by the noise of neighbouring samples */
#define LEFT_MAX 3.0
#define TICK_SDS 5
#define LOOP_S   1.5 /* s: in longer periods, a control loop acts between two samples */
/* jumps may vary in height if lateness changes by a larger share of a tick from one period to the
 * next without a jump */
#define MIXED_MIN 0.15
#define ALTERNATES_SHARE                                                                           \
    0.05 /* every second sample jumps if the number of jumps differs from n / 2 by less than this  \
            share of n */

/* largest difference from the length of a usual tick, as a share of that length */
#define ABOUT        0.12
#define ABOUT_HZ_MAX 1024 /* faster rates are not those of a scheduler */

double st_ticks_rate_error(double tick_ns, double tick_sd_ns)
{
    return 1e9 / tick_ns * (4 * tick_sd_ns / tick_ns + ST_TICK_DRIFT_MAX_PPM * 1e-6);
}

int st_ticks_rate_of(double tick_ns, double tick_sd_ns)
{
    const double hz = 1e9 / tick_ns, within = st_ticks_rate_error(tick_ns, tick_sd_ns);
    int best = 0;
    ST_EACH_OF (row, st_periodic_usual_hz, st_periodic_usual_hz_n) {
        const int usual = *row;
        if (fabs(usual - hz) <= within && (best == 0 || fabs(usual - hz) < fabs(best - hz)))
            best = usual;
    }
    if (best == 0 && hz >= 1 && hz <= 1e6 && within < 0.5 && fabs(nearbyint(hz) - hz) <= within)
        best = (int)nearbyint(hz);
    return best;
}

bool st_ticks_is_usual(int hz)
{
    ST_EACH_OF (usual, st_periodic_usual_hz, st_periodic_usual_hz_n) {
        if (*usual == hz)
            return true;
    }
    return false;
}

int st_ticks_rate_about(double length_ns)
{
    for (size_t i = 0; i < st_periodic_usual_hz_n; i++) { /* the commonest rates come first */
        if (st_periodic_usual_hz[i] <= ABOUT_HZ_MAX &&
            fabs(length_ns * st_periodic_usual_hz[i] / 1e9 - 1) < ABOUT)
            return st_periodic_usual_hz[i];
    }
    return 0;
}

/* Two clusters of the differences from one sample to the next. In a sawtooth, the centres of the
 * clusters are one tick apart. */
struct clusters {
    double low_ns, high_ns; /* centres of the clusters */
    uint64_t low_n, high_n, odd_n;
    double low_square, high_square; /* sums of squares around the centres */
};

/* The samples that follow the sawtooth. For each: k is its period, m the number of ticks by which
 * lateness jumped since the first sample, x its lateness minus the median. */
struct track {
    size_t n;
    double *k, *m, *x;
    double *left; /* residuals of the fit */
};

/* Sums over the samples, for the normal equations of x = level + slope k - tick m. */
struct sums {
    double n, k, m, x, kk, km, mm, kx, mx, xx;
};

/* The sawtooth that fits: x = level + slope * k - tick * m, over the samples that follow it (struct
 * track). */
struct fit {
    double level_ns, slope_ns, tick_ns; /* slope_ns: ns a period */
    double square;                      /* sum of the squared residuals */
    double square_flat; /* sum of the squared distances from the mean of the samples */
    double tick_sd_ns;
    double slope_sd_ns;
    uint64_t n, odd_n, jumps_n;
    double first_k, last_k;
    struct sums sums;
};

static bool pair(const struct st_series *s, const struct st_series_bulk *bulk, size_t i,
                 double *ret_ns)
{
    const int64_t a = s->lateness_ns[i - 1], b = s->lateness_ns[i];
    if (s->index[i] - s->index[i - 1] != 1 || a < bulk->clip_low_ns || a > bulk->clip_high_ns ||
        b < bulk->clip_low_ns || b > bulk->clip_high_ns)
        return false;
    *ret_ns = (double)b - (double)a;
    return true;
}

/* One round of the 2-means algorithm. @return the number of differences. */
static uint64_t assign(const struct st_series *s, const struct st_series_bulk *bulk,
                       struct clusters *c)
{
    const double middle = (c->low_ns + c->high_ns) / 2,
                 reach = (c->high_ns - c->low_ns) * CLUSTER_REACH;
    double low_sum = 0, high_sum = 0, difference;
    struct clusters next = {0};
    for (size_t i = 1; i < s->n; i++) {
        if (!pair(s, bulk, i, &difference))
            continue;
        const bool low = difference < middle;
        const double off = difference - (low ? c->low_ns : c->high_ns);
        next.odd_n += fabs(off) > reach;
        *(low ? &next.low_n : &next.high_n) += 1;
        *(low ? &low_sum : &high_sum) += off;
        *(low ? &next.low_square : &next.high_square) += off * off;
    }
    next.low_ns = c->low_ns + (next.low_n > 0 ? low_sum / (double)next.low_n : 0);
    next.high_ns = c->high_ns + (next.high_n > 0 ? high_sum / (double)next.high_n : 0);
    *c = next;
    return next.low_n + next.high_n;
}

/* Divides the differences into two clusters. @return whether both are tight. */
static bool two_clusters(const struct st_series *s, const struct st_series_bulk *bulk,
                         struct clusters *ret)
{
    struct clusters c = {.low_ns = (double)INFINITY, .high_ns = -(double)INFINITY};
    double difference;
    for (size_t i = 1; i < s->n; i++) {
        if (pair(s, bulk, i, &difference)) {
            c.low_ns = fmin(c.low_ns, difference);
            c.high_ns = fmax(c.high_ns, difference);
        }
    }
    if (!(c.high_ns > c.low_ns))
        return false;
    for (int round = 0; round < 100; round++) {
        const double low = c.low_ns, high = c.high_ns;
        const uint64_t pairs_n = assign(s, bulk, &c);
        if (low == c.low_ns && high == c.high_ns)
            break;
        if (round >= 8 && (double)c.odd_n > HOPELESS_SHARE * (double)pairs_n)
            return false; /* tight clusters appear after two or three rounds: further rounds find
                             none */
    }
    const uint64_t few = c.low_n < c.high_n ? c.low_n : c.high_n;
    /* noise that jumps there and back makes as many misfits (odd_n) as jumps (few); so more than
     * half as many misfits as jumps are too many */
    if (few == 0 || (double)c.odd_n > ODD_SHARE_MAX * (double)(c.low_n + c.high_n) ||
        c.odd_n * 2 > few)
        return false;
    *ret = c;
    return true;
}

static void add(struct sums *s, double k, double m, double x)
{
    s->n += 1;
    s->k += k;
    s->m += m;
    s->x += x;
    s->kk += k * k;
    s->km += k * m;
    s->mm += m * m;
    s->kx += k * x;
    s->mx += m * x;
    s->xx += x * x;
}

/* The sums of products of deviations from the means. */
static struct sums centered(const struct sums *s)
{
    return (struct sums){.kk = s->kk - s->k * s->k / s->n,
                         .km = s->km - s->k * s->m / s->n,
                         .mm = s->mm - s->m * s->m / s->n,
                         .kx = s->kx - s->k * s->x / s->n,
                         .mx = s->mx - s->m * s->x / s->n,
                         .xx = s->xx - s->x * s->x / s->n};
}

static bool solve(const struct sums *s, struct fit *fit)
{
    const struct sums c = centered(s);
    const double det = c.kk * c.mm - c.km * c.km;
    if (!(det > 1e-12 * c.kk * c.mm))
        return false;
    fit->slope_ns = (c.kx * c.mm - c.mx * c.km) / det;
    fit->tick_ns = -(c.mx * c.kk - c.kx * c.km) / det;
    fit->level_ns = (s->x - fit->slope_ns * s->k + fit->tick_ns * s->m) / s->n;
    /* if the residuals have a standard deviation of 1; fit_line scales both errors */
    fit->tick_sd_ns = sqrt(c.kk / det);
    fit->slope_sd_ns = sqrt(c.mm / det);
    return true;
}

/* Follows the sawtooth from sample to sample and counts ticks. The count is right as long as each
 * jump is known to a quarter of a tick. */
static bool follow(const struct st_series *s, const struct st_series_bulk *bulk, double slope_ns,
                   double tick_ns, struct track *track, struct fit *ret)
{
    struct fit fit = {0};
    double m = 0, last_x = 0, last_k = 0;
    track->n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double k = (double)(s->index[i] - s->index[0]),
                     x = (double)s->lateness_ns[i] - (double)bulk->median_ns;
        const bool outlier =
            s->lateness_ns[i] < bulk->clip_low_ns || s->lateness_ns[i] > bulk->clip_high_ns;
        const double jump = track->n > 0 ? (last_x + slope_ns * (k - last_k) - x) / tick_ns : 0;
        const double ticks = nearbyint(jump);
        if (outlier || fabs(jump - ticks) > CLUSTER_REACH) {
            fit.odd_n++;
            continue;
        }
        if (track->n == 0)
            fit.first_k = k;
        m += ticks;
        fit.jumps_n += ticks != 0;
        track->k[track->n] = last_k = k;
        track->m[track->n] = m;
        track->x[track->n++] = last_x = x;
        add(&fit.sums, k, m, x);
    }
    fit.n = track->n;
    fit.last_k = last_k;
    if ((double)fit.odd_n > ODD_SHARE_MAX * (double)s->n)
        return false;
    *ret = fit;
    return true;
}

/* Fits one slope to all samples, and computes the residuals of the fit. @return whether there is a
 * fit. */
static bool fit_line(struct track *t, struct fit *fit)
{
    if (!solve(&fit->sums, fit))
        return false;
    for (size_t i = 0; i < t->n; i++) {
        t->left[i] = t->x[i] - (fit->level_ns + fit->slope_ns * t->k[i] - fit->tick_ns * t->m[i]);
        fit->square += t->left[i] * t->left[i];
    }
    fit->square_flat = centered(&fit->sums).xx;
    const double left_ns = sqrt(fit->square / (double)(fit->n - 3));
    fit->tick_sd_ns *= left_ns;
    fit->slope_sd_ns *= left_ns;
    return true;
}

/* --- is the slope the same all the time? --- */

/* Tick and noise, computed from neighbouring samples only, so that a slope that changes slowly has
 * no effect on them. */
struct local {
    double tick_ns, tick_sd_ns;
    double noise_ns; /* standard deviation of a sample */
};

/* Computes the difference of[i] - of[i - 1], minus the part that the slope before and behind it
 * explains: jumps and noise remain. @param of the array t->x or t->m. */
static double bend_at(const struct track *t, const double *of, size_t i)
{
    const double share =
        (t->k[i] - t->k[i - 1]) / (t->k[i - 1] - t->k[i - 2] + t->k[i + 1] - t->k[i]);
    const double bend = of[i] - of[i - 1] - share * (of[i - 1] - of[i - 2] + of[i + 1] - of[i]);
    /* scaled so that the noise of the result is that of one sample */
    return bend / sqrt(2 * (1 + share) * (1 + share) + 2 * share * share);
}

static bool look_locally(const struct track *t, struct local *ret)
{
    double mm = 0, mx = 0, square = 0;
    for (size_t i = 2; i + 1 < t->n; i++) {
        const double bend_m = bend_at(t, t->m, i);
        mm += bend_m * bend_m;
        mx += bend_m * bend_at(t, t->x, i);
    }
    if (!(mm > 0) || t->n < ST_TICKS_SAMPLES_MIN / 2)
        return false;
    const double n = (double)(t->n - 3);
    struct local local = {.tick_ns = -mx / mm};
    for (size_t i = 2; i + 1 < t->n; i++) {
        const double left = bend_at(t, t->x, i) + local.tick_ns * bend_at(t, t->m, i);
        square += left * left;
    }
    /* neighbouring values of bend_at share samples, so errors are larger than those of independent
     * values */
    local.tick_sd_ns = sqrt((square / n + ROUNDING_NS * ROUNDING_NS) / mm) * BEND_SHARED;
    local.noise_ns = sqrt(square / n);
    *ret = local;
    return local.tick_ns > 0;
}

/* Does one slope fit all samples? Not if its residuals exceed the noise of neighbouring samples, if
 * its tick differs in length from the jumps, or if the means of the residuals in PARTS_N parts
 * differ. The means are subtracted from t->left. */
static bool is_steady(struct track *t, const struct fit *fit, const struct local *local)
{
    double between = 0, within = 0;
    for (size_t part = 0, i = 0, end; part < PARTS_N; part++, i = end) {
        double mean = 0;
        end = (part + 1) * t->n / PARTS_N;
        ST_EACH_OF (left, t->left + i, end - i)
            mean += *left / (double)(end - i);
        between += (double)(end - i) * mean * mean;
        for (size_t k = i; k < end; k++) {
            t->left[k] -= mean;
            within += t->left[k] * t->left[k];
        }
    }
    const double variance = within / (double)t->n * st_inflation(t->left, t->n, 0, LAGS_MAX) +
                            ROUNDING_NS * ROUNDING_NS;
    return sqrt(fit->square / (double)(fit->n - 3)) < LEFT_MAX * local->noise_ns + ROUNDING_NS &&
           fabs(fit->tick_ns - local->tick_ns) < TICK_SDS * local->tick_sd_ns &&
           between < PARTS_MOVE * variance;
}

/* Computes by how much a tick is longer than 1 / hz. Wake-up k comes at tick N = M k - m, where M
 * (whole_ticks) is the number of ticks a period at slope zero. The drift is the slope of a
 * least-squares line through the wake-up times minus N nominal ticks, over N. */
static void tell_drift(double period_ns, const struct fit *fit, struct st_ticks *ticks)
{
    const struct sums c = centered(&fit->sums);
    const double tick_ns = 1e9 / ticks->hz,
                 whole_ticks = nearbyint((period_ns + fit->slope_ns) / tick_ns);
    const double over_ns = period_ns - whole_ticks * tick_ns;
    const double square = whole_ticks * whole_ticks * c.kk - 2 * whole_ticks * c.km + c.mm;
    const double product = whole_ticks * c.kx - c.mx + over_ns * (whole_ticks * c.kk - c.km) +
                           tick_ns * (whole_ticks * c.km - c.mm);
    const double drift_ppm = product / square / tick_ns * 1e6;
    ticks->drift_known = square > 0 && fabs(drift_ppm) <= ST_TICK_DRIFT_MAX_PPM;
    if (ticks->drift_known) {
        ticks->drift_ppm = drift_ppm;
        ticks->drift_sd_ppm = ticks->residual_sd_ns / sqrt(square) / tick_ns * 1e6;
    }
}

/* The number of ticks that the kernel adds to each sleep: if ticks do not drift, a sleep ends this
 * number of ticks after the first tick that follows its due time. A drift moves the end by drift *
 * period, which is subtracted.
 * @return -1: unknown. */
static int extra_ticks(double period_ns, const struct st_series_bulk *bulk,
                       const struct st_ticks *l)
{
    const double low = (double)bulk->low_ns / l->tick_ns,
                 most = ST_TICK_DRIFT_MAX_PPM * 1e-6 * period_ns / l->tick_ns;
    if (l->drift_known)
        return (int)floor(low - l->drift_ppm * 1e-6 * period_ns / l->tick_ns + LOW_REACH);
    const int extra = (int)floor(low + LOW_REACH);
    const bool sure = most < LOW_REACH || (most < 0.505 && extra == (int)floor(low + most));
    return sure ? extra : -1;
}

static void tell(const struct st_series *s, const struct st_series_bulk *bulk,
                 const struct fit *fit, struct st_ticks *ticks)
{
    const double period_ns = (double)s->period.num / (double)s->period.den;
    ticks->tick_ns = fit->tick_ns;
    ticks->tick_sd_ns = fit->tick_sd_ns;
    ticks->hz = st_ticks_rate_of(fit->tick_ns, fit->tick_sd_ns);
    /* a slope that is larger by one tick a period gives the same samples: use the smallest slope */
    double slope_ns = remainder(fit->slope_ns, fit->tick_ns), slope_sd_ns = fit->slope_sd_ns;
    ticks->residual_sd_ns = sqrt(fit->square / (double)(fit->n - 3));
    if (ticks->hz > 0)
        tell_drift(period_ns, fit, ticks);
    if (ticks->drift_known) { /* the length of the ticks is known, and gives the slope more
                               * exactly */
        const double tick_ns = 1e9 / ticks->hz * (1 + ticks->drift_ppm * 1e-6);
        slope_ns = remainder(-period_ns, tick_ns);
        slope_sd_ns = nearbyint(period_ns / tick_ns) / ticks->hz * ticks->drift_sd_ppm * 1e3;
    }
    ticks->slope_ns_per_s = slope_ns / (period_ns / 1e9);
    ticks->slope_sd_ns_per_s = slope_sd_ns / (period_ns / 1e9);
    ticks->modulo_ppm = fit->tick_ns / period_ns * 1e6;
    /* a drift that differs by modulo_ppm gives the same samples: is it possible, too? */
    ticks->slope_modulo = ticks->modulo_ppm - (ticks->drift_known ? fabs(ticks->drift_ppm) : 0) <=
                          ST_TICK_DRIFT_MAX_PPM;
    if (ticks->slope_modulo) {
        ticks->drift_known = false;
    } else if (ticks->drift_known) { /* the drift, from all wake-ups, gives the tick more exactly
                                        than the height of the jumps */
        ticks->tick_ns = 1e9 / ticks->hz * (1 + ticks->drift_ppm * 1e-6);
        ticks->tick_sd_ns = 1e9 / ticks->hz * ticks->drift_sd_ppm * 1e-6;
    }
    ticks->tooth_s = slope_ns != 0 ? ticks->tick_ns / fabs(ticks->slope_ns_per_s) : 0;
    ticks->extra_ticks = ticks->slope_modulo ? -1 : extra_ticks(period_ns, bulk, ticks);
}

/* The largest drift, in ppm, that a control loop may add without being seen. Each second the loop
 * removes a share of the error, at most half a tick; so the drift that it adds changes each second
 * by its own square divided by half a tick. How much of such a change stays unseen follows from the
 * error of a slope over half the samples. */
static double unseen_ppm(const struct st_series *s, const struct fit *fit)
{
    const double period_s = st_period_seconds(&s->period),
                 span_s = period_s * (fit->last_k - fit->first_k);
    const double variance = fit->square / (double)(fit->n - 3) + ROUNDING_NS * ROUNDING_NS / 12;
    const double slope_sd = sqrt(12 * variance / (double)fit->n) / span_s; /* in ns a second */
    return sqrt(UNSEEN_SDS * slope_sd * fit->tick_ns / 2 / span_s) / 1e3;
}

/* May a control loop change the height of the jumps? A jump is one tick plus the change of lateness
 * in a period. If that change is a large share of a tick, and the period so long that the loop acts
 * within it, jumps vary in height. */
static bool jumps_are_mixed(const struct st_series *s, const struct clusters *c)
{
    const double near_ns = fmin(fabs(c->low_ns), fabs(c->high_ns));
    return st_period_seconds(&s->period) > LOOP_S && near_ns > MIXED_MIN * (c->high_ns - c->low_ns);
}

/* A single jump is a step unless lateness moves against it and it is as long as a usual tick. */
static bool one_jump_is_a_tick(const struct fit *fit)
{
    const double travel_ns = fit->slope_ns * (fit->last_k - fit->first_k);
    return st_ticks_is_usual(st_ticks_rate_of(fit->tick_ns, fit->tick_sd_ns)) &&
           fabs(travel_ns) > 0.1 * fit->tick_ns;
}

/* Logarithm of the probability that by chance a constant fits this much worse than the sawtooth.
 * The limit 1e-12 is for exactly periodic data, which have no residuals. */
static double log_p(const struct fit *fit)
{
    const double n = (double)fit->n;
    const double ratio = fit->square_flat / fmax(fit->square, 1e-12 * fit->square_flat);
    return 2 * log(n) - (n - 4) / 2 * log(ratio);
}

/* Does a sawtooth with one slope explain the samples? */
static bool is_sawtooth(struct track *track, struct fit *fit)
{
    return fit_line(track, fit) && log_p(fit) < log(P_MAX) &&
           sqrt(fit->square / (double)fit->n) <= RESIDUAL_MAX * fit->tick_ns && fit->tick_ns > 0 &&
           (fit->jumps_n >= 2 || one_jump_is_a_tick(fit));
}

/* Is every second sample later by the same amount? A program that works every second period causes
 * that; ticks do only if the period is always half a tick more than whole ticks. */
static bool alternates(const struct fit *fit)
{
    return fabs((double)fit->jumps_n - (double)fit->n / 2) < ALTERNATES_SHARE * (double)fit->n;
}

static void find(const struct st_series *s, const struct st_series_bulk *bulk, struct track *track,
                 struct st_ticks *ret)
{
    struct st_ticks ticks = {.p_value = 1};
    struct clusters clusters;
    struct local local;
    struct fit fit;
    if (!two_clusters(s, bulk, &clusters))
        return;
    const double tick_ns = clusters.high_ns - clusters.low_ns;
    const double slope_ns =
        fabs(clusters.low_ns) < fabs(clusters.high_ns) ? clusters.low_ns : clusters.high_ns;
    const double spread_ns = (double)bulk->high_ns - (double)bulk->low_ns;
    if (tick_ns < TICK_MIN_NS || spread_ns < SPREAD_MIN * tick_ns ||
        spread_ns > SPREAD_MAX * tick_ns || !follow(s, bulk, slope_ns, tick_ns, track, &fit) ||
        !look_locally(track, &local))
        return;
    if (!is_sawtooth(track, &fit) || !is_steady(track, &fit, &local) ||
        (jumps_are_mixed(s, &clusters) &&
         !st_ticks_is_usual(st_ticks_rate_of(fit.tick_ns, fit.tick_sd_ns))))
        return;
    ticks.jumps_n = fit.jumps_n;
    ticks.p_value = exp(log_p(&fit));
    tell(s, bulk, &fit, &ticks);
    ticks.unseen_ppm = unseen_ppm(s, &fit);
    if (alternates(&fit) && !(st_ticks_is_usual(ticks.hz) && ticks.drift_known))
        return;
    ticks.found = true;
    *ret = ticks;
}

int st_ticks_find(const struct st_series *s, struct st_ticks *ret)
{
    struct st_series_bulk bulk;
    if (s->n < ST_TICKS_SAMPLES_MIN)
        return -ENODATA;
    const int r = st_series_bulk(s, &bulk);
    if (r != 0)
        return r;
    double *room = calloc(s->n, 4 * sizeof(*room));
    if (room == NULL)
        return -ENOMEM;
    struct track track = {
        .k = room, .m = room + s->n, .x = room + 2 * s->n, .left = room + 3 * s->n};
    *ret = (struct st_ticks){.p_value = 1};
    find(s, &bulk, &track, ret);
    free(room);
    return 0;
}
