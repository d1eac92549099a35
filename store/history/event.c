#include "store/history/event.h"

#include "core/ns.h"
#include "core/text/text.h"
#include "xruns/xrun.h"

struct st_event st_event_make(int64_t wall_ns, enum st_event_kind kind, const char *format, ...)
{
    struct st_event event = {.wall_ns = wall_ns,
                             .kind = kind,
                             .count_n = INT64_MIN,
                             .cause = ST_CAUSE_UNKNOWN,
                             .lateness_ns = INT64_MIN,
                             .explained_ns = INT64_MIN,
                             .loop_cpu = ST_EVENT_NO_LOOP,
                             .slowed = ST_CAUSE_UNKNOWN,
                             .pressure = ST_EVENT_PRESSURE_UNKNOWN};
    ST_PRINT_REST(event.detail, sizeof(event.detail), format);
    return event;
}

/* By how long a late wake-up of ours must at least be late to explain it; 0: not known, any. */
static int64_t missing_ns(const struct st_xrun_seen *seen)
{
    const int64_t period_ns = seen->cycle.period_ns, took_ns = seen->cycle.busy_ns + seen->cycle.wait_ns;
    return period_ns > 0 && took_ns > period_ns ? took_ns - period_ns : seen->spare_ns;
}

struct st_event st_event_of_xrun(const struct st_xrun_seen *seen, int64_t wall_ns)
{
    const bool device = seen->device_dropouts_n > 0;
    struct st_event event =
        st_event_make(wall_ns, device ? ST_EVENT_DEVICE_DROPOUT : ST_EVENT_CLIENT_DROPOUT, "%s", "");
    event.count_n = device ? seen->device_dropouts_n : seen->dropouts_n; /* 0: of one that goes on */
    event.place = seen->place;
    event.cycles_n = seen->cycles_n;
    event.lost_ns = seen->lost_ns;
    event.longest_ns = seen->longest_ns;
    memcpy(event.device, seen->device, sizeof(event.device));
    memcpy(event.client, seen->client, sizeof(event.client));
    event.certainty = seen->certainty;
    event.cycle.period_ns = seen->cycle.period_ns;
    if (device)
        return event;
    event.reason = seen->reason;
    event.cycle = seen->cycle;
    event.missing_ns = missing_ns(seen);
    memcpy(event.culprit, seen->culprit, sizeof(event.culprit));
    event.culprit_n = seen->culprit[0] != '\0' ? seen->dropouts_n : 0;
    return event;
}

int64_t st_event_began_ns(const struct st_event *event)
{
    return st_ns_sub(event->wall_ns, ST_MAX(event->span_ns, event->longest_ns));
}

static void forget_if_other(char *text, const char *other, size_t bytes)
{
    if (!st_text_is(text, other))
        memset(text, 0, bytes);
}

/* Are the lengths of some not known? Then the longest is not, either. */
static bool lost_partly(const struct st_event *event, const struct st_event *other)
{
    return (event->lost_ns == 0) != (other->lost_ns == 0) ||
           (event->lost_ns > 0 && (event->longest_ns == 0 || other->longest_ns == 0));
}

void st_event_add(struct st_event *event, const struct st_event *other)
{
    const bool late = event->lateness_ns != INT64_MIN || other->lateness_ns != INT64_MIN;
    const bool worse = late ? other->lateness_ns > event->lateness_ns
                            : st_dropout_cycle_is_worse(&other->cycle, &event->cycle);
    event->count_n = st_ns_add(st_event_count(event), st_event_count(other));
    forget_if_other(event->client, other->client, sizeof(event->client));
    forget_if_other(event->device, other->device, sizeof(event->device));
    event->cycles_n = st_ns_add(event->cycles_n, other->cycles_n);
    event->longest_ns = lost_partly(event, other) ? 0 : ST_MAX(other->longest_ns, event->longest_ns);
    event->lost_ns = st_ns_add(event->lost_ns, other->lost_ns);
    if (event->place != other->place)
        event->place = ST_DROPOUT_AT_UNKNOWN;
    if (event->certainty != other->certainty)
        event->certainty = ST_CERTAINTY_PROBABLE;
    if (event->reason != other->reason || other->mixed) {
        event->reason = ST_DROPOUT_UNKNOWN;
        event->mixed = true;
    }
    if (!st_event_kind_is_dropout(event->kind))
        memcpy(event->detail, other->detail, sizeof(event->detail)); /* the last words */
    if (!late)
        st_dropout_reason_vote(event->culprit, &event->culprit_n, other->culprit, other->culprit_n);
    if (event->slowed == ST_CAUSE_UNKNOWN || (worse && other->slowed != ST_CAUSE_UNKNOWN))
        event->slowed = other->slowed;
    if (!worse)
        return;
    event->cycle = other->cycle;
    event->missing_ns = other->missing_ns;
    event->cause = other->cause;
    event->lateness_ns = other->lateness_ns;
    event->explained_ns = other->explained_ns;
    if (late) {
        memcpy(event->culprit, other->culprit, sizeof(event->culprit));
        event->culprit_ns = other->culprit_ns;
    }
}
