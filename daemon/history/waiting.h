/* Lists of what waits to be written to the history, daemon/history/history_writer.c. */
#ifndef ST_DAEMON_HISTORY_WAITING_H
#define ST_DAEMON_HISTORY_WAITING_H

#include "daemon/causes/event_kinds.h"
#include "store/history/history.h"

struct st_waiting_minute {
    struct st_waiting_minute *next;
    struct st_history_minute minute;
};

struct st_waiting_event {
    struct st_waiting_event *next;
    struct st_event event;
};

/** What waits to be written, oldest first. */
struct st_waiting {
    struct st_waiting_minute *minutes, **minutes_end;
    struct st_waiting_event *events, **events_end;
    uint64_t minutes_n, events_n;
    struct st_event_kinds kinds; /* of the events */
};

void st_waiting_init(struct st_waiting *waiting);
/** Nodes are from malloc; the list frees them, with what their minute points to. */
void st_waiting_append_minute(struct st_waiting *waiting, struct st_waiting_minute *node);
void st_waiting_append_event(struct st_waiting *waiting, struct st_waiting_event *node);
/** The oldest one; there must be one. */
void st_waiting_drop_minute(struct st_waiting *waiting);
/** The oldest one of the most frequent kind; there must be one. */
void st_waiting_drop_event(struct st_waiting *waiting);
void st_waiting_drop_all(struct st_waiting *waiting);
/** Moves all of `from` behind `to`. */
void st_waiting_move(struct st_waiting *to, struct st_waiting *from);

#endif
