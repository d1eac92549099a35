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
    const bool known = audio->policy >= 0;
    if (audio->state == ST_AUDIO_RUNNING)
        (void)json_object_update_new(
            object,
            json_pack("{s:o, s:o, s:b, s:o, s:I, s:I, s:s?, s:o}", "device",
                      st_json_safe_string(audio->device), "device_name",
                      st_json_safe_string(audio->device_name), "raw", audio->raw, "format",
                      st_json_safe_string(audio->format), "rate_hz", (json_int_t)audio->rate_hz,
                      "latency_ns", (json_int_t)audio->latency_ns, "policy",
                      known ? st_platform_policy_name((enum st_policy)audio->policy) : NULL,
                      "priority", st_json_integer_or_null(known, audio->priority)));
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
    json_t *screen = st_rows_json(view);
    return json_pack(
        "{s:s, s:s, s:i, s:s, s:O, s:o, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:o, "
        "s:{s:b, s:b, s:b}, s:{s:o, s:I, s:o}, s:o, s:o, s:O, s:o}",
        "schema", "sleeptune-status/1", "version", ST_VERSION, "pid", (int)view->pid, "state",
        st_view_state(view), "verdict", json_object_get(screen, "answer"), "degraded",
        degraded_json(view), "time_ns", (json_int_t)view->now_wall_ns, "started_ns",
        (json_int_t)view->started_wall_ns, "uptime_ns", (json_int_t)view->uptime_ns, "loop_starts",
        (json_int_t)view->loop_starts, "overdue_ns", (json_int_t)view->overdue.ns, "loop_rests",
        view->rests, "loop", view->loop != NULL ? st_result_json(view->loop) : json_null(), "rtkit",
        st_json_text_or_null(view->rtkit), "audio", audio_json(&view->audio), "observe",
        st_observe_json(&view->observe), "watchdog", "running", view->watchdog.running,
        "above_loop", view->watchdog.above_loop, "demoted", view->watchdog.demoted, "config",
        "file", st_json_text_or_null(view->config.file), "read_ns",
        (json_int_t)view->config.read_wall_ns, "error", st_json_text_or_null(view->config.error),
        "history", history_json(view), "last_minute", minute_json(view), "events", view->events,
        "screen", screen);
}
