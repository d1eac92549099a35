#include "evidence/tail.h"

#include "core/stats/stats.h"
#include "evidence/steady.h"

#define BURSTS_MIN   30
#define THRESHOLDS   10
#define FORWARD      0.1    /* share of thresholds that are rejected although they are good */
#define BLOCKS       30     /* of time: each third one is held out of a fit that is tested on it */
#define HELD_OUT_P   0.05   /* probability below which such a fit was too good to be true */
#define HELD_OUT_N   0.1    /* bursts that are held out: expected beyond the lateness that is tested ... */
#define HELD_OUT_MIN 3      /* ... at least */
#define SHAPE_MIN    (-0.5) /* below it the likelihood has no maximum that can be trusted */
#define SHAPE_MOST   0.5    /* with a heavier tail no bound is useful */
#define PROFILE      1.92   /* half of chi-squared's quantile 0.95: one-sided 97.5 % */
#define PROFILE_95   1.353  /* the same for one-sided 95 % */
#define APART_Z      2.576  /* how far one more value may move the shape: 99 % */
#define LATEST_MOST  15     /* values that are looked at one by one */
#define STEPS        40     /* of a search by golden section */
#define GOLDEN       0.6180339887498949

/* --- the distribution --- */

static double share_beyond(double shape, double scale, double x)
{
    const double y = x / scale;
    if (fabs(shape) < 1e-9)
        return exp(-y);
    return shape * y <= -1 ? 0 : exp(-log1p(shape * y) / shape);
}

static double likelihood(const double *x, size_t n, double shape, double scale)
{
    const double count = (double)n;
    double sum = 0;
    if (shape * x[n - 1] / scale <= -1)
        return -HUGE_VAL;
    ST_EACH_OF (value, x, n)
        sum += fabs(shape) < 1e-9 ? *value / scale : log1p(shape * *value / scale);
    return -count * log(scale) - sum * (fabs(shape) < 1e-9 ? 1 : 1 + 1 / shape);
}

/* With its likelihood. */
struct fit {
    double shape, scale, likelihood;
};

static double mean_of(const double *x, size_t n)
{
    double mean = 0;
    ST_EACH_OF (value, x, n)
        mean += *value / (double)n;
    return mean;
}

/* The best fit with theta = shape / scale. */
static struct fit fit_at(const double *x, size_t n, double mean, double theta)
{
    struct fit fit = {.scale = mean};
    double sum = 0;
    ST_EACH_OF (value, x, n)
        sum += log1p(theta * *value);
    if (fabs(theta * mean) > 1e-7) {
        fit.shape = sum / (double)n;
        fit.scale = fit.shape / theta;
    }
    fit.likelihood = fit.shape < SHAPE_MIN ? -HUGE_VAL : -(double)n * (log(fit.scale) + fit.shape + 1);
    return fit;
}

/* Largest likelihood; x ascends and is positive. */
static struct fit fit_of(const double *x, size_t n)
{
    const double mean = mean_of(x, n);
    /* theta * mean from -mean / max, where the distribution would end at the largest value, to 10, a shape of
     * 0.9 */
    const double least = log1p(-0.9999 * mean / x[n - 1]), most = log(11);
    struct fit best = {.likelihood = -HUGE_VAL};
    int at = 0;
    for (int i = 0; i <= STEPS; i++) {
        const struct fit fit = fit_at(x, n, mean, expm1(least + (most - least) * i / STEPS) / mean);
        if (fit.likelihood > best.likelihood) {
            best = fit;
            at = i;
        }
    }
    double low = least + (most - least) * fmax(0, at - 1) / STEPS;
    double high = least + (most - least) * fmin(STEPS, at + 1) / STEPS;
    for (int i = 0; i < STEPS / 2; i++) {
        const double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
        const struct fit left = fit_at(x, n, mean, expm1(a) / mean),
                         right = fit_at(x, n, mean, expm1(b) / mean);
        const bool go_left = left.likelihood > right.likelihood;
        if ((go_left ? left : right).likelihood > best.likelihood)
            best = go_left ? left : right;
        *(go_left ? &high : &low) = go_left ? b : a;
    }
    best.likelihood = likelihood(x, n, best.shape, best.scale);
    return best;
}

