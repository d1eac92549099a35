/* What happened lately: a short list for the status page. Each event is logged when it is added, unless there
 * are too many of its kind (daemon/causes/event_limit.h). */
#ifndef ST_DAEMON_CAUSES_EVENTS_H
#define ST_DAEMON_CAUSES_EVENTS_H

#include <jansson.h>
#include <pthread.h>

#include "daemon/causes/event_limit.h"
#include "daemon/log.h"
#include "platform/platform.h"

#define ST_EVENTS_MAX      64
#define ST_EVENTS_HELD_MAX 16

/** The last events, and who listens (history). Threads: any. */
struct st_events {
    pthread_mutex_t mutex;
    struct st_event events[ST_EVENTS_MAX]; /* in the order in which they were added */
    size_t events_n;
    struct st_event_kinds kinds; /* of these */
    uint64_t added_n;            /* since the start */
    struct st_platform *clock;   /* NULL: no limit */
    struct st_event_limit limit;
    void (*hear)(void *ctx, const struct st_event *event); /* NULL: no one listens */
    void *hear_ctx;
    int64_t (*fill)(void *ctx, struct st_event *event, bool last);
    void *fill_ctx;
    struct st_held {
        int64_t until_ns;
        enum st_log_level level;
        struct st_event event;
    } held[ST_EVENTS_HELD_MAX];
    size_t held_n;
};

/** @param platform whose clock limits the rate: at most ST_EVENT_LIMIT_BURST_N events of a kind, then one
 * each ST_EVENT_LIMIT_EACH_NS; NULL: no limit. @return 0 or a negative errno value. */
ST_NODISCARD int st_events_init(struct st_events *events, struct st_platform *platform);
void st_events_finish(struct st_events *events);

/** hear is called in the thread of each event, one at a time, and must not wait or add events. NULL: no more.
 * Threads: any. */
void st_events_listen(struct st_events *events, void (*hear)(void *ctx, const struct st_event *event),
                      void *ctx);

/** Before threads exist. fill is called in the thread of each event, before it is logged, and adds what else
 * is known of it; it must not add events. @return 0, or until when (CLOCK_MONOTONIC) it may be known: the
 * event is held back so long, where there is room, and fill is called a last time. */
void st_events_fill_by(struct st_events *events,
                       int64_t (*fill)(void *ctx, struct st_event *event, bool last), void *ctx);

/** Puts the events that were held back until now, and the sums of what was too much. Threads: main, each
 * second; INT64_MAX at the end. */
void st_events_release(struct st_events *events, int64_t now_ns);

/** An event of which nothing is known but its text, to be filled in and given to st_events_put. */
struct st_event st_event_make(int64_t wall_ns, enum st_event_kind kind, const char *format, ...)
    ST_PRINTF(3, 4);

/** Logs an event, keeps it, tells who listens. */
void st_events_put(struct st_events *events, enum st_log_level level, const struct st_event *event);

/** Both in one, for an event that is only a text. */
void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns,
                   enum st_event_kind kind, const char *format, ...) ST_PRINTF(5, 6);

/** Newest first, by their times: [st_event_json()]. NULL when out of memory. */
json_t *st_events_json(struct st_events *events);

#endif
