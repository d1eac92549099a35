#include "cli/measure/music.h"

#include <poll.h>

#include "advisor/facts/owner.h"
#include "advisor/rules/machine.h"
#include "cli/show/daemon_client.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "story/dropout_json.h"
#include "story/dropout_next.h"
#include "story/dropout_sentence.h"

#define READS_MAX 64 /* most polls of one source in one call */
/* from this time on, the helper program has reported a load for each node of PipeWire that plays:
 * it does so 0.5 s after it began to watch */
#define LOADS_NS (3 * ST_NS_PER_S)
#define SOURCE                                                                                     \
    "the sound server, while sleeptune measured" /* source of facts that this program saw */
#define RECORDS                                                                                    \
    "sleeptuned, while sleeptune measured" /* source of facts that the daemon recorded */
#define RECORDS_MS 2000
#define SUM_NS     (10 * ST_NS_PER_S) /* longest time that one record of the daemon sums up */

struct server {
    const struct st_music *music;
    struct st_xrun_watch watch;
    bool open;
    struct st_dropout_table seen;
};

struct st_music {
    struct st_platform *p;
    int64_t begin_ns;
    struct server servers[ST_XRUN_SOURCES_MAX];
    size_t servers_n;
    /* why no server was started; NULL: watch.why of a server says why it is not watched */
    const char *why;
};

/* --- reports of the sound servers --- */

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    struct server *server = ctx;
    struct st_platform *platform = server->music->p;
    struct st_xrun_seen safe = *seen;
    if (seen->kind == ST_XRUN_SEEN_ENDED) /* keep a client that has ended in the table, since its
                                             dropouts count for the whole run */
        return;
    st_safe_text(safe.event.client);
    st_safe_text(safe.event.culprit);
    st_dropout_table_take(&server->seen, &safe, st_platform_now_ns(platform),
                          st_platform_wall_ns(platform));
}

static bool plays(const struct server *server)
{
    return server->seen.sum.n > 0 || server->seen.clients_n > 0 || server->seen.device_load_ns != 0;
}

static void take(struct server *server)
{
    if (!server->open)
        return;
    const int r = server->watch.source->ops->poll(&server->watch);
    if (r != 0 && r != -EAGAIN) {
        st_xrun_close(&server->watch);
        server->open = false;
    }
}

static void poll_server(struct server *server)
{
    /* poll only if there is something to read: a poll that reads nothing counts as silence of the
     * helper program */
    for (int i = 0; i < READS_MAX && server->open; i++) {
        struct pollfd readable = {.fd = server->watch.fd, .events = POLLIN};
        if (poll(&readable, 1, 0) <= 0)
            return;
        take(server);
    }
}

/* --- watching --- */

static void start_server(struct st_music *music, const struct st_xrun_source *source, int64_t uid)
{
    const struct st_xrun_setting setting = {.user = (uid_t)uid};
    struct server *server = &music->servers[music->servers_n];
    server->music = music;
    server->open = st_xrun_open(&server->watch, music->p, source, &setting, on_seen, server) == 0;
    music->servers_n++;
}

struct st_music *st_music_start(struct st_platform *p, const struct st_xrun_source *const *sources,
                                const struct st_facts *facts, bool as_root)
{
    struct st_music *music = calloc(1, sizeof(*music));
    const struct st_xrun_source *source;
    int64_t uid = 0;
    if (music == NULL)
        return NULL;
    /* under sudo: watch the servers of the user who ran sudo */
    if (as_root && st_facts_int(facts, ST_KEY_USER_UID, &uid) != 0)
        uid = 0;
    music->p = p;
    music->begin_ns = st_platform_now_ns(p);
    music->why = "no sound server is running for this user";
    for (; (source = *sources) != NULL; sources++) {
        if (source->program == NULL || music->servers_n == ST_XRUN_SOURCES_MAX ||
            /* on FreeBSD, start each helper program: it finds out whether its server runs */
            (facts->os == ST_OS_LINUX && !st_owner_runs(facts, source->daemons)))
            continue;
        music->why = as_root && uid <= 0 ? "run this command as the user who plays" : NULL;
        if (music->why == NULL)
            start_server(music, source, uid);
    }
    return music;
}

void st_music_poll(struct st_music *music)
{
    if (music == NULL)
        return;
    ST_EACH_OF (server, music->servers, music->servers_n)
        poll_server(server);
}

