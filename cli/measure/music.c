#include "cli/measure/music.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/music.h"
#include "advisor/facts/owner.h"
#include "core/ns.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/xrun/xrun.h"

#define SERVERS_MAX 3
#define CLIENTS_MAX 32                   /* of a server; dropouts of more have no name */
#define READS_MAX   64                   /* of what one has printed, at a time */
#define LOADS_NS    INT64_C(10500000000) /* by then each node that plays has had its load line */
#define FULL        0.9 /* who usually computes more of a period does so at any buffer size */
#define SOURCE      "the server, while measuring" /* of the facts */

struct client {
    char name[ST_XRUN_NAME_BYTES];
    uint64_t dropouts_n, device_xruns_n, reasons_n[ST_DROPOUT_REASONS];
    struct st_xrun_seen worst; /* busy_ns 0: no cycle is known */
    double share;              /* usual, of the period; 0: not known */
};

struct server {
    const char *name;
    struct st_xrun_watch watch;
    bool open, plays;
    uint64_t dropouts_n;
    int64_t frames; /* 0: not known */
    struct client clients[CLIENTS_MAX];
    size_t clients_n;
};

struct st_music {
    struct st_platform *p;
    int64_t begin_ns;
    struct server servers[SERVERS_MAX];
    size_t servers_n;
    const char *why; /* none is watched; NULL: some are, or their own sentence says it */
};

/* --- what is seen --- */

static struct client *client_of(struct server *server, const char *any_name)
{
    char name[ST_XRUN_NAME_BYTES];
    st_safe_copy(name, sizeof(name), any_name, ST_TEXT_TO_NUL);
    for (size_t i = 0; i < server->clients_n; i++) {
        if (strcmp(server->clients[i].name, name) == 0)
            return &server->clients[i];
    }
    if (server->clients_n == CLIENTS_MAX)
        return NULL;
    struct client *client = &server->clients[server->clients_n++];
    memcpy(client->name, name, sizeof(client->name));
    return client;
}

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    struct server *server = ctx;
    struct client *client = client_of(server, seen->client);
    const struct st_xrun_load *load = &seen->load;
    const uint64_t n = (uint64_t)(seen->starved_n + seen->device_xruns_n);
    server->dropouts_n += n;
    server->plays = server->plays || load->cycles_n > 0 || n > 0;
    if (load->cycles_n > 0 && load->frames > 0)
        server->frames = load->frames;
    if (client == NULL)
        return;
    client->dropouts_n += n;
    client->device_xruns_n += (uint64_t)seen->device_xruns_n;
    client->reasons_n[seen->reason] += (uint64_t)seen->starved_n;
    if (n > 0 && seen->busy_ns + seen->wait_ns > client->worst.busy_ns + client->worst.wait_ns)
        client->worst = *seen;
    if (load->cycles_n > 0 && load->period_ns > 0 && load->busy_median_ns > 0)
        client->share = (double)load->busy_median_ns / (double)load->period_ns;
}

static void poll_server(struct server *server)
{
    const struct st_xrun_ops *ops = server->watch.source->ops;
    /* only if there is something to read: the source takes a poll that reads nothing for silence */
    for (int i = 0; i < READS_MAX && server->open; i++) {
        struct pollfd readable = {.fd = ops->fd(&server->watch), .events = POLLIN};
        if (poll(&readable, 1, 0) <= 0)
            return;
        const int r = ops->poll(&server->watch, on_seen, server);
        if (r != 0 && r != -EAGAIN) {
            st_xrun_close(&server->watch);
            server->open = false;
        }
    }
}

/* --- watching --- */

static bool runs(const struct st_facts *facts, const char *source)
{
    static const char *const daemons[][2] = {{"pipewire", "linux.daemon.pipewire"},
                                             {"jack", "linux.daemon.jackd"},
                                             {"jack", "linux.daemon.jackdbus"},
                                             {"pulseaudio", "linux.daemon.pulseaudio"}};
    int64_t pid;
    for (size_t i = 0; i < ST_ARRAY_LEN(daemons); i++) {
        if (strcmp(daemons[i][0], source) == 0 && st_facts_int(facts, daemons[i][1], &pid) == 0 &&
            st_owner_other(facts, daemons[i][1]) == NULL)
            return true;
    }
    return st_facts_os(facts) != ST_OS_LINUX; /* there the helper program finds out */
}

