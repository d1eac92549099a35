#include "daemon/causes/mark.h"

#include "core/ns.h"

int st_mark_take(struct st_marks *marks, struct st_events *events, struct st_clock *clock, const char *by,
                 const char *note, const char *unheard)
{
    int64_t *oldest_ns = &marks->at_ns[marks->next];
    const int64_t now_ns = st_clock_now_ns(clock);
    if (*oldest_ns != 0 && st_ns_sub(now_ns, *oldest_ns) < 60 * ST_NS_PER_S)
        return -EAGAIN;
    *oldest_ns = now_ns;
    marks->next = (marks->next + 1) % ST_MARKS_A_MINUTE;
    struct st_event event = st_event_make(st_clock_wall_ns(clock), ST_EVENT_HEARD, "%s", note);
    ST_PRINT(event.source, "%s", by);
    ST_PRINT(event.client, "%s", unheard);
    st_events_put(events, ST_LOG_INFO, &event);
    return 0;
}
