#include "cli/measure/music.h"

#include <poll.h>

#include "advisor/facts/fact_keys.h"
#include "advisor/facts/owner.h"
#include "advisor/rules/machine.h"
#include "cli/show/daemon_client.h"
#include "core/event.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "story/dropout_next.h"
#include "story/dropout_sentence.h"
#include "story/dropout_source.h"

#define READS_MAX  64                            /* of what one has printed, at a time */
#define LOADS_NS   INT64_C(10500000000)          /* by then each node that plays has had its load line */
#define SOURCE     "the server, while measuring" /* of the facts */
#define RECORDS    "sleeptuned, while measuring" /* the same */
#define RECORDS_MS 2000
#define SUM_NS     (10 * ST_NS_PER_S) /* a record may stand for so long */

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
    const char *why; /* none is watched; NULL: some are, or their own sentence says it */
};

/* --- what is seen --- */

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    struct server *server = ctx;
    struct st_platform *platform = server->music->p;
    struct st_xrun_seen safe = *seen;
    if (seen->kind == ST_XRUN_SEEN_ENDED) /* what it did in the run is asked for */
        return;
    st_safe_text(safe.event.client);
    st_safe_text(safe.event.culprit);
    st_dropout_table_take(&server->seen, &safe, st_platform_now_ns(platform), st_platform_wall_ns(platform));
}

static bool plays(const struct server *server)
{
    return st_dropout_table_total(&server->seen) > 0 || server->seen.clients_n > 0 ||
           server->seen.device_load_ns != 0;
}

static void take(struct server *server)
{
    const int r = server->open ? server->watch.source->ops->poll(&server->watch, on_seen, server) : 0;
    if (r != 0 && r != -EAGAIN) {
        st_xrun_close(&server->watch);
        server->open = false;
    }
}

