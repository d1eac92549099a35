/* What a request asks for behind "?". Pure, so that it can be tested and fuzzed without a server. */
#ifndef ST_DAEMON_QUERY_H
#define ST_DAEMON_QUERY_H

#include "lib/base.h"

#define ST_QUERY_LIMIT_MAX 5000

/** INT64_MIN: not given. */
struct st_query {
    int64_t since_wall_ns, until_wall_ns;
    int64_t step_ns;
    int64_t limit; /* 1 .. ST_QUERY_LIMIT_MAX */
    int64_t after; /* id of an event */
    char kind[24]; /* name of events; "": all */
};

void st_query_init(struct st_query *query);

/**
 * One "key=value", decoded. "since" and "until": st_when_parse, dates are UTC. "step": st_when_parse_length.
 * "limit", "after": numbers. "kind": the name of a kind of events. Keys that are not known are left alone.
 * @param value  NULL: a key without a value.
 * @return NULL, or what is wrong with it: a sentence. Threads: any.
 */
const char *st_query_set(struct st_query *query, const char *key, const char *value, int64_t now_wall_ns);

#endif