/* Anderson-Darling against the fit: the share of samples of that distribution that are worse. */
static double goodness(const double *x, size_t n, const struct fit *fit)
{
    /* that 10 % exceed; by simulation: 1500 samples of 100 values for each shape from -0.5 in steps of 0.1;
     * smoothed */
    static const double worst[] = {1.00, 0.90, 0.87, 0.85, 0.82, 0.80, 0.78,
                                   0.76, 0.73, 0.72, 0.70, 0.68, 0.66};
    const double place = fmin(fmax((fit->shape + 0.5) * 10, 0), ST_ARRAY_LEN(worst) - 1.001);
    const size_t i = (size_t)place;
    const double limit = worst[i] + (worst[i + 1] - worst[i]) * (place - (double)i);
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        const double below = 1 - share_beyond(fit->shape, fit->scale, x[k]);
        const double beyond = share_beyond(fit->shape, fit->scale, x[n - 1 - k]);
        sum += (2 * (double)k + 1) * (log(fmax(below, 1e-300)) + log(fmax(beyond, 1e-300)));
    }
    const double distance = -(double)n - sum / (double)n;
    return fmin(1, 0.1 * exp(-3 * (distance / limit - 1))); /* by the same samples, from 90 to 1 % */
}

/* Are the latest ones of another kind? Each of them is added to those below it: the shape must stay where
 * these have it. Source: TailID, ECRTS 2025. */
static bool is_mixture(const double *x, size_t n)
{
    const size_t latest_n = n / 3 < LATEST_MOST ? n / 3 : LATEST_MOST;
    struct fit before = fit_of(x, n - latest_n);
    for (size_t k = n - latest_n + 1; k <= n; k++) {
        const struct fit fit = fit_of(x, k);
        if (fit.shape > before.shape + APART_Z * (1 + before.shape) / sqrt((double)k - 1))
            return true;
        before = fit;
    }
    return false;
}

/* --- bursts --- */

struct points {
    const double *at_s, *lateness_ns;
    size_t n;
    double seconds;
};

struct bursts {
    double *gaps, *sorted; /* room for a value of each point */
    double *maxima;        /* beyond the threshold, ascending */
    size_t n;
    uint64_t part_n[ST_STEADY_PARTS];
};

/* Which bursts count. */
enum part { ALL, FITTED, HELD_OUT };

/* How many bursts values with these gaps are: the intervals estimator of Ferro and Segers, for times that are
 * no whole numbers. */
static size_t bursts_of(const double *gaps, size_t gaps_n)
{
    double sum = 0, squares = 0;
    ST_EACH_OF (gap, gaps, gaps_n) {
        sum += *gap;
        squares += *gap * *gap;
    }
    const double each = squares > 0 ? fmin(1, 2 * sum * sum / ((double)gaps_n * squares)) : 0;
    return (size_t)fmax(1, floor(each * (double)(gaps_n + 1)));
}

/* The largest gaps part the values beyond u_ns into bursts. */
static void find_bursts(const struct points *points, double u_ns, enum part part, struct bursts *bursts)
{
    size_t gaps_n = 0;
    double before_s = -1;
    bursts->n = 0;
    memset(bursts->part_n, 0, sizeof(bursts->part_n));
    for (size_t i = 0; i < points->n; i++) {
        if (points->lateness_ns[i] <= u_ns)
            continue;
        if (before_s >= 0)
            bursts->gaps[gaps_n++] = points->at_s[i] - before_s;
        before_s = points->at_s[i];
    }
    const size_t borders_n = bursts_of(bursts->gaps, gaps_n) - 1;
    memcpy(bursts->sorted, bursts->gaps, gaps_n * sizeof(bursts->gaps[0]));
    st_stats_sort_double(bursts->sorted, gaps_n);
    const double border_s = borders_n > 0 ? bursts->sorted[gaps_n - borders_n] : HUGE_VAL;
    bool open = false;
    before_s = -HUGE_VAL;
    for (size_t i = 0; i < points->n; i++) {
        const double beyond_ns = points->lateness_ns[i] - u_ns;
        if (beyond_ns <= 0)
            continue;
        if (points->at_s[i] - before_s >= border_s || before_s < 0) {
            const double place = fmin(0.999999, points->at_s[i] / points->seconds);
            const bool held_out = (size_t)(place * BLOCKS) % 3 == 2;
            open = part == ALL || held_out == (part == HELD_OUT);
            if (open) {
                bursts->part_n[(size_t)(place * ST_STEADY_PARTS)]++;
                bursts->maxima[bursts->n++] = 0;
            }
        }
        if (open)
            bursts->maxima[bursts->n - 1] = fmax(bursts->maxima[bursts->n - 1], beyond_ns);
        before_s = points->at_s[i];
    }
    st_stats_sort_double(bursts->maxima, bursts->n);
}

