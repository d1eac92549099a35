#include "lib/lattice.h"

#include <math.h>
#include <stdlib.h>

#include "lib/beat.h"
#include "lib/ns.h"

#define P_MAX          1e-5
#define ODD_SHARE_MAX  0.05 /* samples and differences that do not fit */
#define HOPELESS_SHARE 0.2  /* of differences far from both centres */
#define SPREAD_MIN     0.4  /* of lateness, 5 % to 95 %, in ticks: less says nothing about jumps */
#define SPREAD_MAX     1.4
#define RESIDUAL_MAX   0.125 /* standard deviation, ticks */
#define CLUSTER_REACH  0.25  /* how far from its centre a difference may lie, ticks */
#define DRIFT_MAX_PPM  500   /* of a tick against its nominal rate */

/* Two clusters of differences: what lateness does from one sample to the next. */
struct clusters {
    double low_ns, high_ns; /* centres */
    uint64_t low_n, high_n, odd_n;
    double low_square, high_square; /* sums of squares around the centres */
};

/* Sums for the normal equations of x = level + slope k - tick m. */
struct sums {
    double n, k, m, x, kk, km, mm, kx, mx, xx;
};

/* x = level + slope * k - tick * m over the samples that follow the sawtooth. */
struct fit {
    double level_ns, slope_ns, tick_ns; /* slope: a period */
    double square;                      /* residuals */
    double square_flat;                 /* the same samples around their mean */
    double tick_sd_ns;
    uint64_t n, odd_n, jumps_n;
    double first_k, last_k;
    struct sums sums;
};

static bool pair(const struct st_series *s, const struct st_series_bulk *bulk, size_t i, double *ret_ns)
{
    const int64_t a = s->lateness_ns[i - 1], b = s->lateness_ns[i];
    if (s->index[i] - s->index[i - 1] != 1 || a < bulk->clip_low_ns || a > bulk->clip_high_ns ||
        b < bulk->clip_low_ns || b > bulk->clip_high_ns)
        return false;
    *ret_ns = (double)b - (double)a;
    return true;
}

/* One round of 2-means. @return how many pairs there are. */
static uint64_t assign(const struct st_series *s, const struct st_series_bulk *bulk, struct clusters *c)
{
    const double middle = (c->low_ns + c->high_ns) / 2, reach = (c->high_ns - c->low_ns) * CLUSTER_REACH;
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

/* @return whether the differences are two tight clusters. */
static bool two_clusters(const struct st_series *s, const struct st_series_bulk *bulk, struct clusters *ret)
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
            return false; /* two tight clusters are there after two or three rounds */
    }
    const uint64_t few = c.low_n < c.high_n ? c.low_n : c.high_n;
    /* noise that jumps there and back has as many misfits as jumps */
    if (few == 0 || (double)c.odd_n > ODD_SHARE_MAX * (double)(c.low_n + c.high_n) || c.odd_n * 2 > few)
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

static bool solve(const struct sums *s, struct fit *fit)
{
    const double kk = s->kk - s->k * s->k / s->n, mm = s->mm - s->m * s->m / s->n,
                 km = s->km - s->k * s->m / s->n;
    const double kx = s->kx - s->k * s->x / s->n, mx = s->mx - s->m * s->x / s->n;
    const double det = kk * mm - km * km;
    if (!(det > 1e-12 * kk * mm))
        return false;
    fit->slope_ns = (kx * mm - mx * km) / det;
    fit->tick_ns = -(mx * kk - kx * km) / det;
    fit->level_ns = (s->x - fit->slope_ns * s->k + fit->tick_ns * s->m) / s->n;
    fit->tick_sd_ns = sqrt(kk / det); /* times the residual standard deviation */
    return true;
}

/* Follows the sawtooth from sample to sample: the number of ticks since the first one is known as long as a
 * step is known to a quarter of a tick. Twice: the second time for the residuals of the solution. */
