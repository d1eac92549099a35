/* The table of paths, and the check of the Host header against DNS rebinding. */
#include "daemon/http/route.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>

#include "core/text/json.h"
#include "daemon/http/query.h"

#define JSON  "application/json"
#define HEARD "/v1/heard"

static const struct {
    const char *path;
    enum st_route_body body;
    const char *content_type;
    unsigned query;
} routes[] = {
    {"/v1/status", ST_ROUTE_STATUS, JSON, 0},
    {"/v1/causes", ST_ROUTE_CAUSES, JSON, ST_QUERY_SINCE | ST_QUERY_UNTIL},
    {"/v1/cycle.svg", ST_ROUTE_CYCLE, "image/svg+xml", 0},
    {"/v1/page", ST_ROUTE_ADDRESS, JSON, 0},
    {"/icon.svg", ST_ROUTE_ICON, "image/svg+xml", 0},
    {"/manifest.webmanifest", ST_ROUTE_MANIFEST, "application/manifest+json", 0},
    {"/", ST_ROUTE_PAGE, "text/html; charset=utf-8", 0},
    {"/v1/history", ST_ROUTE_HISTORY, JSON, ST_QUERY_SINCE | ST_QUERY_UNTIL | ST_QUERY_STEP},
    {"/v1/events", ST_ROUTE_EVENTS, JSON,
     ST_QUERY_SINCE | ST_QUERY_UNTIL | ST_QUERY_LIMIT | ST_QUERY_KIND},
    {"/v1/sizes", ST_ROUTE_SIZES, JSON, ST_QUERY_SINCE | ST_QUERY_UNTIL},
    {HEARD, ST_ROUTE_HEARD, JSON, ST_QUERY_SINCE | ST_QUERY_UNTIL},
    {"/v1/culprits", ST_ROUTE_CULPRITS, JSON, ST_QUERY_SINCE | ST_QUERY_UNTIL | ST_QUERY_TID},
    {"/v1/trace", ST_ROUTE_TRACE, JSON, ST_QUERY_UNTIL},
    {"/metrics", ST_ROUTE_METRICS, "text/plain; version=0.0.4; charset=utf-8", 0},
};

/* Is the text the end of a Host header after the name: ":" and digits, or empty? */
static bool is_port(const char *text)
{
    if (*text == '\0')
        return true;
    return *text == ':' && text[1] != '\0' && strspn(text + 1, "0123456789") == strlen(text + 1);
}

/* Is the name one of the words of a text, regardless of case? */
static bool is_word_of(const char *name, const char *words)
{
    const size_t name_len = strlen(name);
    for (const char *word = words; *word != '\0'; word += strspn(word, " ")) {
        const size_t len = strcspn(word, " ");
        if (len == name_len && strncasecmp(word, name, len) == 0)
            return true;
        word += len;
    }
    return false;
}

static bool is_host_allowed(const char *host, const struct st_route_names *names)
{
    unsigned char address[sizeof(struct in6_addr)];
    const bool v6 = host[0] == '[';
    const char *first = v6 ? host + 1 : host;
    const size_t len = strcspn(first, v6 ? "]" : ":");
    if (len == 0 || (v6 && first[len] != ']') || !is_port(first + len + v6))
        return false;
    const char *name = st_text("%.*s", (int)ST_MIN(len, 256), first);
    if (v6)
        return inet_pton(AF_INET6, name, address) == 1;
    if (inet_pton(AF_INET, name, address) == 1 || strcasecmp(name, "localhost") == 0)
        return true;
    /* A computer named studio.example.org answers to "studio", too. One named studio does not
     * answer to "studio.example.org": that name may belong to another computer. */
    const char *machine = names->machine;
    const size_t label_len = strcspn(machine, ".");
    if (is_word_of(name, names->others))
        return true;
    return label_len > 0 &&
           (strcasecmp(name, machine) == 0 ||
            (strlen(name) == label_len && strncasecmp(name, machine, label_len) == 0));
}

struct st_route st_route_refuse(unsigned http_status, const char *error)
{
    return (struct st_route){
        .http_status = http_status, .body = ST_ROUTE_ERROR, .content_type = JSON, .error = error};
}

/* Splits "http://host/path", which a client may send in place of a path; the host then replaces the
 * Host header (RFC 9112, 3.2.2). @return the path. */
static const char *split_target(const char *target, const char **host)
{
    if (strncasecmp(target, "http://", 7) != 0)
        return target;
    const char *first = target + 7;
    const size_t len = strcspn(first, "/");
    *host = st_text("%.*s", (int)ST_MIN(len, 256), first);
    return first[len] != '\0' ? first + len : "/";
}

struct st_route st_route_choose(const char *method, const char *target, const char *host, bool tcp,
                                const struct st_route_names *names)
{
    const char *path = split_target(target, &host);
    if (tcp && host == NULL)
        return st_route_refuse(400, "the request has no Host header");
    if (tcp && !is_host_allowed(host, names))
        return st_route_refuse(403,
                               "sleeptuned does not answer under this host name: use the IP "
                               "address, localhost, the name of this machine or one of http.names");
    if ((!tcp || names->own_page) && st_text_is(method, "POST") && st_text_is(path, HEARD))
        /* The page sends no parameters: it cannot add a note. */
        return (struct st_route){.http_status = 200,
                                 .body = ST_ROUTE_MARK,
                                 .content_type = JSON,
                                 .query = tcp ? 0 : ST_QUERY_BY | ST_QUERY_NOTE};
    if (!st_text_is(method, "GET") && !st_text_is(method, "HEAD"))
        return st_route_refuse(405, "sleeptuned accepts only the HTTP methods GET and HEAD");
    ST_EACH (route, routes) {
        const bool of_user = route->body == ST_ROUTE_HEARD || route->body == ST_ROUTE_TRACE;
        const bool is_local = route->body == ST_ROUTE_ADDRESS || (of_user && !names->own);
        /* over TCP, reported dropouts and traces need the token, and the page's address is never
         * served */
        if (st_text_is(path, route->path) && !(tcp && is_local))
            return (struct st_route){.http_status = 200,
                                     .body = route->body,
                                     .content_type = route->content_type,
                                     .query = route->query};
    }
    return st_route_refuse(
        404, "unknown path: use one of /, /v1/status, /v1/causes, /v1/history, /v1/events, "
             "/v1/sizes, /v1/heard, /v1/culprits, /v1/cycle.svg and /metrics");
}

char *st_route_error_text(const char *error)
{
    return st_json_into_text(st_json_object("schema:t error:t", "sleeptune-error/1", error),
                             JSON_COMPACT);
}
