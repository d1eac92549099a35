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
#define HEADER_END    "\r\n\r\n"
#define STATUS_FORMAT "HTTP/1.%*1d %3d "

/* Connects to a Unix socket. @return a descriptor, or the negative errno value of the failure. */
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
        r = st_posix_result(connect(fd, (const struct sockaddr *)&address, sizeof(address)));
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

/* Receives an answer up to its end, where a server of HTTP/1.0 closes the connection. The text ends
 * with a NUL. */
static int receive(int fd, int64_t until_ns, char *text, size_t bytes_max)
{
    for (size_t len = 0; len + 1 < bytes_max;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const int64_t left_ms = (until_ns - st_posix_now_ns(NULL)) / ST_NS_PER_MS;
        if (left_ms <= 0 || poll(&wait, 1, (int)left_ms) == 0)
            return -ETIMEDOUT;
        const ssize_t n = recv(fd, text + len, bytes_max - 1 - len, 0);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        len += (size_t)ST_MAX(n, 0);
        text[len] = '\0';
        if (n == 0)
            return 0;
    }
    return -EBADMSG;
}

/* Removes the header, so that `text` is the body. @return the HTTP status or -EBADMSG. */
static int take_header(char *text)
{
    int status;
    const char *end = strstr(text, HEADER_END);
    if (end == NULL || sscanf(text, STATUS_FORMAT, &status) != 1)
        return -EBADMSG;
    end += strlen(HEADER_END);
    memmove(text, end, strlen(end) + 1);
    return status;
}

int st_local_http_ask(const char *path, const char *method, const char *target, int timeout_ms,
                      size_t bytes_max, char **ret_body)
{
    char text[TARGET_BYTES];
    const int64_t until_ns = st_posix_now_ns(NULL) + timeout_ms * ST_NS_PER_MS;
    const int fd = connect_to(path);
    if (fd < 0)
        return fd;
    const int len =
        snprintf(text, sizeof(text), "%s %s HTTP/1.0\r\nHost: localhost\r\n\r\n", method, target);
    int r = -EIO;
    char *answer = NULL;
    if (len < (int)sizeof(text) && send(fd, text, (size_t)len, MSG_NOSIGNAL) == len) {
        answer = malloc(bytes_max); /* pages that are never written take no memory */
        r = -ENOMEM;
    }
    if (answer != NULL)
        r = receive(fd, until_ns, answer, bytes_max);
    if (r == 0)
        r = take_header(answer);
    close(fd);
    if (r < 0)
        free(answer);
    else
        *ret_body = answer;
    return r;
}
