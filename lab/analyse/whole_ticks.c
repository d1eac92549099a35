#include "lab/analyse/whole_ticks.h"

#include "core/ns.h"
#include "lab/analyse/periodic.h"
#include "lab/analyse/ticks.h"

#define JUMPS_MIN 15
/* least mean cosine of the distance from whole ticks, where a tick is 360 degrees */
#define CLOSE_MIN 0.8
#define P_LOG_MAX (-11.5) /* logarithm of the largest p-value: 1 in 100000 */
#define LEVELS_N  9       /* levels that are counted: -4 .. 4 ticks from the median */
#define LEVEL_MIN 0.02    /* least share of the samples that must lie on a level */
#define HZ_MAX    1024    /* faster rates are not those of a scheduler */
/* least range of lateness, 5 % to 95 %, in ticks, if lateness grows up to each jump */
#define SPREAD_MIN 0.4
#define SPREAD_MAX 1.6

#define BANDS_P_LOG_MAX (-14.0)
#define BAND_REACH      0.12 /* largest distance of a band from a whole tick, in ticks */
#define BAND_SHARE      0.6
#define BAND_MIN_N      5
#define BANDS_N         64
/* Least number of rounding steps of the samples in a tick: with fewer, levels and bands may come
 * from the rounding. */
#define LEVEL_STEPS_MIN 8
#define BAND_STEPS_MIN  20

/* How near the values of a series are to a whole number of ticks from their median. */
struct closeness {
    double near, far; /* mean cosine (CLOSE_MIN) of values less than half a tick from the median,
                         and of all others */
    uint64_t far_n;
    int levels_n; /* number of levels that have LEVEL_MIN of the values or more */
};

static struct closeness look(const struct st_series *s, int64_t median_ns, double tick_ns)
{
    struct closeness c = {0};
    uint64_t on[LEVELS_N] = {0};
    ST_EACH_OF (late_ns, s->lateness_ns, s->n) {
        const double ticks = ((double)*late_ns - (double)median_ns) / tick_ns;
        const double whole = nearbyint(ticks), close = cos(2 * M_PI * (ticks - whole));
        if (fabs(ticks) < 0.5) {
            c.near += close;
        } else {
            c.far += close;
            c.far_n++;
        }
        if (fabs(whole) <= LEVELS_N / 2)
            on[(int)whole + LEVELS_N / 2]++;
    }
    c.near /= fmax((double)(s->n - c.far_n), 1);
    c.far /= fmax((double)c.far_n, 1);
    ST_EACH (level, on)
        c.levels_n += (double)*level >= LEVEL_MIN * (double)s->n;
    return c;
}

static bool is_close(const struct closeness *c)
{
    return c->far_n >= JUMPS_MIN && c->near >= CLOSE_MIN && c->far >= CLOSE_MIN &&
           -(double)c->far_n * c->far * c->far + log((double)st_periodic_usual_hz_n) < P_LOG_MAX;
}

/* The largest step of which all differences from the first sample are multiples (greatest common
 * divisor). */
static int64_t step_of(const struct st_series *s)
{
    int64_t step = 0;
    for (size_t i = 1; i < s->n; i++) {
        int64_t rest = llabs(st_ns_sub(s->lateness_ns[i], s->lateness_ns[0]));
        while (rest != 0) {
            const int64_t before = step;
            step = rest;
            rest = before % rest;
        }
    }
    return step;
}

