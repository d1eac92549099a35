/* The query of a request, after "?". Pure, so that it can be tested and fuzzed without a server. */
#pragma once

#include "core/base.h"

#define ST_QUERY_LIMIT_MAX 5000
/* largest note that a user can add when he reports a dropout, with NUL */
#define ST_QUERY_NOTE_BYTES 161

/** The keys of a query, as bits. */
enum {
    ST_QUERY_SINCE = 1 << 0,
    ST_QUERY_UNTIL = 1 << 1,
    ST_QUERY_STEP = 1 << 2,
    ST_QUERY_LIMIT = 1 << 3,
    ST_QUERY_KIND = 1 << 4,
    ST_QUERY_TID = 1 << 5,
    ST_QUERY_BY = 1 << 6,
    ST_QUERY_NOTE = 1 << 7,
};

/** The values of a query. INT64_MIN: not given. */
struct st_query {
    int64_t since_wall_ns, until_wall_ns;
    int64_t step_ns;
    int64_t limit; /* 1 .. ST_QUERY_LIMIT_MAX */
    int64_t tid;   /* kernel id of a thread */
    char kind[24]; /* only events with this name; "": all events */
    char by[8];    /* who reports that he heard a dropout: "key", "typed"; "": not given */
    char note[ST_QUERY_NOTE_BYTES];
    unsigned given; /* keys that were given: ST_QUERY_SINCE | ... */
};

void st_query_init(struct st_query *query);

/** Sets one decoded "key=value" of the query; each key is allowed once. "since" and "until":
 * st_when_parse, dates are UTC. "step": st_when_parse_length. "limit", "tid": numbers. "kind": one
 * of ST_EVENT_NAMES. "by": "key" or "typed". "note": up to 160 bytes. @param names keys that this
 * path allows: ST_QUERY_SINCE | ...
 * @param value NULL: a key without a value. @return NULL, or a sentence that says what is wrong.
 * Threads: any. */
const char *st_query_set(struct st_query *query, unsigned names, const char *key, const char *value,
                         int64_t now_wall_ns);

/** Checks that the given values do not contradict each other (since after until). Call after the
 * last st_query_set. @return NULL, or what is wrong. Threads: any. */
const char *st_query_check(const struct st_query *query);
