/* Makes the screen of `sleeptune status` as JSON, in sections of rows. The terminal and the web
 * page draw any row, so a new figure needs only a new row here. */
#include "daemon/status/rows.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/when.h"
#include "daemon/status/answer.h"
#include "st_config.h"
#include "story/dropout_rows.h"

/* "1 WORD" or "2 WORDs" */
static const char *count_text(uint64_t n, const char *word)
{
    return st_text("%ju %s%s", n, word, ST_PLURAL(n));
}

/* --- sections and rows --- */

struct screen {
    const struct st_view *view;
    struct st_answer answer;
    json_t *sections, *rows; /* `rows` are those of the last section, which owns them */
    bool detail;             /* rows that are added from now on appear with --details only */
};

static void begin(struct screen *to, const char *title)
{
    to->rows = json_array();
    (void)json_array_append_new(to->sections, st_json_object("title:t rows:o", title, to->rows));
}

static json_t *add(const struct screen *to, const char *state, const char *label, const char *text)
{
    json_t *row = st_json_object("label:t text:s state:t detail:b", label, text, state, to->detail);
    /* the section owns the row, so the caller may still change it */
    (void)json_array_append_new(to->rows, row);
    return row;
}

/* --- the first screen --- */

static void add_degraded(const struct screen *to)
{
    const struct st_degraded_list list = st_view_degraded(to->view);
    ST_EACH_OF (part, list.parts, list.n) {
        if (part->rights == to->detail)
            add(to, part->rights ? "warn" : "bad", part->rights ? "Rights" : "Warning",
                st_text("%s: %s", part->what, part->why));
    }
}

/* ", 5 s ago", ", 3 min ago"; "" after an hour: the time of day beside it is enough then. */
static const char *ago_text(int64_t ns)
{
    return ns < 0 || ns >= ST_NS_PER_HOUR ? "" : st_text(", %s ago", st_ns_long(ns));
}

/* Adds the row of one sound server: "256 frames at 48 kHz (5.33 ms), first dropout 14:03:12, last
 * 14:05:12, 5 s ago; Discord asked for 360 frames". @param only true: the first line has the number
 * of this server's dropouts, or no source had any; false: this row adds the number. */
static void add_server(const struct screen *to, const struct st_observed_view *of, bool only)
{
    const struct st_dropout_table *seen = &of->seen, *shown = st_observed_shown(of);
    const int64_t now_ns = to->view->now_wall_ns, last_ns = shown->sum.last_wall_ns;
    const uint64_t dropouts_n = shown->sum.n, before_n = seen->sum.n - dropouts_n;
    const bool range = only && dropouts_n > 1;
    const char *text = st_text_or(of->why, "watching"), *asked = st_dropout_table_asked(seen);
    if (of->state != ST_OBSERVED_WATCHING)
        text = "not watched now";
    else if (seen->frames > 0 && seen->rate_hz > 0)
        text = st_text("%jd frames at %g kHz (%s)", seen->frames, (double)seen->rate_hz / 1000,
                       st_ns_short(seen->period_ns));
    else if (seen->period_ns > 0)
        text = st_text("period %s", st_ns_short(seen->period_ns));
    else if (seen->device_load_ns > 0 || to->view->rests)
        text = "nothing plays now";
    if (!only)
        text = st_text("%s, %s", text, count_text(dropouts_n, "dropout"));
    if (range)
        text = st_text("%s, first dropout %s", text,
                       st_when_text_near(shown->sum.first_wall_ns, now_ns));
    if (dropouts_n > 0)
        text = st_text("%s, last%s %s%s%s", text, only && !range ? " dropout" : "",
                       st_when_text_near(last_ns, now_ns), ago_text(now_ns - last_ns),
                       shown->certainty == ST_CERTAINTY_PROBABLE ? " (probably)" : "");
    if (before_n > 0)
        text = st_text("%s; %s", text, count_text(before_n, "earlier dropout"));
    if (asked[0] == '\0' && seen->frames > 0)
        asked = st_xrun_sources_find(of->source)->frames_hint;
    add(to, dropouts_n > 0 ? "warn" : "ok", st_xrun_sources_title(of->source),
        st_text_joined(text, "; ", asked));
}

static const char *ns_text(bool known, int64_t ns)
{
    return known ? st_ns_text(ns) : "unknown yet";
}

static const char *quantile_text(const struct st_hist *hist, double p)
{
    const struct st_quantile quantile = st_stats_quantile(hist, p);
    return ns_text(quantile.known, quantile.value_ns);
}

static void add_minute(const struct screen *to)
{
    const struct st_view *view = to->view;
    const struct st_history_minute *minute = &view->minute;
    if (minute->measured_ns == 0)
        return;
    const char *dropouts = "no sound server was watched";
    if (view->minute_dropouts_n != INT64_MIN)
        dropouts = count_text((uint64_t)view->minute_dropouts_n, "dropout");
    add(to, minute->misses > 0 || view->minute_dropouts_n > 0 ? "bad" : "ok", "Last minute",
        st_text("%s to %s: %s, %ju of the timing test's %ju periods missed, worst wake-up %s",
                st_when_text_near(minute->from_wall_ns, view->now_wall_ns),
                st_when_text_near(minute->to_wall_ns, view->now_wall_ns), dropouts, minute->misses,
                minute->cycles + minute->skipped_periods,
                ns_text(minute->lateness_max_ns != INT64_MIN, minute->lateness_max_ns)));
}

