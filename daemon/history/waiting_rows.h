/* Minutes and events that wait to be written to the history: a queue, without a lock. */
#pragma once

#include "daemon/causes/event_limit.h"
#include "store/history/history.h"

struct st_waiting_row {
    struct st_waiting_row *next;
    bool is_event;
    union {
        struct st_event event;
        struct {
            struct st_history_minute minute; /* without lateness: the loop did not run */
            struct st_history_watched watched;
        };
    };
};

/* Oldest first. Rows are from malloc; the list frees them, with what they point to. */
struct st_waiting_rows {
    struct st_waiting_row *rows, **end;
    uint64_t minutes_n, events_n;
    struct st_event_kinds kinds; /* of the events */
};

void st_waiting_rows_init(struct st_waiting_rows *waiting);

void st_waiting_rows_append(struct st_waiting_rows *waiting, struct st_waiting_row *row);

/** Moves all of `from` behind `to`. */
void st_waiting_rows_move(struct st_waiting_rows *to, struct st_waiting_rows *from);

/** Drops the oldest minute, or the oldest event of the most frequent kind; there must be one. */
void st_waiting_rows_drop(struct st_waiting_rows *waiting, bool is_event);
void st_waiting_rows_drop_all(struct st_waiting_rows *waiting);

/** One that is in no list. */
void st_waiting_rows_free(struct st_waiting_row *row);
