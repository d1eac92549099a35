#include "lab/analyse/late_ones.h"

#include "core/ns.h"
#include "core/stats/stats.h"

#define BETWEEN_MAX 2 /* periods: outliers that are not farther apart are one event */
#define EVENTS_MIN  6
/* largest share of samples that are events: among more, no train is looked for */
#define EVENTS_SHARE 0.25
#define EVERY_MIN    4 /* least distance of two moments of a train (regular events), in periods */
#define SEEN_MIN     0.75 /* least share of the moments of a train that have an event */
#define FROM_N       40   /* events that are tried as the first one of a train */
#define AHEAD_N      6 /* events after the first one that are tried as the second one of a train */
#define P_LOG_MAX    (-9.2) /* logarithm of the largest p-value of a train: 1 in 10000 */
/* how often a train is looked for: among all outliers, then among the latest half, quarter ... of
 * them */
#define TRIES     5
#define PARTS_MAX 8
#define GROUP_MIN 8
/* largest width of a group, as a share of its distance from all other samples */
#define GROUP_WIDTH 0.5

/* Events: outliers, of which neighbours count as one. Times are in periods since the first
 * sample. */
struct events {
    double *at;
    size_t n;
    double span;
};

struct train {
    double first, every; /* first moment of the train, and distance of its moments, in periods */
    size_t seen_n, slots_n;
};

