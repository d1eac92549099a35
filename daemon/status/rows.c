/* Makes the screen of `sleeptune status` as JSON, in sections of rows. The terminal and the web
 * page draw any row, so a new figure needs only a new row here. */
#include "daemon/status/rows.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/when.h"
#include "daemon/status/answer.h"
#include "st_config.h"
#include "story/dropout_rows.h"

/* wake-ups later than this are a stall, in which the loop did not run, and are left out of the
 * quantiles */
#define STALL_NS     ST_NS_PER_S
#define UNKNOWN_TEXT "not known yet"

enum state { OK, WARN, BAD, UNKNOWN };

static const char *const state_names[] = {
    [OK] = "ok", [WARN] = "warn", [BAD] = "bad", [UNKNOWN] = "unknown"};

/* "1 WORD" or "2 WORDs" */
static const char *count_text(uint64_t n, const char *word)
{
    return st_text("%ju %s%s", n, word, ST_PLURAL(n));
}

/* --- sections and rows --- */

struct section {
    json_t *rows;
    bool detail; /* rows that are added from now on appear with --details only */
};

static json_t *add(struct section *section, enum state state, const char *label, const char *text)
{
    json_t *row = json_object();
    st_json_set(row, "label", label);
    st_json_set(row, "text", st_json_safe_string(text));
    st_json_set(row, "state", state_names[state]);
    st_json_set(row, "detail", section->detail);
    /* the section owns the row, so the caller may still change it */
    (void)json_array_append_new(section->rows, row);
    return row;
}

static void end_section(json_t *sections, const char *title, const struct section *section)
{
    if (json_array_size(section->rows) > 0)
        (void)json_array_append_new(sections,
                                    json_pack("{s:s, s:O}", "title", title, "rows", section->rows));
    json_decref(section->rows);
}

/* --- the first screen --- */

