#include "evidence/since.h"

#include "core/ns.h"
#include "core/stats/distribution.h"

#define LEVEL      0.05
#define SCORE_MAX  63  /* of 235 dropouts an hour and more */
#define SCORE_STEP 8.0 /* for twice as many */
#define SIDE_MAX   60  /* sessions: of a kind before the change, of all since */
#define KINDS_MAX  16  /* further ones are left out */
#define NEAR_MAX   8   /* later changes of the same days that are compared */
#define FAR        10  /* times the level: a normal p-value above it needs no exact one */
#define DAY_NS     (86400 * ST_NS_PER_S)

static const size_t look_days[ST_SINCE_LOOKS] = {3, 7, 14};

/* Sessions of one kind: those before the change, then those since. */
struct group {
    size_t kind, before_n, n;
    struct st_since_side before;
    int scores[2 * SIDE_MAX];
};

struct look {
    struct group groups[KINDS_MAX];
    size_t groups_n;
    int sum; /* of the scores since the change */
    double mean, variance;
};

/* Logarithmic, or one bad evening would hide all others. */
static int score_of(const struct st_since_session *session)
{
    const double hours = (double)session->played_ns / (3600.0 * (double)ST_NS_PER_S);
    return (int)fmin(round(SCORE_STEP * log1p((double)session->dropouts_n / hours) / M_LN2), SCORE_MAX);
}

static bool is_before(const struct st_since_session *session, const struct st_since_change *change,
                      int64_t first_ns)
{
    return session->played_ns >= ST_SINCE_LEAST_NS && session->to_ns <= change->from_ns &&
           session->from_ns >= first_ns;
}

static bool is_since(const struct st_since_session *session, const struct st_since_change *change)
{
    return session->played_ns >= ST_SINCE_LEAST_NS && session->from_ns >= change->at_ns;
}

static void count(struct st_since_side *side, const struct st_since_session *session)
{
    side->sessions_n++;
    side->played_ns = st_ns_add(side->played_ns, session->played_ns);
    side->dropouts_n += session->dropouts_n;
}

/* The kinds that played before the change; the last sessions of each. */
static void take_before(struct look *look, const struct st_since_session *sessions, size_t n,
                        const struct st_since_change *change, int64_t first_ns)
{
    look->groups_n = 0;
    for (size_t i = n; i-- > 0;) {
        size_t g = 0;
        if (!is_before(&sessions[i], change, first_ns))
            continue;
        while (g < look->groups_n && look->groups[g].kind != sessions[i].kind)
            g++;
        if (g == KINDS_MAX)
            continue;
        if (g == look->groups_n)
            look->groups[look->groups_n++] = (struct group){.kind = sessions[i].kind};
        struct group *group = &look->groups[g];
        if (group->before_n == SIDE_MAX)
            continue;
        group->scores[group->before_n++] = score_of(&sessions[i]);
        count(&group->before, &sessions[i]);
    }
}

static struct group *group_of(struct look *look, size_t kind)
{
    ST_EACH_OF (group, look->groups, look->groups_n) {
        if (group->kind == kind)
            return group;
    }
    return NULL;
}

/* The sessions of the first `days` days since the change. @return false: fewer days are over. */
static bool take_since(struct look *look, const struct st_since_session *sessions, size_t n,
                       struct st_since_change *change, size_t days, int64_t now_ns)
{
    int64_t day = INT64_MIN;
    size_t days_n = 0;
    ST_EACH_OF (group, look->groups, look->groups_n)
        group->n = group->before_n;
    look->sum = 0;
    change->since = (struct st_since_side){0};
    ST_EACH_OF (session, sessions, n) {
        struct group *group = is_since(session, change) ? group_of(look, session->kind) : NULL;
        if (group == NULL)
            continue;
        if (session->from_ns / DAY_NS != day && ++days_n > days)
            return true;
        day = session->from_ns / DAY_NS;
        if (change->since.sessions_n == SIDE_MAX)
            continue;
        change->until_ns = session->to_ns;
        group->scores[group->n++] = score_of(session);
        look->sum += group->scores[group->n - 1];
        count(&change->since, session);
    }
    return days_n == days && now_ns / DAY_NS > day;
}