static void poll_server(struct server *server)
{
    /* only if there is something to read: the source takes a poll that reads nothing for silence */
    for (int i = 0; i < READS_MAX && server->open; i++) {
        struct pollfd readable = {.fd = server->watch.source->ops->fd(&server->watch), .events = POLLIN};
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
    server->open = st_xrun_open(&server->watch, music->p, source, &setting) == 0;
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
    if (as_root && st_facts_int(facts, ST_KEY_USER_UID, &uid) != 0) /* under sudo: of the user who ran it */
        uid = 0;
    music->p = p;
    music->begin_ns = st_platform_now_ns(p);
    music->why = "no sound server of this user runs";
    for (; (source = *sources) != NULL; sources++) {
        if (source->program == NULL || music->servers_n == ST_XRUN_SOURCES_MAX ||
            (facts->os == ST_OS_LINUX && !st_owner_runs(facts, source->daemons))) /* else the program looks */
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

/* --- the answer --- */

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
        n += st_dropout_table_total(&server->seen);
    return n;
}

/** The one that a musician asks about, of those that lost sound or are watched to the end. NULL: none. */
static const struct server *best(const struct st_music *music)
{
    struct st_dropout_source sources[ST_XRUN_SOURCES_MAX];
    size_t n = 0;
    ST_EACH_OF (server, music->servers, music->servers_n) {
        if (server->open || st_dropout_table_total(&server->seen) > 0)
            sources[n++] = (struct st_dropout_source){server->watch.source->name, &server->seen, true,
                                                      plays(server), server};
    }
    st_dropout_source_sort(sources, n);
    return n > 0 ? sources[0].owner : NULL;
}

static const char *dropouts_of(const struct server *server, const char *time)
{
    const struct st_dropout_table *seen = &server->seen;
    const char *when = st_text(" in %s on %s", time, name_of(server));
    return st_dropout_sentence_say(seen, st_dropout_table_worst(seen, INT64_MAX),
                                   &(struct st_dropout_sentence_about){.source = server->watch.source->name,
                                                                       .all_n = st_dropout_table_total(seen),
                                                                       .when = when,
                                                                       .where = when});
}

static void put_next(const char *command, const char *why, const char *source, struct st_facts *facts)
{
    const char *next =
        command[0] != '\0' && why[0] != '\0' ? st_text("%s (%s)", command, why) : st_text_or(command, why);
    if (next[0] != '\0')
        st_facts_put_text(facts, ST_MUSIC_NEXT, next, source);
}

/** Of the first that could not be watched. */
static const char *why_none(const struct st_music *music)
{
    return music->why != NULL ? music->why : music->servers[0].watch.why;
}

static const char *answer_of(const struct st_music *music, const struct server *server, int64_t duration_ns)
{
    const char *time = st_text("%.*f s", duration_ns < 10 * ST_NS_PER_S ? 1 : 0, st_ns_seconds(duration_ns));
    if (server == NULL)
        return st_text("No sound server was watched: %s.", why_none(music));
    if (st_dropout_table_total(&server->seen) > 0)
        return dropouts_of(server, time);
    if (!plays(server) && duration_ns > LOADS_NS && server->watch.source->sees_cycles)
        return st_text("Nothing plays on %s.", name_of(server));
    const struct st_dropout_client *unheard = st_dropout_table_unheard(&server->seen);
    const char *text = st_text("No dropout in %s on %s", time, name_of(server));
    if (unheard != NULL)
        text = st_text("%s; check does not watch what %s writes too late", text, unheard->name);
    return st_text("%s.", text);
}

static void put(const struct server *server, int64_t duration_ns, struct st_facts *facts)
{
    const struct st_dropout_client *client = st_dropout_table_worst(&server->seen, INT64_MAX);
    st_facts_put_text(facts, ST_MUSIC_SERVER, name_of(server), SOURCE);
    st_facts_put_int(facts, ST_MUSIC_DURATION_NS, duration_ns, SOURCE);
    st_facts_put_int(facts, ST_MUSIC_DROPOUTS, (int64_t)st_dropout_table_total(&server->seen), SOURCE);
    if (server->seen.frames > 0)
        st_facts_put_int(facts, ST_MUSIC_FRAMES, server->seen.frames, SOURCE);
    if (client == NULL || client->name[0] == '\0')
        return;
    st_facts_put_text(facts, ST_MUSIC_CLIENT, client->name, SOURCE);
    st_facts_put_int(facts, ST_MUSIC_CLIENT_DROPOUTS, (int64_t)st_dropout_table_count(client), SOURCE);
    st_facts_put_text(facts, ST_MUSIC_REASON, st_dropout_reason_name(st_dropout_table_reason(client)),
                      SOURCE);
    if (st_dropout_table_total(&server->seen) == 0)
        return;
    const struct st_dropout_next next =
        st_dropout_next(&server->seen, client, server->watch.source->name, st_machine_right_at_login(facts));
    put_next(next.command, next.why, SOURCE, facts);
}

/* --- what a daemon recorded --- */

static const json_t *first_of(const json_t *object, const char *key)
{
    return json_array_get(json_object_get(object, key), 0);
}

/* Of most of its dropouts. */
static const char *most_of(json_t *reasons)
{
    const char *reason, *most = st_dropout_reason_name(ST_DROPOUT_UNKNOWN);
    json_t *count;
    json_int_t most_n = 0;
    json_object_foreach(reasons, reason, count)
    {
        if (json_integer_value(count) > most_n) {
            most = reason;
            most_n = json_integer_value(count);
        }
    }
    return most;
}

/* A daemon of this user sees more than check: two answers in the same second would contradict each other.
 * What it has not recorded check may have seen. Puts them, and the next step of its screen. @return the
 * answer; NULL: it has no dropouts. */
static const char *take_records(const struct server *server, int64_t duration_ns, struct st_facts *facts)
{
    struct st_daemon_answer status = {0}, causes;
    const char *answer = NULL, *source = server->watch.source->name;
    const char *since =
        st_text("/v1/causes?since=%jd", (st_platform_wall_ns(server->music->p) - duration_ns) / ST_NS_PER_S);
    const int r = st_daemon_client_try(NULL, since, "sleeptune-causes/1", RECORDS_MS, &causes);
    const json_t *dropouts = json_object_get(causes.document, "dropouts"),
                 *first = first_of(dropouts, "sources"), *client = first_of(first, "clients");
    if (r == 0 && st_json_integer(dropouts, "count") > 0 &&
        st_text_is(st_json_text_of(first, "source"), source) &&
        st_daemon_client_try(NULL, "/v1/status", "sleeptune-status/1", RECORDS_MS, &status) == 0) {
        const json_t *screen = json_object_get(status.document, "screen");
        answer = st_text("%s%s (Recorded by sleeptuned on %s in at most %.0f s.)",
                         st_dropout_sentence_forced(&server->seen,
                                                    st_dropout_table_worst(&server->seen, INT64_MAX), source),
                         st_json_safe_text(dropouts, "text"), name_of(server),
                         st_ns_seconds(duration_ns + SUM_NS));
        st_facts_put_int(facts, ST_MUSIC_DROPOUTS, st_json_integer(dropouts, "count"), RECORDS);
        st_facts_put_text(facts, ST_MUSIC_CLIENT, st_json_safe_text(client, "name"), RECORDS);
        st_facts_put_int(facts, ST_MUSIC_CLIENT_DROPOUTS,
                         st_json_integer(client, "dropouts") + st_json_integer(client, "device_dropouts"),
                         RECORDS);
        st_facts_put_text(facts, ST_MUSIC_REASON, most_of(json_object_get(client, "reasons")), RECORDS);
        put_next(st_json_safe_text(screen, "next"), st_json_safe_text(screen, "next_why"), RECORDS, facts);
    }
    st_daemon_client_finish(&status);
    st_daemon_client_finish(&causes);
    return answer;
}

int st_music_finish(struct st_music *music, bool ask, struct st_facts *facts)
{
    const char *answer = NULL;
    if (music == NULL)
        return -ENOMEM;
    st_music_poll(music);
    ST_EACH_OF (server, music->servers, music->servers_n)
        take(server); /* one that was stopped has nothing to read, and has not watched */
    const int64_t duration_ns = st_platform_now_ns(music->p) - music->begin_ns;
    ST_EACH_OF (server, music->servers, music->servers_n)
        st_dropout_table_age(&server->seen, st_platform_now_ns(music->p), true);
    const struct server *server = best(music);
    const int64_t watched_ns = server != NULL ? duration_ns - server->watch.silent_ns : 0;
    if (server != NULL)
        put(server, watched_ns, facts);
    if (ask && server != NULL)
        answer = take_records(server, watched_ns, facts);
    if (answer == NULL)
        answer = answer_of(music, server, watched_ns);
    const int r = st_facts_put_text(facts, ST_MUSIC_ANSWER, answer, SOURCE);
    ST_EACH_OF (watched, music->servers, music->servers_n) {
        if (watched->open)
            st_xrun_close(&watched->watch);
    }
    free(music);
    return r;
}
