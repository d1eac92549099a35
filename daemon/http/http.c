/* The HTTP server: libmicrohttpd, driven by the main thread, for few connections with small
 * limits. */
#include "daemon/http/http.h"

#include <jansson.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/page/page.h"
#include "daemon/config/config.h"
#include "platform/posix/posix.h"

#define LOG_MODULE "http"
#include "daemon/log.h"

/* time-out of a connection before its first request: no byte arrived */
#define REQUEST_TIMEOUT_S 3u
/* time-out of a connection after its first request: no byte was sent or arrived */
#define ANSWER_TIMEOUT_S 10u
/* memory of a connection for request line and headers */
#define CONNECTION_BYTES (size_t)(32 * 1024)
/* A shortage of descriptors is logged again only if there was none for this time. */
#define SHORT_NS      ST_NS_PER_MINUTE
#define SHORT_WAIT_NS (200 * ST_NS_PER_MS)

/* --- limits for clients: a number of connections, a time for each request, and memory for answers
 * that are not read yet. libmicrohttpd's own time-out does not limit a request, since it starts
 * again with each byte.
 * --- */

#define CONNECTIONS_MAX 32
/* Most connections of one owner: a user of the Unix socket, or an address. A browser uses up to
 * 7. */
#define SHARE_MAX 12
/* size of guard.places, which also holds connections that end but are not closed yet */
#define PLACES (CONNECTIONS_MAX + 4)
/** Longest time from the start of a connection, or the end of its previous request, to the last
 * byte of the answer; then the connection is ended. */
#define REQUEST_NS (20 * ST_NS_PER_S)
/* if one owner has more bytes of unread answers than this, its requests for long answers are
 * refused, since answers take locked memory */
#define HELD_MAX_BYTES (1024 * 1024)
#define QUEUED_MAX     6 /* most requests of one owner that wait for their turn */

struct place {
    bool used, ends;
    int fd;
    uint64_t owner;
    int64_t since_ns;
    /* orders connections by their last request or answer: the lowest number has been idle
     * longest */
    uint64_t number;
    size_t held_bytes; /* size of an answer that is not completely sent */
};

struct guard {
    int64_t now_ns; /* when st_http_turn was last called, CLOCK_MONOTONIC */
    uint64_t number;
    int64_t short_until_ns; /* until then, a shortage of descriptors is not logged again */
    struct place places[PLACES];
};

static int fd_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info != NULL ? info->connect_fd : -1;
}

/* The owner of a connection, to whom the limits apply: a user of the Unix socket; an IPv4 address,
 * with 127.0.0.0/8 as one; the /64 network of an IPv6 address. */
