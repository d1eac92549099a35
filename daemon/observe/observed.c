/* Watches one source of other programs' xruns. */
#include "daemon/observe/observed.h"

#include <ctype.h>

#include "core/ns.h"
#include "core/when.h"
#include "daemon/audio/audio.h"

#define LOG_MODULE "observe"
#define PEACE_NS   (10 * ST_NS_PER_MINUTE)
#define ENDED_NS   (2 * ST_NS_PER_S)
/* a report that claims to be older comes from a helper with another clock, so its age is not used
 */
#define AGO_MAX_NS ST_NS_PER_MINUTE
/* how long a report of a dropout waits for the cause that slowed the machine; causes are read each
 * second, or later if the machine is busy */
#define SLOW_NS (3 * ST_NS_PER_S)

const char *st_observed_state_name(enum st_observed_state state)
{
    static const char *const names[] = {"off", "absent", "opening", "watching"};
    return names[state];
}

static int64_t now_ns(const struct st_observed *o)
{
    return st_platform_now_ns(o->platform);
}

static int64_t wall_ns(const struct st_observed *o)
{
    return st_platform_wall_ns(o->platform);
}

/* --- counts --- */

/* How long ago (ns) the dropout ended: the helper program may report it seconds later, or this
 * process may have had no CPU. Not longer than the source has been watched. */
static int64_t ago_ns(const struct st_observed *o, const struct st_xrun_seen *seen)
{
    const int64_t since = o->view.since_wall_ns, ago = st_ns_sub(now_ns(o), seen->event.end_ns);
    if (since == INT64_MIN || seen->event.end_ns <= 0 || ago <= 0 || ago >= AGO_MAX_NS)
        return 0;
    return ST_MIN(ago, ST_MAX(st_ns_sub(wall_ns(o), since), 0));
}

static bool is_late_server(const struct st_xrun_seen *seen)
{
    return seen->event.place == ST_DROPOUT_AT_DEVICE_BUFFER &&
           st_xrun_is_server(seen->event.client);
}

/* Notes that something plays now, and its name: the client's if it is known, otherwise the
 * device's. */
static void note_playing(struct st_observed *o, const char *client, const char *device)
{
    struct st_observed_view *view = &o->view;
    const bool stale =
        view->played_ns == INT64_MIN || now_ns(o) - view->played_ns > ST_DROPOUT_GONE_NS;
    if (client[0] != '\0' || stale)
        ST_PRINT(view->played, "%s", st_text_or(client, device));
    view->played_ns = now_ns(o);
}

/* Would this xrun, which ALSA reports for a device, be counted twice? It is if the sound server
 * that uses the device is watched, too, and reports the device's dropouts. */
static bool is_counted(const struct st_observed *o, const struct st_xrun_seen *seen)
{
    ST_EACH_OF (other, o->beside, o->beside_n) {
        const char *name = other->source->name; /* "jack" matches jackd and jackdbus, too */
        if (o->view.device_only && other->source->counts_device &&
            other->view.state == ST_OBSERVED_WATCHING && st_text_begins(seen->event.client, name))
            return true;
    }
    return false;
}

/* Is this device the card that lost sound on a USB bus? Compares ALSA's number ("hw:1,0,0 playback"
 * with "hw:1 playback, USB bus 3"), or finds the product's name in the name of PipeWire's node,
 * where other characters may stand between its words. */
static bool is_card(const char *device, const struct st_xrun_seen *bus)
{
    const size_t number_n = strcspn(bus->event.device, " "), product_n = strlen(bus->event.client);
    if (st_text_begins(device, "hw:"))
        return strncmp(device, bus->event.device, number_n) == 0 &&
               !isdigit((unsigned char)device[number_n]);
    for (; product_n > 0 && device[0] != '\0'; device++) {
        size_t i = 0;
        while (
            i < product_n && device[i] != '\0' &&
            (device[i] == bus->event.client[i] ||
             (!isalnum((unsigned char)device[i]) && !isalnum((unsigned char)bus->event.client[i]))))
            i++;
        if (i == product_n)
            return true;
    }
    return false;
}

/* Is a dropout that another source reported the same as this loss on the USB bus? It is if both
 * are less than ST_OBSERVED_BUS_WAIT_NS apart and the dropout is of this card's buffer, or of any
 * device if the source (JACK) does not name cards. The loss on the bus is then not counted again.
 */
