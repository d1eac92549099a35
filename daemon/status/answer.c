/* Makes the answer of the first screen: sentences, state and next step. */
#include "daemon/status/answer.h"

#include "core/ns.h"
#include "core/when.h"
#include "story/dropout_next.h"
#include "story/dropout_sentence.h"
#include "story/dropout_table.h"

#define RESTS     "the timing test waits until something plays"
#define RECENT_NS (10 * ST_NS_PER_MINUTE) /* a dropout counts as current for this time */
/* The answer names the client that lost most sound in this time before the last dropout. */
#define NOW_NS ST_NS_PER_MINUTE

/* --- what is known --- */

/* Is the source a sound server? Otherwise it is a device, which matters if there is no server. */
static bool is_server(const struct st_observed_view *source)
{
    return st_xrun_sources_find(source->source)->server_env != NULL;
}

/* Was the largest lateness caused by a stop of sleeptuned itself (SIGSTOP)? */
static bool is_stopped(const struct st_result *loop)
{
    const struct st_cause_row *stops = &loop->causes[ST_CAUSE_STOPPED];
    return stops->n > 0 && stops->max_ns >= loop->lateness.max_ns;
}

/* Largest lateness of the loop (ns), without stops of sleeptuned itself, which say nothing about
 * the computer's timing. */
static int64_t worst_ns(const struct st_result *loop)
{
    int64_t worst_ns = loop->cause_above_ns;
    if (!is_stopped(loop))
        return loop->lateness.max_ns;
    ST_EACH (row, loop->causes) {
        if (row != &loop->causes[ST_CAUSE_STOPPED])
            worst_ns = ST_MAX(row->max_ns, worst_ns);
    }
    return worst_ns;
}

/* Allowed lateness of a wake-up: the duration of the music's buffer, or else the loop's period. */
static int64_t lasts_ns(const struct st_result *loop, const struct st_answer *answer)
{
    return answer->buffer_ns > 0 ? answer->buffer_ns : st_period_ns(&loop->period);
}

/* Was each wake-up of the loop in time? If the loop's own period is the limit, missed deadlines
 * count, too. */
static bool is_in_time(const struct st_result *loop, const struct st_answer *answer)
{
    const int64_t limit_ns = lasts_ns(loop, answer);
    if (limit_ns == st_period_ns(&loop->period) && !is_stopped(loop))
        return loop->misses == 0;
    return worst_ns(loop) < limit_ns;
}

/* Is the buffer longer now than it was at every dropout? The device's buffer size is reported every
 * 10 s, so only a report after the last dropout counts. */
static bool is_raised(const struct st_dropout_table *seen)
{
    const int64_t before_ns = seen->sum.longest_period_ns;
    return before_ns > 0 && seen->device_load_ns > seen->last_ns &&
           seen->period_ns > before_ns + before_ns / 8;
}

/* Is a client of the table playing now? */
static bool plays(const struct st_dropout_table *table)
{
    bool ret = table->period_ns > 0;
    ST_EACH_OF (client, table->clients, table->clients_n)
        ret |= client->playing;
    return ret;
}

/* Chooses the source that the answer is about. */
static void find_server(const struct st_view *view, struct st_answer *answer)
{
    struct st_dropout_source sources[ST_XRUN_SOURCES_MAX];
    size_t n = 0;
    bool has_lost_server = false;
    ST_EACH_OF (source, view->observe.sources, view->observe.n) {
        const struct st_dropout_table *shown = st_observed_shown(source);
        const bool watches = source->state == ST_OBSERVED_WATCHING;
        has_lost_server |= is_server(source) && source->lost_wall_ns != INT64_MIN;
        answer->all_n += source->seen.sum.n;
        if (watches || shown->sum.n > 0)
            sources[n++] = (struct st_dropout_source){
                .name = source->source,
                .table = shown,
                .asked = watches && shown->sum.n > 0 &&
                         st_ns_sub(view->now_wall_ns, shown->sum.last_wall_ns) < RECENT_NS,
                .plays = plays(shown),
                .owner = source};
    }
    st_dropout_table_sort(sources, n);
    const struct st_observed_view *server = n > 0 ? sources->owner : NULL;
    /* If a sound server was lost before, a sound card on which nothing plays is not the answer. */
    if (server == NULL || (answer->all_n == 0 && !is_server(server) &&
                           server->seen.period_ns == 0 && has_lost_server))
        return;
    answer->server = server;
    answer->shown = sources->table;
    answer->recent = sources->asked;
    answer->plays = sources->plays && !view->rests;
}

