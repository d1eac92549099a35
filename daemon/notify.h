/* Shows a notification on the desktop of the daemon's user: one for each new cause of dropouts, at
 * most one an hour (notify.enabled). No function blocks: D-Bus calls are sent, and st_notify_turn
 * handles the answers. Threads: main. */
#pragma once

#include "daemon/notify_cause.h"

struct st_notify;

/** Opens no connection yet. @return NULL: out of memory, or built without libsystemd; the other
 * functions accept NULL. */
struct st_notify *st_notify_new(void);

/** Shows the next cause of dropouts that was not shown yet, if the last notification is an hour
 * old. @param now_ns CLOCK_MONOTONIC. */
void st_notify_look(struct st_notify *notify, bool enabled, const struct st_view *view,
                    int64_t now_ns);

/** For the screen: "one for each new cause, at most one an hour; shown: 3", or why none is shown.
 */
const char *st_notify_state(const struct st_notify *notify, bool enabled);

void st_notify_wait(const struct st_notify *notify, struct st_wait *wait);
/** Handles the answers of the notification server and of the user. @return true: the user pressed
 * "I heard it" in a notification. */
bool st_notify_turn(struct st_notify *notify);
void st_notify_free(struct st_notify *notify);