static bool follow(const struct st_series *s, const struct st_series_bulk *bulk, double slope_ns,
                   double tick_ns, struct fit *ret)
{
    struct fit fit = {0};
    struct sums sums = {0};
    for (int pass = 0; pass < 2; pass++) {
        double m = 0, last_x = 0, last_k = 0;
        bool any = false;
        fit.odd_n = fit.n = fit.jumps_n = 0;
        for (size_t i = 0; i < s->n; i++) {
            const double k = (double)(s->index[i] - s->index[0]),
                         x = (double)s->lateness_ns[i] - (double)bulk->median_ns;
            if (s->lateness_ns[i] < bulk->clip_low_ns || s->lateness_ns[i] > bulk->clip_high_ns) {
                fit.odd_n++;
                continue;
            }
            if (any) {
                const double jump = (last_x + slope_ns * (k - last_k) - x) / tick_ns;
                const double ticks = nearbyint(jump);
                if (fabs(jump - ticks) > CLUSTER_REACH) {
                    fit.odd_n++;
                    continue;
                }
                m += ticks;
                fit.jumps_n += ticks != 0;
            } else {
                fit.first_k = k;
            }
            any = true;
            last_x = x;
            last_k = k;
            fit.n++;
            if (pass == 0) {
                add(&sums, k, m, x);
                continue;
            }
            const double fitted = fit.level_ns + fit.slope_ns * k - fit.tick_ns * m;
            fit.square += (x - fitted) * (x - fitted);
        }
        fit.last_k = last_k;
        if ((double)fit.odd_n > ODD_SHARE_MAX * (double)s->n || (pass == 0 && !solve(&sums, &fit)))
            return false;
    }
    fit.square_flat = sums.xx - sums.x * sums.x / sums.n;
    fit.tick_sd_ns *= sqrt(fit.square / (double)(fit.n - 3));
    fit.sums = sums;
    *ret = fit;
    return true;
}

/* The whole rate that a tick of this length has: a usual one if one fits. 0: none. */
static int rate_of(double tick_ns, double tick_sd_ns)
{
    const double hz = 1e9 / tick_ns;
    const double within = hz * (4 * tick_sd_ns / tick_ns + DRIFT_MAX_PPM * 1e-6);
    int best = 0;
    for (size_t i = 0; i < st_beat_usual_hz_n; i++) {
        const int usual = st_beat_usual_hz[i];
        if (fabs(usual - hz) <= within && (best == 0 || fabs(usual - hz) < fabs(best - hz)))
            best = usual;
    }
    if (best == 0 && hz >= 1 && hz <= 1e6 && within < 0.5 && fabs(nearbyint(hz) - hz) <= within)
        best = (int)nearbyint(hz);
    return best;
}

/* Wake-up k is at tick N = M k - m, M ticks a period at slope zero: the length of a tick by least squares of
 * the wake-up times on N, taken from what they are more than nominal ticks. */
static void tell_drift(double period_ns, const struct fit *fit, struct st_lattice *lattice)
{
    const struct sums *s = &fit->sums;
    const double tick_ns = 1e9 / lattice->hz, ticks = nearbyint((period_ns + fit->slope_ns) / tick_ns);
    const double over_ns = period_ns - ticks * tick_ns;
    const double kk = s->kk - s->k * s->k / s->n, mm = s->mm - s->m * s->m / s->n,
                 km = s->km - s->k * s->m / s->n;
    const double kx = s->kx - s->k * s->x / s->n, mx = s->mx - s->m * s->x / s->n;
    const double square = ticks * ticks * kk - 2 * ticks * km + mm;
    const double product = ticks * kx - mx + over_ns * (ticks * kk - km) + tick_ns * (ticks * km - mm);
    const double drift_ppm = product / square / tick_ns * 1e6;
    lattice->drift_known = square > 0 && fabs(drift_ppm) <= DRIFT_MAX_PPM;
    if (lattice->drift_known) {
        lattice->drift_ppm = drift_ppm;
        lattice->drift_sd_ppm = lattice->residual_sd_ns / sqrt(square) / tick_ns * 1e6;
    }
}

static void tell(const struct st_series *s, const struct st_series_bulk *bulk, const struct fit *fit,
                 struct st_lattice *lattice)
{
    const double period_ns = (double)s->period.num / (double)s->period.den;
    lattice->tick_ns = fit->tick_ns;
    lattice->tick_sd_ns = fit->tick_sd_ns;
    lattice->hz = rate_of(fit->tick_ns, fit->tick_sd_ns);
    /* one more tick a period is the same samples: take the flatter one */
    const double slope_ns = remainder(fit->slope_ns, fit->tick_ns);
    lattice->slope_ns_per_s = slope_ns / (period_ns / 1e9);
    lattice->tooth_s = slope_ns != 0 ? fit->tick_ns / fabs(lattice->slope_ns_per_s) : 0;
    lattice->extra_ticks = (int)floor((double)bulk->low_ns / fit->tick_ns + 0.02);
    lattice->jumps_n = fit->jumps_n;
    lattice->residual_sd_ns = sqrt(fit->square / (double)(fit->n - 3));
    if (lattice->hz > 0)
        tell_drift(period_ns, fit, lattice);
}