/* Fills everything except the texts. */
static struct st_answer find_answer(const struct st_view *view)
{
    struct st_answer answer = {.server = NULL};
    find_server(view, &answer);
    const struct st_observed_view *server = answer.server;
    if (server != NULL) {
        answer.dropouts_n = answer.shown->sum.n;
        answer.client = st_dropout_table_worst(answer.shown, NOW_NS);
        if (server->seen.frames > 0 && server->seen.period_ns > 0)
            answer.buffer_ns = server->seen.period_ns;
        /* The buffer size is not known. Without dropouts, assumes the usual one of this sound
         * server; with dropouts, the real buffer may be shorter. */
        else if (answer.dropouts_n == 0)
            answer.buffer_ns = st_xrun_sources_find(server->source)->usual_ns;
    }
    if (answer.plays)
        answer.unheard = st_dropout_table_unheard(answer.shown);
    answer.plays_known = view->rests || (server != NULL && server->seen.device_load_ns > 0);
    if (answer.client != NULL)
        answer.reason = answer.client->rows[0].reason;
    answer.raised = answer.dropouts_n > 0 && answer.plays && is_raised(answer.shown);
    answer.blind = server == NULL || server->state != ST_OBSERVED_WATCHING;
    answer.lost = answer.recent && !answer.raised;
    answer.timing_matters = !answer.plays || answer.lost || view->overdue.ns > 0;
    const struct st_result *loop = view->loop;
    if (loop == NULL)
        return answer;
    answer.timing_known = loop->elapsed_periods > 0 || loop->error != 0;
    answer.timing_ok = answer.timing_known && view->overdue.ns == 0 && loop->error == 0 &&
                       loop->books_balance && is_in_time(loop, &answer);
    answer.timing_bad = answer.timing_known && !answer.timing_ok;
    answer.explained = st_result_main_cause(loop, &answer.cause) != NULL;
    answer.no_rights = loop->policy == ST_POLICY_OTHER && answer.cause == ST_CAUSE_RUN_QUEUE;
    return answer;
}

/* --- the first line --- */

/* "14:03"; with the date if it is another day. */
static const char *clock_text(const struct st_view *view, int64_t wall_ns)
{
    const char *text = st_when_text_near(wall_ns, view->now_wall_ns);
    return st_text("%.*s", (int)strlen(text) - 3, text); /* cuts off the seconds */
}

const char *st_answer_since(const struct st_view *view, const struct st_observed_view *source)
{
    if (st_observed_shown(source)->sum.n == source->seen.sum.n)
        return st_text(" (watched since %s)", clock_text(view, source->since_wall_ns));
    return st_text(" (since %s)", st_when_text_near(source->recent_wall_ns, view->now_wall_ns));
}

/* How likely the user asks for a source that is not watched: first "sound4", the sound driver of
 * FreeBSD, which sees the programs of every server; then a server that was watched before. */
static int rank(const struct st_observed_view *source)
{
    if (st_text_is(source->source, "sound4"))
        return 3;
    return is_server(source) * (1 + (source->lost_wall_ns != INT64_MIN));
}

static const struct st_observed_view *first_absent(const struct st_view *view)
{
    const struct st_observed_view *first = NULL;
    ST_EACH_OF (source, view->observe.sources, view->observe.n) {
        if (!source->never && source->mode != ST_OBSERVED_OFF && source->why[0] != '\0' &&
            (first == NULL || rank(source) > rank(first)))
            first = source;
    }
    return first;
}

/* "PipeWire is not watched now: ..."; "PipeWire has not been watched since 14:03: ..." */
static const char *absent_text(const struct st_view *view, const struct st_observed_view *source)
{
    return st_text("%s %s%s.", st_xrun_sources_title(source->source),
                   source->lost_wall_ns != INT64_MIN
                       ? st_text("has not been watched by sleeptuned since %s",
                                 clock_text(view, source->lost_wall_ns))
                       : "is not watched by sleeptuned now",
                   st_text_with(": ", source->why));
}