static bool is_that(const struct st_observed *other, const struct st_event *event, int64_t wall_ns,
                    const struct st_observed_waiting *loss)
{
    const int64_t after_ns = st_ns_sub(wall_ns, loss->wall_ns);
    const bool at_device = event->place == ST_DROPOUT_AT_DEVICE_BUFFER;
    return after_ns > -ST_OBSERVED_BUS_WAIT_NS && after_ns < ST_OBSERVED_BUS_WAIT_NS &&
           ((other->source->terse != NULL &&
             (at_device || event->kind == ST_EVENT_DEVICE_DROPOUT)) ||
            (at_device && is_card(event->device, &loss->seen)));
}

static bool ran_dry(const struct st_observed *o, const struct st_observed_waiting *loss)
{
    ST_EACH_OF (other, o->beside, o->beside_n) {
        ST_EACH (pending, other->made.pending) {
            if (is_that(other, &pending->event, pending->event.wall_ns, loss))
                return true;
        }
        ST_EACH_OF (line, other->waiting, other->waiting_n) {
            if (line->seen.kind == ST_XRUN_SEEN_DROPOUT &&
                is_that(other, &line->seen.event, line->wall_ns, loss))
                return true;
        }
    }
    return false;
}

/* Sets view.test_ns or view.music_ns to now if the report shows a test signal of `sleeptune
 * listen`, or music. A report about a card or a server itself shows neither. */
static void note_music(struct st_observed *o, const struct st_xrun_seen *seen)
{
    const bool card = seen->event.client[0] == '\0' || seen->load.drift_ppb != 0 ||
                      is_late_server(seen) || seen->event.place == ST_DROPOUT_AT_BUS;
    if (st_text_begins(seen->event.client, ST_DROPOUT_TEST_CLIENT))
        o->view.test_ns = now_ns(o);
    else if (!card)
        o->view.music_ns = now_ns(o);
}

/* Does this dropout begin a new series? Screens show only the current one. A series begins after a
 * change of the buffer size, after the worst program ended (unless it made this dropout), and after
 * ten minutes without a dropout. */
static bool begins(const struct st_observed *o, const struct st_xrun_seen *seen, int64_t at_ns)
{
    const struct st_dropout_table *recent = &o->recent;
    const struct st_dropout_client *worst = st_dropout_table_worst(recent, INT64_MAX);
    const bool has_ended = worst != NULL && st_dropout_table_has_ended(worst) &&
                           at_ns - worst->seen_ns > ENDED_NS &&
                           !st_text_is(worst->name, seen->event.client);
    return recent->sum.n == 0 || o->recent_resized || has_ended ||
           at_ns - recent->last_ns >= PEACE_NS;
}

/* Notes whether the buffer size has changed. Sizes of different devices are not compared. */
static void note_size(struct st_observed *o)
{
    const struct st_dropout_table *recent = &o->recent;
    if (recent->period_ns == 0)
        return;
    o->recent_resized = o->recent_resized ||
                        (st_text_is(recent->device, o->recent_device) &&
                         llabs(recent->period_ns - o->recent_period_ns) > o->recent_period_ns / 8);
    o->recent_period_ns = recent->period_ns;
    memcpy(o->recent_device, recent->device, sizeof(o->recent_device));
}

/* Handles a report that is not about a dropout. */
static void take_other(struct st_observed *o, const struct st_observed_waiting *line)
{
    st_dropout_table_take(&o->view.seen, &line->seen, line->at_ns, line->wall_ns);
    st_dropout_table_take(&o->recent, &line->seen, line->at_ns, line->wall_ns);
    note_size(o);
}

static struct st_event event_of(const struct st_observed *o,
                                const struct st_observed_waiting *dropout)
{
    struct st_event event = st_event_of_seen(&dropout->seen.event, dropout->wall_ns);
    ST_PRINT(event.source, "%s", o->source->name);
    return event;
}

/* Counts a dropout and adds it to its event. @param slowed why the machine was slower at that
 * time. */
