#include "evidence/since.h"

#include "core/ns.h"
#include "evidence/counts.h"

#define LEVEL     0.05
#define KINDS_MAX 16 /* further ones are left out */
#define NEAR_MAX  8  /* later changes of the same days that are compared */
#define FAR       10 /* times the level: a normal p-value above it needs no exact one */
#define DAY_NS    (86400 * ST_NS_PER_S)

static const size_t look_days[ST_SINCE_LOOKS] = {3, 7, 14};

/* Sessions of each kind. */
struct look {
    struct st_counts_group groups[KINDS_MAX];
    struct {
        size_t kind;
        struct st_since_side before;
    } of[KINDS_MAX]; /* the same kinds */
    size_t groups_n;
};

static int score_of(const struct st_since_session *session)
{
    return st_counts_score(session->dropouts_n, (double)session->played_ns / (3600.0 * (double)ST_NS_PER_S));
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
        while (g < look->groups_n && look->of[g].kind != sessions[i].kind)
            g++;
        if (g == KINDS_MAX)
            continue;
        struct st_counts_group *group = &look->groups[g];
        if (g == look->groups_n) {
            look->groups_n++;
            group->before_n = 0;
            look->of[g].kind = sessions[i].kind;
            look->of[g].before = (struct st_since_side){0};
        }
        if (group->before_n == ST_COUNTS_SIDE_MAX)
            continue;
        group->scores[group->before_n++] = score_of(&sessions[i]);
        count(&look->of[g].before, &sessions[i]);
    }
}

static struct st_counts_group *group_of(struct look *look, size_t kind)
{
    for (size_t g = 0; g < look->groups_n; g++) {
        if (look->of[g].kind == kind)
            return &look->groups[g];
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
    change->since = (struct st_since_side){0};
    ST_EACH_OF (session, sessions, n) {
        struct st_counts_group *group = is_since(session, change) ? group_of(look, session->kind) : NULL;
        if (group == NULL)
            continue;
        if (session->from_ns / DAY_NS != day && ++days_n > days)
            return true;
        day = session->from_ns / DAY_NS;
        if (change->since.sessions_n == ST_COUNTS_SIDE_MAX)
            continue;
        change->until_ns = session->to_ns;
        group->scores[group->n++] = score_of(session);
        count(&change->since, session);
    }
    return days_n == days && now_ns / DAY_NS > day;
}

/* The same kinds before the change. */
static struct st_since_side before_of(const struct look *look)
{
    struct st_since_side before = {0};
    for (size_t g = 0; g < look->groups_n; g++) {
        const struct st_since_side *side = &look->of[g].before;
        if (look->groups[g].n == look->groups[g].before_n)
            continue;
        before.sessions_n += side->sessions_n;
        before.played_ns = st_ns_add(before.played_ns, side->played_ns);
        before.dropouts_n += side->dropouts_n;
    }
    return before;
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
        double z, p;
        const int r = st_counts_judge(look.groups, look.groups_n, FAR * level, &z, &p);
        if (r < 0)
            return r;
        change->before = before_of(&look);
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
