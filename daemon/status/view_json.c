/* Makes the status document; docs/schema/sleeptune-status-1.json describes it. */

#include "core/text/json.h"
#include "daemon/status/rows.h"
#include "st_config.h"

static json_t *degraded_json(const struct st_view *view)
{
    const struct st_degraded_list list = st_view_degraded(view);
    json_t *parts = json_array();
    ST_EACH_OF (part, list.parts, list.n)
        json_array_append_new(parts, json_pack("{s:s, s:o}", "what", part->what, "why",
                                               st_json_safe_string(part->why)));
    return parts;
}

static json_t *audio_json(const struct st_audio_view *audio)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:I, s:I}", "state", st_audio_state_name(audio->state), "backend",
        audio->backend, "error", st_json_text_or_null(audio->error), "own_dropouts",
        (json_int_t)audio->dropouts_n, "opened", (json_int_t)audio->opened_n);
    if (audio->state != ST_AUDIO_RUNNING)
        return object;
    st_json_set(object, "device", st_json_safe_string(audio->device));
    st_json_set(object, "device_name", st_json_safe_string(audio->device_name));
    st_json_set(object, "raw", audio->raw);
    st_json_set(object, "format", st_json_safe_string(audio->format));
    st_json_set(object, "rate_hz", audio->rate_hz);
    st_json_set(object, "latency_ns", audio->latency_ns);
    st_json_set(object, "policy",
                audio->policy >= 0
                    ? json_string(st_platform_policy_name((enum st_policy)audio->policy))
                    : json_null());
    st_json_set(object, "priority", st_json_integer_or_null(audio->policy >= 0, audio->priority));
    return object;
}

static json_t *minute_json(const struct st_view *view)
{
    const struct st_history_minute *m = &view->minute;
    if (m->measured_ns == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "from_ns",
                     (json_int_t)m->from_wall_ns, "to_ns", (json_int_t)m->to_wall_ns, "duration_ns",
                     (json_int_t)m->measured_ns, "cycles", (json_int_t)m->cycles, "misses",
                     (json_int_t)m->misses, "miss_events", (json_int_t)m->miss_events,
                     "skipped_periods", (json_int_t)m->skipped_periods, "own_dropouts",
                     (json_int_t)m->own_dropouts_n, "late_wakes", (json_int_t)m->late_wakes,
                     "lateness_max_ns",
                     st_json_integer_or_null(m->lateness_max_ns != INT64_MIN, m->lateness_max_ns));
}

static json_t *history_json(const struct st_view *view)
{
    const struct st_history_writer_view *history = &view->history;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "state",
        st_view_history_state(view), "why", st_json_text_or_null(history->why), "path",
        st_json_text_or_null(history->path), "put_aside", st_json_text_or_null(history->aside),
        "bytes", st_json_known(history->bytes), "minutes", (json_int_t)history->minutes_n, "events",
        (json_int_t)history->events_n, "waiting_minutes", (json_int_t)history->waiting_minutes_n,
        "waiting_events", (json_int_t)history->waiting_events_n, "lost_minutes",
        (json_int_t)history->lost_minutes_n, "lost_events", (json_int_t)history->lost_events_n);
}

json_t *st_view_json(const struct st_view *view)
{
    json_t *document = json_object(), *screen = st_rows_json(view);
    st_json_set(document, "schema", "sleeptune-status/1");
    st_json_set(document, "version", ST_VERSION);
    st_json_set(document, "pid", view->pid);
    st_json_set(document, "state", st_view_state(view));
    json_object_set(document, "verdict", json_object_get(screen, "answer"));
    st_json_set(document, "degraded", degraded_json(view));
    st_json_set(document, "time_ns", view->now_wall_ns);
    st_json_set(document, "started_ns", view->started_wall_ns);
    st_json_set(document, "uptime_ns", view->uptime_ns);
    st_json_set(document, "loop_starts", view->loop_starts);
    st_json_set(document, "overdue_ns", view->overdue.ns);
    st_json_set(document, "loop_rests", view->rests);
    st_json_set(document, "loop", view->loop != NULL ? st_result_json(view->loop) : json_null());
    st_json_set(document, "rtkit", st_json_text_or_null(view->rtkit));
    st_json_set(document, "audio", audio_json(&view->audio));
    st_json_set(document, "observe", st_observe_json(&view->observe));
    st_json_set(document, "watchdog",
                json_pack("{s:b, s:b, s:b}", "running", view->watchdog.running, "above_loop",
                          view->watchdog.above_loop, "demoted", view->watchdog.demoted));
    st_json_set(document, "config",
                json_pack("{s:o, s:I, s:o}", "file", st_json_text_or_null(view->config.file),
                          "read_ns", (json_int_t)view->config.read_wall_ns, "error",
                          st_json_text_or_null(view->config.error)));
    st_json_set(document, "history", history_json(view));
    st_json_set(document, "last_minute", minute_json(view));
    json_object_set(document, "events", view->events);
    st_json_set(document, "screen", screen);
    return document;
}
