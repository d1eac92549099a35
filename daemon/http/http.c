/* The server: few connections, small limits. */
#include "daemon/http/http.h"

#include <jansson.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/page/page.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "daemon/http/request.h"
#include "platform/posix/posix.h"

#define LOG_MODULE "http"
#include "daemon/log.h"

#define REQUEST_NS     (3 * ST_NS_PER_S)  /* to send a request */
#define ANSWER_NS      (20 * ST_NS_PER_S) /* from then on to the last byte of the answer */
#define HEAD_BYTES     (size_t)(32 * 1024)
#define SHORT_NS       (60 * ST_NS_PER_S) /* without a shortage of descriptors: the next one is logged */
#define SHORT_WAIT_NS  (200 * ST_NS_PER_MS)
#define CLIENTS_MAX    32
#define SHARE_MAX      12 /* of one user of the Unix socket, or one address: a browser takes up to 7 */
#define HELD_MAX_BYTES (1024 * 1024) /* of answers that are not read yet: this memory is locked */
#define SHORT_EVENTS   100           /* some 50 kB of them */

/* Where requests come from. */
struct door {
    int fd; /* listening; -1: none */
    bool tcp;
    bool network;   /* other machines can reach it */
    char token[33]; /* "": none is asked for */
};

enum { DOOR_UNIX, DOOR_TCP, DOOR_PAGE, DOORS };

struct client {
    int fd; /* -1: a free place */
    const struct door *door;
    uint64_t owner;
    uint64_t number; /* the lower, the longer it is here */
    int64_t until_ns;
    enum { READS, WAITS, WRITES, ENDS } state; /* ENDS: what it still sends is dropped, up to its end */
    char *text;                                /* the head of its request, then the body of the answer */
    size_t bytes, sent;
    struct st_http_request *request; /* that it waits for */
};

struct st_http_request {
    struct client *client; /* NULL: it has gone */
    bool head, is_long;
};

struct st_http {
    struct st_http_source source;
    const struct st_config *config; /* NULL: no TCP yet */
    struct door doors[DOORS];
    struct client clients[CLIENTS_MAX + 1]; /* one more than may stay */
    uint64_t number;
    char machine[256], page_url[64];
    int64_t rests_until_ns, short_until_ns; /* it is short of descriptors; that was logged */
};

static bool makes_long; /* an answer from the history can be megabytes: this process makes one at a time */

/* --- clients --- */

static void end(struct client *client)
{
    if (client->request != NULL)
        client->request->client = NULL; /* st_http_answer frees it */
    close(client->fd);
    free(client->text);
    *client = (struct client){.fd = -1};
}

