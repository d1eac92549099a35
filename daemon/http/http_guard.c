/* One slot a connection, by its descriptor. */
#include "daemon/http/http_guard.h"

#include <sys/socket.h>

int st_http_guard_init(struct st_http_guard *guard)
{
    *guard = (struct st_http_guard){0};
    return -pthread_mutex_init(&guard->mutex, NULL);
}

void st_http_guard_finish(struct st_http_guard *guard)
{
    pthread_mutex_destroy(&guard->mutex);
}

static int fd_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info != NULL ? info->connect_fd : -1;
}

/* Under the mutex. @return the connection's slot, or with fd -1 a free one; the number of slots: none. */
static size_t find(const struct st_http_guard *guard, int fd)
{
    size_t i = 0;
    while (i < ST_HTTP_CONNECTIONS_MAX &&
           (fd < 0 ? guard->slots[i].used : !guard->slots[i].used || guard->slots[i].fd != fd))
        i++;
    return i;
}

void st_http_guard_connection(void *ctx, struct MHD_Connection *connection, void **slot,
                              enum MHD_ConnectionNotificationCode what)
{
    (void)slot;
    struct st_http_guard *guard = ctx;
    const int fd = fd_of(connection);
    const bool begins = what == MHD_CONNECTION_NOTIFY_STARTED;
    pthread_mutex_lock(&guard->mutex);
    const size_t i = find(guard, begins ? -1 : fd);
    if (i < ST_HTTP_CONNECTIONS_MAX) {
        guard->slots[i].used = begins && fd >= 0;
        guard->slots[i].stream = false;
        guard->slots[i].fd = fd;
        guard->slots[i].since = guard->ticks;
    }
    pthread_mutex_unlock(&guard->mutex);
}

static void mark(struct st_http_guard *guard, struct MHD_Connection *connection, bool stream)
{
    pthread_mutex_lock(&guard->mutex);
    const size_t i = find(guard, fd_of(connection));
    if (i < ST_HTTP_CONNECTIONS_MAX) {
        guard->slots[i].stream = stream;
        guard->slots[i].since = guard->ticks;
    }
    pthread_mutex_unlock(&guard->mutex);
}

void st_http_guard_completed(void *ctx, struct MHD_Connection *connection, void **request,
                             enum MHD_RequestTerminationCode how)
{
    (void)request;
    (void)how;
    mark(ctx, connection, false);
}

void st_http_guard_stream(struct st_http_guard *guard, struct MHD_Connection *connection)
{
    mark(guard, connection, true);
}

void st_http_guard_tick(struct st_http_guard *guard)
{
    pthread_mutex_lock(&guard->mutex);
    guard->ticks++;
    for (size_t i = 0; i < ST_HTTP_CONNECTIONS_MAX; i++) {
        if (guard->slots[i].used && !guard->slots[i].stream &&
            guard->ticks - guard->slots[i].since > ST_HTTP_REQUEST_TICKS)
            shutdown(guard->slots[i].fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&guard->mutex);
}
