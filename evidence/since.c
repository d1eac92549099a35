#include "evidence/since.h"

#include "core/ns.h"
#include "evidence/counts.h"

#define LEVEL     0.05
#define KINDS_MAX 64 /* sessions of further kinds are left out */

static const size_t look_days[ST_SINCE_LOOKS] = {3, 7, 14};

/* The sessions that are compared for one change, by kind (program and buffer size). */
struct look {
    struct st_counts_group groups[KINDS_MAX];
    struct st_since_side before[KINDS_MAX];
};

static bool is_long(const struct st_since_session *session)
{
    return session->played_ns >= ST_SINCE_LEAST_NS && session->kind < KINDS_MAX;
}

static int score_of(const struct st_since_session *session)
{
    return st_counts_score((double)session->dropouts_n * 3600.0 * (double)ST_NS_PER_S /
                           (double)session->played_ns);
}

static void add(struct st_since_side *side, size_t sessions_n, int64_t played_ns,
                uint64_t dropouts_n)
{
    side->sessions_n += sessions_n;
    side->played_ns = st_ns_add(side->played_ns, played_ns);
    side->dropouts_n += dropouts_n;
}

/* Collects the last ST_COUNTS_SIDE_MAX sessions of each kind (program and buffer size) before the
 * change. */
static void take_before(struct look *look, const struct st_since_session *sessions, size_t n,
                        const struct st_since_change *change, int64_t first_ns)
{
    memset(look, 0, sizeof(*look));
    for (size_t i = n; i-- > 0;) {
        const struct st_since_session *session = &sessions[i];
        if (!is_long(session) || session->to_ns > change->from_ns || session->from_ns < first_ns)
            continue;
        struct st_counts_group *group = &look->groups[session->kind];
        if (group->n == ST_COUNTS_SIDE_MAX)
            continue;
        group->before_n = group->n + 1;
        group->scores[group->n++] = score_of(session);
        add(&look->before[session->kind], 1, session->played_ns, session->dropouts_n);
    }
}

static double rate_of(const struct st_since_side *side)
{
    return (double)side->dropouts_n / (double)side->played_ns;
}

static int compare(const struct look *look, struct st_since_change *change)
{
    const double number = (double)change->number,
                 level = LEVEL * 6 / (M_PI * M_PI * number * number) / ST_SINCE_LOOKS;
    double p;
    const int r = st_counts_judge(look->groups, KINDS_MAX, &p, &change->worse);
    if (r < 0)
        return r;
    change->looks++;
    change->before = (struct st_since_side){0};
    for (size_t i = 0; i < KINDS_MAX; i++) {
        const struct st_since_side *side = &look->before[i];
        if (look->groups[i].n > look->groups[i].before_n)
            add(&change->before, side->sessions_n, side->played_ns, side->dropouts_n);
    }
    change->p_value = fmin(change->p_value, p);
    /* Reports a change only if the printed figures, the mean rates, changed in the same direction
     * as the test says. */
    change->found = change->p_value <= level &&
                    (rate_of(&change->since) > rate_of(&change->before)) == change->worse;
    return 0;
}

static int judge(const struct st_since_session *sessions, size_t n, struct st_since_change *change,
                 int64_t first_ns, int64_t now_ns)
{
    struct look look;
    struct st_since_side since = {0};
    int64_t day = INT64_MIN;
    size_t days_n = 0;
    *change = (struct st_since_change){
        .from_ns = change->from_ns, .at_ns = change->at_ns, .number = change->number, .p_value = 1};
    take_before(&look, sessions, n, change, first_ns);
    for (size_t i = 0; i <= n && change->looks < ST_SINCE_LOOKS; i++) {
        const struct st_since_session *session = i < n ? &sessions[i] : NULL;
        struct st_counts_group *group =
            session != NULL && is_long(session) ? &look.groups[session->kind] : NULL;
        if (session != NULL &&
            (group == NULL || group->before_n == 0 || session->from_ns < change->at_ns))
            continue;
        const int64_t today = (session != NULL ? session->from_ns : now_ns) / ST_NS_PER_DAY;
        if (today > day && days_n == look_days[change->looks]) {
            change->since = since;
            const int r = compare(&look, change);
            if (r < 0)
                return r;
        }
        days_n += today > day;
        day = today;
        if (session == NULL || since.sessions_n == ST_COUNTS_SIDE_MAX)
            continue;
        change->until_ns = session->to_ns;
        group->scores[group->n++] = score_of(session);
        add(&since, 1, session->played_ns, session->dropouts_n);
    }
    return 0;
}

int st_since_judge(const struct st_since_session *sessions, size_t sessions_n,
                   struct st_since_change *changes, size_t changes_n, int64_t now_ns)
{
    int64_t first_ns = INT64_MIN;
    for (size_t i = 0, best; i < changes_n; i = best + 1) {
        best = i;
        for (size_t k = i; k < changes_n; k++) {
            if (k > i && (!changes[i].found || changes[k].at_ns > changes[i].until_ns))
                break;
            const int r = judge(sessions, sessions_n, &changes[k], first_ns, now_ns);
            if (r < 0)
                return r;
            best = changes[k].found && changes[k].p_value < changes[best].p_value ? k : best;
        }
        first_ns = changes[best].found ? changes[best].at_ns : first_ns;
        for (; i < best; i++)
            changes[i].found = false;
    }
    return 0;
}
