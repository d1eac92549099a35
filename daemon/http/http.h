/* HTTP/1.1 on the Unix socket, and on TCP if configured. Threads: main. */
#pragma once

#include "daemon/http/query.h"
#include "daemon/http/route.h"
#include "daemon/wait.h"

struct st_http_request;

/** The function that makes the bodies of answers. */
struct st_http_source {
    /** Makes the body of any route but ST_ROUTE_ERROR, and calls st_http_answer with it: at once,
     * or later if it needs the history, which takes time. */
    void (*ask)(void *ctx, enum st_route_body which, const struct st_query *query,
                struct st_http_request *request);
    void *ctx;
};

/** Answers a request that was passed to `ask`; call it once, possibly after st_http_stop. @param
 * text is freed; NULL: out of memory. @param http_status with another one than 200 the text is that
 * of st_route_error_text. */
void st_http_answer(struct st_http_request *request, char *text, unsigned http_status);

struct st_http;

/** Serves on a listening socket; closes it at the end. @return 0, -ENOTSUP (built without
 * libmicrohttpd), -EIO. Stop with st_http_stop. */
ST_NODISCARD int st_http_start_fd(int fd, const struct st_http_source *source,
                                  struct st_http **ret);

/** Serves on an address. If other machines can reach the address, only /metrics is served, without
 * names of programs. @param listen "127.0.0.1:9733". @param names further host names of this
 * daemon, separated by spaces. @return as st_http_start_fd, or the error of bind. */
ST_NODISCARD int st_http_start_tcp(const char *listen, const char *names,
                                   const struct st_http_source *source, struct st_http **ret);

#define ST_HTTP_URL_BYTES 64

/** Serves the page on a free port of 127.0.0.1 to clients that know a token. The token is made here
 * at random. A client without it gets the page without figures, the page's icon, or status 401.
 * @param url "http://127.0.0.1:PORT/#TOKEN". @return as st_http_start_fd. */
ST_NODISCARD int st_http_start_private(const struct st_http_source *source,
                                       char url[ST_HTTP_URL_BYTES], struct st_http **ret);

/** Adds the server's descriptors to `wait`; st_http_turn handles them afterwards, and ends
 * connections that exceed their time. NULL is allowed. */
void st_http_wait(struct st_http *http, struct st_wait *wait);
void st_http_turn(struct st_http *http, const struct st_wait *wait);

void st_http_stop(struct st_http *http); /* NULL is allowed */
