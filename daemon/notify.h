/* A notification on the desktop of the daemon's user: once for each new cause of dropouts, at most one an
 * hour (notify.enabled). No function waits: calls are sent, and the answers arrive in the main thread's
 * poll. Threads: main. */
#pragma once

#include "daemon/notify_cause.h"

struct st_notify;

/** Opens nothing yet. @return NULL: out of memory, or built without libsystemd; the other functions accept
 * NULL. */
struct st_notify *st_notify_new(void);

/** Shows the next new cause if the last notification is old enough. @param now_ns CLOCK_MONOTONIC. */
void st_notify_look(struct st_notify *notify, bool enabled, const struct st_view *view, int64_t now_ns);

/** For the screen: "on: one for each new cause, at most one an hour", or why none is shown. */
const char *st_notify_state(const struct st_notify *notify, bool enabled);

void st_notify_wait(const struct st_notify *notify, struct st_wait *wait);
/** Handles answers. @return true: the user answered a notification with "I heard a dropout". */
bool st_notify_turn(struct st_notify *notify);
void st_notify_free(struct st_notify *notify);
