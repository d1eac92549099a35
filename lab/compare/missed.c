#include "lab/compare/missed.h"

#include "core/stats/distribution.h"
#include "lab/compare/verdict.h"

#define EXACT_MAX 100000.0 /* events; above, their number is as good as normal */
#define WINDOW    40.0     /* standard deviations: what is beyond is 0 in double precision */
#define ROUNDED   1e-9

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
