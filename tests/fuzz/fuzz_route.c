/* Requests as they come from the network: method, path, Host, and what is behind "?" as key=value,
 * one a line. */
#include "daemon/http/query.h"
#include "daemon/http/route.h"
#include "tests/fuzz/fuzz.h"

static void ask(char *line)
{
    struct st_query query;
    st_query_init(&query);
    while (line != NULL) {
        char *next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        char *equals = strchr(line, '=');
        if (equals != NULL)
            *equals++ = '\0';
        const struct st_query before = query;
        const int64_t now_ns = INT64_C(1800000000000000000);
        const unsigned all = ST_QUERY_SINCE | ST_QUERY_UNTIL | ST_QUERY_STEP | ST_QUERY_LIMIT |
                             ST_QUERY_KIND | ST_QUERY_TID;
        /* what is not taken leaves the times as they were */
        if (st_query_set(&query, all, line, equals, now_ns) != NULL &&
            (query.since_wall_ns != before.since_wall_ns ||
             query.until_wall_ns != before.until_wall_ns))
            abort();
        line = next;
    }
    /* a range that is fine is one */
    if (st_query_check(&query) == NULL && query.since_wall_ns != INT64_MIN &&
        query.until_wall_ns != INT64_MIN && query.since_wall_ns > query.until_wall_ns)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    char nothing[] = "", *parts[4] = {text, nothing, NULL, NULL};
    char *rest = text;
    for (size_t i = 1; i < ST_ARRAY_LEN(parts) && rest != NULL; i++) {
        rest = strchr(rest, '\n');
        if (rest != NULL) {
            *rest++ = '\0';
            parts[i] = rest;
        }
    }
    ask(parts[3]);
    static const struct st_route_names names = {.machine = "studio",
                                                .others = "studio.lan studio.example.org"};
    const struct st_route unix_route = st_route_choose(parts[0], parts[1], parts[2], false, &names);
    const struct st_route tcp_route = st_route_choose(parts[0], parts[1], parts[2], true, &names);
    /* TCP never allows what the Unix socket refuses, and every refusal has its reason */
    if ((tcp_route.http_status == 200 && unix_route.http_status != 200) ||
        (unix_route.http_status != 200) != (unix_route.error != NULL) ||
        (tcp_route.http_status != 200) != (tcp_route.error != NULL))
        abort();
    free(text);
    return 0;
}