static void add_degraded(struct section *to, const struct st_view *view)
{
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX];
    const size_t n = st_view_degraded(view, degraded);
    ST_EACH_OF (reason, degraded, n) {
        if (reason->rights == to->detail)
            add(to, reason->rights ? WARN : BAD, reason->rights ? "Rights" : "Warning",
                st_text("%s: %s", reason->what, reason->why));
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
static void add_server(struct section *to, const struct st_view *view,
                       const struct st_observed_view *of, bool only)
{
    const char *text = "not watched now", *asked = st_dropout_table_asked(&of->seen);
    const char *hint = st_xrun_sources_find(of->source)->frames_hint;
    const struct st_dropout_table *shown = st_observed_shown(of);
    const uint64_t dropouts_n = shown->sum.n, before_n = of->seen.sum.n - dropouts_n;
    const bool range = only && dropouts_n > 1;
    if (of->state == ST_OBSERVED_WATCHING && of->seen.frames > 0 && of->seen.rate_hz > 0)
        text = st_text("%jd frames at %g kHz (%s)", of->seen.frames,
                       (double)of->seen.rate_hz / 1000, st_ns_short(of->seen.period_ns));
    else if (of->state == ST_OBSERVED_WATCHING && of->seen.period_ns > 0)
        text = st_text("period %s", st_ns_short(of->seen.period_ns));
    else if (of->state == ST_OBSERVED_WATCHING && (of->seen.device_load_ns > 0 || view->rests))
        text = "nothing plays now";
    else if (of->state == ST_OBSERVED_WATCHING)
        text = st_text_or(of->why, st_observed_state_name(of->state));
    if (!only)
        text = st_text("%s, %s", text, count_text(dropouts_n, "dropout"));
    if (range)
        text = st_text("%s, first dropout %s", text,
                       st_when_text_near(shown->sum.first_wall_ns, view->now_wall_ns));
    if (dropouts_n > 0)
        text = st_text("%s, last%s %s%s%s", text, only && !range ? " dropout" : "",
                       st_when_text_near(shown->sum.last_wall_ns, view->now_wall_ns),
                       ago_text(view->now_wall_ns - shown->sum.last_wall_ns),
                       shown->certainty == ST_CERTAINTY_PROBABLE ? " (probably)" : "");
    if (before_n > 0)
        text = st_text("%s; %s", text, count_text(before_n, "earlier dropout"));
    if (asked[0] == '\0' && of->seen.frames > 0 && hint != NULL)
        asked = hint;
    if (asked[0] != '\0')
        text = st_text("%s; %s", text, asked);
    add(to, dropouts_n > 0 ? WARN : OK, st_xrun_sources_title(of->source), text);
}

static void add_servers(struct section *to, const struct st_view *view,
                        const struct st_answer *answer)
{
    ST_EACH_OF (of, view->observe.sources, view->observe.n) {
        const uint64_t n = st_observed_shown(of)->sum.n;
        if (of == answer->server || of->seen.period_ns > 0 || n > 0)
            add_server(to, view, of, of == answer->server || answer->all_n == 0);
    }
}

static const char *ns_text(bool known, int64_t ns)
{
    return known ? st_ns_text(ns) : UNKNOWN_TEXT;
}

/* A quantile of the lateness, without wake-ups later than STALL_NS: all wake-ups in one stall are
 * one event and would distort the usual lateness. */
static const char *quantile_text(const struct st_hist *hist, double p)
{
    double stalled = 0;
    if (hist->total_n > 0)
        stalled = (double)st_hist_count_above(hist, STALL_NS) / (double)hist->total_n;
    const struct st_quantile quantile = st_stats_quantile(hist, p * (1 - stalled));
    return ns_text(quantile.known && stalled < 1, quantile.value_ns);
}

static void add_lateness(struct section *to, const struct st_hist *hist)
{
    const char *worst = st_text(", worst %s", ns_text(hist->total_n > 0, hist->max_ns));
    if (hist->total_n > 0 && hist->max_ns > STALL_NS)
        worst = st_text(", not counting %ju that were up to %s late (stalls)",
                        (uint64_t)st_hist_count_above(hist, STALL_NS), st_ns_text(hist->max_ns));
    add(to, OK, "Lateness",
        st_text("earliest %s, median %s, 99 %% %s, 99.9 %% %s%s (n = %ju)",
                ns_text(hist->total_n > 0, hist->min_ns), quantile_text(hist, 0.5),
                quantile_text(hist, 0.99), quantile_text(hist, 0.999), worst,
                (uint64_t)hist->total_n));
}

static void add_main_cause(struct section *to, const struct st_result *loop)
{
    enum st_cause cause;
    const struct st_cause_row *row = st_result_main_cause(loop, &cause);
    if (row != NULL)
        add(to, WARN, "Main cause",
            st_text("%s: %ju of %ju late wake-ups, longest %s", st_cause_kind_text(cause), row->n,
                    loop->cause_late_n, st_ns_text(row->max_ns)));
}

static void add_minute(struct section *to, const struct st_view *view)
{
    const struct st_history_minute *minute = &view->minute;
    if (minute->measured_ns == 0)
        return;
    const char *dropouts = "no sound server watched";
    if (view->minute_dropouts_n != INT64_MIN)
        dropouts = count_text((uint64_t)view->minute_dropouts_n, "dropout");
    add(to, minute->misses > 0 || view->minute_dropouts_n > 0 ? BAD : OK, "Last minute",
        st_text("%s to %s: %s, %ju of the test loop's %ju periods missed, worst wake-up %s",
                st_when_text_near(minute->from_wall_ns, view->now_wall_ns),
                st_when_text_near(minute->to_wall_ns, view->now_wall_ns), dropouts, minute->misses,
                minute->cycles + minute->skipped_periods,
                ns_text(minute->lateness_max_ns != INT64_MIN, minute->lateness_max_ns)));
}

/* Adds the table of clients of all servers; the first screen shows its first rows. */
static void add_clients(json_t *sections, const struct st_view *view,
                        const struct st_answer *answer)
{
    struct st_dropout_source sources[ST_XRUN_SOURCES_MAX];
    ST_EACH_OF (of, view->observe.sources, view->observe.n)
        sources[of - view->observe.sources] =
            (struct st_dropout_source){.name = of->source,
                                       .table = st_observed_shown(of),
                                       .asked = of == answer->server,
                                       .watched = of->state == ST_OBSERVED_WATCHING};
    json_t *table = st_dropout_rows(sources, view->observe.n, true);
    if (json_array_size(json_object_get(table, "rows")) > 0)
        (void)json_array_append(sections, table);
    json_decref(table);
}

static void add_summary(json_t *sections, const struct st_view *view,
                        const struct st_answer *answer)
{
    struct section to = {.rows = json_array()};
    const enum st_dropout_blame blame = st_dropout_reason_blame(answer->reason);
    const bool other = answer->client != NULL && blame != ST_DROPOUT_BLAME_UNKNOWN &&
                       blame != ST_DROPOUT_BLAME_CPU;
    const enum state timing = answer->timing_ok ? OK : answer->timing_bad ? BAD : UNKNOWN;
    add_servers(&to, view, answer);
    to.detail = !answer->timing_matters;
    add(&to, to.detail && timing == BAD ? WARN : timing, "This computer", answer->timing);
    to.detail = false;
    if (view->loop != NULL && view->loop->misses > 0 && !answer->timing_ok &&
        answer->timing_matters && !other)
        add_main_cause(&to, view->loop);
    add_degraded(&to, view);
    end_section(sections, "", &to);
    add_clients(sections, view, answer);
}

/* --- details --- */

static void add_causes(json_t *sections, const struct st_view *view)
{
    struct section to = {.rows = json_array(), .detail = true};
    const struct st_result *loop = view->loop;
    if (loop != NULL)
        add(&to, OK, "Late",
            st_text("%s more than %s late", count_text(loop->cause_late_n, "wake-up"),
                    st_ns_text(loop->cause_above_ns)));
    for (size_t i = 0; loop != NULL && i < ST_CAUSE_COUNT; i++) {
        const struct st_cause_row *row = &loop->causes[i];
        if (row->n > 0)
            add(&to, WARN, "",
                st_text("%s: %s, in all %s, longest %s",
                        count_text((uint64_t)row->n, "late wake-up"),
                        st_cause_kind_text((enum st_cause)i), st_ns_text(row->total_ns),
                        st_ns_text(row->max_ns)));
    }
    end_section(sections, "Causes", &to);
}

static void add_events(json_t *sections, const struct st_view *view)
{
    struct section to = {.rows = json_array(), .detail = true};
    for (size_t i = 0; i < json_array_size(view->events) && i < ST_ROWS_EVENTS_MAX; i++) {
        const json_t *event = json_array_get(view->events, i);
        const char *name = st_json_text(event, "event"), *text = st_json_text(event, "text");
        const bool dropout = st_event_kind_is_dropout(st_event_kind_of(name));
        json_t *row =
            add(&to, dropout ? WARN : OK, "", st_text_joined(dropout ? "" : name, ": ", text));
        (void)json_object_set(row, "time_ns", json_object_get(event, "time_ns"));
    }
    end_section(sections, "Events", &to);
}

static void add_loop(json_t *sections, const struct st_view *view)
{
    static const char *const locks[] = {
        [ST_LOCK_NONE] = "no", [ST_LOCK_ALL] = "all", [ST_LOCK_ON_FAULT] = "on first use"};
    struct section to = {.rows = json_array(), .detail = true};
    const struct st_result *loop = view->loop;
    if (loop != NULL) {
        add(&to, OK, "Loop",
            st_text("%" PRIu32 " frames at %" PRIu32 " Hz (%s), %s %d, %s, memory locked: %s",
                    loop->frames, loop->rate_hz, st_ns_text(st_period_ns(&loop->period)),
                    st_platform_policy_name(loop->policy), loop->priority,
                    loop->cpu >= 0 ? st_text("CPU %d", loop->cpu) : "any CPU", locks[loop->lock]));
        add_degraded(&to, view);
        add_lateness(&to, &loop->lateness);
        add_minute(&to, view);
        add(&to, OK, "Missed",
            st_text(
                "%ju of %ju periods%s", loop->misses, loop->elapsed_periods,
                st_miss_events_text(loop->miss_events.n, loop->misses, st_result_seconds(loop))));
    }
    if (view->rtkit[0] != '\0')
        add(&to, OK, "RealtimeKit", view->rtkit);
    end_section(sections, "Loop", &to);
}

static void add_stream(struct section *to, const struct st_audio_view *audio)
{
    const char *text = st_text("%s, %s", audio->backend, st_audio_state_name(audio->state));
    if (audio->state == ST_AUDIO_RUNNING)
        text = st_text("%s, %s, %jd Hz, %s, buffer %s", text, audio->device, audio->rate_hz,
                       audio->format, st_ns_text(audio->latency_ns));
    if (audio->dropouts_n > 0)
        text = st_text("%s, %s", text, count_text(audio->dropouts_n, "dropout"));
    add(to, audio->state == ST_AUDIO_WAITING ? BAD : OK, "Own stream", text);
}

/* Adds how little sound the buffer of the client's device had left at worst. */
static void add_reserve(struct section *to, const struct st_dropout_client *client)
{
    if (client->reserve_ns > 0)
        add(to, OK, "Least reserve",
            st_text("%s: %s left of a buffer of %s on %s", st_text_or(client->name, "not named"),
                    client->reserve_ns > 1 ? st_ns_short(client->reserve_ns) : "nothing",
                    st_ns_short(client->buffer_ns), client->reserve_device));
}

/* Adds details of each client besides its dropouts, and names the buffers between clients and their
 * server in which a dropout would not be seen. */
static void add_programs_details(struct section *to, const struct st_observed_view *of)
{
    const char *rhythm;
    ST_EACH_OF (client, of->seen.clients, of->seen.clients_n) {
        add_reserve(to, client);
        if ((rhythm = st_dropout_table_rhythm(client))[0] != '\0')
            add(to, OK, "Long cycles", st_text("%s: %s", client->name, rhythm));
        if (!st_dropout_table_is_unheard(client))
            continue;
        add(to, OK, "Not seen here",
            st_text("losses between %s and %s%s", client->name, st_xrun_sources_title(of->source),
                    client->load.between == ST_XRUN_BETWEEN_STOPS
                        ? ": sound that the program sends too late while it runs (if it stops, "
                          "sleeptuned sees that)"
                        : ""));
    }
}

static void add_source(struct section *to, const struct st_observed_view *of, int64_t now_wall_ns)
{
    if (of->state != ST_OBSERVED_WATCHING) {
        if ((of->state == ST_OBSERVED_ABSENT && !of->never) || of->mode == ST_OBSERVED_ON)
            add(to, of->mode == ST_OBSERVED_ON ? BAD : OK, "Not watched",
                st_text("%s (%s)", of->source, of->why));
        return;
    }
    const char *text = of->source;
    if (of->why[0] != '\0')
        text = st_text("%s (%s)", text, of->why);
    text = st_text("%s, since %s: %ju dropouts of devices", text,
                   st_when_text_near(of->since_wall_ns, now_wall_ns), of->seen.sum.device_n);
    if (!of->device_only)
        text = st_text("%s, %ju of clients", text, of->seen.sum.n - of->seen.sum.device_n);
    if (of->seen.sum.n - of->seen.sum.device_n > 0 &&
        !st_xrun_sources_find(of->source)->sees_cycles)
        text = st_text("%s (their computing times are unknown)", text);
    add(to, OK, "Watched", text);
    add_programs_details(to, of);
}

static void add_sound(json_t *sections, const struct st_view *view)
{
    struct section to = {.rows = json_array(), .detail = true};
    if (view->audio.state != ST_AUDIO_OFF || view->audio.dropouts_n > 0 ||
        view->audio.error[0] != '\0')
        add_stream(&to, &view->audio);
    ST_EACH_OF (source, view->observe.sources, view->observe.n)
        add_source(&to, source, view->now_wall_ns);
    add(&to, OK, "Not seen here", st_answer_not_watched(view));
    end_section(sections, "Sound", &to);
}

/* "; 3 minutes and 1 event STATE", which says what happens to these rows of the history; "":
 * none. */
static const char *rows_text(uint64_t minutes, uint64_t events, const char *state)
{
    return minutes + events > 0 ? st_text("; %s and %s %s", count_text(minutes, "minute"),
                                          count_text(events, "event"), state)
                                : "";
}

static void add_history(struct section *to, const struct st_view *view)
{
    const struct st_history_writer_view *history = &view->history;
    const char *text = st_view_history_state(view);
    if (history->path[0] != '\0')
        text = st_text("%s %s", text, history->path);
    if (history->bytes != INT64_MIN)
        text = st_text("%s, %.1f MB", text, (double)history->bytes / 1e6);
    if (history->why[0] != '\0')
        text = st_text("%s: %s", text, history->why);
    add(to, history->state == ST_HISTORY_WRITER_FAILING ? BAD : OK, "History",
        st_text(
            "%s%s%s", text,
            rows_text(history->waiting_minutes_n, history->waiting_events_n, "waiting in memory"),
            rows_text(history->lost_minutes_n, history->lost_events_n, "lost")));
    if (history->aside[0] != '\0')
        add(to, WARN, "", st_text("the old history file was renamed to %s", history->aside));
}

static void add_daemon(json_t *sections, const struct st_view *view)
{
    struct section to = {.rows = json_array(), .detail = true};
    add(&to, OK, "Daemon",
        st_text("sleeptuned " ST_VERSION ", PID %ld, %s for %s", view->pid, st_view_state(view),
                st_ns_long(view->uptime_ns)));
    add(&to, OK, "Settings", st_text_or(view->config.file, "defaults, no file"));
    add_history(&to, view);
    if (view->notify[0] != '\0')
        add(&to, OK, "Notifications", view->notify);
    end_section(sections, "Daemon", &to);
}

/* --- the screen --- */

json_t *st_rows_json(const struct st_view *view)
{
    json_t *screen = json_object(), *sections = json_array();
    const struct st_answer answer = st_answer_of(view);
    add_summary(sections, view, &answer);
    add_causes(sections, view);
    add_events(sections, view);
    add_loop(sections, view);
    add_sound(sections, view);
    add_daemon(sections, view);
    st_json_set(screen, "answer", st_json_safe_string(answer.text));
    st_json_set(screen, "brief", st_json_safe_string(answer.brief));
    st_json_set(screen, "state", answer.state);
    st_json_set(screen, "sections", sections);
    st_json_set(screen, "next", st_json_safe_string(answer.next));
    st_json_set(screen, "next_why", st_json_safe_string(answer.next_why));
    return screen;
}