/* --- the result: facts and dropouts --- */

static const char *name_of(const struct server *server)
{
    return server->watch.source->title;
}

uint64_t st_music_dropouts(const struct st_music *music)
{
    uint64_t n = 0;
    if (music == NULL)
        return 0;
    ST_EACH_OF (server, music->servers, music->servers_n)
        n += server->seen.sum.n;
    return n;
}

/* Fills *ret with the servers that lost sound or are watched to the end. @return their number. */
static size_t sources_of(const struct st_music *music, struct st_dropout_source *ret)
{
    size_t n = 0;
    ST_EACH_OF (server, music->servers, music->servers_n) {
        if (server->open || server->seen.sum.n > 0)
            ret[n++] = (struct st_dropout_source){.name = server->watch.source->name,
                                                  .table = &server->seen,
                                                  .asked = true,
                                                  .plays = plays(server),
                                                  .owner = server};
    }
    return n;
}

static void put_next(const char *command, const char *why, const char *source,
                     struct st_facts *facts)
{
    const char *next = command[0] != '\0' && why[0] != '\0' ? st_text("%s (%s)", command, why)
                                                            : st_text_or(command, why);
    if (next[0] != '\0')
        st_facts_put_text(facts, ST_MUSIC_NEXT, next, source);
}

/** Why no server could be watched: the reason of the first one. */
static const char *why_none(const struct st_music *music)
{
    return music->why != NULL ? music->why : music->servers[0].watch.why;
}

/* Text for a server without losses of sound. */
static const char *quiet_text(const struct st_music *music, const struct server *server,
                              int64_t duration_ns, const char *time)
{
    if (server == NULL)
        return st_text("sleeptune watched no sound server: %s.", why_none(music));
    const bool unseen = !plays(server) && server->watch.source->sees_cycles;
    if (unseen && duration_ns > LOADS_NS)
        return st_text("Nothing played on %s: play, and run this again. For dropouts before that: "
                       "sleeptune history.",
                       name_of(server));
    if (unseen)
        return st_text("%s is too short to see whether something plays on %s: leave out "
                       "--duration.",
                       time, name_of(server));
    const struct st_dropout_client *unheard = st_dropout_table_unheard(&server->seen);
    const char *text = st_text("No dropout in %s on %s", time, name_of(server));
    if (unheard != NULL)
        text = st_text("%s; 'sleeptune check' does not notice sound that %s sends too late", text,
                       unheard->name);
    return st_text("%s.", text);
}

static const json_t *first_of(const json_t *object, const char *key)
{
    return json_array_get(json_object_get(object, key), 0);
}

/* Puts the number of dropouts into facts, and the client with the largest loss, which is the first
 * of the list. */
static void put_dropouts(const json_t *dropouts, const char *source, struct st_facts *facts)
{
    const json_t *client = first_of(first_of(dropouts, "sources"), "clients");
    const char *reason = st_json_text_of(first_of(client, "rows"), "reason");
    st_facts_put_int(facts, ST_MUSIC_DROPOUTS, st_json_integer(dropouts, "count"), source);
    if (st_json_text(client, "name") == NULL || st_json_integer(dropouts, "count") == 0)
        return;
    st_facts_put_text(facts, ST_MUSIC_CLIENT, st_json_safe_text(client, "name"), source);
    st_facts_put_int(
        facts, ST_MUSIC_CLIENT_DROPOUTS,
        st_json_integer(client, "dropouts") + st_json_integer(client, "device_dropouts"), source);
    st_facts_put_text(facts, ST_MUSIC_REASON,
                      st_text_or(reason, st_dropout_reason_name(ST_DROPOUT_UNKNOWN)), source);
}

/* --- what a daemon recorded --- */

/* Asks a running daemon for the dropouts of this time. The daemon sees more than `sleeptune check`,
 * and two answers for the same second would contradict each other. @return the daemon's "dropouts",
 * a new reference, after its next step was put into facts; NULL: the daemon recorded no dropout of
 * this server, so the caller uses those that this program saw. */
