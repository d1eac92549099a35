/* A notification on the desktop of the user whose daemon this is: once for each new cause of dropouts, at
 * most one an hour (notify.enabled). Nothing here waits: calls are sent, and their answers come by the poll
 * of the main thread. Threads: main. */
#pragma once

#include "daemon/notify_cause.h"
#include "daemon/wait.h"

struct st_notify;

/** Opens nothing yet. @return NULL: out of memory, or built without libsystemd; the others take it. */
struct st_notify *st_notify_new(void);

/** Shows the next cause, if one is new and it is time. @param now_ns CLOCK_MONOTONIC. */
void st_notify_look(struct st_notify *notify, bool enabled, const struct st_view *view, int64_t now_ns);

/** For the screen: "on: one for each new cause, at most one an hour", or why none is shown. */
const char *st_notify_state(const struct st_notify *notify, bool enabled);

void st_notify_wait(const struct st_notify *notify, struct st_wait *wait);
/** @return true: the user says, as an answer to one, that a dropout was heard. */
bool st_notify_turn(struct st_notify *notify);
void st_notify_free(struct st_notify *notify);
