/* Queries. */
#include "daemon/query.h"

#include <stdbool.h>
#include <string.h>

#include "lib/when.h"

void st_query_init(struct st_query *query)
{
    *query = (struct st_query){INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, ""};
}

static const char *set_since(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    return st_when_parse(value, now_wall_ns, false, &query->since_wall_ns) == 0
               ? NULL
               : "since is seconds since 1970, how long ago (1h, 30m, 2d), or a date: 2026-11-20T15:00Z";
}

static const char *set_until(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    return st_when_parse(value, now_wall_ns, false, &query->until_wall_ns) == 0
               ? NULL
               : "until is seconds since 1970, how long ago (1h, 30m, 2d), or a date: 2026-11-20T15:00Z";
}

static const char *set_step(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    int64_t step_ns;
    if (st_when_parse_length(value, &step_ns) != 0 || step_ns <= 0)
        return "step is a length of time: 60s, 10m, 1h, 1d";
    query->step_ns = step_ns;
    return NULL;
}

/* A whole number in [min, max]. */
static bool number(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    const size_t n = strlen(text);
    int64_t value = 0;
    if (n == 0 || n > 18 || strspn(text, "0123456789") != n)
        return false;
    for (size_t i = 0; i < n; i++)
        value = value * 10 + (text[i] - '0');
    if (value < min || value > max)
        return false;
    *ret = value;
    return true;
}

static const char *set_limit(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    return number(value, 1, ST_QUERY_LIMIT_MAX, &query->limit) ? NULL : "limit is a number from 1 to 5000";
}

static const char *set_after(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    return number(value, 0, INT64_MAX, &query->after) ? NULL : "after is the id of an event";
}

static const char *set_kind(struct st_query *query, const char *value, int64_t now_wall_ns)
{
    (void)now_wall_ns;
    const size_t n = strlen(value);
    if (n == 0 || n >= sizeof(query->kind) || strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-") != n)
        return "kind is the name of a kind of events, such as late-wake";
    memcpy(query->kind, value, n + 1);
    return NULL;
}

const char *st_query_set(struct st_query *query, const char *key, const char *value, int64_t now_wall_ns)
{
    static const struct {
        const char *key;
        const char *(*set)(struct st_query *query, const char *value, int64_t now_wall_ns);
    } keys[] = {{"since", set_since}, {"until", set_until}, {"step", set_step},
                {"limit", set_limit}, {"after", set_after}, {"kind", set_kind}};
    for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++) {
        if (strcmp(key, keys[i].key) == 0)
            return keys[i].set(query, value != NULL ? value : "", now_wall_ns);
    }
    return NULL;
}