/* "in the last 12 min": time without a dropout; from 2 min on whole minutes, rounded down. */
static const char *quiet_text(const struct st_view *view, const struct st_answer *answer)
{
    const int64_t ns = st_ns_sub(
        view->now_wall_ns, ST_MAX(answer->server->again_wall_ns, answer->shown->sum.last_wall_ns));
    return st_text(
        "in the last %s",
        st_ns_long(ns < 2 * ST_NS_PER_MINUTE ? ST_MAX(ns, 0) : ns - ns % ST_NS_PER_MINUTE));
}

static const char *music_text(const struct st_view *view, const struct st_answer *answer)
{
    const struct st_observed_view *server = answer->server, *absent = first_absent(view);
    if (answer->lost)
        return st_text(
            "%s%s",
            st_dropout_sentence_say(answer->shown, answer->client, server->source,
                                    st_answer_since(view, server)),
            st_dropout_table_has_ended(answer->client) ? " That program does not play now." : "");
    if (server == NULL && absent != NULL && absent->lost_wall_ns != INT64_MIN)
        return absent_text(view, absent);
    if (server == NULL)
        return st_text("sleeptuned watches no sound server%s.",
                       absent != NULL ? st_text_with(": ", absent->why) : "");
    /* There were dropouts, but none for 10 min, or the buffer is larger now, or the server is not
     * watched any more. */
    const bool over = answer->dropouts_n > 0;
    if (over && answer->blind)
        return absent_text(view, server);
    const char *title = st_xrun_sources_title(server->source);
    const char *since = st_text("since %s", clock_text(view, server->again_wall_ns));
    if (answer->plays_known && !answer->plays)
        return st_text("Nothing plays on %s%s.", title,
                       over ? "" : st_text(", and no dropout %s", since));
    return st_text("No dropout %s on %s%s.", over ? quiet_text(view, answer) : since, title,
                   server->seen.frames > 0 ? st_text(" at %jd frames", server->seen.frames) : "");
}

static const char *timing_words(const struct st_view *view, const struct st_answer *answer)
{
    if (!answer->timing_known)
        return "not measured yet";
    if (!answer->timing_ok)
        return "not OK";
    return 2 * worst_ns(view->loop) > lasts_ns(view->loop, answer) ? "barely OK" : "OK";
}

static const char *text_of(const struct st_view *view, const struct st_answer *answer)
{
    const char *text = music_text(view, answer);
    const bool matters = answer->dropouts_n == 0 && answer->timing_matters;
    if (answer->all_n > 0 && !answer->lost)
        text =
            st_text("%s Earlier: %ju dropout%s%s.", text, answer->all_n, ST_PLURAL(answer->all_n),
                    answer->raised ? "; the buffer is larger now" : "");
    if (answer->unheard != NULL)
        text = st_text("%s sleeptuned does not notice sound that %s sends too late.", text,
                       answer->unheard->name);
    if (answer->lost)
        text = st_text_joined(text, " ", view->history.changed);
    if (view->overdue.ns > 0)
        text = st_text("%s The timing test %s.", text, st_view_overdue_text(view));
    else if (answer->timing_known && (view->loop->error != 0 || !view->loop->books_balance))
        text = st_text("%s %s", text, st_result_verdict(view->loop));
    else if (matters && (answer->timing_known || !view->rests))
        text = st_text("%s This computer's timing: %s.", text, timing_words(view, answer));
    if (matters && answer->timing_bad && view->overdue.ns == 0 && answer->explained)
        text = st_text("%s Main cause: %s.", text, st_cause_kind_text(answer->cause));
    return text;
}

static const char *brief_of(const struct st_view *view, const struct st_answer *answer)
{
    const struct st_dropout_client *client = answer->client;
    if (answer->lost)
        return st_dropout_sentence_brief(
            st_text_or(client->name, st_xrun_sources_title(answer->server->source)),
            client->name[0] != '\0' ? client->sum.n : answer->dropouts_n);
    if (view->overdue.ns > 0 || (answer->timing_matters && answer->timing_bad))
        return "timing not OK";
    if (answer->blind)
        return "no sound server";
    return answer->plays_known && !answer->plays ? "nothing plays" : "no dropout";
}

