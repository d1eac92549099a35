/* Opens, polls and adds up all sources of other programs' xruns. */
#include "daemon/observe/observe.h"

#include "core/ns.h"

/* A source whose helper program writes much is read at most twice in this time, 16 kB each time
 * (READ_BYTES of xruns/xrun_program.c): 128 kB/s or some 2000 lines, twice what 256 nodes of
 * PipeWire can cause. A program that writes more has to wait for its pipe. Events are late by at
 * most this time. It may be read twice in this time, so that a short line and the end of the
 * program need no further wake-up. */
#define LOOK_EACH_NS (250 * ST_NS_PER_MS)

struct st_observe {
    struct st_platform *platform;
    const char *cycles;
    struct st_observed sources[ST_XRUN_SOURCES_MAX];
    size_t n;
    /* loop.when is "playing", so wake-ups of the daemon are rare while nothing plays */
    bool may_rest;
    int64_t minute_ns; /* end of the last minute, CLOCK_MONOTONIC */
    struct st_cycle_levels levels;
};

static enum st_observed_mode mode_of(const struct st_config *config, const char *source)
{
    const char *mode = st_config_text(config, st_text("observe.%s", source));
    if (st_text_is(mode, "on"))
        return ST_OBSERVED_ON;
    return st_text_is(mode, "auto") ? ST_OBSERVED_AUTO : ST_OBSERVED_OFF;
}

void st_observe_set(struct st_observe *observe, const struct st_config *config)
{
    observe->may_rest = st_text_is(config->loop.when, "playing");
    ST_EACH_OF (o, observe->sources, observe->n) {
        struct st_xrun_setting setting = {.own_stream = st_config_own_stream(config)};
        ST_PRINT(setting.server, "%s",
                 st_config_text(config, st_text("observe.%s_server", o->source->name)));
        if (o->source->sees_cycles) {
            ST_PRINT(setting.cycles, "%s", observe->cycles);
            ST_PRINT(setting.listen, "%.7s",
                     !st_text_is(config->observe.listen, "off") ? config->observe.listen : "");
            ST_PRINT(setting.listen_except, "%s", config->observe.listen_except);
        }
        st_observed_set(o, mode_of(config, o->source->name), &setting);
    }
}

static int fd_of(const struct st_observed *o)
{
    return o->open ? o->watch.fd : -1;
}

void st_observe_wait(const struct st_observe *observe, struct st_wait *wait)
{
    const int64_t now_ns = st_platform_now_ns(observe->platform);
    ST_EACH_OF (o, observe->sources, observe->n) {
        st_wait_until(wait, o->due_ns);
        if (o->waiting_n > 0)
            st_wait_until(wait, now_ns + LOOK_EACH_NS);
        if (o->rests_until_ns > now_ns)
            st_wait_until(wait, o->rests_until_ns);
        else
            st_wait_to_read(wait, fd_of(o));
    }
}

int64_t st_observe_turn(struct st_observe *observe, const struct st_wait *wait)
{
    struct st_playing_facts facts = {0};
    ST_EACH_OF (o, observe->sources, observe->n) {
        const int64_t now_ns = st_platform_now_ns(observe->platform);
        const bool readable = st_wait_can_read(wait, fd_of(o));
        if (readable && st_ns_sub(now_ns, o->read_ns) < LOOK_EACH_NS)
            o->rests_until_ns = now_ns + LOOK_EACH_NS;
        if (readable)
            o->read_ns = now_ns;
        if (readable || o->due_ns <= now_ns)
            st_observed_turn(o);
        else if (o->waiting_n > 0)
            st_observed_count(o);
    }
    st_observe_playing(observe, &facts);
    const bool plays =
        facts.played_ns != INT64_MIN &&
        st_ns_sub(st_platform_now_ns(observe->platform), facts.played_ns) < ST_PLAYING_KEEP_NS;
    ST_EACH_OF (source, observe->sources, observe->n)
        st_observed_quiet(source, observe->may_rest && facts.telling_n > 0 && !plays);
    return facts.played_ns;
}

