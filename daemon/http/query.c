/* Parses and checks the parameters of a request. */
#include "daemon/http/query.h"

#include "core/event.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "core/when.h"

void st_query_init(struct st_query *query)
{
    *query =
        (struct st_query){INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, "", "", "", 0};
}

#define TIMES                                                                                      \
    "must be a time: how long ago (1h, 30m, 2d), a date (2026-11-20T15:00Z) or seconds since 1970"

/* The allowed parameters, and the error message for a value that is not valid. */
static const struct {
    const char *key;
    unsigned name;
    const char *error;
} keys[] = {
    {"since", ST_QUERY_SINCE, "'since' " TIMES},
    {"until", ST_QUERY_UNTIL, "'until' " TIMES},
    {"step", ST_QUERY_STEP, "'step' must be a length of time such as 60s, 10m, 1h or 1d"},
    {"limit", ST_QUERY_LIMIT, "'limit' must be a number of entries from 1 to 5000"},
    {"kind", ST_QUERY_KIND, "'kind' must be one of " ST_EVENT_NAMES},
    {"tid", ST_QUERY_TID, "'tid' must be the id of a thread"},
    {"by", ST_QUERY_BY, "'by' must be 'key' or 'typed'"},
    {"note", ST_QUERY_NOTE, "'note' is longer than 160 bytes"},
};

/* @return false: the value is not valid for this parameter, so the query is refused. */
static bool set(struct st_query *query, unsigned name, const char *value, int64_t now_wall_ns)
{
    switch (name) {
    case ST_QUERY_SINCE:
        return st_when_parse(value, now_wall_ns, false, &query->since_wall_ns) == 0;
    case ST_QUERY_UNTIL:
        return st_when_parse(value, now_wall_ns, false, &query->until_wall_ns) == 0;
    case ST_QUERY_STEP:
        return st_when_parse_length(value, &query->step_ns) == 0 && query->step_ns > 0;
    case ST_QUERY_LIMIT:
        return st_number_i64(value, 1, ST_QUERY_LIMIT_MAX, &query->limit) == 0;
    case ST_QUERY_TID:
        return st_number_i64(value, 1, INT32_MAX, &query->tid) == 0;
    case ST_QUERY_BY:
        ST_PRINT(query->by, "%.7s", value);
        return st_text_is(value, "key") || st_text_is(value, "typed");
    case ST_QUERY_NOTE:
        return ST_PRINT(query->note, "%s", value) < (int)sizeof(query->note);
    default:
        if (st_event_kind_of(value) == ST_EVENT_KINDS)
            return false;
        ST_PRINT(query->kind, "%s", value);
        return true;
    }
}

const char *st_query_set(struct st_query *query, unsigned names, const char *key, const char *value,
                         int64_t now_wall_ns)
{
    ST_EACH (row, keys) {
        if ((names & row->name) == 0 || !st_text_is(key, row->key))
            continue;
        if ((query->given & row->name) != 0)
            return "the request has a parameter twice";
        query->given |= row->name;
        return set(query, row->name, st_text_or(value, ""), now_wall_ns) ? NULL : row->error;
    }
    return "unknown parameter: sleeptuned(8) lists the parameters of each path";
}

const char *st_query_check(const struct st_query *query)
{
    if (query->since_wall_ns != INT64_MIN && query->until_wall_ns != INT64_MIN &&
        query->since_wall_ns > query->until_wall_ns)
        return "'since' is later than 'until'";
    return NULL;
}
