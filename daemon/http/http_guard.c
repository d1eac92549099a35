/* A slot for each connection, found by its descriptor. */
#include "daemon/http/http_guard.h"

#include <stdlib.h>
#include <string.h>
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
        guard->slots[i].fd = fd;
        guard->slots[i].since = guard->ticks;
    }
    pthread_mutex_unlock(&guard->mutex);
}

void st_http_guard_completed(void *ctx, struct MHD_Connection *connection, void **request,
                             enum MHD_RequestTerminationCode how)
{
    struct st_http_guard *guard = ctx;
    (void)request;
    (void)how;
    pthread_mutex_lock(&guard->mutex);
    const size_t i = find(guard, fd_of(connection));
    if (i < ST_HTTP_CONNECTIONS_MAX)
        guard->slots[i].since = guard->ticks;
    pthread_mutex_unlock(&guard->mutex);
}

void st_http_guard_tick(struct st_http_guard *guard)
{
    pthread_mutex_lock(&guard->mutex);
    guard->ticks++;
    for (size_t i = 0; i < ST_HTTP_CONNECTIONS_MAX; i++) {
        if (guard->slots[i].used && guard->ticks - guard->slots[i].since > ST_HTTP_REQUEST_TICKS)
            shutdown(guard->slots[i].fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&guard->mutex);
}

struct answer {
    struct st_http_guard *guard;
    char *text;
    size_t bytes;
};

bool st_http_guard_is_full(struct st_http_guard *guard)
{
    return atomic_load(&guard->held_bytes) > ST_HTTP_HELD_MAX_BYTES;
}

static void free_answer(void *ctx)
{
    struct answer *answer = ctx;
    atomic_fetch_sub(&answer->guard->held_bytes, answer->bytes);
    free(answer->text);
    free(answer);
}

struct MHD_Response *st_http_guard_response(struct st_http_guard *guard, char *text)
{
    struct answer *answer = malloc(sizeof(*answer));
    if (answer == NULL)
        return NULL;
    *answer = (struct answer){guard, text, strlen(text) + 1};
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback_cls(answer->bytes - 1, text, free_answer, answer);
    if (response == NULL)
        free(answer);
    else
        atomic_fetch_add(&guard->held_bytes, answer->bytes);
    return response;
}