static bool is_steady(const struct bursts *bursts)
{
    return !st_steady_of(bursts->part_n).changed;
}

/* --- the model --- */

/* The largest scale that a shape can have with a likelihood of `least`. @return < 0: none. */
static double scale_of(const double *x, size_t n, double shape, double least, double guess)
{
    double low = fmax(guess / 20, -shape * x[n - 1] * (1 + 1e-9)), high = guess * 20;
    for (int i = 0; i < STEPS; i++) { /* the best scale; the likelihood has one maximum */
        const double a = low * pow(high / low, 1 - GOLDEN), b = low * pow(high / low, GOLDEN);
        const bool go_left = likelihood(x, n, shape, a) > likelihood(x, n, shape, b);
        *(go_left ? &high : &low) = go_left ? b : a;
    }
    if (likelihood(x, n, shape, low) < least)
        return -1;
    high = low * 20;
    for (int i = 0; i < STEPS / 2; i++) {
        const double middle = sqrt(low * high);
        *(likelihood(x, n, shape, middle) >= least ? &low : &high) = middle;
    }
    return low;
}

/* @return the largest shape that is not excluded at one-sided 95 %. */
static double fill_curve(const double *x, size_t n, const struct fit *fit, struct st_tail *tail)
{
    const double error = fmax(0.5, 1 + fit->shape) / sqrt((double)n);
    double most = fit->shape;
    struct fit exponential = fit_at(x, n, mean_of(x, n), 0);
    exponential.likelihood = likelihood(x, n, 0, exponential.scale);
    /* that stalls end somewhere (a negative shape) is not known from those that were seen */
    tail->curve[0].scale_ns = scale_of(x, n, 0, exponential.likelihood - PROFILE, exponential.scale);
    tail->curve_n = 1;
    for (int i = 0; i < ST_TAIL_CURVE - 1; i++) {
        const double shape = fit->shape + error * (i - 10) / 4;
        const double scale_ns = scale_of(x, n, shape, fit->likelihood - PROFILE, fit->scale);
        if (shape < SHAPE_MIN || scale_ns < 0)
            continue;
        tail->curve[tail->curve_n].shape = shape;
        tail->curve[tail->curve_n++].scale_ns = scale_ns;
        if (scale_of(x, n, shape, fit->likelihood - PROFILE_95, fit->scale) > 0)
            most = fmax(most, shape);
    }
    return most;
}

/* The lowest threshold from which on maxima of bursts fit. Source: G'Sell et al., "Sequential selection
 * procedures and false discovery rate control", 2016 (ForwardStop). @return why none. */
static const char *choose(const struct points *points, const double *descending, struct bursts *bursts,
                          struct st_tail *tail)
{
    double tested_ns[THRESHOLDS], sum = 0;
    size_t tested_n = 0, rejected_n = 0;
    for (int i = 0; i < THRESHOLDS && points->n > BURSTS_MIN; i++) {
        const double share = pow(BURSTS_MIN / (double)points->n, (double)i / (THRESHOLDS - 1));
        const double u_ns = descending[(size_t)fmin((double)points->n - 1, (double)points->n * share)];
        find_bursts(points, u_ns, ALL, bursts);
        if (bursts->n < BURSTS_MIN)
            continue;
        const struct fit fit = fit_of(bursts->maxima, bursts->n);
        tested_ns[tested_n++] = u_ns;
        sum -= log1p(-fmin(0.999, goodness(bursts->maxima, bursts->n, &fit)));
        if (sum <= FORWARD * (double)tested_n)
            rejected_n = tested_n;
    }
    if (tested_n == 0)
        return "fewer than 30 bursts of stalls were seen";
    if (rejected_n == tested_n)
        return "the longest stalls follow no distribution that a forecast could use";
    /* stalls of one length can come and go while the number of all of them stays */
    find_bursts(points, tested_ns[tested_n - 1], ALL, bursts);
    const bool longest_steady = is_steady(bursts);
    tail->u_ns = tested_ns[rejected_n];
    find_bursts(points, tail->u_ns, ALL, bursts);
    return longest_steady && is_steady(bursts) ? NULL : "the load changed during the recording";
}

