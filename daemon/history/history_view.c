/* What the status says about the history. */
#include "daemon/history/history.h"

#include "core/json.h"

const char *st_keeper_state_name(enum st_keeper_state state)
{
    switch (state) {
    case ST_KEEPER_OFF:
        return "off";
    case ST_KEEPER_OPENING:
        return "opening";
    case ST_KEEPER_WRITING:
        return "writing";
    case ST_KEEPER_FAILING:
        break;
    }
    return "failing";
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? st_json_safe_string(text) : json_null();
}

json_t *st_keeper_json(const struct st_keeper_view *view)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "state",
                     st_keeper_state_name(view->state), "why", text_or_null(view->why), "path",
                     text_or_null(view->path), "put_aside", text_or_null(view->aside), "bytes",
                     view->bytes != INT64_MIN ? json_integer(view->bytes) : json_null(), "minutes",
                     (json_int_t)view->minutes_n, "events", (json_int_t)view->events_n, "waiting_minutes",
                     (json_int_t)view->waiting_minutes_n, "waiting_events",
                     (json_int_t)view->waiting_events_n, "lost_minutes", (json_int_t)view->lost_minutes_n,
                     "lost_events", (json_int_t)view->lost_events_n);
}

bool st_keeper_fails(struct st_keeper *keeper)
{
    struct st_keeper_view view;
    st_keeper_look(keeper, &view);
    return view.state == ST_KEEPER_FAILING || view.missing;
}

bool st_keeper_misses_folder(struct st_keeper *keeper)
{
    struct st_keeper_view view;
    st_keeper_look(keeper, &view);
    return view.missing;
}
