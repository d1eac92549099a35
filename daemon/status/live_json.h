/* The document sleeptune-live/1: what a page or a terminal shows of a running daemon, small and once a
 * second. */
#ifndef ST_DAEMON_STATUS_LIVE_JSON_H
#define ST_DAEMON_STATUS_LIVE_JSON_H

#include "daemon/status/live.h"
#include "daemon/status/view.h"

#define ST_LIVE_EVENTS_MAX 16

/** view->events: newest first, of which the first ones are taken. New reference, NULL when out of memory. */
json_t *st_live_json(const struct st_view *view, const struct st_live_look *look);

#endif
