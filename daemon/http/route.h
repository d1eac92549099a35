/* Chooses the answer to a request. Pure, so that it can be tested and fuzzed without a server. */
#pragma once

#include "core/base.h"

enum st_route_body {
    ST_ROUTE_STATUS,
    ST_ROUTE_METRICS,
    ST_ROUTE_METRICS_UNNAMED, /* metrics without the series that name programs */
    ST_ROUTE_CAUSES,
    ST_ROUTE_PAGE,
    ST_ROUTE_SHELL,   /* the page without figures, for clients without a token */
    ST_ROUTE_ADDRESS, /* address of the page with figures; not served over TCP */
    ST_ROUTE_CYCLE,
    ST_ROUTE_ICON,
    ST_ROUTE_MANIFEST,
    ST_ROUTE_HISTORY,
    ST_ROUTE_EVENTS,
    ST_ROUTE_SIZES,
    ST_ROUTE_HEARD,
    /* stores the user's report "I heard a dropout": the only route that writes; its answer is that
     * of ST_ROUTE_HEARD */
    ST_ROUTE_MARK,
    ST_ROUTE_CULPRITS,
    ST_ROUTE_TRACE, /* over TCP only with the token of the private address */
    ST_ROUTE_ERROR
};

struct st_route {
    unsigned http_status; /* 200, 400, 401, 403, 404, 405, 429, 503 */
    enum st_route_body body;
    const char *content_type;
    unsigned query;    /* allowed names of the query: ST_QUERY_SINCE | ... */
    const char *error; /* for ST_ROUTE_ERROR: a sentence */
};

/** Host names of this machine in requests, besides localhost and IP addresses. */
struct st_route_names {
    const char *machine; /* host name of the machine; "": not known */
    const char *others;  /* further names, separated by spaces */
    bool own;            /* over TCP: the request has the token of the private address */
    bool own_page;       /* over TCP: the request comes from the page of the private address */
};

/** Chooses the route of a request. @param target a path, or "http://host/path", whose host replaces
 * the Host header. @param host Host header; NULL: none. It is checked over TCP only, against DNS
 * rebinding: a web page whose host name points to this machine could otherwise read this server.
 * Allowed are IP addresses, localhost and `names`. */
struct st_route st_route_choose(const char *method, const char *target, const char *host, bool tcp,
                                const struct st_route_names *names);

/** A route that refuses the request. @param error a sentence; must be static. */
struct st_route st_route_refuse(unsigned http_status, const char *error);

/** The document sleeptune-error/1 with this sentence. @return text to be freed; NULL: out of
 * memory. */
char *st_route_error_text(const char *error);