static void start_server(struct st_music *music, const struct st_xrun_source *source)
{
    static const char *const names[][2] = {
        {"pipewire", "PipeWire"}, {"jack", "JACK"}, {"pulseaudio", "PulseAudio"}};
    const struct st_xrun_setting setting = {0};
    struct server *server = &music->servers[music->servers_n];
    for (size_t i = 0; i < ST_ARRAY_LEN(names); i++)
        server->name = strcmp(names[i][0], source->name) == 0 ? names[i][1] : server->name;
    server->open = st_xrun_open(&server->watch, music->p, source, &setting) == 0;
    music->servers_n++;
}

struct st_music *st_music_start(struct st_platform *p, const struct st_facts *facts, bool as_root)
{
    struct st_music *music = calloc(1, sizeof(*music));
    const struct st_xrun_source *source;
    if (music == NULL)
        return NULL;
    music->p = p;
    music->begin_ns = p->now_ns(p);
    music->why = "none of this user runs";
    for (size_t i = 0; (source = p->xrun_source(p, i)) != NULL; i++) {
        if (source->program == NULL || music->servers_n == SERVERS_MAX || !runs(facts, source->name))
            continue;
        music->why = as_root ? "run this command as the user who plays" : NULL;
        if (music->why == NULL)
            start_server(music, source);
    }
    return music;
}

void st_music_poll(struct st_music *music)
{
    for (size_t i = 0; music != NULL && i < music->servers_n; i++)
        poll_server(&music->servers[i]);
}

/* --- the answer --- */

/** The one with the most dropouts, else one that plays, else one that is watched. NULL: none was. */
static const struct server *best(const struct st_music *music)
{
    const struct server *found = NULL;
    for (size_t i = 0; i < music->servers_n; i++) {
        const struct server *server = &music->servers[i];
        if ((server->open || server->plays) &&
            (found == NULL || server->dropouts_n > found->dropouts_n ||
             (server->dropouts_n == found->dropouts_n && server->plays && !found->plays)))
            found = server;
    }
    return found;
}

/** Who made the most dropouts. NULL: no one with a name. */
static const struct client *worst_of(const struct server *server)
{
    const struct client *found = NULL;
    for (size_t i = 0; i < server->clients_n; i++) {
        const struct client *client = &server->clients[i];
        if (client->name[0] != '\0' && client->dropouts_n > (found != NULL ? found->dropouts_n : 0))
            found = client;
    }
    return found;
}

static enum st_dropout_reason reason_of(const struct client *client)
{
    size_t most = 0;
    for (size_t i = 1; i < ST_DROPOUT_REASONS; i++)
        most = client->reasons_n[i] > client->reasons_n[most] ? i : most;
    return (enum st_dropout_reason)most;
}

/** What to do about a program that computes too long. */
static void say_room(const struct server *server, const struct client *client, char *buf, size_t bytes)
{
    const struct st_xrun_seen *worst = &client->worst;
    const int64_t frames = st_dropout_reason_room_frames(server->frames, worst->period_ns, worst->busy_ns);
    if (client->share > FULL)
        st_text_append(buf, bytes, " It needs %.0f %% of each period: freeze or simplify it.",
                       100 * client->share);
    else if (frames > 0 && strcmp(server->name, "PulseAudio") != 0)
        st_text_append(buf, bytes, " Next: %s %" PRId64 ", or freeze it.",
                       strcmp(server->name, "JACK") == 0 ? "jack_bufsize"
                                                         : "pw-metadata -n settings 0 clock.force-quantum",
                       frames);
}

