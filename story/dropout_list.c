#include "story/dropout_list.h"

#include "core/text/json.h"
#include "core/text/text.h"
#include "story/dropout_json.h"
#include "story/dropout_sentence.h"
#include "story/dropout_source.h"
#include "xruns/xrun.h"

struct list {
    struct source {
        char name[sizeof(((struct st_event *)NULL)->source)];
        struct st_dropout_table table;
    } sources[ST_HISTORY_WATCHES_MAX]; /* no sleeptuned has written more */
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

static json_t *client_json(const struct st_dropout_client *client)
{
    json_t *object = st_dropout_json_client(client);
    const enum st_dropout_reason reason = st_dropout_table_reason(client),
                                 most = st_dropout_table_most_reason(client, false);
    const bool some = client->device_dropouts_n <= client->dropouts_n &&
                      10 * client->by[reason].n < 9 * st_dropout_table_count(client);
    const char *text = st_text("%s%s", some ? st_dropout_sentence_times(client, reason) : "",
                               st_dropout_sentence_why(client, true));
    if (most != reason) /* by which it lost most sound, and which came most often */
        text =
            st_text("%s; %s%s", text, st_dropout_sentence_times(client, most), st_dropout_reason_text(most));
    st_json_set(object, "text", st_json_safe_string(text));
    return object;
}

static json_t *list_json(struct list *list)
{
    json_t *object = json_object(), *sources = json_array();
    uint64_t all_n = 0;
    const char *text = "";
    struct st_dropout_source order[ST_HISTORY_WATCHES_MAX];
    ST_EACH_OF (source, list->sources, list->n) {
        st_dropout_table_age(&source->table, INT64_MAX, false);
        all_n += st_dropout_table_total(&source->table);
        order[source - list->sources] =
            (struct st_dropout_source){.name = source->name, .table = &source->table, .asked = true};
    }
    st_dropout_source_sort(order, list->n);
    ST_EACH_OF (source, order, list->n) {
        json_t *seen = json_pack("{s:o}", "source", st_json_text_or_null(source->name));
        st_dropout_json_source(seen, source->table, client_json);
        st_json_set(seen, "clientless_dropouts", source->table->clientless_dropouts_n);
        st_json_set(seen, "clientless_device", st_json_text_or_null(source->table->clientless_device));
        json_array_append_new(sources, seen);
    }
    if (all_n > 0) {
        const char *name = order[0].name;
        text = st_dropout_sentence_say(
            order[0].table, st_dropout_table_worst(order[0].table, INT64_MAX),
            &(struct st_dropout_sentence_about){.source = name,
                                                .all_n = st_dropout_table_total(order[0].table),
                                                .when = "",
                                                .where = st_text(" on %s", st_xrun_sources_title(name))});
    }
    st_json_set(object, "count", all_n);
    st_json_set(object, "text", st_json_text_or_null(text));
    st_json_set(object, "sources", sources);
    return object;
}

int st_dropout_list_add(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                        json_t *document)
{
    struct list *list = calloc(1, sizeof(*list));
    int r = list != NULL ? st_history_read_dropouts(reader, since_ns, until_ns, take, list) : -ENOMEM;
    if (r == 0 && json_object_set_new(document, "dropouts", list_json(list)) != 0)
        r = -ENOMEM;
    free(list);
    return r;
}
