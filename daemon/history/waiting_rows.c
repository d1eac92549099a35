/* Minutes and events that wait to be written to the history. */
#include "daemon/history/waiting_rows.h"

void st_waiting_rows_init(struct st_waiting_rows *waiting)
{
    *waiting = (struct st_waiting_rows){0};
    waiting->end = &waiting->rows;
}

static uint64_t *count_of(struct st_waiting_rows *waiting, const struct st_waiting_row *row)
{
    return row->is_event ? &waiting->events_n : &waiting->minutes_n;
}

void st_waiting_rows_append(struct st_waiting_rows *waiting, struct st_waiting_row *row)
{
    row->next = NULL;
    *waiting->end = row;
    waiting->end = &row->next;
    ++*count_of(waiting, row);
    if (row->is_event)
        waiting->kinds.kinds[st_event_limit_place(&waiting->kinds, &row->event)].n++;
}

void st_waiting_rows_free(struct st_waiting_row *row)
{
    if (!row->is_event) {
        free(row->minute.lateness);
        free(row->minute.causes);
    }
    free(row);
}

void st_waiting_rows_drop(struct st_waiting_rows *waiting, bool is_event)
{
    const size_t place = st_event_limit_largest(&waiting->kinds);
    struct st_waiting_row **at = &waiting->rows;
    while ((*at)->is_event != is_event ||
           (is_event && st_event_limit_place(&waiting->kinds, &(*at)->event) != place))
        at = &(*at)->next;
    struct st_waiting_row *row = *at;
    *at = row->next;
    if (row->next == NULL)
        waiting->end = at;
    if (is_event)
        waiting->kinds.kinds[place].n--;
    --*count_of(waiting, row);
    st_waiting_rows_free(row);
}

void st_waiting_rows_drop_all(struct st_waiting_rows *waiting)
{
    for (struct st_waiting_row *row = waiting->rows, *next; row != NULL; row = next) {
        next = row->next;
        st_waiting_rows_free(row);
    }
    st_waiting_rows_init(waiting);
}

void st_waiting_rows_move(struct st_waiting_rows *to, struct st_waiting_rows *from)
{
    for (struct st_waiting_row *row = from->rows, *next; row != NULL; row = next) {
        next = row->next;
        st_waiting_rows_append(to, row);
    }
    st_waiting_rows_init(from);
}
