/* A stream that has sent all there is is suspended; new text resumes it. */
#include "daemon/http/http_streams.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define BLOCK_BYTES  4096  /* what the server asks for at once */
#define UNREAD_BYTES 32768 /* that the kernel keeps for a reader; some seconds */

int st_http_streams_init(struct st_http_streams *streams)
{
    *streams = (struct st_http_streams){0};
    return -pthread_mutex_init(&streams->mutex, NULL);
}

void st_http_streams_finish(struct st_http_streams *streams)
{
    st_feed_finish(&streams->feed);
    pthread_mutex_destroy(&streams->mutex);
}

/* Server's thread: what comes next on this connection. */
static ssize_t read_next(void *ctx, uint64_t position, char *buf, size_t buf_bytes)
{
    (void)position;
    struct st_http_stream *stream = ctx;
    struct st_http_streams *streams = stream->streams;
    ssize_t n = MHD_CONTENT_READER_END_OF_STREAM;
    pthread_mutex_lock(&streams->mutex);
    if (!streams->ending) {
        n = st_feed_read(&streams->feed, &stream->cursor, buf, buf_bytes);
        if (n < 0)
            n = MHD_CONTENT_READER_END_WITH_ERROR;
        if (n == 0) {
            stream->suspended = true;
            MHD_suspend_connection(stream->connection);
        }
    }
    pthread_mutex_unlock(&streams->mutex);
    return n;
}

static void close_stream(void *ctx)
{
    struct st_http_stream *stream = ctx;
    struct st_http_streams *streams = stream->streams;
    pthread_mutex_lock(&streams->mutex);
    *stream = (struct st_http_stream){0};
    pthread_mutex_unlock(&streams->mutex);
}

struct MHD_Response *st_http_streams_open(struct st_http_streams *streams, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const int unread_bytes = UNREAD_BYTES;
    struct st_http_stream *stream = NULL;
    pthread_mutex_lock(&streams->mutex);
    for (size_t i = 0; i < ST_HTTP_STREAMS_MAX && stream == NULL && info != NULL; i++) {
        if (streams->slots[i].connection == NULL)
            stream = &streams->slots[i];
    }
    if (stream != NULL)
        *stream = (struct st_http_stream){.streams = streams,
                                          .connection = connection,
                                          .fd = info->connect_fd,
                                          .cursor = st_feed_join(&streams->feed)};
    pthread_mutex_unlock(&streams->mutex);
    if (stream == NULL)
        return NULL;
    /* where it is refused, who does not read is only found out later */
    (void)setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &unread_bytes, sizeof(unread_bytes));
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_next, stream, close_stream);
    if (response == NULL)
        close_stream(stream);
    return response;
}

size_t st_http_streams_n(struct st_http_streams *streams)
{
    size_t n = 0;
    pthread_mutex_lock(&streams->mutex);
    for (size_t i = 0; i < ST_HTTP_STREAMS_MAX; i++)
        n += streams->slots[i].connection != NULL;
    pthread_mutex_unlock(&streams->mutex);
    return n;
}

/* Under the mutex. */
static void resume(struct st_http_stream *stream)
{
    if (!stream->suspended)
        return;
    stream->suspended = false;
    MHD_resume_connection(stream->connection);
}

void st_http_streams_put(struct st_http_streams *streams, const char *text, size_t len)
{
    char *copy = malloc(len);
    if (copy == NULL)
        return; /* the next second may have memory again */
    memcpy(copy, text, len);
    pthread_mutex_lock(&streams->mutex);
    st_feed_put(&streams->feed, copy, len);
    for (size_t i = 0; i < ST_HTTP_STREAMS_MAX; i++) {
        struct st_http_stream *stream = &streams->slots[i];
        if (stream->connection == NULL)
            continue;
        /* it cannot be written to, so the server would not ask for more; the descriptor is open until
         * close_stream */
        if (st_feed_behind(&streams->feed, &stream->cursor))
            shutdown(stream->fd, SHUT_RDWR);
        resume(stream);
    }
    pthread_mutex_unlock(&streams->mutex);
}

void st_http_streams_end(struct st_http_streams *streams)
{
    pthread_mutex_lock(&streams->mutex);
    streams->ending = true;
    for (size_t i = 0; i < ST_HTTP_STREAMS_MAX; i++)
        resume(&streams->slots[i]);
    pthread_mutex_unlock(&streams->mutex);
}
