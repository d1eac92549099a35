/* The state of the service at one moment, its minutes and events. Main thread. */
#pragma once

#include "daemon/service_state.h"

/** Adds an event with the current time. @param ... kind, format and its arguments, as for
 * st_events_add. */
#define ST_SERVICE_EVENT(service, level, ...)                                                      \
    st_events_add(&(service)->events, level, st_service_view_wall_ns(service), __VA_ARGS__)

int64_t st_service_view_wall_ns(struct st_service *service);

/** Did 'sleeptune apply linux-rt-permission' (advisor/change/change.c) give this user, who is not
 * root, the right to real-time priority? Sets view.right_set_up. */
void st_service_view_look_at_right(struct st_service *service);

/** Fills *view with the figures of all parts. view->loop points into *result, which the caller must
 * finish.
 * @return false: there is no result of the loop. */
bool st_service_view_look(struct st_service *service, struct st_view *view,
                          struct st_result *result);

/** By how many ns the loop's next cycle is overdue (daemon/loop/overdue.h); 0: the loop runs, rests
 * or has ended. */
int64_t st_service_view_overdue_ns(struct st_service *service);

/** Adds an event that says that the user heard a dropout at this moment. @param by who reported it:
 * "key", "typed", "page", or "prompted" (a button of a notification). @param note the user's text,
 * may be "".
 * @return 0; -EAGAIN: there were ten such events in the last minute. */
ST_NODISCARD int st_service_view_mark(struct st_service *service, const char *by, const char *note);

/** Ends the current minute, whether the loop ran in it or not: writes it to the log, the history
 * and view.minute. */
void st_service_view_end_minute(struct st_service *service);

/** The functions that make the answers of the HTTP servers. */
struct st_http_source st_service_view_source(struct st_service *service);

/** The counts of a loop at now_ns (CLOCK_MONOTONIC; wall_ns is the same moment by the wall clock).
 * They cover the time until the first period that was not seen yet: a loop without a CPU measures
 * nothing at first, and counts all of that time with its next cycle. from_wall_ns, counts of other
 * programs, lateness and causes are 0. */
struct st_history_minute st_service_view_minute_so_far(const struct st_result *result,
                                                       int64_t now_ns, int64_t wall_ns);

/** Ends a minute: *ret is the difference between `before` and `now`; `before` becomes `now`. A
 * counter that decreased (the loop was started again) counts from zero. @return false: no period
 * passed; the minute goes on and becomes longer. Pure. */
bool st_service_view_minute_take(struct st_history_minute *before,
                                 const struct st_history_minute *now,
                                 struct st_history_minute *ret);

/** "last 60 s: 22500 cycles, 0 missed ..." @param dropouts_n dropouts of other programs; INT64_MIN:
 * no source was watched. */
const char *st_service_view_minute_text(const struct st_history_minute *minute, int64_t dropouts_n);
