/* What the status says about the history. */
#include "daemon/history/history_writer.h"

#include "core/text/json.h"

const char *st_history_writer_state_name(enum st_history_writer_state state)
{
    switch (state) {
    case ST_HISTORY_WRITER_OFF:
        return "off";
    case ST_HISTORY_WRITER_OPENING:
        return "opening";
    case ST_HISTORY_WRITER_WRITING:
        return "writing";
    case ST_HISTORY_WRITER_FAILING:
        break;
    }
    return "failing";
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? st_json_safe_string(text) : json_null();
}

json_t *st_history_writer_json(const struct st_history_writer_view *view)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "state",
                     st_history_writer_state_name(view->state), "why", text_or_null(view->why), "path",
                     text_or_null(view->path), "put_aside", text_or_null(view->aside), "bytes",
                     view->bytes != INT64_MIN ? json_integer(view->bytes) : json_null(), "minutes",
                     (json_int_t)view->minutes_n, "events", (json_int_t)view->events_n, "waiting_minutes",
                     (json_int_t)view->waiting_minutes_n, "waiting_events",
                     (json_int_t)view->waiting_events_n, "lost_minutes", (json_int_t)view->lost_minutes_n,
                     "lost_events", (json_int_t)view->lost_events_n);
}

bool st_history_writer_fails(struct st_history_writer *writer)
{
    struct st_history_writer_view view;
    st_history_writer_look(writer, &view);
    return view.state == ST_HISTORY_WRITER_FAILING || view.missing;
}

void st_history_writer_look_again(struct st_history_writer *writer, const struct st_config *config)
{
    struct st_history_writer_view view;
    st_history_writer_look(writer, &view);
    if (view.missing)
        st_history_writer_set(writer, config);
}