static void count(struct st_observed *o, const struct st_observed_waiting *dropout,
                  enum st_cause slowed)
{
    const struct st_xrun_seen *seen = &dropout->seen;
    struct st_event event = event_of(o, dropout);
    event.slowed = slowed;
    if (event.count_n > 0 && !st_text_begins(seen->event.client, ST_DROPOUT_TEST_CLIENT) &&
        begins(o, seen, dropout->at_ns)) {
        st_dropout_table_begin_again(&o->recent);
        o->recent_resized = false;
        o->view.recent_wall_ns = dropout->wall_ns;
    }
    st_dropout_table_take_event(&o->view.seen, &event, dropout->at_ns);
    st_dropout_table_take_event(&o->recent, &event, dropout->at_ns);
    st_observed_events_take(&o->made, &event, dropout->at_ns);
    if (dropout->at_ns <= o->cut_ns)
        st_observed_events_put(&o->made, true);
}

/* Must this report still wait, because its cause or another report of the same dropout may arrive
 * soon? */
static bool is_open(const struct st_observed *o, const struct st_observed_waiting *line,
                    enum st_cause *ret_slowed)
{
    const struct st_xrun_seen *seen = &line->seen;
    const int64_t age_ns = now_ns(o) - line->at_ns;
    *ret_slowed = ST_CAUSE_UNKNOWN;
    if (seen->kind != ST_XRUN_SEEN_DROPOUT)
        return false;
    if (seen->event.place == ST_DROPOUT_AT_BUS)
        return age_ns < ST_OBSERVED_BUS_WAIT_NS;
    return seen->event.reason == ST_DROPOUT_TOO_SLOW &&
           !st_events_slowed(o->events, line->wall_ns, ret_slowed) && age_ns < SLOW_NS;
}

/* Counts the reports in their order, up to the first one that must wait. @param keep_n most reports
 * that may wait afterwards. */
static void count_lines(struct st_observed *o, size_t keep_n)
{
    size_t n = 0;
    enum st_cause slowed;
    while (n < o->waiting_n) {
        const struct st_observed_waiting *line = &o->waiting[n];
        if (is_open(o, line, &slowed) && o->waiting_n - n <= keep_n)
            break;
        if (line->seen.kind != ST_XRUN_SEEN_DROPOUT)
            take_other(o, line);
        else if (line->seen.event.place != ST_DROPOUT_AT_BUS || !ran_dry(o, line))
            count(o, line, slowed);
        n++;
    }
    if (n == 0)
        return;
    o->waiting_n -= n;
    memmove(o->waiting, o->waiting + n, o->waiting_n * sizeof(o->waiting[0]));
}

static void note_level(const struct st_observed *o, const struct st_xrun_seen *seen)
{
    struct st_cycle_level *level = &o->levels->rows[o->levels->written++ % ST_LEVELS_MAX];
    level->at_ns = now_ns(o);
    level->left_ns = seen->load.reserve_ns;
    level->name[0] = '\0';
    ST_APPEND(level->name, "%s: %s", o->source->name,
              st_text_joined(seen->event.device, ", ", seen->event.client));
}

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    struct st_observed *o = ctx;
    if (seen->kind == ST_XRUN_SEEN_LEVEL && o->levels != NULL)
        note_level(o, seen);
    if (seen->kind == ST_XRUN_SEEN_LEVEL || is_counted(o, seen))
        return;
    if (seen->kind !=
        ST_XRUN_SEEN_ENDED) { /* the report is of a load or a dropout, so something plays */
        note_playing(o, is_late_server(seen) ? "" : seen->event.client, seen->event.device);
        note_music(o, seen);
    }
    const int64_t ago = ago_ns(o, seen);
    o->waiting[o->waiting_n++] =
        (struct st_observed_waiting){*seen, now_ns(o) - ago, wall_ns(o) - ago};
    count_lines(o, ST_OBSERVED_WAITING_MAX - 1);
}

/* --- opening and closing --- */

