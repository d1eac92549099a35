/* The status document; docs/schema/sleeptune-status-1.json. */
#include "daemon/status/view.h"

#include "core/text/json.h"
#include "daemon/status/answer.h"
#include "daemon/status/rows.h"
#include "st_config.h"

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? st_json_safe_string(text) : json_null();
}

json_t *st_view_degraded_json(const struct st_view *view)
{
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX];
    const size_t n = st_view_degraded(view, degraded);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "what", degraded[i].what, "why",
                                              st_json_safe_string(degraded[i].why)));
    return list;
}

static json_t *ns_or_null(int64_t ns)
{
    return ns != INT64_MIN ? json_integer(ns) : json_null();
}

static json_t *callbacks_json(const struct st_callbacks_view *callbacks)
{
    const bool any = callbacks->calls_n > 0;
    return json_pack("{s:I, s:o, s:o, s:{s:I, s:o, s:o, s:o, s:o}}", "n", (json_int_t)callbacks->calls_n,
                     "frames_min", any ? json_integer(callbacks->frames_min) : json_null(), "frames_max",
                     any ? json_integer(callbacks->frames_max) : json_null(), "lateness_ns", "n",
                     (json_int_t)callbacks->n, "median", ns_or_null(callbacks->median_ns), "p99",
                     ns_or_null(callbacks->p99_ns), "p999", ns_or_null(callbacks->p999_ns), "max",
                     ns_or_null(callbacks->max_ns));
}

static json_t *audio_json(const struct st_audio_view *audio, enum st_audio_direction direction)
{
    json_t *object = json_pack("{s:s, s:s, s:o, s:o}", "state", st_audio_state_name(direction, audio->state),
                               "backend", audio->backend, "error", text_or_null(audio->error), "own_xruns",
                               audio->xruns_known ? json_integer((json_int_t)audio->xruns_n) : json_null());
    if (direction == ST_AUDIO_INPUT)
        json_object_set_new(object, "holes", json_integer((json_int_t)audio->holes_n));
    json_object_set_new(object, "opened", json_integer((json_int_t)audio->opened_n));
    if (audio->state == ST_AUDIO_WAITING)
        json_object_set_new(object, "retry_after_ns", json_integer(audio->retry_after_ns));
    if (audio->state != ST_AUDIO_RUNNING)
        return object;
    json_object_set_new(object, "device", st_json_safe_string(audio->device));
    json_object_set_new(object, "device_name", st_json_safe_string(audio->device_name));
    json_object_set_new(object, "raw", json_boolean(audio->raw));
    json_object_set_new(object, "format", st_json_safe_string(audio->format));
    json_object_set_new(object, "rate_hz", json_integer(audio->rate_hz));
    json_object_set_new(object, "channels", json_integer(audio->channels));
    json_object_set_new(object, "latency_ns", json_integer(audio->latency_ns));
    json_object_set_new(object, "callbacks", callbacks_json(&audio->callbacks));
    json_object_set_new(object, "policy",
                        audio->policy >= 0
                            ? json_string(st_platform_policy_name((enum st_policy)audio->policy))
                            : json_null());
    json_object_set_new(object, "priority", audio->policy >= 0 ? json_integer(audio->priority) : json_null());
    return object;
}

static json_t *both_audio_json(const struct st_view *view)
{
    json_t *object = audio_json(&view->audio[ST_AUDIO_OUTPUT], ST_AUDIO_OUTPUT);
    json_object_set_new(object, "capture", audio_json(&view->audio[ST_AUDIO_INPUT], ST_AUDIO_INPUT));
    return object;
}