static void add_summary(struct screen *to)
{
    const struct st_answer *answer = &to->answer;
    const struct st_observe_view *observe = &to->view->observe;
    const struct st_result *loop = to->view->loop;
    const enum st_dropout_blame blame = st_dropout_reason_blame(answer->reason);
    const bool other = blame != ST_DROPOUT_BLAME_UNKNOWN && blame != ST_DROPOUT_BLAME_CPU;
    struct st_dropout_source sources[ST_XRUN_SOURCES_MAX];
    begin(to, "");
    ST_EACH_OF (of, observe->sources, observe->n) {
        sources[of - observe->sources] =
            (struct st_dropout_source){.name = of->source,
                                       .table = st_observed_shown(of),
                                       .asked = of == answer->server,
                                       .watched = of->state == ST_OBSERVED_WATCHING};
        if (of == answer->server || of->seen.period_ns > 0 || st_observed_shown(of)->sum.n > 0)
            add_server(to, of, of == answer->server || answer->all_n == 0);
    }
    to->detail = !answer->timing_matters;
    add(to,
        answer->timing_ok     ? "ok"
        : !answer->timing_bad ? "unknown"
        : to->detail          ? "warn"
                              : "bad",
        "This computer", answer->timing);
    to->detail = false;
    if (answer->explained && loop->misses > 0 && !answer->timing_ok && answer->timing_matters &&
        !other)
        add(to, "warn", "Main cause",
            st_text("%s: %ju of %ju late wake-ups, longest %s", st_cause_kind_text(answer->cause),
                    loop->causes[answer->cause].n, loop->cause_late_n,
                    st_ns_text(loop->causes[answer->cause].max_ns)));
    add_degraded(to);
    to->detail = true;
    /* The table of clients of all servers: its first rows are on the first screen. */
    json_t *table = st_dropout_rows(sources, observe->n, true);
    if (json_array_size(json_object_get(table, "rows")) > 0)
        (void)json_array_append(to->sections, table);
    json_decref(table);
}

/* --- details --- */

static void add_causes(struct screen *to)
{
    const struct st_result *loop = to->view->loop;
    if (loop == NULL)
        return;
    begin(to, "Causes");
    add(to, "ok", "Late",
        st_text("%s more than %s late", count_text(loop->cause_late_n, "wake-up"),
                st_ns_text(loop->cause_above_ns)));
    ST_EACH (row, loop->causes) {
        if (row->n > 0)
            add(to, "warn", "",
                st_text("%s: %s, in all %s, longest %s",
                        count_text((uint64_t)row->n, "late wake-up"),
                        st_cause_kind_text((enum st_cause)(row - loop->causes)),
                        st_ns_text(row->total_ns), st_ns_text(row->max_ns)));
    }
}

static void add_events(struct screen *to)
{
    const size_t n = ST_MIN(json_array_size(to->view->events), ST_ROWS_EVENTS_MAX);
    if (n > 0)
        begin(to, "Events");
    for (size_t i = 0; i < n; i++) {
        const json_t *event = json_array_get(to->view->events, i);
        const char *name = st_json_text(event, "event");
        const bool dropout = st_event_kind_is_dropout(st_event_kind_of(name));
        json_t *row = add(to, dropout ? "warn" : "ok", "",
                          st_text_joined(dropout ? "" : name, ": ", st_json_text(event, "text")));
        (void)json_object_set(row, "time_ns", json_object_get(event, "time_ns"));
    }
}

static void add_loop(struct screen *to)
{
    static const char *const locks[] = {
        [ST_LOCK_NONE] = "no", [ST_LOCK_ALL] = "all", [ST_LOCK_ON_FAULT] = "on first use"};
    const struct st_result *loop = to->view->loop;
    if (loop == NULL)
        return;
    const struct st_hist *hist = &loop->lateness;
    const bool known = hist->total_n > 0;
    begin(to, "Timing test");
    add(to, "ok", "Test",
        st_text("%u frames at %u Hz (%s), %s %d, %s, memory locked: %s", loop->frames,
                loop->rate_hz, st_ns_text(st_period_ns(&loop->period)),
                st_platform_policy_name(loop->policy), loop->priority,
                loop->cpu >= 0 ? st_text("CPU %d", loop->cpu) : "any CPU", locks[loop->lock]));
    add_degraded(to);
    add(to, "ok", "Lateness",
        st_text("earliest %s, median %s, 99 %% %s, 99.9 %% %s, worst %s (of %ju wake-ups)",
                ns_text(known, hist->min_ns), quantile_text(hist, 0.5), quantile_text(hist, 0.99),
                quantile_text(hist, 0.999), ns_text(known, hist->max_ns), (uint64_t)hist->total_n));
    add_minute(to);
    add(to, "ok", "Missed",
        st_text("%ju of %ju periods%s", loop->misses, loop->elapsed_periods,
                st_miss_events_text(loop->miss_events.n, loop->misses, st_result_seconds(loop))));
    if (to->view->rtkit[0] != '\0')
        add(to, "ok", "RealtimeKit", to->view->rtkit);
}