int st_observe_new(struct st_platform *platform, const struct st_xrun_source *const *sources,
                   const struct st_config *config, struct st_events *events, const char *cycles,
                   struct st_observe **ret)
{
    struct st_observe *observe = calloc(1, sizeof(*observe));
    if (observe == NULL)
        return -ENOMEM;
    observe->cycles = strlen(cycles) < ST_XRUN_SERVER_BYTES ? cycles : "";
    observe->platform = platform;
    observe->minute_ns = st_platform_now_ns(platform);
    for (; observe->n < ST_XRUN_SOURCES_MAX && sources[observe->n] != NULL; observe->n++)
        st_observed_init(&observe->sources[observe->n], platform, events, sources[observe->n]);
    ST_EACH_OF (source, observe->sources, observe->n) {
        source->beside = observe->sources;
        source->beside_n = observe->n;
        source->levels = &observe->levels;
    }
    st_observe_set(observe, config);
    *ret = observe;
    return 0;
}

const struct st_cycle_levels *st_observe_levels(struct st_observe *observe)
{
    struct st_cycle_levels *levels = &observe->levels;
    levels->about[0] = '\0';
    ST_EACH_OF (source, observe->sources, observe->n) {
        if (source->view.state == ST_OBSERVED_WATCHING)
            st_text_join(levels->about, sizeof(levels->about), "; ", "%s: %s", source->view.source,
                         source->view.why);
    }
    return levels;
}

void st_observe_free(struct st_observe *observe)
{
    if (observe == NULL)
        return;
    ST_EACH_OF (o, observe->sources, observe->n)
        st_observed_finish(o);
    free(observe);
}

void st_observe_playing(const struct st_observe *observe, struct st_playing_facts *ret)
{
    *ret = (struct st_playing_facts){
        .own_stream = ret->own_stream, .played_ns = INT64_MIN, .priority = -1};
    ST_EACH_OF (o, observe->sources, observe->n) {
        const struct st_observed_view *source = &o->view;
        const bool watching = source->state == ST_OBSERVED_WATCHING;
        ret->telling_n += watching && source->tells_playing;
        if (watching && !source->tells_playing)
            ret->blind = source->source;
        if (source->played_ns <= ret->played_ns)
            continue;
        ret->played_ns = source->played_ns;
        ret->by = source->source;
        memcpy(ret->what, source->played, sizeof(ret->what));
    }
    /* The period comes from another source if the last one that saw music (a sound card) reports
     * none. */
    int64_t period_of_ns = INT64_MIN;
    ST_EACH_OF (o, observe->sources, observe->n) {
        const struct st_observed_view *source = &o->view;
        if (source->seen.frames <= 0 || source->played_ns <= period_of_ns ||
            st_ns_sub(ret->played_ns, source->played_ns) >= ST_PLAYING_KEEP_NS)
            continue;
        period_of_ns = source->played_ns;
        ret->frames = source->seen.frames;
        ret->rate_hz = source->seen.rate_hz;
        if (source->seen.priority > 0)
            ret->priority =
                source->seen.priority == ST_XRUN_NORMAL ? 0 : (int)source->seen.priority;
    }
}

const char *st_observe_unheard(const struct st_observe *observe)
{
    ST_EACH_OF (o, observe->sources, observe->n) {
        const struct st_dropout_client *client = st_dropout_table_unheard(&o->view.seen);
        if (client != NULL)
            return client->name;
    }
    return "";
}

void st_observe_look(struct st_observe *observe, struct st_observe_view *ret)
{
    ret->n = 0;
    ST_EACH_OF (o, observe->sources, observe->n) {
        struct st_observed_view *view = &ret->sources[ret->n++];
        st_observed_age(o);
        *view = o->view;
        if (o->recent.sum.n > 0)
            view->recent = &o->recent;
    }
}

static int64_t known_or_none(int64_t value)
{
    return value > 0 ? value : INT64_MIN;
}

/* Chooses the program that the history stores as playing in this minute: that of the last minute
 * while it still plays, otherwise the busiest one. So the minutes of one program are not
 * interrupted by others.
 * @return `last` if no program is known to play. */