static json_t *minute_json(const struct st_view *view)
{
    if (!view->has_minute)
        return json_null();
    const struct st_minute *minute = &view->minute;
    json_t *object = json_object();
    json_object_set_new(object, "from_ns", json_integer(minute->from_wall_ns));
    json_object_set_new(object, "to_ns", json_integer(minute->to_wall_ns));
    json_object_set_new(object, "duration_ns", json_integer(minute->duration_ns));
    json_object_set_new(object, "cycles", json_integer((json_int_t)minute->cycles));
    json_object_set_new(object, "misses", json_integer((json_int_t)minute->misses));
    json_object_set_new(object, "skipped_periods", json_integer((json_int_t)minute->skipped_periods));
    json_object_set_new(object, "simulated_xruns", json_integer((json_int_t)minute->simulated_xruns));
    json_object_set_new(object, "own_xruns", json_integer((json_int_t)minute->own_xruns));
    json_object_set_new(object, "late_wakes", json_integer((json_int_t)minute->late_wakes));
    json_object_set_new(object, "lateness_max_ns",
                        minute->lateness_max_ns != INT64_MIN ? json_integer(minute->lateness_max_ns)
                                                             : json_null());
    return object;
}

static json_t *wait_json(const struct st_view *view)
{
    if (view->wait_plain_ns == INT64_MIN || view->wait_precise_ns == INT64_MIN)
        return json_null();
    return json_pack("{s:I, s:I}", "plain_lateness_median_ns", (json_int_t)view->wait_plain_ns,
                     "precise_lateness_median_ns", (json_int_t)view->wait_precise_ns);
}

json_t *st_view_json(const struct st_view *view)
{
    json_t *document = json_object();
    char verdict[ST_VIEW_TEXT_BYTES];
    json_object_set_new(document, "schema", json_string("sleeptune-status/1"));
    json_object_set_new(document, "version", json_string(ST_VERSION));
    json_object_set_new(document, "pid", json_integer(view->pid));
    json_object_set_new(document, "state", json_string(st_view_state(view)));
    json_object_set_new(document, "verdict",
                        st_json_safe_string(st_answer_text(view, verdict, sizeof(verdict))));
    json_object_set_new(document, "degraded", st_view_degraded_json(view));
    json_object_set_new(document, "time_ns", json_integer(view->now_wall_ns));
    json_object_set_new(document, "started_ns", json_integer(view->started_wall_ns));
    json_object_set_new(document, "uptime_ns", json_integer(view->uptime_ns));
    json_object_set_new(document, "loop_starts", json_integer((json_int_t)view->loop_starts));
    json_object_set_new(document, "overdue_ns", json_integer(view->overdue_ns));
    json_object_set_new(document, "loop_rests", json_boolean(view->rests));
    json_object_set_new(document, "loop", view->loop != NULL ? st_result_json(view->loop) : json_null());
    json_object_set_new(document, "rtkit", text_or_null(view->rtkit));
    json_object_set_new(document, "audio", both_audio_json(view));
    json_object_set_new(document, "xruns",
                        json_pack("{s:I, s:I}", "simulated",
                                  (json_int_t)(view->loop != NULL ? view->loop->simulated_xruns : 0), "own",
                                  (json_int_t)st_view_own_xruns(view)));
    json_object_set_new(document, "observe", st_observe_json(&view->observe));
    json_object_set_new(document, "watchdog",
                        json_pack("{s:b, s:b, s:b}", "running", view->watchdog.running, "above_loop",
                                  view->watchdog.above_loop, "demoted", view->watchdog.demoted));
    json_object_set_new(document, "config",
                        json_pack("{s:o, s:I, s:o}", "file", text_or_null(view->config_file), "read_ns",
                                  (json_int_t)view->config_read_wall_ns, "error",
                                  text_or_null(view->config_error)));
    json_object_set_new(document, "history", st_history_writer_json(&view->history));
    json_object_set_new(document, "wait_test", wait_json(view));
    json_object_set_new(document, "last_minute", minute_json(view));
    json_object_set_new(document, "previous_run", text_or_null(view->previous_run));
    json_object_set(document, "events", view->events);
    json_object_set_new(document, "screen", st_rows_json(view));
    return document;
}
