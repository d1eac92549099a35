#include "evidence/missed.h"

#include <errno.h>
#include <math.h>

#include "core/stats/distribution.h"
#include "evidence/verdict.h"

#define EXACT_MAX  100000.0 /* events; above, their number is as good as normal */
#define EVENTS_MAX 100.0    /* of A: up to here the probability that a difference is shown is summed up */
#define WINDOW     40.0     /* standard deviations: what is beyond is 0 in double precision */
#define POWER      0.8
/* The size of bursts is estimated from those that were seen; the rest of a burst does not count. By
 * simulation: docs/results.md. */
#define POWER_BURSTS 0.92
#define MORE_LEAST   1e-4
#define MORE_MOST    1e7
#define STEPS        40
#define ROUNDED      1e-9
#define A_RATES      5

/* Fisher's exact test: of `all` events in a + b trials, how many are among those of b. */
static double fisher_p(double events_b, double all, double trials_a, double trials_b)
{
    const double trials = trials_a + trials_b, share = trials_b / trials, mean = all * share;
    const double sd = sqrt(fmax(0, mean * (1 - share) * (trials - all) / fmax(trials - 1, 1)));
    if (all < 1 || !(sd > 0))
        return 1;
    if (all > EXACT_MAX) {
        const double off = fabs(events_b - mean) - 0.5;
        return off > 0 ? st_distribution_normal_p(off / sd) : 1;
    }
    const double first = ceil(fmax(0, all - trials_a)), last = floor(fmin(all, trials_b));
    const double mode = fmin(last, fmax(first, floor(mean))), reach = WINDOW * sd + WINDOW;
    double sum = 0, below = 0, above = 0; /* <= and >= what was seen */
    double share_of_k = 1;                /* of the mode's */
    for (double k = mode; k >= first && k >= mode - reach && share_of_k > 0; k--) {
        sum += share_of_k;
        below += k <= events_b ? share_of_k : 0;
        above += k >= events_b ? share_of_k : 0;
        share_of_k *= k * fmax(0, trials_a - all + k) / ((all - k + 1) * (trials_b - k + 1));
    }
    share_of_k = 1;
    for (double k = mode; k < last && k < mode + reach && share_of_k > 0; k++) {
        share_of_k *= (all - k) * (trials_b - k) / ((k + 1) * fmax(ROUNDED, trials_a - all + k + 1));
        sum += share_of_k;
        below += k + 1 <= events_b ? share_of_k : 0;
        above += k + 1 >= events_b ? share_of_k : 0;
    }
    return fmin(1, 2 * fmin(below, above) / sum);
}

/* Whole events: of the side that has more of them, no more than there are. */
static double whole(double events, bool more)
{
    return more ? floor(events + ROUNDED) : floor(events + 0.5);
}

static double counts_p(const struct st_missed *counts, double a, double b)
{
    const double n[2] = {fmax(1, floor(counts->trials[0] + ROUNDED)),
                         fmax(1, floor(counts->trials[1] + ROUNDED))};
    const bool b_more = b * n[0] > a * n[1];
    const double whole_a = fmin(n[0], whole(a, !b_more)), whole_b = fmin(n[1], whole(b, b_more));
    const bool turned = b_more != (whole_b * n[0] > whole_a * n[1]); /* what is left of it is the rounding */
    const double p = turned ? 1 : fisher_p(whole_b, whole_a + whole_b, n[0], n[1]);
    return counts->df > 0 ? fmin(1, st_distribution_student_p(st_distribution_normal_z(p / 2), counts->df))
                          : p;
}

void st_missed_judge(const struct st_missed *counts, struct st_figure *ret)
{
    const double *x = counts->events, *n = counts->trials;
    struct st_figure figure = {
        .known = {n[0] > 0, n[1] > 0}, .counts = *counts, .drift = {(double)NAN, (double)NAN}};
    for (size_t side = 0; side < 2; side++)
        figure.value[side] = n[side] > 0 ? x[side] / n[side] : 0;
    if (figure.known[0] && figure.known[1]) {
        const double a = figure.value[0], b = figure.value[1], value = b - a;
        const double factor = counts->df > 0
                                  ? st_distribution_student_t(ST_DISTRIBUTION_NORMAL_975, counts->df) /
                                        ST_DISTRIBUTION_NORMAL_975
                                  : 1;
        double low_a, high_a, low_b, high_b;
        st_estimate_share(x[0], n[0], &low_a, &high_a);
        st_estimate_share(x[1], n[1], &low_b, &high_b);
        double low = value - factor * hypot(b - low_b, high_a - a);
        double high = value + factor * hypot(high_b - b, a - low_a);
        figure.p_value = counts_p(counts, x[0], x[1]);
        /* the end towards 0 is on the side of 0 that the test says */
        const double z = st_distribution_normal_z(figure.p_value / 2);
        const double end = z > 0 ? value * (1 - ST_DISTRIBUTION_NORMAL_975 / z) : value > 0 ? -1 : 1;
        const bool shown = figure.p_value <= ST_VERDICT_LEVEL;
        if (value > 0 && shown != (low > 0))
            low = end;
        if (value < 0 && shown != (high < 0))
            high = end;
        figure.difference = (struct st_estimate){true, value, fmax(low, -1), fmin(high, 1)};
        figure.error = (figure.difference.high - figure.difference.low) / (2 * ST_DISTRIBUTION_NORMAL_975);
    }
    *ret = figure;
}

int st_missed_compare(uint64_t missed_a, uint64_t periods_a, uint64_t missed_b, uint64_t periods_b,
                      struct st_figure *ret)
{
    if (missed_a > periods_a || missed_b > periods_b)
        return -EINVAL;
    st_missed_judge(&(struct st_missed){.events = {(double)missed_a, (double)missed_b},
                                        .trials = {(double)periods_a, (double)periods_b},
                                        .scatter = 1},
                    ret);
    return 0;
}

