#include "daemon/causes/culprit_request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/safe.h"

#define SCHEMA       "sleeptune-culprit/1"
#define PATIENCE_US  300000 /* of each half: sending, receiving */
#define ANSWER_BYTES 4096

json_t *st_culprit_request_answer(int r, const struct st_trace_culprit *culprit)
{
    if (r != 0)
        return json_pack("{s:s, s:b, s:n}", "schema", SCHEMA, "traces", r != -ENOTSUP, "name");
    return json_pack("{s:s, s:b, s:s, s:I, s:I, s:b}", "schema", SCHEMA, "traces", 1, "name", culprit->name,
                     "ns", (json_int_t)culprit->ns, "turns_ns", (json_int_t)culprit->turns_ns, "explains",
                     culprit->explains);
}

static int64_t length_of(const json_t *document, const char *key)
{
    const json_t *value = json_object_get(document, key);
    const json_int_t ns = json_is_integer(value) ? json_integer_value(value) : -1;
    return ns >= 0 && ns <= 10 * ST_CULPRIT_SPAN_MAX_NS ? (int64_t)ns : -1;
}

static int take(const json_t *document, struct st_trace_culprit *ret)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    const char *name = json_string_value(json_object_get(document, "name"));
    if (schema == NULL || strcmp(schema, SCHEMA) != 0)
        return -EBADMSG;
    if (!json_is_true(json_object_get(document, "traces")))
        return -ENOTSUP;
    if (name == NULL || name[0] == '\0')
        return -ENOENT;
    struct st_trace_culprit found = {.ns = length_of(document, "ns"),
                                     .turns_ns = length_of(document, "turns_ns"),
                                     .explains = json_is_true(json_object_get(document, "explains"))};
    if (found.ns < 0 || found.turns_ns < 0)
        return -EBADMSG;
    (void)st_safe_copy(found.name, sizeof(found.name), name, ST_TEXT_TO_NUL);
    *ret = found;
    return 0;
}

int st_culprit_request_parse(const char *text, struct st_trace_culprit *ret)
{
    json_t *document = json_loads(text, 0, NULL);
    const int r = take(document, ret);
    json_decref(document);
    return r;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_usec = PATIENCE_US};
    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
        connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    const int r = -errno;
    close(fd);
    return r;
}

int st_culprit_request(const char *socket_path, pid_t tid, int64_t since_wall_ns, int64_t until_wall_ns,
                       struct st_trace_culprit *ret)
{
    char text[ANSWER_BYTES];
    const int fd = connect_to(socket_path);
    if (fd < 0)
        return fd != -ENOENT ? fd : -ECONNREFUSED; /* no socket is there; -ENOENT is an answer */
    const int len = snprintf(text, sizeof(text),
                             "GET /v1/culprits?tid=%ld&since=%" PRId64 ".%09" PRId64 "&until=%" PRId64
                             ".%09" PRId64 " HTTP/1.0\r\nHost: localhost\r\n\r\n",
                             (long)tid, since_wall_ns / ST_NS_PER_S, since_wall_ns % ST_NS_PER_S,
                             until_wall_ns / ST_NS_PER_S, until_wall_ns % ST_NS_PER_S);
    int r = send(fd, text, (size_t)len, MSG_NOSIGNAL) == len ? 0 : -EIO;
    size_t n = 0;
    for (ssize_t got = 1; r == 0 && got > 0 && n<sizeof(text) - 1; n += got> 0 ? (size_t)got : 0) {
        got = recv(fd, text + n, sizeof(text) - 1 - n, 0);
        r = got < 0 ? -errno : 0;
    }
    close(fd);
    text[n] = '\0';
    const char *body = strstr(text, "\r\n\r\n");
    if (r == 0 && (strncmp(text, "HTTP/1.", 7) != 0 || strncmp(text + 8, " 200 ", 5) != 0 || body == NULL))
        r = -EBADMSG;
    return r == 0 ? st_culprit_request_parse(body + 4, ret) : r;
}
