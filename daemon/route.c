/* The table of paths and the Host check. */
#include "daemon/route.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "daemon/query.h"

#define JSON "application/json"

static const struct {
    const char *path;
    enum st_route_body body;
    const char *content_type;
    unsigned query;
} routes[] = {
    {"/v1/status", ST_ROUTE_STATUS, JSON, 0},
    {"/v1/causes", ST_ROUTE_CAUSES, JSON, ST_QUERY_SINCE | ST_QUERY_UNTIL},
    {"/", ST_ROUTE_PAGE, "text/html; charset=utf-8", 0},
    {"/v1/live", ST_ROUTE_LIVE, JSON, 0},
    {"/v1/stream", ST_ROUTE_STREAM, "text/event-stream", 0},
    {"/v1/history", ST_ROUTE_HISTORY, JSON, ST_QUERY_SINCE | ST_QUERY_UNTIL | ST_QUERY_STEP},
    {"/v1/events", ST_ROUTE_EVENTS, JSON,
     ST_QUERY_SINCE | ST_QUERY_UNTIL | ST_QUERY_LIMIT | ST_QUERY_AFTER | ST_QUERY_KIND},
    {"/metrics", ST_ROUTE_METRICS, "text/plain; version=0.0.4; charset=utf-8", 0},
};

/* ":" and digits, or nothing. */
static bool is_port(const char *text)
{
    if (*text == '\0')
        return true;
    return *text == ':' && text[1] != '\0' && strspn(text + 1, "0123456789") == strlen(text + 1);
}

bool st_route_host_allowed(const char *host, const char *machine)
{
    char name[256];
    unsigned char address[sizeof(struct in6_addr)];
    const bool v6 = host[0] == '[';
    const char *first = v6 ? host + 1 : host;
    const size_t len = strcspn(first, v6 ? "]" : ":");
    if (len == 0 || len >= sizeof(name) || (v6 && first[len] != ']') || !is_port(first + len + (v6 ? 1 : 0)))
        return false;
    memcpy(name, first, len);
    name[len] = '\0';
    if (v6)
        return inet_pton(AF_INET6, name, address) == 1;
    if (inet_pton(AF_INET, name, address) == 1 || strcasecmp(name, "localhost") == 0)
        return true;
    /* one that calls itself studio.example.org is "studio", too; to one called studio "studio.example.org"
     * may be anybody's */
    const size_t label_len = strcspn(machine, ".");
    return label_len > 0 && (strcasecmp(name, machine) == 0 ||
                             (strlen(name) == label_len && strncasecmp(name, machine, label_len) == 0));
}

struct st_route st_route_refuse(unsigned http_status, const char *error)
{
    return (struct st_route){
        .http_status = http_status, .body = ST_ROUTE_ERROR, .content_type = JSON, .error = error};
}

struct st_route st_route_choose(const char *method, const char *path, const char *host, bool tcp,
                                const char *machine)
{
    if (tcp && host == NULL)
        return st_route_refuse(400, "a Host header is needed");
    if (tcp && !st_route_host_allowed(host, machine))
        return st_route_refuse(
            403, "this Host is not served: use the IP address, localhost or the name of this machine");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return st_route_refuse(405, "sleeptuned is read-only: GET and HEAD");
    for (size_t i = 0; i < ST_ARRAY_LEN(routes); i++) {
        if (strcmp(path, routes[i].path) == 0)
            return (struct st_route){.http_status = 200,
                                     .body = routes[i].body,
                                     .content_type = routes[i].content_type,
                                     .query = routes[i].query};
    }
    return st_route_refuse(
        404,
        "there is /, /v1/status, /v1/causes, /v1/history, /v1/events, /v1/live, /v1/stream and /metrics");
}