static uint64_t owner_of(struct MHD_Connection *connection, int fd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *from = info != NULL ? info->client_addr : NULL;
    uint64_t owner = 0;
    if (from != NULL && from->sa_family == AF_INET) {
        owner = ntohl(((const struct sockaddr_in *)(const void *)from)->sin_addr.s_addr);
        return owner >> 24 == IN_LOOPBACKNET ? IN_LOOPBACKNET : owner;
    }
    if (from != NULL && from->sa_family == AF_INET6) {
        memcpy(&owner, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr,
               sizeof(owner));
        return owner;
    }
#ifdef SO_PEERCRED
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t bytes = sizeof(peer);
    (void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
    return peer.uid;
#else
    uid_t uid = (uid_t)-1;
    gid_t gid;
    (void)getpeereid(fd, &uid, &gid);
    return uid;
#endif
}

/* The entry of the connection with this descriptor, or for fd -1 a free entry; NULL: none. */
static struct place *find_place(struct guard *guard, int fd)
{
    ST_EACH (place, guard->places) {
        if (fd < 0 ? !place->used : place->used && place->fd == fd)
            return place;
    }
    return NULL;
}

static void end(struct place *place)
{
    place->ends = true;
    shutdown(place->fd, SHUT_RDWR);
}

struct share {
    /* number of connections; bytes of their answers that are not completely sent */
    size_t n, held_bytes;
};

static struct share share_of(const struct guard *guard, uint64_t owner)
{
    struct share share = {0, 0};
    ST_EACH (place, guard->places) {
        if (place->used && !place->ends && place->owner == owner) {
            share.n++;
            share.held_bytes += place->held_bytes;
        }
    }
    return share;
}

/* If there are too many connections, ends one: of the owner with the most connections, the one that
 * was idle for longest. */
static void make_room(struct guard *guard)
{
    struct place *worst = guard->places;
    size_t all = 0, most = 0;
    ST_EACH (place, guard->places) {
        const size_t n = place->used && !place->ends ? share_of(guard, place->owner).n : 0;
        all += n > 0;
        if (n > most || (n == most && place->number < worst->number)) {
            worst = place;
            most = n;
        }
    }
    if (all > CONNECTIONS_MAX || most > SHARE_MAX)
        end(worst);
}

static void on_connection(void *ctx, struct MHD_Connection *connection, ST_UNUSED void **slot,
                          enum MHD_ConnectionNotificationCode what)
{
    struct guard *guard = ctx;
    const int fd = fd_of(connection);
    const bool begins = what == MHD_CONNECTION_NOTIFY_STARTED;
    struct place *place = find_place(guard, begins ? -1 : fd);
    if (place != NULL && !begins)
        place->used = false;
    if (place != NULL && begins && fd >= 0) {
        *place = (struct place){.used = true,
                                .fd = fd,
                                .owner = owner_of(connection, fd),
                                .since_ns = guard->now_ns,
                                .number = ++guard->number};
        make_room(guard);
    }
}

/* Updates the entry of a connection when a request has arrived, its answer was made, or the answer
 * was sent.
 * @param held_bytes bytes of the answer that still wait to be sent. @param is_out the answer was
 * sent. */
static void note(struct guard *guard, struct MHD_Connection *connection, size_t held_bytes,
                 bool is_out)
{
    struct place *place = find_place(guard, fd_of(connection));
    if (place == NULL)
        return;
    place->held_bytes = held_bytes;
    place->number = ++guard->number;
    if (is_out)
        place->since_ns = guard->now_ns;
}

/* Ends connections whose request has taken longer than REQUEST_NS. */
static void end_late_ones(struct guard *guard)
{
    ST_EACH (place, guard->places) {
        if (place->used && guard->now_ns - place->since_ns > REQUEST_NS)
            end(place);
    }
}

/* --- requests --- */

struct st_http_request {
    struct st_http *http;
    struct MHD_Connection *connection; /* NULL: the client closed it before the answer was made */
    struct st_http_request *next;      /* next request that waits, for its answer or its turn */
    bool is_long, waits, is_answered;  /* waits: for its answer */
    char *text;                        /* the answer; NULL: out of memory */
    unsigned http_status;
};

struct st_http {
    struct MHD_Daemon *server;
    struct st_http_source source;
    bool tcp;
    bool network;   /* other machines can reach the server */
    char token[33]; /* "": no token is required */
    char machine[256], names[ST_CONFIG_TEXT_BYTES];
    struct guard guard;
    struct st_http_request *waiting;
    /* until this time (CLOCK_MONOTONIC) the server accepts nothing, for lack of descriptors */
    int64_t rests_until_ns;
};

/* Pauses the server if the process has no free descriptor. Otherwise accept would fail, and
 * libmicrohttpd would log that and try again at once, for ever. A pause delays new connections a
 * little. */
static void rest_without_descriptors(struct st_http *http)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        close(fd);
        return;
    }
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
        return;
    const int error = errno;
    struct guard *guard = &http->guard;
    const bool first = guard->short_until_ns <= guard->now_ns;
    guard->short_until_ns = guard->now_ns + SHORT_NS;
    if (first)
        ST_WARN("cannot accept connections: %s. sleeptuned tries again several times a second.",
                strerror(error));
    http->rests_until_ns = guard->now_ns + SHORT_WAIT_NS;
}

