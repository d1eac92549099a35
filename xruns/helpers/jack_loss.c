/* Joins xruns of a JACK server to losses of sound, and finds out which client or device they belong
 * to. */
#include "xruns/helpers/jack_loss.h"

#include "core/ns.h"

/* Callbacks at most this number of periods and SOUND_US apart belong to one loss. While a client
 * does not run, jack2 calls back in every second or third period, since it starts over after two
 * (JackEngineControl::UpdateTimeOut); less than 20 ms of sound between two losses make them one, as
 * with PipeWire. */
#define STANDSTILL_PERIODS 3
#define SOUND_US           20000
/* a loss of this length is reported before it ends, and no longer waits for messages of the log */
#define LONG_US    1000000
#define LONGEST_US 10000000 /* after this time the cause is judged again */

static int64_t within_us(const struct st_jack_cycle *cycle)
{
    return STANDSTILL_PERIODS * cycle->period_us + SOUND_US;
}

static bool is_client(enum st_jack_blame blame)
{
    return blame == ST_JACK_BLAME_NAMED || blame == ST_JACK_BLAME_CLIENT;
}

struct st_jack_loss *st_jack_loss_take(struct st_jack_losses *losses,
                                       const struct st_jack_cycle *now, struct st_jack_xrun xrun)
{
    const struct st_jack_loss *before = &losses->before;
    struct st_jack_loss *loss = losses->n > 0 ? &losses->list[losses->n - 1] : NULL, *begins = NULL;
    if (loss == NULL ||
        (now->at_us - loss->last_us > within_us(now) && losses->n < ST_JACK_LOSSES_MAX)) {
        begins = &losses->list[losses->n];
        *begins = (struct st_jack_loss){.begun = *now,
                                        .by_device = !xrun.client,
                                        .since_us = now->at_us,
                                        .joins = losses->n == 0 && is_client(before->blame) &&
                                                 now->at_us - before->last_us <= within_us(now)};
        loss = begins;
        losses->n++;
    }
    loss->last_us = now->at_us;
    (xrun.client ? loss->client_n : loss->device_n)[xrun.probable]++;
    return begins;
}

static int64_t clients_n(const struct st_jack_loss *loss)
{
    return loss->client_n[false] + loss->client_n[true];
}

void st_jack_loss_name(struct st_jack_losses *losses, const char *client, bool ran)
{
    size_t i = 0;
    if (losses->n == 0)
        return;
    while (i + 1 < losses->n && losses->list[i].named_n >= clients_n(&losses->list[i]))
        i++;
    losses->list[i].named_n++;
    st_jack_late_take(&losses->list[i].late, client, ran);
}

/* --- who caused a loss --- */

static void judge(struct st_jack_loss *loss)
{
    const bool hasty = loss->by_device && st_jack_xrun_is_hasty(&loss->begun, loss->last_us);
    loss->certainty = ST_CERTAINTY_PROBABLE;
    if (hasty) {
        loss->blame = ST_JACK_BLAME_SERVER;
    } else if (st_jack_late_judge(&loss->late, &loss->graph) >
               0) { /* even if the device ran dry, too */
        loss->blame = ST_JACK_BLAME_NAMED;
        if (!loss->late.probable)
            loss->certainty = ST_CERTAINTY_EXACT;
    } else if (clients_n(loss) == 0 || (loss->client_n[false] == 0 && loss->device_n[false] > 0)) {
        loss->blame = ST_JACK_BLAME_DEVICE;
        if (loss->device_n[false] > 0)
            loss->certainty = ST_CERTAINTY_EXACT;
    } else {
        loss->blame = ST_JACK_BLAME_CLIENT;
        if (loss->graph.n != 1 && loss->client_n[true] == 0)
            loss->certainty = ST_CERTAINTY_EXACT;
    }
}

/* @return the only client of the graph; "": there are several, or it is not known. */
static const char *only_client(const struct st_jack_loss *loss)
{
    return loss->graph.n == 1 && !loss->graph.more ? loss->graph.names[0] : "";
}

/* Are both losses pieces of one standstill, whose callbacks arrived in pieces? Then the same
 * clients are late in both, and the second follows soon after the first. */
