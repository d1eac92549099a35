#include "platform/local_http.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/posix.h"

#define QUEUE_TRIES   20
#define QUEUE_WAIT_MS 50
#define TARGET_BYTES  1200
#define FIRST_BYTES   4096
#define HEADER_END    "\r\n\r\n"
#define STATUS_FORMAT "HTTP/1.%*1d %3d "

struct answer {
    char *text;
    size_t len, room;
};

/* @return a descriptor, or as st_local_http_ask. */
static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    int r = -EAGAIN;
    for (int i = 0; i < QUEUE_TRIES && r == -EAGAIN; i++) {
        if (i > 0)
            (void)poll(NULL, 0, QUEUE_WAIT_MS);
        r = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : -errno;
    }
    if (r == 0)
        return fd;
    close(fd);
    return r;
}

bool st_local_http_listens(const char *path)
{
    const int fd = connect_to(path);
    if (fd >= 0)
        close(fd);
    return fd != -ENOENT && fd != -ECONNREFUSED && fd != -ENAMETOOLONG;
}

/* Room for more, and for a NUL behind it. */
static int grow(struct answer *answer, size_t bytes_max)
{
    if (answer->len + 1 < answer->room)
        return 0;
    if (answer->room >= bytes_max)
        return -EFBIG;
    const size_t wanted = answer->room > 0 ? 2 * answer->room : FIRST_BYTES;
    const size_t room = wanted < bytes_max ? wanted : bytes_max;
    char *text = realloc(answer->text, room);
    if (text == NULL)
        return -ENOMEM;
    answer->text = text;
    answer->room = room;
    return 0;
}

/* Up to the end: a server of HTTP/1.0 closes the connection then. */
static int receive(int fd, int64_t until_ns, size_t bytes_max, struct answer *answer)
{
    for (;;) {
        const int r = grow(answer, bytes_max);
        if (r < 0)
            return r;
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const int64_t left_ms = (until_ns - st_posix_now_ns(NULL)) / ST_NS_PER_MS;
        const int ready = left_ms > 0 ? poll(&wait, 1, (int)left_ms) : 0;
        if (ready == 0)
            return -ETIMEDOUT;
        const ssize_t n = recv(fd, answer->text + answer->len, answer->room - 1 - answer->len, 0);
        if (n > 0)
            answer->len += (size_t)n;
        if (n == 0)
            return 0;
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
    }
}

/* Leaves the body. @return the HTTP status or -EBADMSG. */
static int take_header(struct answer *answer)
{
    int status;
    answer->text[answer->len] = '\0';
    char *end = strstr(answer->text, HEADER_END);
    if (end == NULL || sscanf(answer->text, STATUS_FORMAT, &status) != 1)
        return -EBADMSG;
    end += strlen(HEADER_END);
    memmove(answer->text, end, strlen(end) + 1);
    return status;
}

int st_local_http_ask(const char *path, const char *method, const char *target, int timeout_ms,
                      size_t bytes_max, char **ret_body)
{
    char text[TARGET_BYTES];
    struct answer answer = {0};
    const int64_t until_ns = st_posix_now_ns(NULL) + timeout_ms * ST_NS_PER_MS;
    const int fd = connect_to(path);
    if (fd < 0)
        return fd;
    const int len = snprintf(text, sizeof(text), "%s %s HTTP/1.0\r\nHost: localhost\r\n\r\n", method, target);
    int r = len < (int)sizeof(text) && send(fd, text, (size_t)len, MSG_NOSIGNAL) == len ? 0 : -EIO;
    if (r == 0)
        r = receive(fd, until_ns, bytes_max, &answer);
    if (r == 0)
        r = take_header(&answer);
    close(fd);
    if (r < 0)
        free(answer.text);
    else
        *ret_body = answer.text;
    return r;
}
