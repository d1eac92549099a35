/* HTTP/1: on the Unix socket, on TCP when configured, and for the page. One request a connection. Threads:
 * main. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/http/query.h"
#include "daemon/http/route.h"
#include "daemon/wait.h"

struct st_http_request;

/** Where bodies come from. */
struct st_http_source {
    /** @param http_status 200, may be set to another one, with st_route_error_text as the text.
     * @return text to be freed, NULL when out of memory. */
    char *(*body)(void *ctx, enum st_route_body which, const struct st_query *query, unsigned *http_status);
    /** Those from the history (ST_ROUTE_HISTORY and what follows it), which take a while: st_http_answer
     * gives each one, at once or later. */
    void (*ask)(void *ctx, enum st_route_body which, const struct st_query *query,
                struct st_http_request *request);
    void *ctx;
};

/** Answers a request that was asked, once; it may be after st_http_free. @param text, http_status as of body;
 * text is freed. */
void st_http_answer(struct st_http_request *request, char *text, unsigned http_status);

struct st_http;

/** @param fd a Unix socket that listens, must stay; -1: none. @return NULL: out of memory. */
struct st_http *st_http_new(int fd, const struct st_http_source *source);

/**
 * Serves on http.listen, and no longer on what it was before. An address that other machines can reach has
 * /metrics only, without names of programs. @param config must stay. @return 0, or what bind said. */
ST_NODISCARD int st_http_listen(struct st_http *http, const struct st_config *config);

/** What it waits for, and what it does when that is ready; connections that are over their time end. NULL is
 * fine. */
void st_http_wait(struct st_http *http, struct st_wait *wait);
void st_http_turn(struct st_http *http, const struct st_wait *wait);

void st_http_free(struct st_http *http); /* NULL is fine */