/* Finds the longest tick that fits, because each whole fraction of it fits, too. */
static void find(const struct st_series *s, const struct st_series *changes, double step_ns,
                 struct st_whole_ticks *ret)
{
    struct st_series_bulk bulk, moves;
    if (st_series_bulk(s, &bulk) != 0 || st_series_bulk(changes, &moves) != 0)
        return;
    const double spread_ns = (double)bulk.high_ns - (double)bulk.low_ns;
    ST_EACH_OF (hz, st_periodic_usual_hz, st_periodic_usual_hz_n) {
        const double tick_ns = 1e9 / *hz;
        if (LEVEL_STEPS_MIN * step_ns >= tick_ns)
            continue;
        const struct closeness at = look(s, bulk.median_ns, tick_ns),
                               by = look(changes, moves.median_ns, tick_ns);
        const bool levels = is_close(&at) && at.levels_n >= 3;
        const bool jumps = at.near < CLOSE_MIN && is_close(&by) &&
                           spread_ns > SPREAD_MIN * tick_ns && spread_ns < SPREAD_MAX * tick_ns;
        if ((levels || jumps) && *hz <= HZ_MAX && (!ret->found || *hz < ret->hz))
            *ret = (struct st_whole_ticks){.found = true,
                                           .hz = *hz,
                                           .levels = levels,
                                           .jumps_n = levels ? at.far_n : by.far_n};
    }
}

/* --- bands: late wake-ups come at the next tick or at one after it --- */

static bool has_bands(const struct st_series *s, int64_t median_ns, double tick_ns, size_t rates_n,
                      struct st_whole_ticks *ret)
{
    double cosines = 0, sines = 0;
    uint64_t on[BANDS_N] = {0}, on_n = 0, late_n = 0, full_n = 0;
    ST_EACH_OF (late_ns, s->lateness_ns, s->n) {
        const double ticks = (double)*late_ns / tick_ns, whole = nearbyint(ticks);
        if ((double)*late_ns <= (double)median_ns + tick_ns / 2)
            continue;
        late_n++;
        cosines += cos(2 * M_PI * (ticks - whole));
        sines += sin(2 * M_PI * (ticks - whole));
        if (fabs(ticks - whole) > BAND_REACH)
            continue;
        on_n++;
        if (whole >= 1 && whole < BANDS_N)
            full_n += ++on[(size_t)whole] == BAND_MIN_N;
    }
    const double log_p =
        -(cosines * cosines + sines * sines) / fmax((double)late_n, 1) + log((double)rates_n);
    if (log_p > BANDS_P_LOG_MAX || fabs(atan2(sines, cosines)) > 2 * M_PI * BAND_REACH ||
        full_n < 2 || (double)on_n < BAND_SHARE * (double)late_n)
        return false;
    ret->bands_n = on_n;
    ret->late_n = late_n;
    return true;
}

/* Finds the longest tick that fits, because each whole fraction of it fits, too. */
static int find_bands(const struct st_series *s, double step_ns, struct st_whole_ticks *ret)
{
    static const int rates_hz[] = {50, 60, 100, 200, 250, 300, 500, 1000};
    struct st_series_bulk bulk;
    const int r = st_series_bulk(s, &bulk);
    for (size_t i = 0; i < ST_ARRAY_LEN(rates_hz) && r == 0 && ret->bands_hz == 0; i++) {
        const double tick_ns = 1e9 / rates_hz[i];
        if (BAND_STEPS_MIN * step_ns < tick_ns &&
            has_bands(s, bulk.median_ns, tick_ns, ST_ARRAY_LEN(rates_hz), ret))
            ret->bands_hz = rates_hz[i];
    }
    return r;
}

int st_whole_ticks_find(const struct st_series *s, struct st_whole_ticks *ret)
{
    struct st_series changes;
    int r = 0;
    *ret = (struct st_whole_ticks){0};
    if (s->n < ST_TICKS_SAMPLES_MIN)
        return -ENODATA;
    const double step_ns = (double)step_of(s);
    st_series_init(&changes, &s->period);
    for (size_t i = 1; i < s->n && r == 0; i++)
        r = st_series_add(&changes, i, st_ns_sub(s->lateness_ns[i], s->lateness_ns[i - 1]));
    if (r == 0)
        find(s, &changes, step_ns, ret);
    st_series_finish(&changes);
    return r == 0 && !ret->found ? find_bands(s, step_ns, ret) : r;
}
