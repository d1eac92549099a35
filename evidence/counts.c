#include "evidence/counts.h"

#include "core/stats/distribution.h"

#define SCORE_MAX    127 /* of 60,000 events per unit of time and more */
#define SCORE_STEP   8.0 /* for twice as many */
#define JOINED_LEAST 5   /* blocks of a run: fewer have no p-value below the level */
#define DRIFT_LEVEL  0.025
#define Z_95         1.959964
#define HALF         0.5 /* an event, where there is none: a ratio is finite */

int st_counts_score(uint64_t events_n, double units)
{
    return (int)fmin(round(SCORE_STEP * log1p((double)events_n / units) / M_LN2), SCORE_MAX);
}

/* Of the sum of the scores since the change. */
static void moments(const struct st_counts_group *groups, size_t groups_n, int *ret_sum, double *ret_z)
{
    double mean = 0, variance = 0;
    *ret_sum = 0;
    ST_EACH_OF (group, groups, groups_n) {
        const double n = (double)group->n, since_n = (double)(group->n - group->before_n);
        double sum = 0, squares = 0;
        for (size_t i = 0; i < group->n; i++) {
            const int score = group->scores[i];
            *ret_sum += i >= group->before_n ? score : 0;
            sum += score;
            squares += (double)score * score;
        }
        if (since_n == 0)
            continue;
        mean += since_n * sum / n;
        variance += since_n * (n - since_n) / (n - 1) * (squares / n - sum * sum / (n * n));
    }
    *ret_z = variance > 0 ? (*ret_sum - mean) / sqrt(variance) : 0;
}

/* How likely each sum of since_n of the n scores is. To be freed; NULL when out of memory. */
static double *sums_of(const struct st_counts_group *group, int score_max, size_t *ret_n)
{
    const size_t m = group->n - group->before_n, width = m * (size_t)score_max + 1;
    double *ways = calloc((m + 1) * width, sizeof(*ways)), all = 0;
    if (ways == NULL)
        return NULL;
    ways[0] = 1;
    for (size_t i = 0; i < group->n; i++) {
        const size_t score = (size_t)group->scores[i];
        for (size_t k = i + 1 < m ? i + 1 : m; k > 0; k--) {
            for (size_t s = score; s <= k * (size_t)score_max; s++)
                ways[k * width + s] += ways[(k - 1) * width + s - score];
        }
    }
    for (size_t s = 0; s < width; s++)
        all += ways[s] = ways[m * width + s];
    ST_EACH_OF (way, ways, width)
        *way /= all;
    *ret_n = width;
    return ways;
}

/* The distribution of a sum of two. Frees both. */
static double *add_up(double *a, size_t a_n, double *b, size_t b_n)
{
    double *both = a != NULL && b != NULL ? calloc(a_n + b_n - 1, sizeof(*both)) : NULL;
    for (size_t i = 0; both != NULL && i < a_n; i++) {
        for (size_t k = 0; a[i] > 0 && k < b_n; k++)
            both[i + k] += a[i] * b[k];
    }
    free(a);
    free(b);
    return both;
}

static int exact_p(const struct st_counts_group *groups, size_t groups_n, int sum, double *ret)
{
    size_t all_n = 1;
    double *all = calloc(1, sizeof(*all)), below = 0, above = 0;
    if (all != NULL)
        all[0] = 1;
    ST_EACH_OF (group, groups, groups_n) {
        int score_max = 0;
        size_t n = 0;
        if (all == NULL || group->n == group->before_n)
            continue;
        ST_EACH_OF (score, group->scores, group->n)
            score_max = ST_MAX(*score, score_max);
        double *sums = sums_of(group, score_max, &n);
        all = add_up(all, all_n, sums, n);
        all_n += n - 1;
    }
    for (size_t s = 0; s < all_n && all != NULL; s++) {
        below += s <= (size_t)sum ? all[s] : 0;
        above += s >= (size_t)sum ? all[s] : 0;
    }
    *ret = fmin(2 * fmin(below, above), 1);
    const bool good = all != NULL;
    free(all);
    return good ? 0 : -ENOMEM;
}

int st_counts_judge(const struct st_counts_group *groups, size_t n, double far, double *ret_z, double *ret_p)
{
    int sum;
    moments(groups, n, &sum, ret_z);
    *ret_p = st_distribution_normal_p(*ret_z);
    return *ret_p < far ? exact_p(groups, n, sum, ret_p) : 0;
}

/* --- two runs --- */

struct side {
    double n, sum, squares; /* of blocks, of their events, of squares of these */
};

/* Several blocks joined to one: their scores, and what they add up to. */
static struct side take(const struct st_counts_run *run, size_t joined, int *scores)
{
    struct side side = {0};
    for (size_t i = 0; i + joined <= run->n; i += joined) {
        uint64_t events_n = 0;
        for (size_t k = 0; k < joined; k++)
            events_n += run->events_n[i + k];
        scores[(size_t)side.n++] = st_counts_score(events_n, (double)joined);
        side.sum += (double)events_n;
        side.squares += (double)events_n * (double)events_n;
    }
    return side;
}