static bool is_next_piece(const struct st_jack_loss *loss, const struct st_jack_loss *before)
{
    return !loss->joins && loss->blame == ST_JACK_BLAME_NAMED &&
           before->blame == ST_JACK_BLAME_NAMED && loss->begun.at_us - before->since_us < LONG_US &&
           st_jack_late_continues(&loss->late, &before->late, loss->begun.at_us - before->last_us);
}

/* Does the loss continue a dropout of this client that the loss before it has begun? */
static bool is_rest(const struct st_jack_loss *loss, const struct st_jack_loss *before,
                    const char *client)
{
    if (!loss->joins || loss->blame != before->blame)
        return is_next_piece(loss, before);
    if (loss->blame == ST_JACK_BLAME_NAMED)
        return st_jack_late_held(&before->late, client);
    return strcmp(only_client(before), client) == 0;
}

/* --- reports --- */

struct saying {
    struct st_jack_now now;
    st_xrun_seen_fn seen;
    void *ctx;
};

static void say_of(const struct st_jack_loss *loss, const struct st_jack_loss *before,
                   const char *client, const struct saying *saying)
{
    const bool begins = loss->said_us == 0 && !is_rest(loss, before, client);
    struct st_xrun_seen line = {.event = {.certainty = loss->certainty, .end_ns = saying->now.ns}};
    line.event.end_ns -= ST_NS_PER_US * ST_MAX(saying->now.us - loss->last_us, 0);
    ST_PRINT(line.event.client, "%s", client);
    line.event.kind = ST_EVENT_DEVICE_DROPOUT;
    line.event.count_n = 1;
    if (loss->blame != ST_JACK_BLAME_DEVICE) {
        line.event.kind = ST_EVENT_CLIENT_DROPOUT;
        line.event.count_n = begins;
        line.event.cycles_n = !begins;
        line.event.place = ST_DROPOUT_AT_GRAPH;
    }
    if (loss->blame == ST_JACK_BLAME_SERVER) {
        line.event.reason = ST_DROPOUT_WOKEN_LATE;
        line.event.place = ST_DROPOUT_AT_DEVICE_BUFFER;
    }
    saying->seen(saying->ctx, &line);
}

static void say(struct st_jack_loss *loss, const struct st_jack_loss *before,
                const struct saying *saying)
{
    if (loss->blame == ST_JACK_BLAME_OPEN)
        judge(loss);
    if (loss->said_us == 0 && is_next_piece(loss, before))
        loss->since_us = before->since_us;
    if (loss->blame == ST_JACK_BLAME_SERVER)
        say_of(loss, before, ST_XRUN_JACK_ITSELF, saying);
    else if (loss->blame == ST_JACK_BLAME_CLIENT)
        say_of(loss, before, only_client(loss), saying);
    else if (loss->blame != ST_JACK_BLAME_NAMED)
        say_of(loss, before, "", saying);
    else
        ST_EACH_OF (client, loss->late.clients, loss->late.n) {
            if (client->held)
                say_of(loss, before, client->name, saying);
        }
    loss->said_us = saying->now.us;
    loss->told_us = loss->last_us;
}

void st_jack_loss_say(struct st_jack_losses *losses, struct st_jack_now now, bool log, bool all,
                      st_xrun_seen_fn seen, void *ctx)
{
    const struct saying saying = {now, seen, ctx};
    size_t kept = 0;
    for (size_t i = 0; i < losses->n; i++) {
        struct st_jack_loss *loss = &losses->list[i];
        const bool over = now.us - loss->last_us >= within_us(&loss->begun) + ST_JACK_PAUSE_US ||
                          i + 1 < losses->n;
        const bool waits = log && loss->named_n == 0 && clients_n(loss) > 0;
        const int64_t lasts_us = now.us - loss->begun.at_us;
        if (loss->said_us == 0 ? all || lasts_us >= LONG_US || (over && !waits)
                               : loss->last_us > loss->told_us &&
                                     (all || over || now.us - loss->said_us >= LONG_US))
            say(loss, &losses->before, &saying);
        /* a loss of the device is over once reported: only a client's loss can be reported as one
         * that goes on */
        if (loss->said_us != 0 && (over || !is_client(loss->blame) || lasts_us >= LONGEST_US))
            losses->before = *loss;
        else
            losses->list[kept++] = *loss;
    }
    losses->n = kept;
}
