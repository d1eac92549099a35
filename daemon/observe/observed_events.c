/* Sums dropouts, and adds the sums as events when they are due. */
#include "daemon/observe/observed_events.h"

#include "core/ns.h"

/* a source reports a lasting dropout again sooner than this, so after this time without a report it
 * has ended
 */
#define ENDED_NS (2 * ST_NS_PER_S)

void st_observed_events_init(struct st_observed_events *e, struct st_platform *platform,
                             struct st_events *events)
{
    *e = (struct st_observed_events){.platform = platform, .events = events};
    ST_EACH (pending, e->pending)
        pending->reported_ns = INT64_MIN;
}

static void report(const struct st_observed_events *e, struct st_observed_pending *pending)
{
    st_events_put(e->events, ST_LOG_WARN, &pending->event);
    pending->reported_ns = st_platform_now_ns(e->platform);
    /* Device, client and reason stay, so that the next such dropout is counted here. */
    pending->event.count_n = pending->event.cycles_n = 0;
}

static bool is_unreported(const struct st_observed_pending *pending)
{
    return pending->event.count_n > 0 || pending->event.cycles_n > 0;
}

/* Is an event due? Further cycles of a dropout that already has an event wait until the dropout has
 * ended. */
static bool is_due(const struct st_observed_events *e, const struct st_observed_pending *pending)
{
    const int64_t now_ns = st_platform_now_ns(e->platform);
    return pending->reported_ns == INT64_MIN ||
           (now_ns - pending->reported_ns >= ST_OBSERVED_EVENT_EACH_NS &&
            (pending->event.count_n > 0 || now_ns - pending->end_ns >= ENDED_NS));
}

void st_observed_events_put(struct st_observed_events *e, bool all)
{
    ST_EACH (pending, e->pending) {
        if (is_unreported(pending) && (all || is_due(e, pending)))
            report(e, pending);
    }
}

static bool same(const struct st_event *a, const struct st_event *b)
{
    return a->kind == b->kind && st_text_is(a->device, b->device) &&
           st_text_is(a->client, b->client) && a->certainty == b->certainty &&
           a->reason == b->reason && a->place == b->place;
}

/* The sum to which an event belongs: one of the same key (same()); else a free one, or one whose
 * last event is old; else the common sum of all others of its kind, so that very different names do
 * not make an event each. */
static struct st_observed_pending *pending_of(struct st_observed_events *e,
                                              const struct st_event *event)
{
    struct st_observed_pending *oldest = NULL;
    /* leaves out the two common sums at the end of the array */
    ST_EACH_OF (pending, e->pending, ST_OBSERVED_PENDING_MAX) {
        const bool is_new = pending->reported_ns == INT64_MIN && is_unreported(pending);
        if ((is_new || pending->reported_ns != INT64_MIN) && same(&pending->event, event))
            return pending;
        if (!is_new && is_due(e, pending) &&
            (oldest == NULL || pending->reported_ns < oldest->reported_ns))
            oldest = pending;
    }
    if (oldest == NULL)
        return &e->pending[ST_OBSERVED_PENDING_MAX + (event->kind == ST_EVENT_CLIENT_DROPOUT)];
    if (is_unreported(oldest))
        report(e, oldest);
    *oldest = (struct st_observed_pending){.reported_ns = INT64_MIN};
    return oldest;
}

/* Ends of dropouts are not always reported in their order. A later event of the same key (same())
 * gets a later wall_ns, because st_history_read_open_events drops an event that is not newer than a
 * stored one of that key. */
void st_observed_events_take(struct st_observed_events *e, const struct st_event *event,
                             int64_t at_ns)
{
    struct st_observed_pending *pending = pending_of(e, event);
    int64_t end_ns = at_ns;
    if (pending->event.count_n == 0 && event->count_n > 0 && is_unreported(pending))
        /* The further cycles of a dropout that has an event become an event of their own, not part
         * of a new dropout. */
        report(e, pending);
    if (is_unreported(pending)) {
        st_event_add(&pending->event, event);
        pending->since_ns = ST_MIN(pending->since_ns, at_ns);
        end_ns = ST_MAX(pending->end_ns, at_ns);
    } else {
        if (pending->reported_ns != INT64_MIN)
            end_ns = ST_MAX(pending->end_ns + 1, at_ns);
        pending->event = *event;
        pending->since_ns = at_ns;
    }
    pending->end_ns = end_ns;
    pending->event.wall_ns = st_ns_add(event->wall_ns, end_ns - at_ns);
    pending->event.span_ns = end_ns - pending->since_ns;
}

size_t st_observed_events_open(const struct st_observed_events *e, struct st_event *ret)
{
    size_t n = 0;
    ST_EACH (pending, e->pending) {
        if (!is_unreported(pending))
            continue;
        struct st_event *event = &ret[n++];
        *event = pending->event;
        st_events_note_meanwhile(e->events, event);
    }
    return n;
}
