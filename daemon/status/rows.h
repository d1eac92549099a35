/* The screen of the daemon: the content of `sleeptune status` and of the page, in order. */
#pragma once

#include "daemon/status/view.h"

#define ST_ROWS_EVENTS_MAX 8

/** Object "screen" of sleeptune-status/1: the answer, sections of rows, the next step. Renderers
 * only arrange it. Times are ns since 1970, so that each reader uses the local time zone. @return
 * new reference; NULL: out of memory. Threads: any. */
json_t *st_rows_json(const struct st_view *view);
