/* Which answer a request gets. Pure, so that it can be tested and fuzzed without a server. */
#pragma once

#include "core/base.h"

enum st_route_body {
    ST_ROUTE_STATUS,
    ST_ROUTE_METRICS,
    ST_ROUTE_METRICS_UNNAMED, /* without what names programs */
    ST_ROUTE_CAUSES,
    ST_ROUTE_PAGE,
    ST_ROUTE_SHELL,   /* the page without figures, for who has no token */
    ST_ROUTE_ADDRESS, /* of the page with figures; not over TCP */
    ST_ROUTE_CYCLE,
    ST_ROUTE_ICON,
    ST_ROUTE_MANIFEST,
    ST_ROUTE_HISTORY,
    ST_ROUTE_EVENTS,
    ST_ROUTE_SIZES,
    ST_ROUTE_HEARD,
    ST_ROUTE_MARK, /* the only one that writes; its answer is that of ST_ROUTE_HEARD */
    ST_ROUTE_CULPRITS,
    ST_ROUTE_TRACE, /* of the page on its private address */
    ST_ROUTE_ERROR
};

struct st_route {
    unsigned http_status; /* 200, 400, 401, 403, 404, 405, 429, 503 */
    enum st_route_body body;
    const char *content_type;
    unsigned query;    /* names that it takes: ST_QUERY_SINCE | ... */
    const char *error; /* for ST_ROUTE_ERROR: a sentence */
};

/** Names that this machine is asked for by, besides localhost and its addresses. */
struct st_route_names {
    const char *machine; /* its host name; "": not known */
    const char *others;  /* words with spaces between them */
    bool own;            /* TCP: who asks knows the token of a private address */
    bool own_page;       /* and it is the page of that address that asks */
};

/**
 * @param target  a path, or "http://host/path" (its host counts instead of the header's).
 * @param host  Host header, NULL when there was none. Looked at only on TCP, where it keeps a web page from
 * reading us under a name of its own (DNS rebinding): allowed are IP addresses, localhost and the
 * names. */
struct st_route st_route_choose(const char *method, const char *target, const char *host, bool tcp,
                                const struct st_route_names *names);

/** A refusal with its reason, a sentence that stays. */
struct st_route st_route_refuse(unsigned http_status, const char *error);

/** Document sleeptune-error/1 as text, to be freed; NULL when out of memory. */
char *st_route_error_text(const char *error);