/* A single jump is a step unless lateness moves against it and it is as long as a usual tick. */
static bool one_jump_is_a_tick(const struct fit *fit)
{
    const double travel_ns = fit->slope_ns * (fit->last_k - fit->first_k);
    const int hz = rate_of(fit->tick_ns, fit->tick_sd_ns);
    bool usual = false;
    for (size_t i = 0; i < st_beat_usual_hz_n; i++)
        usual |= st_beat_usual_hz[i] == hz;
    return usual && fabs(travel_ns) > 0.1 * fit->tick_ns;
}

int st_lattice_find(const struct st_series *s, struct st_lattice *ret)
{
    struct st_lattice lattice = {.p_value = 1};
    struct st_series_bulk bulk;
    struct clusters clusters;
    struct fit fit;
    if (s->n < ST_LATTICE_SAMPLES_MIN)
        return -ENODATA;
    const int r = st_series_bulk(s, &bulk);
    if (r != 0)
        return r;
    *ret = lattice;
    if (!two_clusters(s, &bulk, &clusters))
        return 0;
    const double tick_ns = clusters.high_ns - clusters.low_ns;
    const double slope_ns =
        fabs(clusters.low_ns) < fabs(clusters.high_ns) ? clusters.low_ns : clusters.high_ns;
    const double spread_ns = (double)bulk.high_ns - (double)bulk.low_ns;
    if (spread_ns < SPREAD_MIN * tick_ns || spread_ns > SPREAD_MAX * tick_ns ||
        !follow(s, &bulk, slope_ns, tick_ns, &fit))
        return 0;
    /* log of the chance that a constant leaves so much more than the sawtooth; exactly periodic data leave
     * nothing */
    const double n = (double)fit.n;
    const double ratio = fit.square_flat / fmax(fit.square, 1e-12 * fit.square_flat);
    const double log_p = 2 * log(n) - (n - 4) / 2 * log(ratio);
    if (!(log_p < log(P_MAX)) || sqrt(fit.square / n) > RESIDUAL_MAX * fit.tick_ns || !(fit.tick_ns > 0) ||
        (fit.jumps_n < 2 && !one_jump_is_a_tick(&fit)))
        return 0;
    lattice.found = true;
    lattice.p_value = exp(log_p);
    tell(s, &bulk, &fit, &lattice);
    *ret = lattice;
    return 0;
}

int st_interval_find(const struct st_series *s, struct st_interval *ret)
{
    const double period_ns = (double)s->period.num / (double)s->period.den;
    struct st_interval interval = {0};
    struct st_series_bulk bulk;
    struct st_series intervals; /* as a series, for its quantiles */
    uint64_t skips_n = 0;
    int r = 0;
    if (s->n < ST_LATTICE_SAMPLES_MIN)
        return -ENODATA;
    st_series_init(&intervals, &s->period);
    for (size_t i = 1; i < s->n && r == 0; i++) {
        const double periods = (double)(s->index[i] - s->index[i - 1]);
        const double ns = periods * period_ns + (double)s->lateness_ns[i] - (double)s->lateness_ns[i - 1];
        skips_n += periods > 1;
        r = st_series_add(&intervals, i, ns < (double)INT64_MAX ? llrint(ns) : INT64_MAX);
    }
    if (r == 0)
        r = st_series_bulk(&intervals, &bulk);
    st_series_finish(&intervals);
    if (r != 0)
        return r;
    interval.skips = skips_n * 2 > s->n;
    interval.interval_ns = (double)bulk.median_ns;
    interval.spread_ns = (double)bulk.high_ns - (double)bulk.low_ns;
    interval.found = interval.skips && interval.spread_ns < 0.02 * interval.interval_ns &&
                     fabs(remainder(interval.interval_ns, period_ns)) > 0.05 * period_ns;
    if (interval.found)
        interval.hz = rate_of(interval.interval_ns, interval.spread_ns / sqrt((double)s->n));
    *ret = interval;
    return 0;
}