/* The time of the event that is nearest to a moment. */
static double nearest(const struct events *e, double place)
{
    size_t low = 0, high = e->n - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (e->at[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && place - e->at[low - 1] < e->at[low] - place ? e->at[low - 1] : e->at[low];
}

static double reach(double every)
{
    return 1 + 0.005 * every;
}

/* Follows a train from one event on, forwards and then backwards, with a first guess of the
 * distance of its moments. Each event that is met makes the distance more exact. */
static struct train follow(const struct events *e, double from, double every)
{
    struct train t = {from, every, 1, 1};
    double n = 1, sum_k = 0, sum_x = 0, sum_kk = 0, sum_kx = 0;
    for (int side = 1; side >= -1; side -= 2) {
        for (double k = side;; k += side) {
            const double place = t.first + k * t.every;
            if (place < 0 || place > e->span)
                break;
            const double at = nearest(e, place);
            t.slots_n++;
            if (fabs(at - place) > reach(t.every))
                continue;
            t.seen_n++;
            n += 1;
            sum_k += k;
            sum_x += at - from;
            sum_kk += k * k;
            sum_kx += k * (at - from);
            t.every = (sum_kx - sum_k * sum_x / n) / (sum_kk - sum_k * sum_k / n);
            t.first = from + (sum_x - t.every * sum_k) / n;
            if (!(t.every >= EVERY_MIN))
                return t;
        }
    }
    return t;
}

static const double tried_log =
    7.1; /* logarithm of the number of trains tried: FROM_N * AHEAD_N * TRIES */

/* Logarithm of Chernoff's bound of the probability that this number of moments has an event if
 * events come at random times. */
static double log_chance(const struct events *e, const struct train *t)
{
    const double rate = (double)e->n / fmax(e->span, 1), n = (double)t->slots_n;
    const double q = fmin(rate * (2 * reach(t->every) + 1), 1), seen = ((double)t->seen_n - 1) / n;
    if (seen <= q)
        return 0;
    return -n * (seen * log(seen / q) + (seen < 1 ? (1 - seen) * log((1 - seen) / (1 - q)) : 0));
}

/* Extends a train whose moments are only every second, third ... moment of a denser one: if the
 * moments between have more events than chance makes, all of them are one train. */
static struct train fill_up(const struct events *e, struct train t)
{
    for (int parts = 2; parts <= PARTS_MAX && t.every / parts >= EVERY_MIN; parts++) {
        const struct train all = follow(e, t.first, t.every / parts);
        const struct train between = {all.first, all.every, all.seen_n - t.seen_n + 1,
                                      all.slots_n - t.slots_n};
        if (all.every >= EVERY_MIN && all.seen_n > t.seen_n && all.slots_n > t.slots_n &&
            log_chance(e, &between) + tried_log < P_LOG_MAX) {
            t = all;
            parts = 1;
        }
    }
    return t;
}

static struct train find_train(const struct events *e)
{
    struct train best = {0};
    const size_t apart = e->n / FROM_N + 1;
    for (size_t i = 0; i < e->n; i += apart) {
        for (size_t j = i + 1; j < e->n && j <= i + AHEAD_N; j++) {
            if (e->at[j] - e->at[i] < EVERY_MIN)
                continue;
            const struct train t = follow(e, e->at[i], e->at[j] - e->at[i]);
            if (t.every >= EVERY_MIN && t.seen_n > best.seen_n && t.seen_n >= EVENTS_MIN &&
                (double)t.seen_n >= SEEN_MIN * (double)t.slots_n &&
                log_chance(e, &t) + tried_log < P_LOG_MAX)
                best = t;
        }
    }
    return best.seen_n > 0 ? fill_up(e, best) : best;
}

/* Finds the outliers, and whether they are a group. @param all the samples, sorted. */
static void look_at_sizes(const struct st_sample *all, struct st_late_ones *ret)
{
    const uint64_t n = all->n;
    const int64_t q1 = st_sample_quantile(all, 0.25), q3 = st_sample_quantile(all, 0.75);
    const int64_t iqr = st_ns_sub(q3, q1);
    ret->limit_ns = iqr < INT64_MAX / 3 ? st_ns_add(q3, 3 * iqr) : INT64_MAX;
    while (ret->n < n && all->values_ns[n - 1 - ret->n] > ret->limit_ns)
        ret->n++;
    if (ret->n == 0 || ret->n == n)
        return;
    const int64_t *late = all->values_ns + (n - ret->n);
    const uint64_t tail = ret->n / 20;
    ret->below_ns = late[-1];
    ret->low_ns = late[tail];
    ret->high_ns = late[ret->n - 1 - tail];
    ret->max_ns = late[ret->n - 1];
    ret->group = ret->n >= GROUP_MIN && (double)ret->high_ns - (double)ret->low_ns <
                                            GROUP_WIDTH * ((double)ret->low_ns - (double)late[-1]);
}

/* Collects the events: outliers later than limit_ns. */
static struct events take_events(const struct st_series *s, int64_t limit_ns, double *room)
{
    struct events e = {.at = room, .span = (double)(s->index[s->n - 1] - s->index[0])};
    double last = -1e9;
    for (size_t i = 0; i < s->n; i++) {
        const double at = (double)(s->index[i] - s->index[0]);
        if (s->lateness_ns[i] <= limit_ns)
            continue;
        if (at - last > BETWEEN_MAX)
            e.at[e.n++] = at;
        last = at;
    }
    return e;
}

/* Looks for a train among all outliers; if there is none, among the latest half of them, and so on.
 * @return 0 or -ENOMEM. */
static int look_at_times(const struct st_series *s, const struct st_sample *all,
                         struct st_late_ones *ret)
{
    const int64_t *late = all->values_ns + (s->n - ret->n),
                  median_ns = st_sample_quantile(all, 0.5);
    double *room = malloc(s->n * sizeof(*room));
    struct train best = {0};
    size_t late_n = 0;
    if (room == NULL)
        return -ENOMEM;
    ret->train_limit_ns = ret->limit_ns;
    for (uint64_t i = 0; i < TRIES && best.seen_n == 0; i++) {
        const uint64_t left_out_n = ret->n - (ret->n >> i);
        ret->train_limit_ns = left_out_n > 0 ? late[left_out_n - 1] : ret->limit_ns;
        const struct events e = take_events(s, ret->train_limit_ns, room);
        if (e.n >= EVENTS_MIN && (double)e.n <= EVENTS_SHARE * (double)s->n)
            best = find_train(&e);
    }
    for (size_t i = 0; i < s->n && best.seen_n > 0; i++) {
        const double off = remainder((double)(s->index[i] - s->index[0]) - best.first, best.every);
        if (s->lateness_ns[i] > ret->train_limit_ns && fabs(off) <= reach(best.every))
            room[late_n++] = (double)s->lateness_ns[i] - (double)median_ns;
    }
    if (late_n > 0) {
        st_stats_sort_double(room, late_n);
        ret->regular = true;
        ret->first_periods = best.first;
        ret->every_periods = best.every;
        ret->every_s = best.every * st_period_seconds(&s->period);
        ret->late_ns = room[late_n / 2];
        ret->seen_n = best.seen_n;
        ret->slots_n = best.slots_n;
    }
    free(room);
    return 0;
}

int st_late_ones_find(const struct st_series *s, struct st_late_ones *ret,
                      struct st_series *ret_rest)
{
    struct st_late_ones found = {0};
    st_series_init(ret_rest, &s->period);
    if (s->n == 0)
        return -ENODATA;
    int64_t *values = malloc(s->n * sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    memcpy(values, s->lateness_ns, s->n * sizeof(*values));
    const struct st_sample all = st_sample_of(values, s->n);
    look_at_sizes(&all, &found);
    int r = found.n > 0 && found.n < s->n ? look_at_times(s, &all, &found) : 0;
    free(values);
    for (size_t i = 0; i < s->n && r == 0; i++) {
        const double off = remainder((double)(s->index[i] - s->index[0]) - found.first_periods,
                                     found.every_periods);
        if (!found.regular || (s->lateness_ns[i] <= found.train_limit_ns &&
                               fabs(off) > reach(found.every_periods) + BETWEEN_MAX))
            r = st_series_add(ret_rest, s->index[i], s->lateness_ns[i]);
    }
    *ret = found;
    return r;
}