/* --- power --- */

/** P(X <= k) of a binomial X, and P(X = k). */
static double binomial_below(double k, double n, double p, double *ret_at)
{
    const double mean = n * p, sd = sqrt(mean * (1 - p));
    const double log_at =
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p);
    double term = *ret_at = k > n ? 0 : exp(log_at), sum = 0;
    if (k >= n)
        return 1;
    if (k > mean + WINDOW * sd + WINDOW)
        return 1;
    if (k < mean) {
        for (double i = k; i >= 0 && term > sum * 1e-9; i--) {
            sum += term;
            term *= i / (n - i + 1) * (1 - p) / p;
        }
        return fmin(1, sum);
    }
    for (double i = k; i < n && (i == k || term > sum * 1e-9); i++) {
        term *= (n - i) / (i + 1) * p / (1 - p);
        sum += term;
    }
    return fmax(0, 1 - sum);
}

/** The least number of B's events that shows more of them than A's; more than there can be: none does.
 * @param low a number that does not show it. */
static double critical(const struct st_missed *counts, double a, double low, double level)
{
    const double most = floor(counts->trials[1]);
    double step = 1, high = fmin(low + 1, most);
    while (high < most && counts_p(counts, a, high) > level) {
        low = high;
        step *= 2;
        high = fmin(low + step, most);
    }
    if (high <= low || counts_p(counts, a, high) > level)
        return most + 1;
    while (high - low > 1) {
        const double middle = floor((low + high) / 2);
        *(counts_p(counts, a, middle) > level ? &low : &high) = middle;
    }
    return high;
}

/** How often B of rate b is shown to miss more than A of rate a. */
static double power_at(const struct st_missed *counts, double a, double b, double level)
{
    const double *n = counts->trials, mean = n[0] * a, sd = sqrt(mean * (1 - a));
    double seen = 0, shown = 0, at, least = 0;
    if (mean > EVENTS_MAX) {
        const double pooled = (mean + n[1] * b) / (n[0] + n[1]), step = 0.5 / n[0] + 0.5 / n[1];
        double z = st_distribution_normal_z(level / 2);
        z = counts->df > 0 ? st_distribution_student_t(z, counts->df) : z;
        const double beyond = z * sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1])) + step;
        const double off = (b - a - beyond) / sqrt(a * (1 - a) / n[0] + b * (1 - b) / n[1]);
        return off > 0 ? 1 - st_distribution_normal_p(off) / 2 : st_distribution_normal_p(off) / 2;
    }
    for (double k = fmax(0, floor(mean - 4 * sd)); k <= fmin(floor(n[0]), mean + 4 * sd + 4); k++) {
        double share = k == 0;
        if (a > 0)
            (void)binomial_below(k, n[0], a, &share);
        least = critical(counts, k, fmax(fmax(0, least - 1), floor(k * n[1] / n[0])), level);
        seen += share;
        if (least <= n[1])
            shown += share * (b < 1 ? 1 - binomial_below(least - 1, n[1], b, &at) : 1);
    }
    return seen > 0 ? shown / seen : 0;
}

/* A's rate is itself measured: the mean over what it may be, of equal probabilities (square roots of counts
 * vary as normal values of standard deviation 1/2). */
static double power_of(const struct st_missed *counts, double factor, double difference, double level)
{
    static const double zs[A_RATES] = {-1.2815515655, -0.5244005127, 0, 0.5244005127, 1.2815515655};
    struct st_missed more = *counts;
    double sum = 0;
    for (size_t side = 0; side < 2; side++)
        more.trials[side] = fmax(1, floor(more.trials[side] * factor + ROUNDED));
    for (size_t i = 0; i < A_RATES; i++) {
        const double root = fmax(0, sqrt(counts->events[0] + 0.25) + zs[i] / 2);
        const double a = counts->events[0] > 0 ? fmin(1, root * root / counts->trials[0]) : 0;
        sum += power_at(&more, a, fmin(1, a + difference), level);
    }
    return sum / A_RATES;
}

/** Where more than half is missed, what is not missed is counted instead. */
static struct st_missed rarer(const struct st_missed *counts)
{
    struct st_missed ret = *counts;
    for (size_t side = 0; side < 2 && counts->events[0] * 2 > counts->trials[0]; side++)
        ret.events[side] = counts->trials[side] - counts->events[side];
    return ret;
}

static bool is_enough(const struct st_missed *counts, double factor, double difference, double level)
{
    return power_of(counts, factor, difference, level) >= (counts->scatter > 1 ? POWER_BURSTS : POWER);
}

double st_missed_detectable(const struct st_missed *counts, double level)
{
    const struct st_missed rare = rarer(counts);
    double low = 0, high = 1 - rare.events[0] / rare.trials[0];
    if (!is_enough(&rare, 1, high, level))
        return (double)NAN;
    for (int i = 0; i < STEPS && high - low > 1e-4 * high; i++) {
        const double middle = (low + high) / 2;
        *(is_enough(&rare, 1, middle, level) ? &high : &low) = middle;
    }
    return high;
}

double st_missed_more_data(const struct st_missed *counts, double level, double difference)
{
    const struct st_missed rare = rarer(counts);
    double low = log(MORE_LEAST), high = log(MORE_MOST);
    for (int i = 0; i < STEPS && high - low > 1e-3; i++) {
        const double middle = (low + high) / 2;
        *(is_enough(&rare, exp(middle), fabs(difference), level) ? &high : &low) = middle;
    }
    return exp(high);
}