static void ST_PRINTF(2, 0) log_server(void *ctx, const char *format, va_list args)
{
    char text[256];
    vsnprintf(text, sizeof(text), format, args);
    text[strcspn(text, "\n")] = '\0';
    ST_DBG("%s", text);
    rest_without_descriptors(ctx);
}

struct reading {
    unsigned names;
    struct st_query query;
    int64_t now_wall_ns;
    const char *error;
};

static enum MHD_Result on_argument(void *ctx, ST_UNUSED enum MHD_ValueKind kind, const char *key,
                                   const char *value)
{
    struct reading *reading = ctx;
    reading->error =
        st_query_set(&reading->query, reading->names, key, value, reading->now_wall_ns);
    return reading->error == NULL ? MHD_YES : MHD_NO;
}

/* Reads the query after "?". A bad query turns the route into a refusal. */
static struct st_query read_query(struct MHD_Connection *connection, struct st_route *route)
{
    struct reading reading = {.names = route->query, .now_wall_ns = st_posix_wall_ns(NULL)};
    st_query_init(&reading.query);
    if (route->http_status == 200)
        (void)MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, on_argument, &reading);
    if (reading.error == NULL)
        reading.error = st_query_check(&reading.query);
    if (reading.error != NULL)
        *route = st_route_refuse(400, reading.error);
    return reading.query;
}

static enum MHD_Result queue(struct MHD_Connection *connection, const struct st_route *route,
                             struct MHD_Response *response)
{
    MHD_add_response_header(response, "Content-Type", route->content_type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy",
                            route->body == ST_ROUTE_PAGE || route->body == ST_ROUTE_SHELL
                                ? st_page_policy
                                : "default-src 'none'; frame-ancestors 'none'");
    if (route->http_status == 405) {
        MHD_add_response_header(response, "Allow", "GET, HEAD");
        /* The request may have a body, which is not read. So the connection cannot carry a second
         * request. */
        MHD_add_response_header(response, "Connection", "close");
    }
    const enum MHD_Result r = MHD_queue_response(connection, route->http_status, response);
    MHD_destroy_response(response);
    return r;
}

/* Answers with a text. @param text is freed after it was sent; NULL: out of memory, so the
 * connection is closed. */
static enum MHD_Result answer_text(struct MHD_Connection *connection, struct st_http *http,
                                   const struct st_route *route, char *text)
{
    if (text == NULL)
        return MHD_NO;
    const size_t bytes = strlen(text);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(text);
        return MHD_NO;
    }
    note(&http->guard, connection, bytes, false);
    return queue(connection, route, response);
}

/* --- answers that take time: libmicrohttpd suspends the connection until st_http_answer --- */

/* an answer with more events than this is a long one; 100 events are some 50 kB */
#define SHORT_EVENTS 100

/* A long answer is being made. An answer from the history can have megabytes, so this process
 * makes one such answer at a time. */
static bool makes_long;
/* long requests of all servers that wait for their turn */
static struct st_http_request *queued;

/* Lets all queued requests try again: libmicrohttpd calls the handler of a resumed connection
 * anew. */
static void resume_queued(void)
{
    for (; queued != NULL; queued = queued->next)
        MHD_resume_connection(queued->connection);
}

static enum MHD_Result give_answer(struct st_http_request *request, const struct st_route *route)
{
    struct st_route given = *route;
    char *text = request->text;
    given.http_status = request->http_status;
    request->text = NULL;
    return answer_text(request->connection, request->http, &given, text);
}

void st_http_answer(struct st_http_request *request, char *text, unsigned http_status)
{
    if (request->is_long) {
        makes_long = false;
        resume_queued();
    }
    if (request->connection == NULL) {
        free(text);
        free(request);
        return;
    }
    request->text = text;
    request->http_status = http_status;
    request->is_answered = true;
    if (!request->waits)
        return;
    struct st_http_request **at = &request->http->waiting;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    request->waits = false;
    MHD_resume_connection(request->connection);
}