/* "timing barely OK: at most 13.2 ms late, and the buffer lasts 21.3 ms" */
static const char *timing_of(const struct st_view *view, const struct st_answer *answer)
{
    const struct st_result *loop = view->loop;
    const struct st_observed_view *server = answer->server;
    if (view->overdue.ns > 0)
        return st_text("timing not OK: the timing test %s", st_view_overdue_text(view));
    if (!answer->timing_known || loop->lateness.total_n == 0)
        return view->rests ? "timing not measured; " RESTS : "timing not measured yet";
    const int64_t may_ns = lasts_ns(loop, answer);
    const char *of = st_text("%u frames last", loop->frames);
    if (answer->buffer_ns > 0)
        of = server->seen.period_ns == may_ns
                 ? "the buffer lasts"
                 : st_text("the usual buffer of %s lasts", st_xrun_sources_title(server->source));
    const char *text = st_text("timing %s: at most %s late, and %s %s", timing_words(view, answer),
                               st_ns_short(worst_ns(loop)), of, st_ns_short(may_ns));
    if (is_stopped(loop))
        text = st_text("%s; sleeptuned itself was stopped for %s", text,
                       st_ns_short(loop->lateness.max_ns));
    if (loop->records_lost > 0)
        text = st_text("%s; not recorded in time: %ju period%s", text, loop->records_lost,
                       ST_PLURAL(loop->records_lost));
    return view->rests ? st_text("%s; " RESTS, text) : text;
}

static const char *state_of(const struct st_answer *answer)
{
    if (answer->lost || (answer->timing_matters && answer->timing_bad))
        return "bad";
    if (answer->raised && answer->recent)
        return "warn"; /* dropouts may come again: the larger buffer has not been played for
                          RECENT_NS */
    /* blind: dropouts of a program that plays now would not be seen */
    return !answer->blind && answer->unheard == NULL &&
                   (answer->timing_known || !answer->timing_matters)
               ? "ok"
               : "unknown";
}

/* --- the next step --- */

const char *st_answer_not_watched(const struct st_view *view)
{
    bool usb = false, cards = false, freebsd = false;
    ST_EACH_OF (source, view->observe.sources, view->observe.n) {
        const bool watched = source->state == ST_OBSERVED_WATCHING;
        freebsd |= st_text_is(source->source, "sound4") && !source->never;
        usb |= watched && st_text_is(source->source, "usb");
        cards |= watched && st_text_is(source->source, "pipewire") &&
                 (source->facts & ST_XRUN_FACT_NO_RESYNCS) == 0;
    }
    return st_text("%s%slosses on Bluetooth%s, losses caused by bad cables or power",
                   usb       ? ""
                   : freebsd ? "losses on USB, "
                             : "losses on USB (needs root and usbmon), ",
                   freebsd ? "programs that play through virtual_oss, " : "",
                   cards ? "" : ", losses of resynchronised second cards");
}

/* The next step against the client's dropouts, or against a buffer size that a setting forces. */
static struct st_dropout_next client_next(const struct st_view *view,
                                          const struct st_answer *answer)
{
    const struct st_dropout_client *client = answer->client;
    struct st_dropout_next next;
    const bool forced = answer->shown != NULL && st_dropout_table_is_forced(answer->shown, client);
    if (!forced && (client == NULL || (client->rows[0].stream != NULL &&
                                       st_dropout_place_why(client->rows[0].place) == NULL)))
        return (struct st_dropout_next){"sleeptune report", "", false};
    if (!forced && !st_dropout_table_lost_cpu(client) && st_dropout_table_has_ended(client))
        next = (struct st_dropout_next){
            "sleeptune status --watch",
            st_text(
                "%s does not play now: go on playing, and see whether other programs make dropouts",
                client->name),
            false};
    else
        next = st_dropout_next(answer->shown, client, answer->server->source, view->right_set_up);
    if (next.command[0] == '\0' && next.why[0] == '\0')
        next.command = "sleeptune history --events";
    if (answer->timing_bad && !next.settings)
        next.why = st_text_joined(next.why, "; ",
                                  answer->no_rights
                                      ? "for this computer's timing: sleeptune report"
                                      : "for this computer's timing: sleeptune history --causes");
    return next;
}

