#include "daemon/notify_cause.h"

#include <stdio.h>
#include <string.h>

#include "core/ns.h"
#include "core/text/text.h"
#include "core/when.h"
#include "story/dropout_sentence.h"

static struct st_notify_cause cause_of(const struct st_dropout_client *client)
{
    struct st_notify_cause cause = {.reason = st_dropout_reason_most(client->reasons_n)};
    const bool taken = cause.reason == ST_DROPOUT_CPU_TAKEN || cause.reason == ST_DROPOUT_WOKEN_LATE;
    ST_PRINT(cause.name, "%s", taken && client->culprit[0] != '\0' ? client->culprit : client->name);
    return cause;
}

static bool is_shown(const struct st_notify_shown *shown, const struct st_notify_cause *cause)
{
    ST_EACH_OF (row, shown->causes, shown->n) {
        if (row->reason == cause->reason && strcmp(row->name, cause->name) == 0)
            return true;
    }
    return shown->n == ST_NOTIFY_CAUSES_MAX;
}

static void put_text(const struct st_observed_view *source, const struct st_dropout_client *client,
                     int64_t now_wall_ns, struct st_notify_text *ret)
{
    char since[32], when[64], why[256];
    const uint64_t all_n = source->seen.device_xruns_n + source->seen.dropouts_n;
    struct st_dropout_sentence about = {
        .all_n = all_n, .when = when, .why = why, .server = st_event_source_title(source->source)};
    st_dropout_table_named(&source->seen, client, &about);
    st_dropout_table_why(client, true, why, sizeof(why));
    ST_PRINT(when, "(watched since %s)",
             st_when_text_near(source->since_wall_ns, now_wall_ns, since, sizeof(since)));
    (void)st_dropout_sentence_brief(client->name, about.n, ret->brief, sizeof(ret->brief));
    (void)st_dropout_sentence(&about, ret->sentence, sizeof(ret->sentence));
}

bool st_notify_cause_find(const struct st_notify_shown *shown, const struct st_observe_view *observe,
                          int64_t now_wall_ns, struct st_notify_text *ret)
{
    uint64_t most_n = ST_NOTIFY_DROPOUTS - 1;
    for (size_t i = 0; i < observe->n; i++) {
        const struct st_observed_view *source = &observe->sources[i];
        ST_EACH_OF (client, source->seen.clients, source->seen.clients_n) {
            const uint64_t n = st_dropout_table_count(client);
            const struct st_notify_cause cause = cause_of(client);
            if (n <= most_n || client->name[0] == '\0' || st_text_begins(client->name, "sleeptune") ||
                st_ns_sub(now_wall_ns, client->last_wall_ns) > ST_NOTIFY_RECENT_NS || is_shown(shown, &cause))
                continue;
            most_n = n;
            ret->cause = cause;
            put_text(source, client, now_wall_ns, ret);
        }
    }
    return most_n >= ST_NOTIFY_DROPOUTS;
}

void st_notify_cause_add(struct st_notify_shown *shown, const struct st_notify_cause *cause)
{
    if (shown->n < ST_NOTIFY_CAUSES_MAX)
        shown->causes[shown->n++] = *cause;
}
