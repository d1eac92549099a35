/* Recent events: a short list for status, page and log, and the way to the history. Too many events of a
 * kind are summed (daemon/causes/event_limit.h). An event is put once and does not change afterwards. */
#pragma once

#include <jansson.h>
#include <pthread.h>

#include "daemon/causes/event_limit.h"
#include "platform/platform.h"
#include "story/event_story.h"

#define ST_EVENTS_MAX 64

/** State of the machine, stored with an event; times by the wall clock. */
struct st_meanwhile {
    int64_t at_ns; /* time of `pressure`, and of the last look at what slows the machine; 0: none yet */
    struct st_event_pressure pressure;
    enum st_cause slowed; /* why the machine has been slower without interruption in the last seconds;
                             ST_CAUSE_UNKNOWN: it was not */
    int64_t slowed_from_ns, slowed_to_ns;
    int loop_cpu; /* -1: any */
    int64_t watched_from_ns,
        watched_to_ns; /* time in which wake-ups of the loop were looked at; INT64_MAX, 0: never */
};

/** The last events, and the listener (history). Threads: any. */
struct st_events {
    pthread_mutex_t mutex;
    struct st_listed {
        struct st_event event;
        enum st_log_level level;
        bool logged;
    } events[ST_EVENTS_MAX]; /* in the order of adding */
    size_t events_n;
    struct st_event_kinds kinds;  /* of the list */
    uint64_t added_n;             /* since the start */
    int64_t late_gone_ns;         /* time of the last late wake-up that has left the list; INT64_MIN: none */
    struct st_platform *platform; /* NULL: no limit */
    struct st_event_limit limit;
    struct st_meanwhile meanwhile;
    void (*hear)(void *ctx, const struct st_event *event); /* NULL: no listener */
    void *hear_ctx;
    uint64_t unlogged_n; /* events that left the list before they were logged */
    int64_t log_minute;  /* minute of the time of day */
    unsigned log_left;   /* late wake-ups that may still be logged in log_minute */
};

/** @param platform limits the rate: at most ST_EVENT_LIMIT_BURST_N events of a kind, then one each
 * ST_EVENT_LIMIT_EACH_NS; NULL: no limit. @return 0 or a negative errno value. */
ST_NODISCARD int st_events_init(struct st_events *events, struct st_platform *platform);
void st_events_finish(struct st_events *events);

/** Sets the listener. `hear` is called in the thread of each event, one call at a time, and must not wait
 * or add events. NULL: no listener. Threads: any. */
void st_events_listen(struct st_events *events, void (*hear)(void *ctx, const struct st_event *event),
                      void *ctx);

/** Sets the state of the machine from now on; stored with dropouts and late wake-ups when they are put.
 * Threads: any. */
void st_events_set_meanwhile(struct st_events *events, const struct st_meanwhile *meanwhile);

/** Completes a copy of an event as st_events_put does. Threads: any. */
void st_events_note_meanwhile(struct st_events *events, struct st_event *event);

/** Keeps an event and calls the listener. */
void st_events_put(struct st_events *events, enum st_log_level level, const struct st_event *event);

/** As st_events_put, for an event with text only; logged at once. */
void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns,
                   enum st_event_kind kind, const char *format, ...) ST_PRINTF(5, 6);

/** Puts sums of held-back events, and logs unlogged events for which every possible explanation has been
 * put. Late wake-ups beyond ten a minute are logged at debug level only. Threads: main, each second.
 * @param end log all events. */
void st_events_log(struct st_events *events, int64_t wall_ns, bool end);

/** Why the machine was slower in the second before that moment; ST_CAUSE_UNKNOWN: it was not. @return
 * false: no look at the machine since then, so the answer may change. Threads: any. */
bool st_events_slowed(struct st_events *events, int64_t wall_ns, enum st_cause *ret);

/** Events, newest first: [st_event_story_json()]. NULL: out of memory. */
json_t *st_events_json(struct st_events *events, int64_t wall_ns);