static enum MHD_Result ask(struct st_http_request *request, struct st_route *route,
                           const struct st_query *query)
{
    struct st_http *http = request->http;
    const bool few = query->limit != INT64_MIN && query->limit <= SHORT_EVENTS;
    request->is_long = route->body == ST_ROUTE_HISTORY || route->body == ST_ROUTE_TRACE ||
                       (route->body == ST_ROUTE_EVENTS && !few);
    const struct place *place = find_place(&http->guard, fd_of(request->connection));
    const bool full =
        place == NULL || share_of(&http->guard, place->owner).held_bytes > HELD_MAX_BYTES;
    size_t queued_n = 0; /* of this owner: suspended connections cannot be ended */
    for (const struct st_http_request *one = queued; one != NULL && !full; one = one->next)
        queued_n += owner_of(one->connection, fd_of(one->connection)) == place->owner;
    if (request->is_long && (full || queued_n >= QUEUED_MAX)) {
        *route = st_route_refuse(
            503, "sleeptuned is busy with long answers: ask again in a few seconds");
        return answer_text(request->connection, http, route, st_route_error_text(route->error));
    }
    if (request->is_long && makes_long) {
        request->next = queued;
        queued = request;
        MHD_suspend_connection(request->connection);
        return MHD_YES;
    }
    makes_long = makes_long || request->is_long;
    http->source.ask(http->source.ctx, route->body, query, request);
    if (request->is_answered)
        return give_answer(request, route);
    request->waits = true;
    request->next = http->waiting;
    http->waiting = request;
    MHD_suspend_connection(request->connection);
    return MHD_YES;
}

/* Resumes the connections that wait for an answer, so that they can be closed: libmicrohttpd does
 * not end suspended connections. */
static void drop_waiting(struct st_http *http)
{
    resume_queued();
    for (struct st_http_request *request = http->waiting; request != NULL; request = request->next)
        MHD_resume_connection(request->connection);
}

static void on_completed(void *ctx, struct MHD_Connection *connection, void **slot,
                         ST_UNUSED enum MHD_RequestTerminationCode how)
{
    struct st_http_request *request = *slot;
    note(ctx, connection, 0, true);
    if (request != NULL && request->waits) {
        request->connection = NULL; /* st_http_answer frees the request */
    } else if (request != NULL) {
        free(request->text);
        free(request);
    }
    *slot = NULL;
}

/* Makes the answer to a request, at once or through `ask`. @param request NULL: the route is a
 * refusal. */
static enum MHD_Result answer(struct MHD_Connection *connection, struct st_http *http,
                              struct st_route *route, struct st_http_request *request)
{
    struct st_query query = read_query(connection, route);
    if (route->body == ST_ROUTE_MARK && http->tcp)
        ST_PRINT(query.by, "page");
    if (route->body == ST_ROUTE_ERROR)
        return answer_text(connection, http, route, st_route_error_text(route->error));
    return ask(request, route, &query);
}

static enum MHD_Result count_host(void *ctx, ST_UNUSED enum MHD_ValueKind kind, const char *key,
                                  ST_UNUSED const char *value)
{
    *(int *)ctx += strcasecmp(key, "Host") == 0;
    return MHD_YES;
}

static bool header_is(struct MHD_Connection *connection, const char *name, const char *value)
{
    const char *its = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return its != NULL && st_text_is(its, value);
}

/* Is the request sent by a page of another site, through an image, a frame or a script (Fetch
 * Metadata)? Programs other than browsers send no such header. */
static bool is_embedded(struct MHD_Connection *connection)
{
    return (header_is(connection, "Sec-Fetch-Site", "cross-site") ||
            header_is(connection, "Sec-Fetch-Site", "same-site")) &&
           !header_is(connection, "Sec-Fetch-Dest", "document");
}

static bool has_token(struct MHD_Connection *connection, const char *token)
{
    static const char scheme[] = "Bearer ";
    const size_t len = strlen(token), scheme_len = sizeof(scheme) - 1;
    const char *given = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (given == NULL || strlen(given) != scheme_len + len || !st_text_begins(given, scheme))
        return false;
    /* Compares all bytes even after a difference, so that the time of the comparison does not
     * reveal the token. */
    int differs = 0;
    for (size_t i = 0; i < len; i++)
        differs |= given[scheme_len + i] ^ token[i];
    return differs == 0;
}

