#include "story/heard.h"

#include "core/ns.h"
#include "core/stats/stats.h"

#define LEVEL 0.05
/* least probability that a cause explains a mark by chance: an event without length would give 0 */
#define CHANCE_LEAST 1e-9

bool st_heard_fits(const struct st_heard_mark *mark, const struct st_heard_event *event)
{
    return mark->at_ns >= st_ns_add(event->from_ns, mark->least_ns) &&
           mark->at_ns <= st_ns_add(event->to_ns, mark->window_ns);
}

/* The session in which the mark was made, or that ended at most a window before it. */
static const struct st_heard_session *session_of(const struct st_heard_mark *mark,
                                                 const struct st_heard_session *sessions, size_t n)
{
    ST_EACH_OF (session, sessions, n) {
        if (mark->at_ns >= session->from_ns &&
            mark->at_ns <= st_ns_add(session->to_ns, mark->window_ns))
            return session;
    }
    return NULL;
}

/* Adds to each cause whether the mark is at most its window after an event of the cause, and the
 * chance of that: the part of the session that is. */
static void look_behind(const struct st_heard_mark *mark, const struct st_heard_session *session,
                        const struct st_heard_event *events, size_t events_n,
                        struct st_heard_cause *causes, size_t causes_n)
{
    ST_EACH_OF (event, events, events_n) {
        struct st_heard_cause *cause = &causes[event->cause];
        int64_t from_ns = st_ns_add(event->from_ns, mark->least_ns),
                to_ns = st_ns_add(event->to_ns, mark->window_ns);
        from_ns = ST_MAX(ST_MAX(from_ns, cause->end_ns), session->from_ns);
        to_ns = ST_MIN(to_ns, session->to_ns);
        if (to_ns > from_ns) {
            cause->covered_ns = st_ns_add(cause->covered_ns, st_ns_sub(to_ns, from_ns));
            cause->end_ns = to_ns;
        }
        cause->hit = cause->hit || st_heard_fits(mark, event);
    }
    ST_EACH_OF (cause, causes, causes_n) {
        cause->hits_n += cause->hit;
        cause->expected +=
            fmax(CHANCE_LEAST,
                 (double)cause->covered_ns / (double)st_ns_sub(session->to_ns, session->from_ns));
        cause->covered_ns = cause->end_ns = cause->hit = 0;
    }
}

uint32_t st_heard_judge(const struct st_heard_mark *marks, size_t marks_n,
                        const struct st_heard_event *events, size_t events_n,
                        const struct st_heard_session *sessions, size_t sessions_n,
                        struct st_heard_cause *causes, size_t causes_n)
{
    uint32_t counted_n = 0;
    int64_t last_ns = INT64_MIN;
    memset(causes, 0, causes_n * sizeof(*causes));
    ST_EACH_OF (mark, marks, marks_n) {
        const struct st_heard_session *session = session_of(mark, sessions, sessions_n);
        if (mark->prompted || session == NULL ||
            (counted_n > 0 &&
             st_ns_sub(mark->at_ns, last_ns) < ST_MAX(ST_HEARD_APART_NS, mark->window_ns)))
            continue;
        counted_n++;
        last_ns = mark->at_ns;
        look_behind(mark, session, events, events_n, causes, causes_n);
    }
    const double look = fmax(1, (double)counted_n - ST_HEARD_LEAST_N + 1);
    const double level = LEVEL / (double)causes_n * 6 / (M_PI * M_PI * look * look);
    ST_EACH_OF (cause, causes, causes_n) {
        /* Marks have different chances. The Poisson distribution bounds the sum of their hits from
         * above if there is at least one more hit than expected. */
        cause->p_value = cause->hits_n > cause->expected
                             ? st_stats_gamma_below((double)cause->hits_n, cause->expected)
                             : 1;
        cause->frequent = cause->expected > ST_HEARD_FREQUENT * counted_n;
        cause->named = counted_n >= ST_HEARD_LEAST_N && !cause->frequent && cause->hits_n > 0 &&
                       cause->p_value <= level;
    }
    return counted_n;
}
