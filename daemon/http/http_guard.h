/* Connections that take too long over one request. Needs libmicrohttpd, whose own time-out begins anew with
 * each byte. */
#ifndef ST_DAEMON_HTTP_HTTP_GUARD_H
#define ST_DAEMON_HTTP_HTTP_GUARD_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>

#include "core/base.h"

#define ST_HTTP_CONNECTIONS_MAX 32
#define ST_HTTP_ADDRESS_MAX     12 /* of them for one address, over TCP: a browser takes up to 7 */
/** From the connection's begin, or the request before it, to the last byte of the answer. */
#define ST_HTTP_REQUEST_TICKS 20

struct st_http_guard {
    pthread_mutex_t mutex;
    uint64_t ticks;
    struct {
        bool used, stream; /* a stream may last */
        int fd;
        uint64_t since;
    } slots[ST_HTTP_CONNECTIONS_MAX];
};

int st_http_guard_init(struct st_http_guard *guard);
void st_http_guard_finish(struct st_http_guard *guard);

/** For MHD_OPTION_NOTIFY_CONNECTION and MHD_OPTION_NOTIFY_COMPLETED. */
void st_http_guard_connection(void *guard, struct MHD_Connection *connection, void **slot,
                              enum MHD_ConnectionNotificationCode what);
void st_http_guard_completed(void *guard, struct MHD_Connection *connection, void **request,
                             enum MHD_RequestTerminationCode how);

/** This request is a stream. */
void st_http_guard_stream(struct st_http_guard *guard, struct MHD_Connection *connection);

/** One second went by: ends connections that are over their time. Threads: any. */
void st_http_guard_tick(struct st_http_guard *guard);

#endif
