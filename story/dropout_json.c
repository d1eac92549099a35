#include "story/dropout_json.h"

#include "core/text/json.h"
#include "story/dropout_rows.h"
#include "story/dropout_sentence.h"

/* Adds how much sound was lost. */
static void add_lost(json_t *object, const struct st_dropout_sum *sum)
{
    st_json_add(object, "lost_ns:p lost_partly:b longest_ns:p lost_cycles:p first_ns:p last_ns:p",
                sum->lost_ns, sum->unknown_n > 0, sum->longest_ns, sum->cycles_n,
                sum->first_wall_ns, sum->last_wall_ns);
}

static json_t *row_json(const struct st_dropout_row *row)
{
    const struct st_dropout_cycle *worst = &row->worst;
    json_t *object =
        st_json_object("reason:t place:t dropouts:i",
                       row->stream == NULL ? st_dropout_reason_name(row->reason) : NULL,
                       st_dropout_place_name(row->place), row->sum.n);
    add_lost(object, &row->sum);
    return st_json_add(object,
                       "culprit:e culprit_dropouts:i worst_busy_ns:p worst_busy_error_ns:o "
                       "worst_wait_ns:p worst_period_ns:p",
                       row->culprit, row->culprit_n, worst->busy_ns,
                       st_json_integer_or_null(worst->busy_ns > 0, worst->error_ns), worst->wait_ns,
                       worst->period_ns);
}

json_t *st_dropout_json_client(const struct st_dropout_client *client)
{
    json_t *rows = json_array();
    json_t *object =
        st_json_object("name:e device:e dropouts:i device_dropouts:i", client->name, client->device,
                       client->sum.n - client->sum.device_n, client->sum.device_n);
    add_lost(object, &client->sum);
    ST_EACH_OF (row, client->rows, client->rows_n)
        json_array_append_new(rows, row_json(row));
    return st_json_add(object, "each_ns:p rows:o", client->rhythm.each_ns, rows);
}

void st_dropout_json_source(json_t *object, const struct st_dropout_table *table,
                            json_t *(*client_json)(const struct st_dropout_client *client))
{
    json_t *clients = json_array();
    ST_EACH_OF (client, table->clients, table->clients_n)
        json_array_append_new(clients, client_json(client));
    st_json_add(object, "device_dropouts:i client_dropouts:i others_dropouts:i clients:o",
                table->sum.device_n, table->sum.n - table->sum.device_n, table->others_dropouts_n,
                clients);
}

json_t *st_dropout_json_list(struct st_dropout_source *sources, size_t n)
{
    json_t *list = json_array();
    uint64_t all_n = 0;
    const char *text = "";
    st_dropout_table_sort(sources, n);
    ST_EACH_OF (source, sources, n) {
        const struct st_dropout_table *table = source->table;
        const struct st_dropout_client *worst = st_dropout_table_worst(table, INT64_MAX);
        json_t *object = st_json_object("source:e", source->name);
        st_dropout_json_source(object, table, st_dropout_json_client);
        json_array_append_new(list, object);
        all_n += table->sum.n;
        if (source == sources && worst != NULL)
            text = st_dropout_sentence_say(table, worst, source->name, "");
    }
    return st_json_object("count:i text:e sources:o table:o", all_n, text, list,
                          st_dropout_rows(sources, n, false));
}
