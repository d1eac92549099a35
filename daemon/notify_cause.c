#include "daemon/notify_cause.h"

#include "core/ns.h"
#include "daemon/status/answer.h"
#include "story/dropout_sentence.h"

static struct st_notify_cause cause_of(const struct st_dropout_client *client)
{
    struct st_notify_cause cause = {.reason = client->rows[0].reason};
    const bool taken = st_dropout_reason_blame(cause.reason) == ST_DROPOUT_BLAME_CPU;
    const struct st_dropout_row *row = client->rows;
    memcpy(cause.name, taken && st_dropout_table_is_culprit(row) ? row->culprit : client->name,
           sizeof(cause.name));
    return cause;
}

static bool is_shown(const struct st_notify_shown *shown, const struct st_notify_cause *cause)
{
    ST_EACH_OF (row, shown->causes, shown->n) {
        if (row->reason == cause->reason && st_text_is(row->name, cause->name))
            return true;
    }
    return shown->n == ST_NOTIFY_CAUSES_MAX;
}

bool st_notify_cause_find(const struct st_notify_shown *shown, const struct st_view *view,
                          struct st_notify_text *ret)
{
    const struct st_observe_view *observe = &view->observe;
    struct st_dropout_client first = {.name = ""};
    ST_EACH_OF (source, observe->sources, observe->n) {
        const struct st_dropout_table *table = st_observed_shown(source);
        ST_EACH_OF (client, table->clients, table->clients_n) {
            const struct st_notify_cause cause = cause_of(client);
            if (client->sum.n < ST_NOTIFY_DROPOUTS || client->name[0] == '\0' ||
                st_text_begins(client->name, "sleeptune") ||
                st_ns_sub(view->now_wall_ns, client->sum.last_wall_ns) > ST_NOTIFY_RECENT_NS ||
                is_shown(shown, &cause) ||
                (first.name[0] != '\0' && !st_dropout_table_goes_first(client, &first)))
                continue;
            first = *client;
            ret->cause = cause;
            ST_PRINT(ret->brief, "%s", st_dropout_sentence_brief(client->name, client->sum.n));
            ST_PRINT(ret->sentence, "%s",
                     st_dropout_sentence_of(client, source->source, st_answer_since(view, source)));
            if (!st_dropout_table_is_timed(&table->sum))
                /* if lengths of dropouts are unknown, the table is sorted by number of dropouts:
                 * all later clients have fewer */
                break;
        }
    }
    return first.name[0] != '\0';
}

void st_notify_cause_add(struct st_notify_shown *shown, const struct st_notify_cause *cause)
{
    if (shown->n < ST_NOTIFY_CAUSES_MAX)
        shown->causes[shown->n++] = *cause;
}
