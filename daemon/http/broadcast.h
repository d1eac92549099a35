/* What all who watch are sent: one live document a second, made once, and each event. */
#ifndef ST_DAEMON_HTTP_BROADCAST_H
#define ST_DAEMON_HTTP_BROADCAST_H

#include "daemon/causes/events.h"

#define ST_BROADCAST_EVENTS  64                 /* between two seconds; more are only counted */
#define ST_BROADCAST_KEEP_NS INT64_C(500000000) /* a document younger than this is used again */

struct st_broadcast {
    pthread_mutex_t heard_mutex;
    struct st_event heard[ST_BROADCAST_EVENTS]; /* a ring */
    uint64_t heard_n, told_n;

    pthread_mutex_t text_mutex;
    char *text; /* the live document; NULL: none yet */
    int64_t made_ns;
};

/** Before threads exist: it listens to the events. @return 0 or -errno. */
ST_NODISCARD int st_broadcast_init(struct st_broadcast *broadcast, struct st_events *events);
void st_broadcast_finish(struct st_broadcast *broadcast);

/** The live document as text, made anew by `make` when the last one is old. now_ns: CLOCK_MONOTONIC.
 * @return to be freed; NULL when out of memory. Threads: any; who comes second waits for the first. */
char *st_broadcast_document(struct st_broadcast *broadcast, int64_t now_ns, json_t *(*make)(void *ctx),
                            void *ctx);

/** The events since the last call and then the document (NULL: a comment instead, so that the stream is seen
 * to live), as text/event-stream. @return to be freed; NULL when out of memory. Threads: one. */
char *st_broadcast_chunk(struct st_broadcast *broadcast, const char *document, size_t *ret_len);

/** Nobody listens: events until now are forgotten. Threads: as st_broadcast_chunk. */
void st_broadcast_forget(struct st_broadcast *broadcast);

#endif