/* A fit of two thirds of the run says how many bursts of the held-out third are longer than some lateness.
 * @return the probability of at least as many as there are, if all three follow one law (negative
 * binomial). */
static double held_out_p(const struct points *points, double u_ns, struct bursts *bursts)
{
    find_bursts(points, u_ns, FITTED, bursts);
    if (bursts->n < 2)
        return 1;
    const struct fit fit = fit_of(bursts->maxima, bursts->n);
    const double third_n = (double)bursts->n / 2, expected = fmax(HELD_OUT_MIN, HELD_OUT_N * third_n);
    find_bursts(points, u_ns, HELD_OUT, bursts);
    double longer_n = 0, term = pow(2.0 / 3, 2 * expected), less = 0;
    ST_EACH_OF (maximum, bursts->maxima, bursts->n)
        longer_n += share_beyond(fit.shape, fit.scale, *maximum) * third_n < expected;
    for (double k = 0; k < longer_n; k++) {
        less += term;
        term *= (k + 2 * expected) / (k + 1) / 3;
    }
    return 1 - less;
}

static void model(const struct points *points, const double *descending, struct bursts *bursts,
                  struct st_tail *tail)
{
    tail->refused = choose(points, descending, bursts, tail);
    if (tail->refused != NULL)
        return;
    const struct fit fit = fit_of(bursts->maxima, bursts->n);
    if (is_mixture(bursts->maxima, bursts->n)) {
        tail->refused = "the longest stalls follow another distribution than the shorter ones";
        return;
    }
    tail->shape = fit.shape;
    tail->scale_ns = fit.scale;
    tail->per_hour = (double)bursts->n * 3600 / points->seconds;
    tail->per_hour_high = st_stats_gamma_quantile(0.975, (double)bursts->n + 1) * 3600 / points->seconds;
    if (fill_curve(bursts->maxima, bursts->n, &fit, tail) > SHAPE_MOST)
        tail->refused = "stalls may be much longer than those seen (heavy tail)";
    tail->held_out_p = held_out_p(points, tail->u_ns, bursts);
    if (tail->refused == NULL && tail->held_out_p < HELD_OUT_P)
        tail->refused = "a forecast from two thirds of the run did not fit the other third";
}

int st_tail_fit(const double *at_s, const double *lateness_ns, size_t n, double seconds, struct st_tail *ret)
{
    const struct points points = {at_s, lateness_ns, n, seconds};
    double *room = n > 0 ? malloc(4 * n * sizeof(*room)) : NULL;
    *ret = (struct st_tail){.refused = "no stall was seen"};
    if (n == 0)
        return 0;
    if (room == NULL)
        return -ENOMEM;
    struct bursts bursts = {.gaps = room, .sorted = room + n, .maxima = room + 2 * n};
    double *descending = room + 3 * n;
    memcpy(descending, lateness_ns, n * sizeof(*room));
    st_stats_sort_double(descending, n);
    ret->largest_ns = descending[n - 1];
    for (size_t i = 0; i < n / 2; i++) {
        const double swap = descending[i];
        descending[i] = descending[n - 1 - i];
        descending[n - 1 - i] = swap;
    }
    model(&points, descending, &bursts, ret);
    free(room);
    return 0;
}

double st_tail_per_hour(const struct st_tail *tail, double first_ns, double step_ns, uint64_t n,
                        double *ret_high)
{
    double estimate = 0, high = 0;
    for (size_t c = 0; c <= tail->curve_n; c++) {
        const bool is_fit = c == tail->curve_n;
        double sum = 0;
        for (uint64_t j = 0; j < n; j++)
            sum += share_beyond(is_fit ? tail->shape : tail->curve[c].shape,
                                is_fit ? tail->scale_ns : tail->curve[c].scale_ns,
                                first_ns + (double)j * step_ns - tail->u_ns);
        if (is_fit)
            estimate = sum / (double)n;
        high = fmax(high, sum / (double)n);
    }
    *ret_high = high * tail->per_hour_high;
    return estimate * tail->per_hour;
}