static const char *client_of(const struct st_dropout_table *seen, const char *last)
{
    const struct st_dropout_client *busiest = NULL;
    ST_EACH_OF (client, seen->clients, seen->clients_n) {
        if (client->playing && st_text_is(client->name, last))
            return last;
        if (client->playing && client->name[0] != '\0' &&
            (busiest == NULL || client->load.busy_median_ns > busiest->load.busy_median_ns))
            busiest = client;
    }
    return busiest != NULL ? busiest->name : last;
}

/* Did only a test signal of `sleeptune listen` play since since_ns? */
static bool is_test(const struct st_observed_view *source, int64_t since_ns)
{
    return source->test_ns > since_ns && source->music_ns <= since_ns;
}

static void take_minute(const struct st_observe *observe, struct st_observe_minute *ret)
{
    ret->watched.watches_n = 0;
    ret->dropouts_n = 0;
    ST_EACH_OF (o, observe->sources, observe->n) {
        const struct st_observed_view *source = &o->view;
        const struct st_observed_before *before = &o->before;
        const bool test = is_test(source, observe->minute_ns);
        struct st_history_watch watch = {
            .watched_ns = source->watched_ns - before->watched_ns,
            .playing =
                source->tells_playing ? source->played_ns > observe->minute_ns && !test : INT64_MIN,
        };
        if (watch.playing >
            0) { /* the last known size counts, also if the music ended within the minute */
            watch.frames = known_or_none(source->seen.last_frames);
            watch.rate_hz = known_or_none(source->seen.last_rate_hz);
        } else {
            watch.frames = known_or_none(source->seen.frames);
            watch.rate_hz = known_or_none(source->seen.rate_hz);
        }
        ST_PRINT(watch.source, "%s", source->source);
        if (watch.playing != 0 && !test)
            ST_PRINT(watch.client, "%s", client_of(&source->seen, before->client));
        if (watch.watched_ns > 0)
            ret->watched.watches[ret->watched.watches_n++] = watch;
        ret->dropouts_n += (int64_t)(source->seen.sum.n - before->dropouts_n);
    }
    if (ret->watched.watches_n == 0)
        ret->dropouts_n = INT64_MIN;
}

struct st_history_watched st_observe_minute_so_far(const struct st_observe *observe)
{
    struct st_platform *platform = observe->platform;
    struct st_observe_minute minute;
    take_minute(observe, &minute);
    minute.watched.to_wall_ns = st_platform_wall_ns(platform);
    minute.watched.from_wall_ns = st_ns_sub(
        minute.watched.to_wall_ns, st_ns_sub(st_platform_now_ns(platform), observe->minute_ns));
    return minute.watched;
}

size_t st_observe_open_events(const struct st_observe *observe, struct st_event **ret)
{
    struct st_event *events = calloc(observe->n * ST_OBSERVED_OPEN_MAX, sizeof(*events));
    size_t n = 0;
    ST_EACH_OF (o, observe->sources, events != NULL ? observe->n : 0)
        n += st_observed_open(o, events + n);
    *ret = events;
    return n;
}

void st_observe_count(struct st_observe *observe)
{
    ST_EACH_OF (o, observe->sources, observe->n)
        st_observed_count(o);
}

void st_observe_cut(struct st_observe *observe)
{
    ST_EACH_OF (o, observe->sources, observe->n)
        st_observed_cut(o);
}

void st_observe_end_minute(struct st_observe *observe, struct st_observe_minute *ret)
{
    take_minute(observe, ret);
    ST_EACH_OF (o, observe->sources, observe->n) {
        const struct st_observed_view *source = &o->view;
        struct st_observed_before *before = &o->before;
        /* watched_ns has decreased if a helper program turned out not to have run. The next minutes
         * then count as watched only as far as watched_ns exceeds its old value. */
        if (source->watched_ns > before->watched_ns)
            before->watched_ns = source->watched_ns;
        before->dropouts_n = source->seen.sum.n;
        const char *client =
            source->played_ns > observe->minute_ns && !is_test(source, observe->minute_ns)
                ? client_of(&source->seen, before->client)
                : "";
        memmove(before->client, client, strlen(client) + 1);
    }
    observe->minute_ns = st_platform_now_ns(observe->platform);
}
