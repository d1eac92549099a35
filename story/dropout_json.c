#include "story/dropout_json.h"

#include "core/text/json.h"

/* Figures of which 0 or less is unknown. */
static json_t *known(int64_t figure)
{
    return st_json_integer_or_null(figure > 0, figure);
}

static json_t *reasons_json(const struct st_dropout_client *client)
{
    json_t *reasons = json_object();
    ST_EACH (sum, client->by) {
        if (sum->n > 0)
            st_json_set(reasons, st_dropout_reason_name((enum st_dropout_reason)(sum - client->by)), sum->n);
    }
    return reasons;
}

static json_t *places_json(const uint64_t places_n[ST_DROPOUT_PLACES])
{
    json_t *places = json_object();
    for (size_t i = 0; i < ST_DROPOUT_PLACES; i++) {
        if (places_n[i] > 0)
            st_json_set(places, st_dropout_place_name((enum st_dropout_place)i), places_n[i]);
    }
    return places;
}

json_t *st_dropout_json_client(const struct st_dropout_client *client)
{
    json_t *object = json_object();
    const struct st_dropout_sum *main = st_dropout_table_main(client);
    st_json_set(object, "name", st_json_text_or_null(client->name));
    st_json_set(object, "device", st_json_text_or_null(client->device));
    st_json_set(object, "dropouts", client->dropouts_n);
    st_json_set(object, "device_dropouts", client->device_dropouts_n);
    st_json_set(object, "reasons", reasons_json(client));
    st_json_set(object, "places", places_json(client->places_n));
    st_json_set(object, "lost_ns", known(client->lost.ns));
    st_json_set(object, "lost_partly", (bool)(client->lost.unknown_n > 0));
    st_json_set(object, "longest_ns", known(client->lost.longest_ns));
    st_json_set(object, "lost_cycles", known(client->lost.cycles_n));
    st_json_set(object, "culprit", st_json_text_or_null(main->culprit));
    st_json_set(object, "first_ns", st_json_known(client->first_wall_ns));
    st_json_set(object, "last_ns", st_json_known(client->last_wall_ns));
    st_json_set(object, "each_ns", known(client->rhythm.each_ns));
    st_json_set(object, "worst_busy_ns", known(main->worst.busy_ns));
    st_json_set(object, "worst_busy_error_ns",
                st_json_integer_or_null(main->worst.busy_ns > 0, main->worst.error_ns));
    st_json_set(object, "worst_wait_ns", known(main->worst.wait_ns));
    st_json_set(object, "worst_period_ns", known(main->worst.period_ns));
    return object;
}

void st_dropout_json_source(json_t *object, const struct st_dropout_table *table,
                            json_t *(*client_json)(const struct st_dropout_client *client))
{
    json_t *clients = json_array();
    ST_EACH_OF (client, table->clients, table->clients_n)
        json_array_append_new(clients, client_json(client));
    st_json_set(object, "device_dropouts", table->device_dropouts_n);
    st_json_set(object, "client_dropouts", table->dropouts_n);
    st_json_set(object, "others_dropouts", table->others_dropouts_n);
    st_json_set(object, "clients", clients);
}
