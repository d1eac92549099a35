#include "story/event_list.h"

#include "core/text/json.h"
#include "core/text/text_buffer.h"
#include "story/event_story.h"

struct list {
    struct st_history_reader *reader;
    struct st_text_buffer writing;
    bool any;
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
    return r < 0 || !ret->open ? r
                               : st_history_read_loop_seen(reader, ret->from_ns, ret->to_ns,
                                                           &ret->seen_from_ns, &ret->seen_to_ns);
}

/* Event by event, so that only one of them is a json_t at a time. */
static int take(void *ctx, int64_t id, const struct st_event *event)
{
    struct list *list = ctx;
    struct st_story_beside beside;
    const int r = st_event_list_beside(list->reader, event, &beside);
    if (r < 0)
        return r;
    json_t *document = st_event_story_json(event, &beside);
    const bool good = document != NULL && json_object_set_new(document, "id", json_integer(id)) == 0 &&
                      (!list->any || st_json_write(",", 1, &list->writing) == 0) &&
                      json_dump_callback(document, st_json_write, &list->writing, JSON_COMPACT) == 0;
    json_decref(document);
    list->any = true;
    return good ? 0 : -ENOMEM;
}

/* The members around the list: what stands before it ends with it. */
static int write_part(struct list *list, json_t *part, const char *before, const char *after,
                      size_t after_bytes)
{
    const bool good =
        part != NULL && st_json_write(before, 1, &list->writing) == 0 &&
        json_dump_callback(part, st_json_write, &list->writing, JSON_COMPACT | JSON_EMBED) == 0 &&
        st_json_write(after, after_bytes, &list->writing) == 0;
    json_decref(part);
    return good ? 0 : -ENOMEM;
}

int st_event_list_text(struct st_history_reader *reader, const struct st_history_events_wish *wish,
                       char **ret)
{
    static const char before[] = ",\"events\":[";
    struct list list = {.reader = reader};
    bool more = false;
    int r = write_part(
        &list,
        json_pack("{s:s, s:o}", "schema", "sleeptune-events/1", "since_ns", st_json_known(wish->since_ns)),
        "{", before, sizeof(before) - 1);
    if (r == 0)
        r = st_history_read_events(reader, wish, take, &list, &more);
    if (r == 0)
        r = st_json_write("]", 1, &list.writing) == 0
                ? write_part(&list, json_pack("{s:b}", "more", more), ",", "}", 1)
                : -ENOMEM;
    if (r == 0)
        *ret = list.writing.text;
    else
        free(list.writing.text);
    return r;
}