/* Does the request come from a page of this server? Browsers send the page's origin with a request
 * that writes. */
static bool is_own_origin(struct MHD_Connection *connection, const char *host)
{
    return host != NULL && header_is(connection, "Origin", st_text("http://%s", host));
}

/* Restricts a request without the token: figures are hidden, or the request is refused. */
static void hide_figures(const struct st_http *http, struct st_route *route)
{
    if (route->body == ST_ROUTE_ERROR || route->body == ST_ROUTE_ICON)
        return;
    if (http->network && route->body == ST_ROUTE_METRICS)
        route->body = ST_ROUTE_METRICS_UNNAMED;
    else if (http->network)
        *route = st_route_refuse(403, "from other machines only /metrics can be read");
    else if (route->body == ST_ROUTE_PAGE)
        route->body = ST_ROUTE_SHELL;
    else
        *route = st_route_refuse(
            401, "this page needs a token in its address: run sleeptune status --html");
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, ST_UNUSED const char *version,
                              ST_UNUSED const char *upload_data, size_t *upload_data_bytes,
                              void **slot)
{
    struct st_http *http = ctx;
    struct st_http_request *request = *slot;
    /* libmicrohttpd returns the header up to the first NUL, even with MHD_lookup_connection_value_n
     * (0.9.75), so this check does not see bytes after a NUL. */
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const bool is_known = http->token[0] != '\0' && has_token(connection, http->token);
    const struct st_route_names names = {.machine = http->machine,
                                         .others = http->names,
                                         .own = is_known,
                                         .own_page = is_known && is_own_origin(connection, host)};
    struct st_route route = st_route_choose(method, url, host, http->tcp, &names);
    int hosts = 0;
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, count_host, &hosts);
    if (hosts > 1) /* it is unclear which of the hosts the client means */
        route = st_route_refuse(400, "the request has more than one Host header");
    /* Requests of other sites are refused before any answer is made, since even the size or status
     * of an answer could reveal something to that site. */
    if (is_embedded(connection))
        route = st_route_refuse(403, "other sites may link to this page, but not embed it");
    if ((http->token[0] != '\0' || http->network) && !is_known)
        hide_figures(http, &route);
    if (request == NULL) {
        note(&http->guard, connection, 0, false);
        (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                        ANSWER_TIMEOUT_S);
    }
    if (route.http_status != 200)
        return answer(connection, http, &route, NULL);
    if (request ==
        NULL) { /* first call for this request: its headers have arrived, and a body may follow */
        request = calloc(1, sizeof(*request));
        if (request == NULL)
            return MHD_NO;
        request->http = http;
        request->connection = connection;
        *slot = request;
        return MHD_YES;
    }
    if (*upload_data_bytes > 0) { /* the body is not used */
        *upload_data_bytes = 0;
        return MHD_YES;
    }
    return request->is_answered ? give_answer(request, &route)
                                : answer(connection, http, &route, request);
}

/* Unescapes a name or value of a query. "%00" would become a NUL, end the text early and change its
 * meaning, so it becomes another byte. */
static size_t unescape(ST_UNUSED void *ctx, ST_UNUSED struct MHD_Connection *connection, char *text)
{
    const size_t len = MHD_http_unescape(text);
    ST_EACH_OF (c, text, len) {
        if (*c == '\0')
            *c = '\1'; /* a byte that no path, name or value contains */
    }
    return len;
}

/* Starts a server. @param names further host names that requests may use; NULL: this is the Unix
 * socket, where Host headers are not checked. */
