/* The head of a request, as it comes from the network. Pure, so that it can be tested and fuzzed without a
 * server. */
#pragma once

#include "core/base.h"

/** Those headers that count. */
enum st_request_field {
    ST_REQUEST_HOST,
    ST_REQUEST_ORIGIN,
    ST_REQUEST_AUTHORIZATION,
    ST_REQUEST_FETCH_SITE,
    ST_REQUEST_FETCH_DEST,
    ST_REQUEST_FIELDS
};

struct st_request {
    const char *method, *target;
    char *query;                           /* behind "?"; NULL: none */
    const char *fields[ST_REQUEST_FIELDS]; /* NULL: none; of several the first */
    int hosts_n;
};

/** Reads a head in place. @param bytes up to the empty line; a byte more is there. @return false: it is none
 * of HTTP/1. */
ST_NODISCARD bool st_request_read(char *head, size_t bytes, struct st_request *ret);

/** Takes the next "key=value" that is not empty off a query, in place. A zero byte, which would end a text,
 * becomes one that is in no value. @param ret_value decoded; NULL: a key alone. @return the key; NULL: there
 * is none. */
const char *st_request_next(char **query, const char **ret_value);