static void set_state(struct st_observed *o, enum st_observed_state state, const char *why)
{
    struct st_observed_view *view = &o->view;
    const bool same_as_before = view->state == state && st_text_is(o->lasting, why);
    const int64_t listens_n = state == ST_OBSERVED_WATCHING ? o->watch.listens_n : 0;
    const bool lost = view->state == ST_OBSERVED_WATCHING && state == ST_OBSERVED_ABSENT;
    const char *gap = "";
    if (state == ST_OBSERVED_WATCHING && view->state != state && o->view.lost_wall_ns != INT64_MIN)
        gap = st_text("; sleeptuned did not watch dropouts from %s to %s",
                      st_when_text_near(o->view.lost_wall_ns, wall_ns(o)),
                      st_when_text_near(wall_ns(o), wall_ns(o)));
    view->state = state;
    view->facts = o->watch.facts;
    ST_PRINT(o->lasting, "%s", why);
    ST_PRINT(view->why, "%s", why);
    if (listens_n > 0)
        ST_APPEND(view->why, "; sleeptuned listens for silence in %jd program%s", listens_n,
                  ST_PLURAL(listens_n));
    if (same_as_before)
        return;
    if (lost)
        st_events_add(o->events, ST_LOG_WARN, wall_ns(o), ST_EVENT_OBSERVE_LOST,
                      "sleeptuned no longer watches the dropouts of %s: %s", o->source->name, why);
    else if (state == ST_OBSERVED_WATCHING)
        st_events_add(o->events, ST_LOG_INFO, wall_ns(o), ST_EVENT_OBSERVE,
                      "sleeptuned watches the dropouts of %s%s%s", o->source->name,
                      st_text_with(": ", view->why), gap);
    else if (state == ST_OBSERVED_ABSENT && (!view->never || view->mode == ST_OBSERVED_ON))
        ST_INFO("sleeptuned does not watch the dropouts of %s: %s", o->source->name, why);
}

void st_observed_age(struct st_observed *o)
{
    st_dropout_table_age(&o->view.seen, now_ns(o), o->open);
    st_dropout_table_age(&o->recent, now_ns(o), o->open);
}

static void close_source(struct st_observed *o)
{
    if (!o->open)
        return;
    count_lines(o, 0);
    st_observed_events_put(&o->made, false);
    st_xrun_close(&o->watch);
    o->open = false;
    st_observed_age(o);
}

static void fail(struct st_observed *o, int error)
{
    /* the helper program did not run for this time before it was lost, so the source was not
     * watched */
    const int64_t silent_ns = o->watch.silent_ns;
    if (o->view.state == ST_OBSERVED_WATCHING) {
        o->view.watched_ns -= ST_MIN(silent_ns, o->view.watched_ns);
        o->view.lost_wall_ns = wall_ns(o) - (now_ns(o) - o->turned_ns) - silent_ns;
    }
    close_source(o);
    o->failures++;
    set_state(o, ST_OBSERVED_ABSENT, st_text_or(o->watch.why, strerror(-error)));
    const int64_t pause_ns = st_audio_backoff_ns(o->failures);
    const int64_t most_ns = o->quiet ? ST_OBSERVED_RETRY_QUIET_NS : ST_OBSERVED_RETRY_MAX_NS;
    o->due_ns = error == -ENOTSUP ? INT64_MAX : now_ns(o) + ST_MIN(pause_ns, most_ns);
    if (o->due_ns == INT64_MAX) /* st_observed_turn does not run any more to add these events */
        st_observed_events_put(&o->made, true);
}

void st_observed_init(struct st_observed *o, struct st_platform *platform, struct st_events *events,
                      const struct st_xrun_source *source)
{
    *o = (struct st_observed){
        .platform = platform, .events = events, .source = source, .due_ns = INT64_MAX};
    o->view = (struct st_observed_view){.source = source->name,
                                        .summary = source->summary,
                                        .never = source->ops == NULL,
                                        .device_only = source->device_only,
                                        .since_wall_ns = INT64_MIN,
                                        .again_wall_ns = INT64_MIN,
                                        .lost_wall_ns = INT64_MIN,
                                        .tells_playing = source->tells_playing,
                                        .played_ns = INT64_MIN,
                                        .music_ns = INT64_MIN,
                                        .test_ns = INT64_MIN};
    st_observed_events_init(&o->made, platform, events);
}

void st_observed_set(struct st_observed *o, enum st_observed_mode mode,
                     const struct st_xrun_setting *setting)
{
    const bool other = !st_text_is(o->setting.server, setting->server) ||
                       o->setting.own_stream != setting->own_stream ||
                       !st_text_is(o->setting.listen, setting->listen) ||
                       !st_text_is(o->setting.listen_except, setting->listen_except);
    o->setting = *setting;
    if (mode == ST_OBSERVED_OFF || other)
        close_source(o);
    if (mode == ST_OBSERVED_OFF) { /* st_observed_turn does not run any more to add these events */
        st_observed_events_put(&o->made, true);
        set_state(o, ST_OBSERVED_IS_OFF, "");
    } else if (!o->open) {
        set_state(o, ST_OBSERVED_OPENING, "");
    }
    o->view.mode = mode;
    o->failures = 0;
    o->due_ns = mode == ST_OBSERVED_OFF ? INT64_MAX : now_ns(o);
}

