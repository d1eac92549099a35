/* Counts of events by kind. */
#include "daemon/causes/event_kinds.h"

#include <string.h>

size_t st_event_kinds_place(struct st_event_kinds *kinds, const struct st_event *event)
{
    for (size_t i = 0; i < kinds->kinds_n; i++) {
        const struct st_event_kind *kind = &kinds->kinds[i];
        if (strcmp(kind->name, event->name) == 0 && strcmp(kind->source, event->source) == 0)
            return i;
    }
    if (kinds->kinds_n == ST_EVENT_KINDS_MAX)
        return ST_EVENT_KINDS_MAX - 1;
    struct st_event_kind *kind = &kinds->kinds[kinds->kinds_n];
    memcpy(kind->name, event->name, sizeof(kind->name));
    memcpy(kind->source, event->source, sizeof(kind->source));
    return kinds->kinds_n++;
}

size_t st_event_kinds_largest(const struct st_event_kinds *kinds)
{
    size_t largest = 0;
    for (size_t i = 1; i < kinds->kinds_n; i++) {
        if (kinds->kinds[i].n > kinds->kinds[largest].n)
            largest = i;
    }
    return largest;
}
