/* HTTP/1.1: on the Unix socket, on TCP when configured. Threads: main. */
#pragma once

#include "daemon/http/query.h"
#include "daemon/http/route.h"
#include "daemon/wait.h"

struct st_http_request;

/** Where bodies come from. */
struct st_http_source {
    /** @param http_status 200, may be set to another one, with st_route_error_text as the text.
     * @return text to be freed, NULL when out of memory. */
    char *(*body)(void *ctx, enum st_route_body which, const struct st_query *query, unsigned *http_status);
    /** Those from the history (ST_ROUTE_HISTORY, ST_ROUTE_EVENTS, ST_ROUTE_CAUSES, ST_ROUTE_SIZES,
     * ST_ROUTE_HEARD, ST_ROUTE_MARK, ST_ROUTE_TRACE), which take a while: st_http_answer gives each one, at
     * once or later. */
    void (*ask)(void *ctx, enum st_route_body which, const struct st_query *query,
                struct st_http_request *request);
    void *ctx;
};

/** Answers a request that was asked, once; it may be after st_http_stop. @param text, http_status as of body;
 * text is freed. */
void st_http_answer(struct st_http_request *request, char *text, unsigned http_status);

struct st_http;

/**
 * Serves on a listening socket, which it closes at the end.
 * @return 0, -ENOTSUP (built without libmicrohttpd), -EIO. Stop with st_http_stop. */
ST_NODISCARD int st_http_start_fd(int fd, const struct st_http_source *source, struct st_http **ret);

/**
 * Serves on an address. One that other machines can reach has /metrics only, without names of programs.
 * @param listen "127.0.0.1:9733". @param names hosts that it answers for, besides its own, with spaces
 * between them. @return as above, or what bind said. */
ST_NODISCARD int st_http_start_tcp(const char *listen, const char *names, const struct st_http_source *source,
                                   struct st_http **ret);

#define ST_HTTP_URL_BYTES 64

/**
 * Serves the page on a free port of 127.0.0.1 to who knows a token, which is drawn here: other requests get
 * the page without figures, its icon, or 401. @param url "http://127.0.0.1:PORT/#TOKEN".
 * @return as above. */
ST_NODISCARD int st_http_start_private(const struct st_http_source *source, char url[ST_HTTP_URL_BYTES],
                                       struct st_http **ret);

/** What it waits for, and what it does when that is ready; connections that are over their time end. NULL is
 * fine. */
void st_http_wait(struct st_http *http, struct st_wait *wait);
void st_http_turn(struct st_http *http, const struct st_wait *wait);

void st_http_stop(struct st_http *http); /* NULL is fine */
