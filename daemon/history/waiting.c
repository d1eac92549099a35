/* Lists of what waits to be written to the history. */
#include "daemon/history/waiting.h"

#include <stdlib.h>

void st_waiting_init(struct st_waiting *waiting)
{
    *waiting = (struct st_waiting){0};
    waiting->minutes_end = &waiting->minutes;
    waiting->events_end = &waiting->events;
}

void st_waiting_append_minute(struct st_waiting *waiting, struct st_waiting_minute *node)
{
    node->next = NULL;
    *waiting->minutes_end = node;
    waiting->minutes_end = &node->next;
    waiting->minutes_n++;
}

void st_waiting_append_event(struct st_waiting *waiting, struct st_waiting_event *node)
{
    node->next = NULL;
    *waiting->events_end = node;
    waiting->events_end = &node->next;
    waiting->events_n++;
    waiting->kinds.kinds[st_event_kinds_place(&waiting->kinds, &node->event)].n++;
}

void st_waiting_drop_minute(struct st_waiting *waiting)
{
    struct st_waiting_minute *node = waiting->minutes;
    waiting->minutes = node->next;
    if (waiting->minutes == NULL)
        waiting->minutes_end = &waiting->minutes;
    waiting->minutes_n--;
    free(node->minute.lateness);
    free(node->minute.causes);
    free(node);
}

void st_waiting_drop_event(struct st_waiting *waiting)
{
    const size_t place = st_event_kinds_largest(&waiting->kinds);
    struct st_waiting_event **at = &waiting->events;
    while ((*at)->next != NULL && st_event_kinds_place(&waiting->kinds, &(*at)->event) != place)
        at = &(*at)->next;
    struct st_waiting_event *node = *at;
    *at = node->next;
    if (node->next == NULL)
        waiting->events_end = at;
    waiting->kinds.kinds[place].n--;
    waiting->events_n--;
    free(node);
}

void st_waiting_drop_all(struct st_waiting *waiting)
{
    while (waiting->minutes != NULL)
        st_waiting_drop_minute(waiting);
    while (waiting->events != NULL)
        st_waiting_drop_event(waiting);
}

void st_waiting_move(struct st_waiting *to, struct st_waiting *from)
{
    if (from->minutes != NULL) {
        *to->minutes_end = from->minutes;
        to->minutes_end = from->minutes_end;
    }
    if (from->events != NULL) {
        *to->events_end = from->events;
        to->events_end = from->events_end;
    }
    for (const struct st_waiting_event *node = from->events; node != NULL; node = node->next)
        to->kinds.kinds[st_event_kinds_place(&to->kinds, &node->event)].n++;
    to->minutes_n += from->minutes_n;
    to->events_n += from->events_n;
    st_waiting_init(from);
}
