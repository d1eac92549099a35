/* What happened lately: a short list for the status page; each event is logged when it is added. */
#ifndef ST_DAEMON_EVENTS_H
#define ST_DAEMON_EVENTS_H

#include <jansson.h>
#include <pthread.h>

#include "daemon/log.h"

#define ST_EVENTS_MAX 64

struct st_event {
    int64_t wall_ns;
    char name[24];
    char text[200];
};

/** Ring of the last events. Threads: any. */
struct st_events {
    pthread_mutex_t mutex;
    struct st_event events[ST_EVENTS_MAX];
    uint64_t added_n;
};

int st_events_init(struct st_events *events);
void st_events_finish(struct st_events *events);

/** @param name stable, with hyphens ("late-wake"). */
void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns, const char *name,
                   const struct st_log_field *fields, size_t fields_n, const char *format, ...)
    ST_PRINTF(7, 8);

/** Newest first: [{time_ns, event, text}]. NULL when out of memory. */
json_t *st_events_json(struct st_events *events);

#endif
