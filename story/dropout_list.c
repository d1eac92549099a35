#include "story/dropout_list.h"

#include "story/dropout_json.h"

/* Further sources in a file are left out: sleeptuned never watches more. */
struct list {
    struct st_dropout_source sources[ST_HISTORY_WATCHES_MAX];
    struct st_event first[ST_HISTORY_WATCHES_MAX]; /* of each source */
    struct st_dropout_table tables[ST_HISTORY_WATCHES_MAX];
    size_t n;
};

/* Events come sorted by source. */
static void take(struct list *list, const struct st_event *event)
{
    const size_t n = list->n;
    if (n == 0 || !st_text_is(list->first[n - 1].source, event->source)) {
        if (n == ST_HISTORY_WATCHES_MAX)
            return;
        list->first[n] = *event;
        list->sources[n] = (struct st_dropout_source){
            .name = list->first[n].source, .table = &list->tables[n], .asked = true};
        list->n++;
    }
    if (event->count_n >= 0)
        st_dropout_table_take_event(&list->tables[list->n - 1], event, event->wall_ns);
}

json_t *st_dropout_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns)
{
    struct list *list = calloc(1, sizeof(*list));
    if (list == NULL)
        return NULL;
    int64_t id;
    struct st_event event;
    struct sqlite3_stmt *rows = st_history_read_dropouts(reader, since_ns, until_ns);
    while (st_history_read_next(reader, rows, &id, &event))
        take(list, &event);
    ST_EACH_OF (table, list->tables, list->n)
        st_dropout_table_age(table, INT64_MAX, false);
    json_t *dropouts = st_dropout_json_list(list->sources, list->n);
    free(list);
    return dropouts;
}