/* Of what is expected, and the figures of the same kinds before the change. */
static void set_moments(struct look *look, struct st_since_side *ret_before)
{
    look->mean = look->variance = 0;
    *ret_before = (struct st_since_side){0};
    ST_EACH_OF (group, look->groups, look->groups_n) {
        const double n = (double)group->n, since_n = (double)(group->n - group->before_n);
        double sum = 0, squares = 0;
        ST_EACH_OF (score, group->scores, group->n) {
            sum += *score;
            squares += (double)*score * *score;
        }
        if (since_n == 0)
            continue;
        ret_before->sessions_n += group->before.sessions_n;
        ret_before->played_ns = st_ns_add(ret_before->played_ns, group->before.played_ns);
        ret_before->dropouts_n += group->before.dropouts_n;
        look->mean += since_n * sum / n;
        look->variance += since_n * (n - since_n) / (n - 1) * (squares / n - sum * sum / (n * n));
    }
}

/* How likely each sum of since_n of the n scores is. To be freed; NULL when out of memory. */
static double *sums_of(const struct group *group, size_t *ret_n)
{
    const size_t m = group->n - group->before_n, width = m * SCORE_MAX + 1;
    double *ways = calloc((m + 1) * width, sizeof(*ways)), all = 0;
    if (ways == NULL)
        return NULL;
    ways[0] = 1;
    for (size_t i = 0; i < group->n; i++) {
        const size_t score = (size_t)group->scores[i];
        for (size_t k = i + 1 < m ? i + 1 : m; k > 0; k--) {
            for (size_t s = score; s <= k * SCORE_MAX; s++)
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

/* @return 0, -ENOMEM. */
static int exact_p(const struct look *look, double *ret)
{
    size_t all_n = 1;
    double *all = calloc(1, sizeof(*all)), below = 0, above = 0;
    if (all != NULL)
        all[0] = 1;
    ST_EACH_OF (group, look->groups, look->groups_n) {
        size_t n = 0;
        if (all == NULL || group->n == group->before_n)
            continue;
        double *sums = sums_of(group, &n);
        all = add_up(all, all_n, sums, n);
        all_n += n - 1;
    }
    for (size_t s = 0; s < all_n && all != NULL; s++) {
        below += s <= (size_t)look->sum ? all[s] : 0;
        above += s >= (size_t)look->sum ? all[s] : 0;
    }
    *ret = fmin(2 * fmin(below, above), 1);
    const bool good = all != NULL;
    free(all);
    return good ? 0 : -ENOMEM;
}

static double rate_of(const struct st_since_side *side)
{
    return (double)side->dropouts_n / (double)side->played_ns;
}

static int judge(const struct st_since_session *sessions, size_t n, struct st_since_change *change,
                 int64_t first_ns, int64_t now_ns)
{
    struct look look;
    const double number = change->number,
                 level = LEVEL * 6 / (M_PI * M_PI * number * number) / ST_SINCE_LOOKS;
    change->found = change->worse = false;
    change->looks = 0;
    change->p_value = 1;
    change->before = change->since = (struct st_since_side){0};
    bool shown = false;
    take_before(&look, sessions, n, change, first_ns);
    ST_EACH_OF (day, look_days, ST_SINCE_LOOKS) {
        const struct st_since_side whole = change->since;
        if (!take_since(&look, sessions, n, change, *day, now_ns)) {
            change->since = whole;
            break;
        }
        change->looks++;
        set_moments(&look, &change->before);
        const double z = look.variance > 0 ? (look.sum - look.mean) / sqrt(look.variance) : 0;
        double p = st_distribution_normal_p(z);
        const int r = p < FAR * level ? exact_p(&look, &p) : 0;
        if (r < 0)
            return r;
        change->p_value = shown ? change->p_value : p;
        shown = shown || p <= level;
        change->strength = fabs(z);
        change->worse = z > 0;
        /* the figures that are printed must say the same */
        change->found = shown && (rate_of(&change->since) > rate_of(&change->before)) == change->worse;
    }
    return 0;
}

int st_since_judge(const struct st_since_session *sessions, size_t sessions_n,
                   struct st_since_change *changes, size_t changes_n, int64_t now_ns)
{
    int64_t first_ns = INT64_MIN;
    for (size_t i = 0, best; i < changes_n; i++) {
        int r = judge(sessions, sessions_n, &changes[i], first_ns, now_ns);
        best = i;
        for (size_t k = i + 1; r == 0 && changes[i].found && k < changes_n && k <= i + NEAR_MAX &&
                               changes[k].at_ns <= changes[i].until_ns;
             k++) {
            r = judge(sessions, sessions_n, &changes[k], first_ns, now_ns);
            if (changes[k].found && changes[k].strength > changes[best].strength)
                best = k;
        }
        if (r < 0)
            return r;
        for (; i < best; i++)
            changes[i].found = false;
        if (changes[best].found)
            first_ns = changes[best].at_ns;
    }
    return 0;
}