static void say_client(const struct server *server, const struct client *client, const char *time, char *buf,
                       size_t bytes)
{
    const enum st_dropout_reason reason = reason_of(client);
    const struct st_xrun_seen *worst = &client->worst;
    char figures[80];
    if (client->dropouts_n < server->dropouts_n)
        st_text_append(buf, bytes, "%s made %" PRIu64 " of %" PRIu64 " dropouts", client->name,
                       client->dropouts_n, server->dropouts_n);
    else
        st_text_append(buf, bytes, "%s made %" PRIu64 " dropout%s", client->name, client->dropouts_n,
                       client->dropouts_n == 1 ? "" : "s");
    st_text_append(buf, bytes, " in %s on %s: it %s%s.", time, server->name,
                   client->device_xruns_n == client->dropouts_n ? "did not keep its stream filled"
                                                                : st_dropout_reason_text(reason),
                   st_dropout_reason_figures(reason, worst->busy_ns, worst->wait_ns, worst->period_ns,
                                             figures, sizeof(figures)));
    if (reason == ST_DROPOUT_TOO_SLOW)
        say_room(server, client, buf, bytes);
}

/** Of the first that could not be watched. */
static const char *why_none(const struct st_music *music)
{
    return music->why != NULL ? music->why : music->servers[0].watch.why;
}

static void say(const struct st_music *music, const struct server *server, int64_t duration_ns,
                uint32_t frames, char *buf, size_t bytes)
{
    char time[32];
    snprintf(time, sizeof(time), "%.*f s", duration_ns < 10 * ST_NS_PER_S ? 1 : 0,
             (double)duration_ns / (double)ST_NS_PER_S);
    buf[0] = '\0';
    if (server == NULL) {
        st_text_append(buf, bytes, "No sound server was watched: %s.", why_none(music));
        return;
    }
    const struct client *client = worst_of(server);
    if (client != NULL)
        say_client(server, client, time, buf, bytes);
    else if (server->dropouts_n > 0)
        st_text_append(buf, bytes, "%" PRIu64 " dropout%s in %s on %s, which does not say whose.",
                       server->dropouts_n, server->dropouts_n == 1 ? "" : "s", time, server->name);
    else if (!server->plays && duration_ns > LOADS_NS && strcmp(server->name, "PipeWire") == 0)
        st_text_append(buf, bytes, "Nothing plays on %s.", server->name);
    else
        st_text_append(buf, bytes, "No dropout in %s on %s.", time, server->name);
    if (server->frames > 0 && server->frames != frames)
        st_text_append(buf, bytes,
                       " %s runs at %" PRId64 " frames now: sleeptune check --frames %" PRId64 ".",
                       server->name, server->frames, server->frames);
}

static int put(const struct server *server, int64_t duration_ns, struct st_facts *facts)
{
    const struct client *client = worst_of(server);
    int r = st_facts_put_text(facts, ST_MUSIC_SERVER, server->name, NULL, SOURCE);
    if (r == 0)
        r = st_facts_put_int(facts, ST_MUSIC_DURATION_NS, duration_ns, NULL, SOURCE);
    if (r == 0)
        r = st_facts_put_int(facts, ST_MUSIC_DROPOUTS, (int64_t)server->dropouts_n, NULL, SOURCE);
    if (r == 0 && server->frames > 0)
        r = st_facts_put_int(facts, ST_MUSIC_FRAMES, server->frames, NULL, SOURCE);
    if (r != 0 || client == NULL)
        return r;
    r = st_facts_put_text(facts, ST_MUSIC_CLIENT, client->name, NULL, SOURCE);
    if (r == 0)
        r = st_facts_put_int(facts, ST_MUSIC_CLIENT_DROPOUTS, (int64_t)client->dropouts_n, NULL, SOURCE);
    return r == 0 ? st_facts_put_text(facts, ST_MUSIC_REASON, st_dropout_reason_name(reason_of(client)), NULL,
                                      SOURCE)
                  : r;
}

int st_music_finish(struct st_music *music, uint32_t frames, struct st_facts *facts)
{
    char answer[640];
    if (music == NULL)
        return -ENOMEM;
    st_music_poll(music);
    const int64_t duration_ns = music->p->now_ns(music->p) - music->begin_ns;
    const struct server *server = best(music);
    say(music, server, duration_ns, frames, answer, sizeof(answer));
    int r = st_facts_put_text(facts, ST_MUSIC_ANSWER, answer, NULL, SOURCE);
    if (r == 0 && server != NULL)
        r = put(server, duration_ns, facts);
    for (size_t i = 0; i < music->servers_n; i++) {
        if (music->servers[i].open)
            st_xrun_close(&music->servers[i].watch);
    }
    free(music);
    return r;
}
