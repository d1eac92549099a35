/* The connections on which server-sent events go out. Needs libmicrohttpd. */
#ifndef ST_DAEMON_HTTP_HTTP_STREAMS_H
#define ST_DAEMON_HTTP_HTTP_STREAMS_H

#include <microhttpd.h>
#include <pthread.h>

#include "daemon/http/feed.h"

#define ST_HTTP_STREAMS_MAX 16

struct st_http_streams;

struct st_http_stream {
    struct st_http_streams *streams;
    struct MHD_Connection *connection; /* NULL: free */
    int fd;
    struct st_feed_cursor cursor;
    bool suspended;
};

/** Between a server's thread, which reads, and the thread that puts. */
struct st_http_streams {
    pthread_mutex_t mutex;
    struct st_feed feed;
    struct st_http_stream slots[ST_HTTP_STREAMS_MAX];
    bool ending;
};

int st_http_streams_init(struct st_http_streams *streams);

/** After the server has stopped. */
void st_http_streams_finish(struct st_http_streams *streams);

/** The endless response to one request; NULL: there are as many streams as there may be. Server's thread. */
struct MHD_Response *st_http_streams_open(struct st_http_streams *streams, struct MHD_Connection *connection);

/** How many are open. Threads: any. */
size_t st_http_streams_n(struct st_http_streams *streams);

/** Gives a copy of the text to all; a reader that does not keep up is cut off. Threads: any but the server's.
 */
void st_http_streams_put(struct st_http_streams *streams, const char *text, size_t len);

/** Ends all, at once, and lets no new one wait: call before MHD_stop_daemon. */
void st_http_streams_end(struct st_http_streams *streams);

#endif
