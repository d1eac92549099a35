#include "story/event_list.h"

#include "core/text/json.h"

void st_event_list_beside(struct st_history_reader *reader, const struct st_event *event,
                          struct st_story_beside *ret)
{
    int64_t id;
    struct st_event late;
    *ret = st_event_story_alone(event);
    if (!ret->open)
        return;
    ret->open = event->loop_cpu != ST_EVENT_NO_LOOP;
    struct sqlite3_stmt *rows = st_history_read_late(reader, ret->from_ns, ret->to_ns);
    while (st_history_read_next(reader, rows, &id, &late))
        st_event_story_join(ret, &late);
    if (ret->open)
        st_history_read_loop_seen(reader, ret->from_ns, ret->to_ns, &ret->seen_from_ns,
                                  &ret->seen_to_ns);
}

char *st_event_list_text(struct st_history_reader *reader, const struct st_history_asked *wish)
{
    struct st_text_buffer writing = {0};
    const char *between = "";
    bool more;
    int64_t id;
    struct st_event event;
    struct st_story_beside beside;
    st_text_buffer_printf(&writing,
                          "{\"schema\":\"sleeptune-events/1\",\"since_ns\":%s,\"events\":[",
                          wish->since_ns == INT64_MIN ? "null" : st_text("%jd", wish->since_ns));
    struct sqlite3_stmt *rows = st_history_read_events(reader, wish, &more);
    while (st_history_read_next(reader, rows, &id, &event)) {
        st_event_list_beside(reader, &event, &beside);
        /* Writes each event as text at once, so that not all events need memory as json_t at the
         * same time. */
        json_t *document = st_event_story_json(&event, &beside);
        st_json_add(document, "id:i", id);
        st_text_buffer_printf(&writing, "%s", between);
        (void)json_dump_callback(document, st_json_write, &writing, JSON_COMPACT);
        json_decref(document);
        between = ",";
    }
    st_text_buffer_printf(&writing, "],\"more\":%s}", more ? "true" : "false");
    return st_text_buffer_take(&writing);
}