static json_t *records_of(const struct server *server, int64_t duration_ns, struct st_facts *facts)
{
    struct st_daemon_answer status = {0}, causes;
    json_t *dropouts = NULL;
    const char *since = st_text(
        "causes?since=%jd", (st_platform_wall_ns(server->music->p) - duration_ns) / ST_NS_PER_S);
    const int r = st_daemon_client_try(NULL, since, RECORDS_MS, &causes);
    json_t *recorded = json_object_get(causes.document, "dropouts");
    if (r == 0 && st_json_integer(recorded, "count") > 0 &&
        st_text_is(st_json_text_of(first_of(recorded, "sources"), "source"),
                   server->watch.source->name) &&
        st_daemon_client_try(NULL, "status", RECORDS_MS, &status) == 0) {
        const json_t *screen = json_object_get(status.document, "screen");
        put_next(st_json_safe_text(screen, "next"), st_json_safe_text(screen, "next_why"), RECORDS,
                 facts);
        dropouts = json_incref(recorded);
    }
    st_daemon_client_finish(&status);
    st_daemon_client_finish(&causes);
    return dropouts;
}

/* Puts what was seen of a server into facts, or (`ask`) what a daemon recorded of it. @return the
 * dropouts that were put; frees `dropouts` if it returns other ones. */
static json_t *put(const struct server *server, json_t *dropouts, int64_t duration_ns, bool ask,
                   struct st_facts *facts)
{
    const struct st_dropout_client *client = st_dropout_table_worst(&server->seen, INT64_MAX);
    json_t *records = NULL;
    if (ask)
        records = records_of(server, duration_ns, facts);
    st_facts_put_text(facts, ST_MUSIC_SERVER, name_of(server), SOURCE);
    st_facts_put_int(facts, ST_MUSIC_DURATION_NS, duration_ns, SOURCE);
    if (server->seen.frames > 0)
        st_facts_put_int(facts, ST_MUSIC_FRAMES, server->seen.frames, SOURCE);
    if (records != NULL) {
        json_decref(dropouts);
        put_dropouts(records, RECORDS, facts);
        return records;
    }
    put_dropouts(dropouts, SOURCE, facts);
    if (client != NULL && client->name[0] != '\0') {
        const struct st_dropout_next next = st_dropout_next(
            &server->seen, client, server->watch.source->name, st_machine_right_at_login(facts));
        put_next(next.command, next.why, SOURCE, facts);
    }
    return dropouts;
}

json_t *st_music_finish(struct st_music *music, bool ask, struct st_facts *facts)
{
    struct st_dropout_source sources[ST_XRUN_SOURCES_MAX];
    if (music == NULL)
        return NULL;
    st_music_poll(music);
    /* poll once more: a stopped helper program writes nothing, and this poll notices that it has
     * not watched */
    ST_EACH_OF (server, music->servers, music->servers_n)
        take(server);
    const int64_t duration_ns = st_platform_now_ns(music->p) - music->begin_ns;
    ST_EACH_OF (server, music->servers, music->servers_n)
        st_dropout_table_age(&server->seen, st_platform_now_ns(music->p), true);
    const size_t n = sources_of(music, sources);
    json_t *dropouts = st_dropout_json_list(sources, n);
    const struct server *server = n > 0 ? sources[0].owner : NULL;
    const int64_t watched_ns = server != NULL ? duration_ns - server->watch.silent_ns : 0;
    const char *forced = "",
               *time = st_text("%.*f s", watched_ns < 10 * ST_NS_PER_S, st_ns_seconds(watched_ns));
    if (server != NULL) {
        json_t *seen = dropouts;
        dropouts = put(server, seen, watched_ns, ask, facts);
        if (dropouts != seen) {
            time = st_text("the last %.0f s at most, recorded by sleeptuned",
                           st_ns_seconds(watched_ns + SUM_NS));
            forced = st_dropout_sentence_forced(
                &server->seen, st_dropout_table_worst(&server->seen, INT64_MAX), sources[0].name);
        }
    }
    const char *text = st_json_safe_text(dropouts, "text");
    if (st_facts_put_text(facts, ST_MUSIC_ANSWER,
                          text[0] != '\0' ? st_text("In %s: %s%s", time, forced, text)
                                          : quiet_text(music, server, watched_ns, time),
                          SOURCE) != 0) {
        json_decref(dropouts);
        dropouts = NULL;
    }
    ST_EACH_OF (watched, music->servers, music->servers_n) {
        if (watched->open)
            st_xrun_close(&watched->watch);
    }
    free(music);
    return dropouts;
}
