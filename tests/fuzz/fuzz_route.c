/* Requests as they come from the network: method, path, Host, and what is behind "?" as key=value, one a
 * line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/query.h"
#include "daemon/route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const char *parts[4] = {text, "", NULL, NULL};
    char *rest = text;
    for (size_t i = 1; i < ST_ARRAY_LEN(parts) && rest != NULL; i++) {
        rest = strchr(rest, '\n');
        if (rest != NULL) {
            *rest++ = '\0';
            parts[i] = rest;
        }
    }
    struct st_query query;
    st_query_init(&query);
    if (parts[3] != NULL) {
        char *equals = strchr(parts[3], '=');
        if (equals != NULL)
            *equals++ = '\0';
        const int64_t now_ns = INT64_C(1800000000000000000);
        const unsigned all =
            ST_QUERY_SINCE | ST_QUERY_UNTIL | ST_QUERY_STEP | ST_QUERY_LIMIT | ST_QUERY_AFTER | ST_QUERY_KIND;
        const char *error = st_query_set(&query, all, parts[3], equals, now_ns);
        /* what is taken is a time; what is not leaves it as it was */
        if (error != NULL && (query.since_wall_ns != INT64_MIN || query.until_wall_ns != INT64_MIN))
            abort();
    }
    const struct st_route unix_route = st_route_choose(parts[0], parts[1], parts[2], false, "studio");
    const struct st_route tcp_route = st_route_choose(parts[0], parts[1], parts[2], true, "studio");
    /* TCP never allows what the Unix socket refuses, and every refusal has its reason */
    if ((tcp_route.http_status == 200 && unix_route.http_status != 200) ||
        (unix_route.http_status != 200) != (unix_route.error != NULL) ||
        (tcp_route.http_status != 200) != (tcp_route.error != NULL))
        abort();
    free(text);
    return 0;
}
