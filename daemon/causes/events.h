/* What happened lately: a short list for status, page and log, and the way to the history. What too many
 * events of a kind say is summed (daemon/causes/event_limit.h). An event is put once and not changed any
 * more. */
#pragma once

#include <jansson.h>
#include <pthread.h>

#include "daemon/causes/event_limit.h"
#include "daemon/log.h"
#include "platform/platform.h"
#include "story/event_story.h"

#define ST_EVENTS_MAX 64

/** What is known of the machine when an event is put; times by the wall clock. */
struct st_meanwhile {
    int64_t at_ns; /* of "pressure", and the last look at what slows the machine; 0: none yet */
    struct st_event_pressure pressure;
    enum st_cause slowed; /* ST_CAUSE_UNKNOWN: it was not; else by what, in the last seconds in a row */
    int64_t slowed_from_ns, slowed_to_ns;
    int loop_cpu;                           /* -1: any */
    int64_t watched_from_ns, watched_to_ns; /* wake-ups of the loop were looked at; INT64_MAX, 0: never */
};

/** The last events, and who listens (history). Threads: any. */
struct st_events {
    pthread_mutex_t mutex;
    struct st_listed {
        struct st_event event;
        enum st_log_level level;
        bool logged;
    } events[ST_EVENTS_MAX]; /* in the order in which they were added */
    size_t events_n;
    struct st_event_kinds kinds;  /* of these */
    uint64_t added_n;             /* since the start */
    int64_t late_gone_ns;         /* the last late wake-up that has left the list; INT64_MIN: none has */
    struct st_platform *platform; /* NULL: no limit */
    struct st_event_limit limit;
    struct st_meanwhile meanwhile;
    void (*hear)(void *ctx, const struct st_event *event); /* NULL: no one listens */
    void *hear_ctx;
    uint64_t unlogged_n; /* left the list before they were logged */
    int64_t log_minute;  /* of the time of day */
    unsigned log_left;   /* late wake-ups that may still be logged in it */
};

/** @param platform that limits the rate: at most ST_EVENT_LIMIT_BURST_N events of a kind, then one
 * each ST_EVENT_LIMIT_EACH_NS; NULL: no limit. @return 0 or a negative errno value. */
ST_NODISCARD int st_events_init(struct st_events *events, struct st_platform *platform);
void st_events_finish(struct st_events *events);

/** hear is called in the thread of each event, one at a time, and must not wait or add events. NULL: no more.
 * Threads: any. */
void st_events_listen(struct st_events *events, void (*hear)(void *ctx, const struct st_event *event),
                      void *ctx);

/** What is known of the machine from now on: dropouts and late wake-ups get it when they are put. Threads:
 * any. */
void st_events_set_meanwhile(struct st_events *events, const struct st_meanwhile *meanwhile);

/** Completes a copy of an event as st_events_put would. Threads: any. */
void st_events_note_meanwhile(struct st_events *events, struct st_event *event);

/** Keeps an event and calls who listens. */
void st_events_put(struct st_events *events, enum st_log_level level, const struct st_event *event);

/** The same for an event that has only words; it is logged at once. */
void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns,
                   enum st_event_kind kind, const char *format, ...) ST_PRINTF(5, 6);

/** Puts the sums of what was too much, and logs what is not logged yet and settled: all that can explain it
 * has been put. Late wake-ups beyond ten a minute are logged for debugging only. Threads: main, each second.
 * @param end all of it. */
void st_events_log(struct st_events *events, int64_t wall_ns, bool end);

/** By what the machine was slower in the second before that moment; ST_CAUSE_UNKNOWN: it was not.
 * @return false: the machine was not looked at since then, so this may change. Threads: any. */
bool st_events_slowed(struct st_events *events, int64_t wall_ns, enum st_cause *ret);

/** Newest first, by their times: [st_event_story_json()]. NULL when out of memory. */
json_t *st_events_json(struct st_events *events, int64_t wall_ns);
