/* Queries. */
#include "daemon/query.h"

#include <string.h>

#include "lib/ns.h"

void st_query_init(struct st_query *query)
{
    *query = (struct st_query){INT64_MIN, INT64_MIN};
}

/* @return 0 or -EINVAL, -ERANGE. */
static int parse_time(const char *text, int64_t now_wall_ns, int64_t *ret_wall_ns)
{
    int64_t ns;
    const int r = st_ns_parse(text, &ns);
    if (r != 0)
        return r;
    const bool since_1970 = text[strspn(text, "0123456789.")] == '\0';
    *ret_wall_ns = since_1970 ? ns : st_ns_sub(now_wall_ns, ns);
    return 0;
}

const char *st_query_set(struct st_query *query, const char *key, const char *value, int64_t now_wall_ns)
{
    int64_t *to = NULL;
    if (strcmp(key, "since") == 0)
        to = &query->since_wall_ns;
    else if (strcmp(key, "until") == 0)
        to = &query->until_wall_ns;
    if (to == NULL)
        return NULL;
    if (value == NULL || parse_time(value, now_wall_ns, to) != 0)
        return "since and until are seconds since 1970, or how long ago: 1h, 30m, 90s";
    return NULL;
}
