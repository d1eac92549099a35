#include "story/dropout_json.h"

#include "core/text/json.h"
#include "story/dropout_rows.h"
#include "story/dropout_sentence.h"

/* Adds how much sound was lost. */
static void add_lost(json_t *object, const struct st_dropout_sum *sum)
{
    (void)json_object_update_new(object, json_pack("{s:o, s:b, s:o, s:o, s:o, s:o}", "lost_ns",
                                                   st_json_positive(sum->lost_ns), "lost_partly",
                                                   sum->unknown_n > 0, "longest_ns",
                                                   st_json_positive(sum->longest_ns), "lost_cycles",
                                                   st_json_positive(sum->cycles_n), "first_ns",
                                                   st_json_positive(sum->first_wall_ns), "last_ns",
                                                   st_json_positive(sum->last_wall_ns)));
}

static json_t *row_json(const struct st_dropout_row *row)
{
    const struct st_dropout_cycle *worst = &row->worst;
    json_t *object =
        json_pack("{s:s?, s:s, s:I}", "reason",
                  row->stream == NULL ? st_dropout_reason_name(row->reason) : NULL, "place",
                  st_dropout_place_name(row->place), "dropouts", (json_int_t)row->sum.n);
    add_lost(object, &row->sum);
    (void)json_object_update_new(
        object,
        json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "culprit", st_json_text_or_null(row->culprit),
                  "culprit_dropouts", (json_int_t)row->culprit_n, "worst_busy_ns",
                  st_json_positive(worst->busy_ns), "worst_busy_error_ns",
                  st_json_integer_or_null(worst->busy_ns > 0, worst->error_ns), "worst_wait_ns",
                  st_json_positive(worst->wait_ns), "worst_period_ns",
                  st_json_positive(worst->period_ns)));
    return object;
}

json_t *st_dropout_json_client(const struct st_dropout_client *client)
{
    json_t *rows = json_array();
    json_t *object = json_pack("{s:o, s:o, s:I, s:I}", "name", st_json_text_or_null(client->name),
                               "device", st_json_text_or_null(client->device), "dropouts",
                               (json_int_t)(client->sum.n - client->sum.device_n),
                               "device_dropouts", (json_int_t)client->sum.device_n);
    add_lost(object, &client->sum);
    ST_EACH_OF (row, client->rows, client->rows_n)
        json_array_append_new(rows, row_json(row));
    st_json_set(object, "each_ns", st_json_positive(client->rhythm.each_ns));
    st_json_set(object, "rows", rows);
    return object;
}

void st_dropout_json_source(json_t *object, const struct st_dropout_table *table,
                            json_t *(*client_json)(const struct st_dropout_client *client))
{
    json_t *clients = json_array();
    ST_EACH_OF (client, table->clients, table->clients_n)
        json_array_append_new(clients, client_json(client));
    st_json_set(object, "device_dropouts", table->sum.device_n);
    st_json_set(object, "client_dropouts", table->sum.n - table->sum.device_n);
    st_json_set(object, "others_dropouts", table->others_dropouts_n);
    st_json_set(object, "clients", clients);
}

json_t *st_dropout_json_list(struct st_dropout_source *sources, size_t n)
{
    json_t *list = json_array();
    uint64_t all_n = 0;
    const char *text = "";
    st_dropout_source_sort(sources, n);
    ST_EACH_OF (source, sources, n) {
        const struct st_dropout_table *table = source->table;
        const struct st_dropout_client *worst = st_dropout_table_worst(table, INT64_MAX);
        json_t *object = json_pack("{s:o}", "source", st_json_text_or_null(source->name));
        st_dropout_json_source(object, table, st_dropout_json_client);
        json_array_append_new(list, object);
        all_n += table->sum.n;
        if (source == sources && worst != NULL)
            text = st_dropout_sentence_say(table, worst, source->name, "");
    }
    return json_pack("{s:I, s:o, s:o, s:o}", "count", (json_int_t)all_n, "text",
                     st_json_text_or_null(text), "sources", list, "table",
                     st_dropout_rows(sources, n, false));
}
