/* Queries. */
#include "daemon/http/query.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/event.h"
#include "core/text/number.h"
#include "core/when.h"

void st_query_init(struct st_query *query)
{
    *query = (struct st_query){INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, "", 0};
}

static const char *set_since(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    return st_when_parse(value, now_wall_ns, false, &query->since_wall_ns) == 0
               ? NULL
               : "'since' takes a Unix time in seconds, a time before now (1h, 30m, 2d) or a date (2026-11-20T15:00Z)";
}

static const char *set_until(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    return st_when_parse(value, now_wall_ns, false, &query->until_wall_ns) == 0
               ? NULL
               : "'until' takes a Unix time in seconds, a time before now (1h, 30m, 2d) or a date (2026-11-20T15:00Z)";
}

static const char *set_step(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    int64_t step_ns;
    if (st_when_parse_length(value, &step_ns) != 0 || step_ns <= 0)
        return "'step' must be a length of time such as 60s, 10m, 1h or 1d";
    query->step_ns = step_ns;
    return NULL;
}

static const char *set_limit(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    return st_number_i64(value, 1, ST_QUERY_LIMIT_MAX, &query->limit) == 0
               ? NULL
               : "'limit' must be a number from 1 to 5000";
}

static const char *set_after(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    return st_number_i64(value, 0, INT64_MAX, &query->after) == 0 ? NULL
                                                                  : "'after' must be the id of an event";
}

static const char *set_tid(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    return st_number_i64(value, 1, INT32_MAX, &query->tid) == 0 ? NULL : "'tid' must be the id of a thread";
}

static const char *set_kind(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    if (!st_event_is_name(value))
        return "'kind' must be one of " ST_EVENT_NAMES;
    snprintf(query->kind, sizeof(query->kind), "%s", value);
    return NULL;
}

const char *st_query_set(struct st_query *query, unsigned names, const char *key, const char *value,
                         int64_t now_wall_ns)
{
    static const struct {
        const char *key;
        unsigned name;
        const char *(*set)(struct st_query *query, const char *value, int64_t now_wall_ns);
    } keys[] = {{"since", ST_QUERY_SINCE, set_since}, {"until", ST_QUERY_UNTIL, set_until},
                {"step", ST_QUERY_STEP, set_step},    {"limit", ST_QUERY_LIMIT, set_limit},
                {"after", ST_QUERY_AFTER, set_after}, {"kind", ST_QUERY_KIND, set_kind},
                {"tid", ST_QUERY_TID, set_tid}};
    for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++) {
        if ((names & keys[i].name) == 0 || strcmp(key, keys[i].key) != 0)
            continue;
        if ((query->given & keys[i].name) != 0)
            return "a parameter is given twice";
        query->given |= keys[i].name;
        return keys[i].set(query, value != NULL ? value : "", now_wall_ns);
    }
    return "this path has no such parameter; sleeptuned(8) lists the parameters of each path";
}

const char *st_query_check(const struct st_query *query)
{
    return query->since_wall_ns != INT64_MIN && query->until_wall_ns != INT64_MIN &&
                   query->since_wall_ns > query->until_wall_ns
               ? "'since' is later than 'until'"
               : NULL;
}
