/* How many events there are of each kind, so that a flood of one kind does not take the room of the others:
 * who has to drop an event drops the oldest of the most frequent kind.
 *
 * A kind is a name and a source: "starved-client" of "pipewire". Both come from lists in the code, so their
 * number is bounded; clients and devices, whose names others choose, are no part of it.
 */
#ifndef ST_DAEMON_CAUSES_EVENT_KINDS_H
#define ST_DAEMON_CAUSES_EVENT_KINDS_H

#include "store/history/event.h"

#define ST_EVENT_KINDS_MAX                                                                                   \
    64 /* names with their sources are about 40; what came after would share the last */

/** All zero: none. Threads: the owner's lock. */
struct st_event_kinds {
    struct st_event_kind {
        char name[sizeof(((struct st_event *)NULL)->name)];
        char source[sizeof(((struct st_event *)NULL)->source)];
        uint64_t n;
    } kinds[ST_EVENT_KINDS_MAX];
    size_t kinds_n;
};

/** Place of the kind of an event, 0 .. ST_EVENT_KINDS_MAX - 1; a new kind gets a place. */
size_t st_event_kinds_place(struct st_event_kinds *kinds, const struct st_event *event);

/** Place of the most frequent kind. */
size_t st_event_kinds_largest(const struct st_event_kinds *kinds);

#endif
