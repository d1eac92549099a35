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

/* Events come sorted by source. */
static void take(struct list *list, const struct st_event *event)
{
    if (list->n == 0 || !st_text_is(list->sources[list->n - 1].name, event->source)) {
        if (list->n == ST_HISTORY_WATCHES_MAX)
            return;
        memcpy(list->sources[list->n++].name, event->source, sizeof(event->source));
    }
    if (event->count_n >= 0)
        st_dropout_table_take_event(&list->sources[list->n - 1].table, event, event->wall_ns);
}

json_t *st_dropout_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns)
{
    struct st_dropout_source sources[ST_HISTORY_WATCHES_MAX];
    struct list *list = calloc(1, sizeof(*list));
    if (list == NULL)
        return NULL;
    int64_t id;
    struct st_event event;
    struct sqlite3_stmt *rows = st_history_read_dropouts(reader, since_ns, until_ns);
    while (st_history_read_next(reader, rows, &id, &event))
        take(list, &event);
    ST_EACH_OF (source, list->sources, list->n) {
        st_dropout_table_age(&source->table, INT64_MAX, false);
        sources[source - list->sources] = (struct st_dropout_source){
            .name = source->name, .table = &source->table, .asked = true};
    }
    json_t *dropouts = st_dropout_json_list(sources, list->n);
    free(list);
    return dropouts;
}
