#include "evidence/counts.h"

#include "core/text/text.h"

#define SCORE_STEP 4.0 /* score for each doubling of the rate */
#define SCORE_MAX  63  /* largest score, for about 50,000 or more events in a unit of time */
#define SUMS       (ST_COUNTS_SIDE_MAX * SCORE_MAX + 1)
/* 97.5 % quantile of Student's t with 14 degrees of freedom: two runs of 8 sections */
#define T_95 2.145
#define HALF 0.5 /* used in place of 0 events, so that a ratio is finite */

int st_counts_score(double rate)
{
    return (int)fmin(round(SCORE_STEP * log1p(rate) / M_LN2), SCORE_MAX);
}

int st_counts_judge(const struct st_counts_group *groups, size_t n, double *ret_p, bool *ret_more)
{
    /* ways[k][s], k >= 1: in how many ways k scores of the current group can be chosen so that
     * their sum is s. ways[0][s]: probability that the scores chosen in all groups so far have the
     * sum s. */
    double(*ways)[SUMS] = calloc(ST_COUNTS_SIDE_MAX + 1, sizeof(*ways)), below = 0, above = 0;
    size_t reach = 1, sum = 0;
    if (ways == NULL)
        return -ENOMEM;
    ways[0][0] = 1;
    ST_EACH_OF (group, groups, n) {
        const size_t since_n = group->n - group->before_n;
        int most = 0;
        double all = 0;
        ST_EACH_OF (score, group->scores, group->n)
            most = ST_MAX(*score, most);
        reach += since_n * (size_t)most;
        memset(ways[1], 0, since_n * sizeof(*ways));
        for (size_t i = 0; i < group->n; i++) {
            const size_t score = (size_t)group->scores[i];
            sum += i >= group->before_n ? score : 0;
            for (size_t k = ST_MIN(i + 1, since_n); k > 0; k--) {
                for (size_t s = score; s < reach; s++)
                    ways[k][s] += ways[k - 1][s - score];
            }
        }
        for (size_t s = 0; s < reach; s++)
            all += ways[since_n][s];
        for (size_t s = 0; s < reach; s++)
            ways[0][s] = ways[since_n][s] / all;
    }
    for (size_t s = 0; s < reach; s++) {
        below += s <= sum ? ways[0][s] : 0;
        above += s >= sum ? ways[0][s] : 0;
    }
    free(ways);
    *ret_p = fmin(2 * fmin(below, above), 1);
    *ret_more = above < below;
    return 0;
}

/* --- comparison of two runs --- */

struct side {
    double sum;
    /* variance of the logarithm of the rate: that of independent events, or that between the
     * sections if it is larger */
    double variance;
    /* how much the rate drifts within the run: ratio of the busiest quarter to the quietest one,
     * each moved by two standard deviations towards the other; below 1: no drift */
    double drift;
};

static struct side take(const uint64_t *events_n, int *scores)
{
    struct side side = {0};
    double squares = 0, least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < ST_COUNTS_SECTIONS; i++) {
        const double n = (double)events_n[i], quarter = n + (double)events_n[i ^ 1];
        scores[i] = st_counts_score(n);
        side.sum += n;
        squares += n * n;
        least = fmin(least, quarter);
        most = fmax(most, quarter);
    }
    const double mean = fmax(HALF, side.sum) / ST_COUNTS_SECTIONS,
                 variance = (squares - side.sum * side.sum / ST_COUNTS_SECTIONS) /
                            (ST_COUNTS_SECTIONS - 1);
    side.variance = fmax(1, variance / mean) / fmax(HALF, side.sum);
    side.drift = (most - 2 * sqrt(most)) / fmax(HALF, least + 2 * sqrt(least));
    return side;
}

int st_counts_compare(const uint64_t before_n[ST_COUNTS_SECTIONS],
                      const uint64_t now_n[ST_COUNTS_SECTIONS], struct st_counts_difference *ret)
{
    struct st_counts_group group = {.before_n = ST_COUNTS_SECTIONS, .n = 2 * ST_COUNTS_SECTIONS};
    const struct side before = take(before_n, group.scores),
                      now = take(now_n, group.scores + ST_COUNTS_SECTIONS);
    const double fold = fmax(HALF, now.sum) / fmax(HALF, before.sum),
                 reach = exp(T_95 * sqrt(before.variance + now.variance)),
                 change = fmax(fold, 1 / fold);
    double p;
    bool more;
    const int r = st_counts_judge(&group, 1, &p, &more);
    if (r < 0)
        return r;
    enum st_counts_verdict verdict = fold > 1 ? ST_COUNTS_MORE : ST_COUNTS_FEWER;
    if (change <= fmax(before.drift, now.drift))
        verdict = ST_COUNTS_DRIFTING;
    if (p > ST_COUNTS_LEVEL || change < reach)
        verdict = ST_COUNTS_SAME;
    *ret = (struct st_counts_difference){.verdict = verdict,
                                         .none = before.sum + now.sum <= 0,
                                         .fold = fold,
                                         .low = fold / reach,
                                         .high = fold * reach,
                                         .p_value = p};
    return 0;
}

const char *st_counts_text(const struct st_counts_difference *d)
{
    if (d->verdict == ST_COUNTS_FEWER)
        return st_text("%.1f times fewer late wake-ups than before (95 %%: %.1f to %.1f)",
                       1 / d->fold, 1 / d->high, 1 / d->low);
    if (d->verdict == ST_COUNTS_MORE)
        return st_text("%.1f times as many late wake-ups as before (95 %%: %.1f to %.1f)", d->fold,
                       d->low, d->high);
    if (d->verdict == ST_COUNTS_DRIFTING)
        return "cannot tell: late wake-ups vary as much within one measurement as between the two. "
               "Measure again while the computer does the same thing all the time";
    if (d->verdict == ST_COUNTS_SAME && d->none)
        return "no difference shown: neither measurement had a late wake-up";
    if (d->verdict == ST_COUNTS_TOO_SHORT)
        return "cannot tell: one of the two measurements is too short. Measure for longer";
    return st_text(
        "no difference shown: %.2g to %.2g times as many late wake-ups as before (95 %%)", d->low,
        d->high);
}
