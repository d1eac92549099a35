/* Events of a history as JSON, each joined with the late wake-up of its time. */
#pragma once

#include "store/history/history_read.h"

/** Document sleeptune-events/1 as text, which the caller frees. That the test loop was on time is said when
 * the minute of the dropout is over, and tells it. @return 0 or as st_history_read_open. */
ST_NODISCARD int st_event_list_text(struct st_history_reader *reader,
                                    const struct st_history_events_wish *wish, char **ret);
