/* Recent events: a short list for status, page and log, from which they are passed on to the
 * history. Too many events of a kind are summed (daemon/causes/event_limit.h). Once added, an event
 * does not change. */
#pragma once

#include <jansson.h>
#include <pthread.h>

#include "daemon/causes/event_limit.h"
#include "platform/platform.h"
#include "story/event_story.h"

#define ST_EVENTS_MAX 64

/** State of the machine, stored with an event; times by the wall clock. */
struct st_meanwhile {
    int64_t at_ns; /* when `pressure` and `slowed` were last read; 0: not yet */
    struct st_event_pressure pressure;
    /* cause that slowed the machine (for example heat) from slowed_from_ns to slowed_to_ns without
     * interruption; ST_CAUSE_UNKNOWN: it was not slower */
    enum st_cause slowed;
    int64_t slowed_from_ns, slowed_to_ns;
    int loop_cpu; /* CPU of the timing test; -1: any */
    /* time in which the loop's wake-ups were examined without a gap; INT64_MAX, 0: never */
    int64_t watched_from_ns, watched_to_ns;
};

/** The last events, and a listener, which is the history. Threads: any. */
struct st_events {
    pthread_mutex_t mutex;
    struct st_listed {
        struct st_event event;
        enum st_log_level level;
        bool logged;
    } events[ST_EVENTS_MAX]; /* in the order of adding */
    size_t events_n;
    struct st_event_kinds kinds; /* number of listed events of each kind */
    uint64_t added_n;            /* all events since the start */
    /* time of the last late wake-up that was dropped from the list; INT64_MIN: none */
    int64_t late_gone_ns;
    struct st_platform *platform; /* NULL: the rate of events is not limited */
    struct st_event_limit limit;
    struct st_meanwhile meanwhile;
    void (*hear)(void *ctx, const struct st_event *event); /* NULL: no listener */
    void *hear_ctx;
    uint64_t unlogged_n; /* events that were dropped from the list before they were logged */
    int64_t log_minute;  /* minute of the time of day to which log_left applies */
    /* late wake-ups that may still be logged in log_minute; later ones are debug messages */
    unsigned log_left;
};

/** @param platform limits the rate: at most ST_EVENT_LIMIT_BURST_N events of a kind, then one each
 * ST_EVENT_LIMIT_EACH_NS; NULL: no limit. @return 0 or a negative errno value. */
ST_NODISCARD int st_events_init(struct st_events *events, struct st_platform *platform);
void st_events_finish(struct st_events *events);

/** Sets the listener. `hear` is called in the thread of each event, one call at a time, and must
 * not wait or add events. NULL: no listener. Threads: any. */
void st_events_listen(struct st_events *events,
                      void (*hear)(void *ctx, const struct st_event *event), void *ctx);

/** Sets the current state of the machine, which is stored with each dropout and late wake-up that
 * is added from now on. Threads: any. */
void st_events_set_meanwhile(struct st_events *events, const struct st_meanwhile *meanwhile);

/** Adds the state of the machine to a copy of an event, as st_events_put does. Threads: any. */
void st_events_note_meanwhile(struct st_events *events, struct st_event *event);

/** Adds an event to the list and calls the listener. */
void st_events_put(struct st_events *events, enum st_log_level level, const struct st_event *event);

/** As st_events_put, for an event that is only a text; logged at once, since no explanation can
 * follow. */
void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns,
                   enum st_event_kind kind, const char *format, ...) ST_PRINTF(5, 6);

/** Adds the sums of held-back events, and logs events that were not logged yet. A late event waits
 * for its log line until everything that may explain it is known. Late wake-ups beyond ten a minute
 * are logged at debug level only. Threads: main, each second. @param end the daemon ends: log all
 * events now. */
void st_events_log(struct st_events *events, int64_t wall_ns, bool end);

/** Finds why the machine was slower in the second before that moment; ST_CAUSE_UNKNOWN: it was not.
 * @return false: the machine was not examined after that moment, so the answer may change. Threads:
 * any. */
bool st_events_slowed(struct st_events *events, int64_t wall_ns, enum st_cause *ret);

/** The events as a JSON array, newest first, each from st_event_story_json. NULL: out of memory. */
json_t *st_events_json(struct st_events *events, int64_t wall_ns);
