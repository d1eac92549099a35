/* The screen of the daemon: what `sleeptune status` and the page show, in the order in which they show it. */
#pragma once

#include "daemon/status/view.h"

#define ST_ROWS_EVENTS_MAX 8

/** Object "screen" of sleeptune-status/1: the answer, sections of rows, the next step. Renderers lay
 * it out and add nothing. Times are ns since 1970, so that each reader shows its own time zone.
 * @return new reference; NULL when out of memory. Threads: any. */
json_t *st_rows_json(const struct st_view *view);
