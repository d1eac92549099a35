/* Makes the status document; docs/schema/sleeptune-status-1.json describes it. */

#include "core/text/json.h"
#include "daemon/status/rows.h"
#include "st_config.h"

static json_t *degraded_json(const struct st_view *view)
{
    const struct st_degraded_list list = st_view_degraded(view);
    json_t *parts = json_array();
    ST_EACH_OF (part, list.parts, list.n)
        json_array_append_new(parts, st_json_object("what:t why:s", part->what, part->why));
    return parts;
}

static json_t *audio_json(const struct st_audio_view *audio)
{
    const bool known = audio->policy >= 0;
    json_t *object = st_json_object("state:t backend:t error:e own_dropouts:i opened:i",
                                    st_audio_state_name(audio->state), audio->backend, audio->error,
                                    audio->dropouts_n, audio->opened_n);
    if (audio->state == ST_AUDIO_RUNNING)
        st_json_add(object,
                    "device:s device_name:s raw:b format:s rate_hz:i latency_ns:i policy:t "
                    "priority:o",
                    audio->device, audio->device_name, audio->raw, audio->format, audio->rate_hz,
                    audio->latency_ns,
                    known ? st_platform_policy_name((enum st_policy)audio->policy) : NULL,
                    st_json_integer_or_null(known, audio->priority));
    return object;
}

static json_t *minute_json(const struct st_view *view)
{
    const struct st_history_minute *m = &view->minute;
    if (m->measured_ns == 0)
        return NULL;
    return st_json_object("from_ns:i to_ns:i duration_ns:i cycles:i misses:i miss_events:i "
                          "skipped_periods:i own_dropouts:i late_wakes:i lateness_max_ns:n",
                          m->from_wall_ns, m->to_wall_ns, m->measured_ns, m->cycles, m->misses,
                          m->miss_events, m->skipped_periods, m->own_dropouts_n, m->late_wakes,
                          m->lateness_max_ns);
}

static json_t *history_json(const struct st_view *view)
{
    const struct st_history_writer_view *history = &view->history;
    return st_json_object(
        "state:t why:e path:e put_aside:e bytes:n minutes:i events:i waiting_minutes:i "
        "waiting_events:i lost_minutes:i lost_events:i",
        st_view_history_state(view), history->why, history->path, history->aside, history->bytes,
        history->minutes_n, history->events_n, history->waiting_minutes_n,
        history->waiting_events_n, history->lost_minutes_n, history->lost_events_n);
}

json_t *st_view_json(const struct st_view *view)
{
    json_t *screen = st_rows_json(view);
    return st_json_object(
        "schema:t version:t pid:u state:t verdict:t degraded:o time_ns:i started_ns:i uptime_ns:i "
        "loop_starts:i overdue_ns:i loop_rests:b loop:o rtkit:e audio:o observe:o watchdog:o "
        "config:o history:o last_minute:o events:o screen:o",
        "sleeptune-status/1", ST_VERSION, (int)view->pid, st_view_state(view),
        st_json_text(screen, "answer"), degraded_json(view), view->now_wall_ns,
        view->started_wall_ns, view->uptime_ns, view->loop_starts, view->overdue.ns, view->rests,
        view->loop != NULL ? st_result_json(view->loop) : NULL, view->rtkit,
        audio_json(&view->audio), st_observe_json(&view->observe),
        st_json_object("running:b above_loop:b demoted:b", view->watchdog.running,
                       view->watchdog.above_loop, view->watchdog.demoted),
        st_json_object("file:e read_ns:i error:e", view->config.file, view->config.read_wall_ns,
                       view->config.error),
        history_json(view), minute_json(view), json_incref(view->events), screen);
}