void st_observed_finish(struct st_observed *o)
{
    close_source(o);
    st_observed_events_put(&o->made, true);
}

/* --- polling --- */

void st_observed_count(struct st_observed *o)
{
    count_lines(o, ST_OBSERVED_WAITING_MAX);
    st_observed_events_put(&o->made, false);
}

void st_observed_cut(struct st_observed *o)
{
    o->cut_ns = now_ns(o);
    st_observed_events_put(&o->made, true);
}

size_t st_observed_open(const struct st_observed *o, struct st_event *ret)
{
    size_t n = st_observed_events_open(&o->made, ret);
    ST_EACH_OF (line, o->waiting, o->waiting_n) {
        if (line->seen.kind == ST_XRUN_SEEN_DROPOUT && line->seen.event.place != ST_DROPOUT_AT_BUS)
            ret[n++] = event_of(o, line);
    }
    return n;
}

static int open_source(struct st_observed *o)
{
    const int r = st_xrun_open(&o->watch, o->platform, o->source, &o->setting, on_seen, o);
    if (r < 0)
        return r;
    o->open = true;
    o->turned_ns = now_ns(o);
    return 0;
}

/* Subtracts from the watched time the time in which a helper program did not run, so that its
 * reports are missing. This is known only when the program runs again, since a program without news
 * is silent, too. */
static void note_silence(struct st_observed *o)
{
    const int64_t silent_ns = o->watch.silent_ns;
    o->watch.silent_ns = 0;
    if (silent_ns == 0)
        return;
    o->view.watched_ns -= ST_MIN(silent_ns, o->view.watched_ns);
    o->view.again_wall_ns = wall_ns(o);
    struct st_event event =
        st_event_make(wall_ns(o), ST_EVENT_OBSERVE_LOST,
                      "sleeptuned did not see the dropouts of %s for %s: its helper program %s did "
                      "not run, because other programs had the CPU or it was frozen",
                      o->source->name, st_ns_short(silent_ns), o->source->program);
    event.span_ns = silent_ns;
    st_events_put(o->events, ST_LOG_WARN, &event);
}

static void note_watching(struct st_observed *o)
{
    const int64_t at_ns = now_ns(o);
    if (o->view.state == ST_OBSERVED_WATCHING) {
        o->view.watched_ns += at_ns - o->turned_ns;
        note_silence(o);
    } else {
        o->view.opened_n++;
        o->view.again_wall_ns = wall_ns(o);
    }
    if (o->view.since_wall_ns == INT64_MIN)
        o->view.since_wall_ns = wall_ns(o);
    o->turned_ns = at_ns;
    o->failures = 0;
    set_state(o, ST_OBSERVED_WATCHING, o->watch.why);
    o->view.lost_wall_ns = INT64_MIN;
}

void st_observed_turn(struct st_observed *o)
{
    if (o->view.mode == ST_OBSERVED_OFF)
        return;
    int r = o->open ? 0 : open_source(o);
    if (r == 0)
        r = o->source->ops->poll(&o->watch);
    if (r == 0 && o->watch.plays)
        note_playing(o, "", "");
    st_observed_count(o);
    st_observed_age(o);
    /* -EAGAIN of a poll is no failure: the source is not ready yet. */
    if (r < 0 && (r != -EAGAIN || !o->open)) {
        fail(o, r);
        return;
    }
    if (r == 0)
        note_watching(o);
    const int64_t each_ns = o->watch.poll_ns > 0 ? o->watch.poll_ns : o->source->poll_ns;
    /* due times of helper programs are multiples of each_ns, so that one wake-up polls all of
     * them */
    o->due_ns = now_ns(o) + each_ns - (o->source->program != NULL ? now_ns(o) % each_ns : 0);
}

void st_observed_quiet(struct st_observed *o, bool quiet)
{
    if (o->quiet && !quiet && o->failures > 0 && o->due_ns != INT64_MAX) {
        o->failures = 0;
        o->due_ns = now_ns(o);
    }
    o->quiet = quiet;
}