/* Of the logarithm of a side's rate: as of independent events, or as the blocks scatter. */
static double variance_of(const struct side *side)
{
    const double mean = side->sum / side->n,
                 variance = (side->squares - side->n * mean * mean) / (side->n - 1),
                 scatter = mean > 0 ? fmax(1, variance / mean) : 1;
    return scatter / fmax(HALF, side->sum);
}

/* How many times as many events the busiest of the five sections has as the quietest; 1: chance. */
static double drift_of(const struct st_counts_run *run)
{
    double figures[ST_COUNTS_SIDE_MAX], sum[ST_DRIFT_SECTIONS] = {0}, blocks_n[ST_DRIFT_SECTIONS] = {0};
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < run->n; i++) {
        figures[i] = (double)run->events_n[i];
        sum[st_drift_section(i, run->n)] += figures[i];
        blocks_n[st_drift_section(i, run->n)]++;
    }
    if (st_drift_p(figures, run->n) > DRIFT_LEVEL)
        return 1;
    for (size_t i = 0; i < ST_DRIFT_SECTIONS; i++) {
        least = fmin(least, (sum[i] + HALF) / blocks_n[i]);
        most = fmax(most, (sum[i] + HALF) / blocks_n[i]);
    }
    return most / least;
}

static double sum_of(const struct st_counts_run *run)
{
    double sum = 0;
    for (size_t i = 0; i < run->n; i++)
        sum += (double)run->events_n[i];
    return sum;
}

int st_counts_compare(const struct st_counts_run runs[2], struct st_counts_difference *ret)
{
    const double drift = fmax(drift_of(&runs[0]), drift_of(&runs[1])),
                 seen[2] = {sum_of(&runs[0]), sum_of(&runs[1])};
    const size_t least_n = ST_MIN(runs[0].n, runs[1].n);
    *ret = (struct st_counts_difference){
        .verdict = ST_COUNTS_TOO_SHORT, .none = seen[0] + seen[1] <= 0, .fold = 1, .low = 1, .high = 1};
    if (least_n < ST_COUNTS_LEAST)
        return 0;
    if (!ret->none)
        ret->fold = ret->low = ret->high =
            fmax(HALF, seen[1]) / (double)runs[1].n / (fmax(HALF, seen[0]) / (double)runs[0].n);
    for (size_t joined = 1; least_n / joined >= JOINED_LEAST; joined *= 2) {
        struct st_counts_group group;
        double z, p;
        const struct side before = take(&runs[0], joined, group.scores);
        group.before_n = (size_t)before.n;
        const struct side now = take(&runs[1], joined, group.scores + group.before_n);
        group.n = group.before_n + (size_t)now.n;
        const int r = st_counts_judge(&group, 1, HUGE_VAL, &z, &p);
        if (r < 0)
            return r;
        const double reach = st_distribution_student_t(Z_95, before.n + now.n - 2) *
                             sqrt(variance_of(&before) + variance_of(&now));
        ret->p_value = fmax(ret->p_value, p);
        ret->low = fmin(ret->low, ret->fold * exp(-reach));
        ret->high = fmax(ret->high, ret->fold * exp(reach));
    }
    const bool shown = ret->p_value <= ST_COUNTS_LEVEL && (ret->low > 1 || ret->high < 1);
    ret->verdict = !shown                                    ? ST_COUNTS_SAME
                   : fmax(ret->fold, 1 / ret->fold) <= drift ? ST_COUNTS_DRIFTING
                   : ret->fold < 1                           ? ST_COUNTS_FEWER
                                                             : ST_COUNTS_MORE;
    return 0;
}

const char *st_counts_text(const struct st_counts_difference *d, char *buf, size_t buf_bytes)
{
    if (d->verdict == ST_COUNTS_FEWER)
        snprintf(buf, buf_bytes, "%.1f times fewer late wake-ups than before (95 %%: %.1f to %.1f)",
                 1 / d->fold, 1 / d->high, 1 / d->low);
    else if (d->verdict == ST_COUNTS_MORE)
        snprintf(buf, buf_bytes, "%.1f times as many late wake-ups as before (95 %%: %.1f to %.1f)", d->fold,
                 d->low, d->high);
    else if (d->verdict == ST_COUNTS_DRIFTING)
        snprintf(buf, buf_bytes,
                 "cannot tell: late wake-ups come and go within a run as much as between the two. Run it "
                 "again when the "
                 "computer does the same all the time");
    else if (d->verdict == ST_COUNTS_SAME && d->none)
        snprintf(buf, buf_bytes, "no difference shown: no late wake-ups in what was compared");
    else if (d->verdict == ST_COUNTS_TOO_SHORT)
        snprintf(buf, buf_bytes, "cannot tell: a run is too short. Repeat that one for longer");
    else
        snprintf(buf, buf_bytes,
                 "no difference shown: %.2g to %.2g times as many late wake-ups as before (95 %%)", d->low,
                 d->high);
    return buf;
}
