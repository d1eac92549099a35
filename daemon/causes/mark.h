/* "I heard it now": a mark of the listener, as an event. */
#pragma once

#include "daemon/causes/events.h"

#define ST_MARKS_A_MINUTE 10
#define ST_MARK_SHOWN_NS  (60 * ST_NS_PER_S) /* of the time before a mark, in its answer */

/** When the last marks came, CLOCK_MONOTONIC; the oldest is the next to go. Begins with zeros: none. */
struct st_marks {
    int64_t at_ns[ST_MARKS_A_MINUTE];
    size_t next;
};

/** Keeps a mark of this moment. @param by "key", "typed", "page"; "prompted": a notification asked for it.
 * @param unheard a client whose buffer is not watched; "": there is none.
 * @return 0, -EAGAIN: there were ten within a minute. Threads: main. */
ST_NODISCARD int st_mark_take(struct st_marks *marks, struct st_events *events, struct st_clock *clock,
                              const char *by, const char *note, const char *unheard);