struct step {
    bool holds;
    const char *command, *why;
};

static void set_next(const struct st_view *view, struct st_answer *answer)
{
    const struct st_observed_view *absent = first_absent(view),
                                  *source = answer->server != NULL ? answer->server : absent;
    const struct st_dropout_next client = client_next(view, answer);
    const bool kept_busy = view->overdue.ns > 0 && view->overdue.hog.looks >= ST_HOG_LOOKS;
    /* Was the source (PipeWire) watched before, and does its server no longer run? */
    const bool ended = view->pipewire_restart != NULL && source != NULL &&
                       source->lost_wall_ns != INT64_MIN &&
                       (source->facts & ST_XRUN_FACT_NOT_RUNNING) != 0;
    const bool late = answer->timing_bad && view->loop->misses > 0;
    const bool no_rights =
        answer->timing_matters && (st_view_degraded(view).n > 0 || (late && answer->no_rights));
    /* Were the wake-ups delayed by the hypervisor, an interrupt or the firmware? Then rights for
     * the client's program do not help. */
    const bool outside = late && answer->lost && answer->reason == ST_DROPOUT_WOKEN_LATE &&
                         (answer->cause == ST_CAUSE_HYPERVISOR_OR_INTERRUPT ||
                          answer->cause == ST_CAUSE_STEAL || answer->cause == ST_CAUSE_FIRMWARE) &&
                         !st_dropout_table_is_forced(answer->shown, answer->client);
    const bool fine = !answer->timing_matters || (answer->buffer_ns > 0 && answer->timing_ok);
    const char *todo = late && answer->explained ? st_cause_kind_todo(answer->cause) : "";
    const struct step steps[] = {
        /* Nothing can be measured until the program that keeps the CPU busy gives way. */
        {kept_busy, st_text("sudo chrt --other --all-tasks --pid 0 %d", (int)view->overdue.hog.pid),
         st_text(
             "this takes real-time priority from %s, which keeps a CPU busy; or end that program",
             view->overdue.hog.name)},
        /* The buffer is larger now, and not enough has been played since to judge whether that
           helps. */
        {answer->raised && answer->recent, "sleeptune status --watch", ST_DROPOUT_NEXT_RAISED},
        {outside, "sleeptune history --causes", todo},
        {answer->lost, client.command, client.why},
        /* No dropout was seen. If none could be seen, the next step makes them visible. */
        {ended, view->pipewire_restart,
         "this starts PipeWire again; then open your programs again"},
        {answer->blind && absent != NULL, "sleeptune status --details",
         "this shows which sound servers are watched, and why others are not; start your sound "
         "server if it does not run"},
        {st_text_is(st_view_state(view), "degraded"), "sleeptune history --events", ""},
        {no_rights, "sleeptune report", ""},
        /* No dropout was seen where sleeptune watches. A user who hears one hears it where nothing
           is watched. */
        {fine, "sleeptune heard",
         st_text("run this when you hear a click: it names what happened just before. sleeptune "
                 "cannot see: %s%s",
                 answer->unheard != NULL
                     ? "losses in a program's own buffer (observe.listen = \"on\" watches it), "
                     : "",
                 st_answer_not_watched(view))},
        /* Nothing plays, so the next step is about the computer's own timing. */
        {late, "sleeptune history --causes", todo},
        {view->rests, "sleeptune status --watch",
         "then play music: this screen names the program that makes dropouts"},
        {!answer->timing_known, "sleeptune status --watch", ""},
        {true, "sleeptune history", ""},
    };
    const struct step *step = steps;
    while (!step->holds)
        step++;
    answer->next = step->command;
    answer->next_why = step->why;
}

struct st_answer st_answer_of(const struct st_view *view)
{
    struct st_answer answer = find_answer(view);
    answer.text = text_of(view, &answer);
    answer.brief = brief_of(view, &answer);
    answer.timing = timing_of(view, &answer);
    answer.state = state_of(&answer);
    set_next(view, &answer);
    return answer;
}
