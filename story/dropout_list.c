#include "story/dropout_list.h"

#include "story/dropout_json.h"

struct list {
    struct source {
        char name[sizeof(((struct st_event *)NULL)->source)];
        struct st_dropout_table table;
    } sources[ST_HISTORY_WATCHES_MAX]; /* further sources in a file are left out: sleeptuned never
                                          watches more */
    size_t n;
};

static struct source *source_of(struct list *list, const struct st_event *event)
{
    size_t i = 0;
    while (i < list->n && !st_text_is(list->sources[i].name, event->source))
        i++;
    if (i == ST_HISTORY_WATCHES_MAX)
        return NULL;
    if (i == list->n)
        memcpy(list->sources[list->n++].name, event->source, sizeof(event->source));
    return &list->sources[i];
}

static int take(void *ctx, ST_UNUSED int64_t id, const struct st_event *event)
{
    struct source *source = source_of(ctx, event);
    if (event->count_n >= 0 && source != NULL)
        st_dropout_table_take_event(&source->table, event, event->wall_ns);
    return 0;
}

static json_t *list_json(struct list *list)
{
    struct st_dropout_source sources[ST_HISTORY_WATCHES_MAX];
    ST_EACH_OF (source, list->sources, list->n) {
        st_dropout_table_age(&source->table, INT64_MAX, false);
        sources[source - list->sources] = (struct st_dropout_source){
            .name = source->name, .table = &source->table, .asked = true};
    }
    return st_dropout_json_list(sources, list->n);
}

int st_dropout_list_add(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                        json_t *document)
{
    struct list *list = calloc(1, sizeof(*list));
    int r =
        list != NULL ? st_history_read_dropouts(reader, since_ns, until_ns, take, list) : -ENOMEM;
    if (r == 0 && json_object_set_new(document, "dropouts", list_json(list)) != 0)
        r = -ENOMEM;
    free(list);
    return r;
}
