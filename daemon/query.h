/* What a request asks for behind "?". Pure, so that it can be tested and fuzzed without a server. */
#ifndef ST_DAEMON_QUERY_H
#define ST_DAEMON_QUERY_H

#include "lib/base.h"

/** INT64_MIN: not given. */
struct st_query {
    int64_t since_wall_ns, until_wall_ns;
};

void st_query_init(struct st_query *query);

/**
 * One "key=value", decoded. "since" and "until": seconds since 1970, or how long ago ("1h", "30m"; a unit
 * makes the difference). Keys that are not known are left alone.
 * @param value  NULL: a key without a value.
 * @return NULL, or what is wrong with it: a sentence. Threads: any.
 */
const char *st_query_set(struct st_query *query, const char *key, const char *value, int64_t now_wall_ns);

#endif