static void add_source(const struct screen *to, const struct st_observed_view *of)
{
    const uint64_t device_n = of->seen.sum.device_n, clients_n = of->seen.sum.n - device_n;
    const char *named = st_text("%s (%s)", of->source, of->why), *text, *rhythm;
    if (of->state != ST_OBSERVED_WATCHING) {
        if ((of->state == ST_OBSERVED_ABSENT && !of->never) || of->mode == ST_OBSERVED_ON)
            add(to, of->mode == ST_OBSERVED_ON ? "bad" : "ok", "Not watched", named);
        return;
    }
    text = st_text("%s, since %s: %ju dropouts of devices", of->why[0] != '\0' ? named : of->source,
                   st_when_text_near(of->since_wall_ns, to->view->now_wall_ns), device_n);
    if (!of->device_only)
        text = st_text("%s, %ju of clients", text, clients_n);
    if (clients_n > 0 && !st_xrun_sources_find(of->source)->sees_cycles)
        text = st_text("%s (how long clients compute is unknown)", text);
    add(to, "ok", "Watched", text);
    ST_EACH_OF (client, of->seen.clients, of->seen.clients_n) {
        if ((rhythm = st_dropout_table_rhythm(client))[0] != '\0')
            add(to, "ok", "Long cycles", st_text("%s: %s", client->name, rhythm));
    }
}

static void add_sound(struct screen *to)
{
    const struct st_view *view = to->view;
    const struct st_audio_view *audio = &view->audio;
    const char *text = st_text("%s, %s", audio->backend, st_audio_state_name(audio->state));
    if (audio->state == ST_AUDIO_RUNNING)
        text = st_text("%s, %s, %jd Hz, %s, buffer %s", text, audio->device, audio->rate_hz,
                       audio->format, st_ns_text(audio->latency_ns));
    if (audio->dropouts_n > 0)
        text = st_text("%s, %s", text, count_text(audio->dropouts_n, "dropout"));
    begin(to, "Sound");
    if (audio->state != ST_AUDIO_OFF || audio->dropouts_n > 0 || audio->error[0] != '\0')
        add(to, audio->state == ST_AUDIO_WAITING ? "bad" : "ok", "Test stream", text);
    ST_EACH_OF (source, view->observe.sources, view->observe.n)
        add_source(to, source);
    add(to, "ok", "Cannot see", st_answer_not_watched(view));
}

/* "; 3 minutes and 1 event STATE", which says what happens to these rows of the history; "":
 * none. */
static const char *rows_text(uint64_t minutes, uint64_t events, const char *state)
{
    return minutes + events > 0 ? st_text("; %s and %s %s", count_text(minutes, "minute"),
                                          count_text(events, "event"), state)
                                : "";
}

static void add_daemon(struct screen *to)
{
    const struct st_view *view = to->view;
    const struct st_history_writer_view *history = &view->history;
    const char *text = st_text_joined(st_view_history_state(view), " ", history->path);
    begin(to, "Daemon");
    add(to, "ok", "Daemon",
        st_text("sleeptuned " ST_VERSION ", PID %ld, %s for %s", view->pid, st_view_state(view),
                st_ns_long(view->uptime_ns)));
    add(to, "ok", "Settings", st_text_or(view->config.file, "default settings, no file"));
    if (history->bytes != INT64_MIN)
        text = st_text("%s, %.1f MB", text, (double)history->bytes / 1e6);
    text = st_text_joined(text, ": ", history->why);
    add(to, history->state == ST_HISTORY_WRITER_FAILING ? "bad" : "ok", "History",
        st_text("%s%s%s", text,
                rows_text(history->waiting_minutes_n, history->waiting_events_n, "not written yet"),
                rows_text(history->lost_minutes_n, history->lost_events_n, "lost")));
    if (history->aside[0] != '\0')
        add(to, "warn", "", st_text("the old history file was renamed to %s", history->aside));
    if (view->notify[0] != '\0')
        add(to, "ok", "Notifications", view->notify);
}

/* --- the screen --- */

json_t *st_rows_json(const struct st_view *view)
{
    struct screen to = {view, st_answer_of(view), json_array(), NULL, false};
    const struct st_answer *answer = &to.answer;
    add_summary(&to);
    add_causes(&to);
    add_events(&to);
    add_loop(&to);
    add_sound(&to);
    add_daemon(&to);
    return st_json_object("answer:s brief:s state:t sections:o next:s next_why:s", answer->text,
                          answer->brief, answer->state, to.sections, answer->next,
                          answer->next_why);
}
