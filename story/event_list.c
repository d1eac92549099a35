#include "story/event_list.h"

#include "core/text/json.h"

struct list {
    struct st_history_reader *reader;
    struct st_text_buffer writing;
    const char *between; /* what separates the next event from the one before it */
};

static int join(void *beside, ST_UNUSED int64_t id, const struct st_event *late)
{
    st_event_story_join(beside, late);
    return 0;
}

int st_event_list_beside(struct st_history_reader *reader, const struct st_event *event,
                         struct st_story_beside *ret)
{
    *ret = st_event_story_alone(event);
    if (!ret->open)
        return 0;
    ret->open = event->loop_cpu != ST_EVENT_NO_LOOP;
    const int r = st_history_read_late(reader, ret->from_ns, ret->to_ns, join, ret);
    if (r < 0 || !ret->open)
        return r;
    return st_history_read_loop_seen(reader, ret->from_ns, ret->to_ns, &ret->seen_from_ns,
                                     &ret->seen_to_ns);
}

/* Writes one event as text at once, so that not all events need memory as json_t at the same
 * time. */
static int take(void *ctx, int64_t id, const struct st_event *event)
{
    struct list *list = ctx;
    struct st_story_beside beside;
    const int r = st_event_list_beside(list->reader, event, &beside);
    if (r < 0)
        return r;
    json_t *document = st_event_story_json(event, &beside);
    st_json_set(document, "id", id);
    st_text_buffer_printf(&list->writing, "%s", list->between);
    const int failed = json_dump_callback(document, st_json_write, &list->writing, JSON_COMPACT);
    json_decref(document);
    list->between = ",";
    return failed != 0 ? -ENOMEM : 0;
}

int st_event_list_text(struct st_history_reader *reader, const struct st_history_events_wish *wish,
                       char **ret)
{
    struct list list = {.reader = reader, .between = ""};
    bool more = false;
    st_text_buffer_printf(&list.writing,
                          "{\"schema\":\"sleeptune-events/1\",\"since_ns\":%s,\"events\":[",
                          wish->since_ns == INT64_MIN ? "null" : st_text("%jd", wish->since_ns));
    const int r = st_history_read_events(reader, wish, take, &list, &more);
    st_text_buffer_printf(&list.writing, "],\"more\":%s}", more ? "true" : "false");
    char *text = st_text_buffer_take(&list.writing);
    if (r == 0 && text != NULL)
        *ret = text;
    else
        free(text);
    return r == 0 && text == NULL ? -ENOMEM : r;
}
