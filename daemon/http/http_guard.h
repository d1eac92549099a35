/* What one server spends on its clients: time for each request, and memory for answers that they have not read
 * yet. Needs libmicrohttpd, whose own time-out starts again with each byte. */
#ifndef ST_DAEMON_HTTP_HTTP_GUARD_H
#define ST_DAEMON_HTTP_HTTP_GUARD_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/base.h"

#define ST_HTTP_CONNECTIONS_MAX 32
#define ST_HTTP_ADDRESS_MAX     12 /* of them for one address, over TCP: a browser takes up to 7 */
/** From the start of the connection, or the end of the request before, to the last byte of the answer. */
#define ST_HTTP_REQUEST_TICKS  20
#define ST_HTTP_HELD_MAX_BYTES (1024 * 1024)

struct st_http_guard {
    pthread_mutex_t mutex;
    uint64_t ticks;
    struct {
        bool used;
        int fd;
        uint64_t since;
    } slots[ST_HTTP_CONNECTIONS_MAX];
    atomic_size_t held_bytes; /* of answers that are still being sent: this memory is locked */
};

int st_http_guard_init(struct st_http_guard *guard);
void st_http_guard_finish(struct st_http_guard *guard);

/** For MHD_OPTION_NOTIFY_CONNECTION and MHD_OPTION_NOTIFY_COMPLETED. */
void st_http_guard_connection(void *guard, struct MHD_Connection *connection, void **slot,
                              enum MHD_ConnectionNotificationCode what);
void st_http_guard_completed(void *guard, struct MHD_Connection *connection, void **request,
                             enum MHD_RequestTerminationCode how);

/** Call each second: ends connections that are over their time. Threads: any. */
void st_http_guard_tick(struct st_http_guard *guard);

/** Do clients hold more than ST_HTTP_HELD_MAX_BYTES of unread answers? Threads: any. */
bool st_http_guard_is_full(struct st_http_guard *guard);

/** A response that frees its text, which counts as held until then.
 * @return NULL: out of memory, the text stays with the caller. Threads: any. */
struct MHD_Response *st_http_guard_response(struct st_http_guard *guard, char *text);

#endif