static int start(int fd, const char *names, const struct st_http_source *source,
                 struct st_http **ret)
{
    struct st_http *http = calloc(1, sizeof(*http));
    if (http == NULL)
        return -ENOMEM;
    http->source = *source;
    http->tcp = names != NULL;
    ST_PRINT(http->names, "%s", st_text_or(names, ""));
    if (gethostname(http->machine, sizeof(http->machine) - 1) != 0)
        http->machine[0] = '\0';
    /* The server uses select: libmicrohttpd then accepts one connection in each turn and reads from
     * all. With epoll it accepts ten, so a client with many connections would displace others
     * before their requests are read. */
    http->server = MHD_start_daemon(
        MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, http,
        MHD_OPTION_EXTERNAL_LOGGER, (MHD_LogCallback)log_server, http, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)PLACES, MHD_OPTION_CONNECTION_TIMEOUT,
        REQUEST_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, &http->guard, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, &http->guard, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_END);
    if (http->server == NULL) {
        free(http);
        return -EIO;
    }
    *ret = http;
    return 0;
}

int st_http_start_fd(int fd, const struct st_http_source *source, struct st_http **ret)
{
    return start(fd, NULL, source, ret);
}

static int draw_token(char token[33])
{
    unsigned char random[16];
    if (getentropy(random, sizeof(random)) != 0)
        return -errno;
    token[0] = '\0';
    ST_EACH (byte, random)
        st_text_append(token, 33, "%02x", *byte);
    return 0;
}

/* Opens a listening TCP socket. @param name address to bind; set to the socket's actual address.
 * @return the socket, or a negative errno value. */
static int listen_on(union st_config_address *name)
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
        getsockname(fd, &name->any, &bytes) == 0)
        return fd;
    const int error = errno;
    close(fd);
    return -error;
}

/* Can only this machine reach the address? */
static bool is_loopback(const union st_config_address *name)
{
    if (name->any.sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&name->v6.sin6_addr);
    return ntohl(name->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

int st_http_start_tcp(const char *listen_at, const char *names, const struct st_http_source *source,
                      struct st_http **ret)
{
    union st_config_address name;
    int r = st_config_listen_address(listen_at, &name);
    const int fd = r == 0 ? listen_on(&name) : r;
    if (fd < 0)
        return fd;
    r = start(fd, names, source, ret);
    if (r < 0)
        close(fd);
    else
        (*ret)->network = !is_loopback(&name);
    return r;
}

int st_http_start_private(const struct st_http_source *source, char url[ST_HTTP_URL_BYTES],
                          struct st_http **ret)
{
    union st_config_address name = {
        .v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    char token[33];
    int r = draw_token(token);
    const int fd = r == 0 ? listen_on(&name) : r;
    if (fd < 0)
        return fd;
    r = start(fd, "", source, ret);
    if (r < 0) {
        close(fd);
        return r;
    }
    ST_PRINT((*ret)->token, "%s", token);
    snprintf(url, ST_HTTP_URL_BYTES, "http://127.0.0.1:%d/#%s", ntohs(name.v4.sin_port), token);
    return 0;
}

void st_http_wait(struct st_http *http, struct st_wait *wait)
{
    if (http == NULL)
        return;
    const int64_t now_ns = st_posix_now_ns(NULL);
    if (http->rests_until_ns > now_ns) {
        st_wait_until(wait, http->rests_until_ns);
        return;
    }
    MHD_UNSIGNED_LONG_LONG timeout_ms;
    (void)MHD_get_fdset2(http->server, &wait->read, &wait->write, &wait->error, &wait->fd_max,
                         FD_SETSIZE);
    if (MHD_get_timeout(http->server, &timeout_ms) == MHD_YES)
        st_wait_until(wait, now_ns + (int64_t)timeout_ms * ST_NS_PER_MS);
}

void st_http_turn(struct st_http *http, const struct st_wait *wait)
{
    if (http == NULL)
        return;
    http->guard.now_ns = st_posix_now_ns(NULL);
    if (http->rests_until_ns > http->guard.now_ns)
        return;
    end_late_ones(&http->guard);
    (void)MHD_run_from_select(http->server, &wait->read, &wait->write, &wait->error);
}

void st_http_stop(struct st_http *http)
{
    if (http == NULL)
        return;
    drop_waiting(http);
    MHD_stop_daemon(http->server);
    free(http);
}