/* A user of the Unix socket; an IPv4 address, 127.0.0.0/8 is one; the /64 of an IPv6 address. */
static uint64_t owner_of(int fd, const union st_config_address *from)
{
    uint64_t owner = 0;
    if (from->any.sa_family == AF_INET) {
        owner = ntohl(from->v4.sin_addr.s_addr);
        return owner >> 24 == IN_LOOPBACKNET ? IN_LOOPBACKNET : owner;
    }
    if (from->any.sa_family == AF_INET6) {
        memcpy(&owner, &from->v6.sin6_addr, sizeof(owner));
        return owner;
    }
#ifdef SO_PEERCRED
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t bytes = sizeof(peer);
    (void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
    owner = peer.uid;
#else
    uid_t uid = (uid_t)-1;
    gid_t gid;
    (void)getpeereid(fd, &uid, &gid);
    owner = uid;
#endif
    return owner | UINT64_C(0xff) << 56; /* no sender's address */
}

/* Connections of one owner, and bytes of answers that they have not read. @param owner  NULL: of all. */
static size_t count(const struct st_http *http, const uint64_t *owner, size_t *ret_held)
{
    size_t n = 0;
    *ret_held = 0;
    ST_EACH (client, http->clients) {
        if (client->fd < 0 || (owner != NULL && client->owner != *owner))
            continue;
        n++;
        *ret_held += client->state == WRITES ? client->bytes : 0;
    }
    return n;
}

/* Does `a` end before `b`? The owner of most connections loses one first: an idle one before one that is
 * being answered, and the oldest of these. */
static bool ends_before(const struct st_http *http, const struct client *a, const struct client *b)
{
    size_t held;
    const size_t n_a = count(http, &a->owner, &held), n_b = count(http, &b->owner, &held);
    const bool a_asks = a->state == WAITS || a->state == WRITES,
               b_asks = b->state == WAITS || b->state == WRITES;
    if (n_a != n_b)
        return n_a > n_b;
    return a_asks != b_asks ? b_asks : a->number < b->number;
}

/* A new connection always finds room: half requests, and answers that no one reads, make it. */
static void make_room(struct st_http *http, const struct client *new)
{
    size_t held;
    const bool own = count(http, &new->owner, &held) > SHARE_MAX;
    struct client *worst = NULL;
    if (!own && count(http, NULL, &held) <= CLIENTS_MAX)
        return;
    ST_EACH (client, http->clients) {
        if (client->fd >= 0 && client != new && (!own || client->owner == new->owner) &&
            (worst == NULL || ends_before(http, client, worst)))
            worst = client;
    }
    if (worst != NULL)
        end(worst);
}

/* Do clients hold more than HELD_MAX_BYTES of unread answers? Then who holds most loses its longest one,
 * unless it is who asks now. */
static bool is_full(struct st_http *http, const struct client *own)
{
    struct client *worst = NULL;
    size_t held, most = 0;
    (void)count(http, NULL, &held);
    if (held <= HELD_MAX_BYTES)
        return false;
    ST_EACH (client, http->clients) {
        if (client->fd < 0 || client->state != WRITES)
            continue;
        (void)count(http, &client->owner, &held);
        if (worst == NULL || held > most || (held == most && client->bytes > worst->bytes)) {
            worst = client;
            most = held;
        }
    }
    if (worst == NULL || worst->owner == own->owner)
        return true;
    end(worst);
    return false;
}

/* --- answers --- */

static void write_more(struct client *client)
{
    while (client->sent < client->bytes) {
        const ssize_t n =
            send(client->fd, client->text + client->sent, client->bytes - client->sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            end(client);
        if (n < 0)
            return;
        client->sent += (size_t)n;
    }
    /* closed with its last bytes unread, a connection would lose the answer */
    (void)shutdown(client->fd, SHUT_WR);
    free(client->text);
    client->text = NULL;
    client->state = ENDS;
    client->until_ns = st_posix_now_ns(NULL) + REQUEST_NS;
}

/* @param body  to be freed; NULL: out of memory. @param head  it is not sent. */
static void give(struct client *client, const struct st_route *route, bool head, char *body)
{
    if (body == NULL) {
        end(client);
        return;
    }
    const bool is_page = route->body == ST_ROUTE_PAGE || route->body == ST_ROUTE_SHELL;
    const char *text =
        st_text("HTTP/1.1 %u %s\r\n%sConnection: close\r\nContent-Type: %s\r\n"
                "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                "Content-Security-Policy: %s\r\n%s%s\r\n",
                route->http_status, route->http_status < 300 ? "OK" : "Refused",
                body[0] != '\0' ? st_text("Content-Length: %zu\r\n", strlen(body)) : "", route->content_type,
                is_page ? st_page_policy : "default-src 'none'; frame-ancestors 'none'",
                route->http_status == 405 ? "Allow: GET, HEAD\r\n" : "",
                route->http_status == 503 ? "Retry-After: 10\r\n" : "");
    free(client->text);
    client->text = body;
    client->bytes = head ? 0 : strlen(body);
    client->sent = 0;
    client->state = WRITES;
    if (send(client->fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text))
        write_more(client);
    else
        end(client);
}

void st_http_answer(struct st_http_request *request, char *text, unsigned http_status)
{
    struct st_route route = st_route_refuse(http_status, NULL); /* JSON, as those are */
    struct client *client = request->client;
    makes_long = makes_long && !request->is_long;
    if (client != NULL) {
        client->request = NULL;
        give(client, &route, request->head, text);
    } else {
        free(text);
    }
    free(request);
}

static void ask(struct st_http *http, struct client *client, struct st_route *route,
                const struct st_query *query, bool head)
{
    const bool few = query->limit != INT64_MIN && query->limit <= SHORT_EVENTS;
    const bool is_long = route->body == ST_ROUTE_HISTORY || route->body == ST_ROUTE_TRACE ||
                         (route->body == ST_ROUTE_EVENTS && !few);
    const bool full = is_long && is_full(http, client);
    struct st_http_request *request = malloc(sizeof(*request));
    if (request == NULL) {
        end(client);
        return;
    }
    *request = (struct st_http_request){client, head, is_long && !full && !makes_long};
    client->request = request;
    client->state = WAITS;
    if (is_long && (full || makes_long)) {
        st_http_answer(
            request,
            st_route_error_text(
                full
                    ? "sleeptuned is busy with long answers to other programs: ask again in a few seconds"
                    : "sleeptuned is busy with a long answer to another program: ask again in a few seconds"),
            503);
        return;
    }
    makes_long = makes_long || is_long;
    http->source.ask(http->source.ctx, route->body, query, request);
}

/* --- requests --- */

/* What stands behind "?". A bad one makes the route a refusal. */
static struct st_query read_query(char *text, struct st_route *route)
{
    struct st_query query;
    const char *key, *value, *error = NULL;
    st_query_init(&query);
    while (route->http_status == 200 && error == NULL && (key = st_request_next(&text, &value)) != NULL)
        error = st_query_set(&query, route->query, key, value, st_posix_wall_ns(NULL));
    if (error == NULL)
        error = st_query_check(&query);
    if (error != NULL)
        *route = st_route_refuse(400, error);
    return query;
}

static bool is(const char *field, const char *value)
{
    return field != NULL && st_text_is(field, value);
}

/* Does a page of another site ask, by an image, a frame, a script (Fetch Metadata)? Other programs send no
 * such header. */
static bool is_embedded(const struct st_request *request)
{
    const char *site = request->fields[ST_REQUEST_FETCH_SITE];
    return (is(site, "cross-site") || is(site, "same-site")) &&
           !is(request->fields[ST_REQUEST_FETCH_DEST], "document");
}

static bool has_token(const struct st_request *request, const char *token)
{
    const char *wished = st_text("Bearer %s", token), *given = request->fields[ST_REQUEST_AUTHORIZATION];
    if (given == NULL || strlen(given) != strlen(wished))
        return false;
    int differs = 0; /* how long it takes says nothing about the token */
    for (size_t i = 0; wished[i] != '\0'; i++)
        differs |= given[i] ^ wished[i];
    return differs == 0;
}

/* What a request without the token gets. */
static void hide_figures(const struct door *door, struct st_route *route)
{
    if (route->body == ST_ROUTE_ERROR || route->body == ST_ROUTE_ICON)
        return;
    if (door->network && route->body == ST_ROUTE_METRICS)
        route->body = ST_ROUTE_METRICS_UNNAMED;
    else if (door->network)
        *route = st_route_refuse(403, "other machines get /metrics only");
    else if (route->body == ST_ROUTE_PAGE)
        route->body = ST_ROUTE_SHELL;
    else
        *route = st_route_refuse(401, "this address needs its token: run sleeptune status --html");
}

static struct st_route choose(const struct st_http *http, const struct door *door,
                              const struct st_request *request)
{
    const char *host = request->fields[ST_REQUEST_HOST];
    const bool is_known = door->token[0] != '\0' && has_token(request, door->token);
    const struct st_route_names names = {
        .machine = http->machine,
        .others = door == &http->doors[DOOR_TCP] ? http->config->http.names : "",
        .own = is_known,
        /* browsers say which page sends what writes */
        .own_page =
            is_known && host != NULL && is(request->fields[ST_REQUEST_ORIGIN], st_text("http://%s", host))};
    struct st_route route = st_route_choose(request->method, request->target, host, door->tcp, &names);
    if (request->hosts_n > 1) /* which of them was meant? */
        route = st_route_refuse(400, "the request has more than one Host header");
    if (is_embedded(request)) /* before the answer shows by its size or status what it is about */
        route = st_route_refuse(403, "a page of another site may link to this, not embed it");
    if ((door->token[0] != '\0' || door->network) && !is_known)
        hide_figures(door, &route);
    return route;
}

static char *address_text(struct st_http *http, unsigned *http_status);

/* @param bytes  of the head. */
static void handle(struct st_http *http, struct client *client, size_t bytes)
{
    struct st_request request;
    const bool good = st_request_read(client->text, bytes, &request);
    const bool head = good && st_text_is(request.method, "HEAD");
    struct st_route route =
        good ? choose(http, client->door, &request) : st_route_refuse(400, "this is no request of HTTP/1.1");
    struct st_query query = read_query(good ? request.query : NULL, &route);
    client->until_ns = st_posix_now_ns(NULL) + ANSWER_NS;
    if (route.body == ST_ROUTE_MARK && client->door->tcp)
        ST_PRINT(query.by, "page");
    if (route.body >= ST_ROUTE_HISTORY && route.body != ST_ROUTE_ERROR) {
        ask(http, client, &route, &query, head);
        return;
    }
    char *text = route.body == ST_ROUTE_ERROR ? st_route_error_text(route.error)
                 : route.body == ST_ROUTE_ADDRESS
                     ? address_text(http, &route.http_status)
                     : http->source.body(http->source.ctx, route.body, &query, &route.http_status);
    give(client, &route, head, text);
}

static void read_more(struct st_http *http, struct client *client)
{
    static char dropped[4096];
    const bool reads = client->state == READS;
    const ssize_t n = reads ? recv(client->fd, client->text + client->bytes, HEAD_BYTES - client->bytes, 0)
                            : recv(client->fd, dropped, sizeof(dropped), 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        end(client);
        return;
    }
    if (!reads || n < 0)
        return;
    client->bytes += (size_t)n;
    const char *empty = memmem(client->text, client->bytes, "\r\n\r\n", 4);
    if (empty != NULL)
        handle(http, client, (size_t)(empty - client->text));
    else if (client->bytes == HEAD_BYTES)
        end(client);
}

/* --- doors --- */

/* Without a free descriptor accept fails, and the door would be ready again at once, for ever. */
static void rest_without_descriptors(struct st_http *http)
{
    const int64_t now_ns = st_posix_now_ns(NULL);
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
        return;
    if (http->short_until_ns <= now_ns)
        ST_WARN("cannot accept connections: %s. sleeptuned tries again several times a second.",
                strerror(errno));
    http->short_until_ns = now_ns + SHORT_NS;
    http->rests_until_ns = now_ns + SHORT_WAIT_NS;
}

/* One connection a turn, whose request is read at once: whoever makes many cannot push it out before. */
static void take_client(struct st_http *http, const struct door *door)
{
    union st_config_address from = {.any.sa_family = AF_UNSPEC};
    socklen_t bytes = sizeof(from);
    const int fd = accept4(door->fd, &from.any, &bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct client *client = http->clients;
    if (fd < 0) {
        rest_without_descriptors(http);
        return;
    }
    while (client->fd >= 0)
        client++;
    *client = (struct client){.fd = fd,
                              .door = door,
                              .owner = owner_of(fd, &from),
                              .number = ++http->number,
                              .until_ns = st_posix_now_ns(NULL) + REQUEST_NS,
                              .text = malloc(HEAD_BYTES + 1)};
    make_room(http, client);
    if (client->text != NULL && fd < FD_SETSIZE)
        read_more(http, client);
    else
        end(client);
}

static void close_door(struct st_http *http, struct door *door)
{
    ST_EACH (client, http->clients) {
        if (client->fd >= 0 && client->door == door)
            end(client);
    }
    if (door->fd >= 0)
        close(door->fd);
    door->fd = -1;
}

/* @param name  of the socket that is made, and then its own. @return 0 or a negative errno value. */
static int open_door(struct door *door, union st_config_address *name)
{
    const bool v6 = name->any.sa_family == AF_INET6;
    socklen_t bytes = v6 ? sizeof(name->v6) : sizeof(name->v4);
    const int fd = socket(name->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    const int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        (!v6 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
        bind(fd, &name->any, bytes) == 0 && listen(fd, SOMAXCONN) == 0 &&
        getsockname(fd, &name->any, &bytes) == 0) {
        *door = (struct door){.fd = fd, .tcp = true};
        return 0;
    }
    const int error = errno;
    close(fd);
    return -error;
}

int st_http_listen(struct st_http *http, const struct st_config *config)
{
    struct door *door = &http->doors[DOOR_TCP];
    union st_config_address name;
    close_door(http, door);
    http->config = config;
    if (config->http.listen[0] == '\0')
        return 0;
    int r = st_config_listen_address(config->http.listen, &name);
    if (r == 0)
        r = open_door(door, &name);
    if (r == 0)
        door->network = name.any.sa_family == AF_INET6
                            ? !IN6_IS_ADDR_LOOPBACK(&name.v6.sin6_addr)
                            : ntohl(name.v4.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET;
    return r;
}

/* The page with figures, on a free port of 127.0.0.1 to who knows a token: others get the page without
 * figures, its icon, or 401. */
static char *address_text(struct st_http *http, unsigned *http_status)
{
    struct door *door = &http->doors[DOOR_PAGE];
    unsigned char random[16];
    union st_config_address name = {.v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    if (door->fd < 0 && (getentropy(random, sizeof(random)) != 0 || open_door(door, &name) != 0)) {
        *http_status = 503;
        return st_route_error_text("sleeptuned cannot open a port of 127.0.0.1 for the page");
    }
    if (door->token[0] == '\0') {
        ST_EACH (byte, random)
            ST_APPEND(door->token, "%02x", *byte);
        ST_PRINT(http->page_url, "http://127.0.0.1:%d/#%s", ntohs(name.v4.sin_port), door->token);
    }
    return st_json_into_text(json_pack("{s:s, s:s}", "schema", "sleeptune-page/1", "url", http->page_url),
                             JSON_COMPACT);
}

struct st_http *st_http_new(int fd, const struct st_http_source *source)
{
    struct st_http *http = calloc(1, sizeof(*http));
    if (http == NULL)
        return NULL;
    http->source = *source;
    if (gethostname(http->machine, sizeof(http->machine) - 1) != 0)
        http->machine[0] = '\0';
    ST_EACH (door, http->doors)
        door->fd = -1;
    ST_EACH (client, http->clients)
        client->fd = -1;
    http->doors[DOOR_UNIX].fd = fd;
    return http;
}

void st_http_wait(struct st_http *http, struct st_wait *wait)
{
    if (http == NULL)
        return;
    const bool rests = http->rests_until_ns > st_posix_now_ns(NULL);
    if (rests)
        st_wait_until(wait, http->rests_until_ns);
    ST_EACH (door, http->doors)
        st_wait_to_read(wait, rests ? -1 : door->fd);
    ST_EACH (client, http->clients) {
        if (client->fd < 0)
            continue;
        st_wait_until(wait, client->until_ns);
        if (client->state == WRITES)
            st_wait_to_write(wait, client->fd);
        else if (client->state != WAITS)
            st_wait_to_read(wait, client->fd);
    }
}

void st_http_turn(struct st_http *http, const struct st_wait *wait)
{
    if (http == NULL)
        return;
    const int64_t now_ns = st_posix_now_ns(NULL);
    ST_EACH (client, http->clients) {
        if (client->fd < 0)
            continue;
        const bool is_ready = st_wait_is_ready(wait, client->fd);
        if (now_ns > client->until_ns)
            end(client);
        else if (is_ready && client->state == WRITES)
            write_more(client);
        else if (is_ready && client->state != WAITS)
            read_more(http, client);
    }
    ST_EACH (door, http->doors) {
        if (st_wait_is_ready(wait, door->fd))
            take_client(http, door);
    }
}

void st_http_free(struct st_http *http)
{
    if (http == NULL)
        return;
    http->doors[DOOR_UNIX].fd = -1; /* the socket's */
    ST_EACH (client, http->clients) {
        if (client->fd >= 0)
            end(client);
    }
    ST_EACH (door, http->doors)
        close_door(http, door);
    free(http);
}
