/* Adds up the dropouts of one source. Other programs choose the names of clients, so the number of
 * clients is limited. */
#include "story/dropout_table.h"

#include "core/ns.h"
#include "core/text/safe.h"

/* default.clock.rate of PipeWire, which is used even if no program asks for it */
#define USUAL_RATE_HZ 48000
/* shortest period that does not count as hard to keep; 128 frames at 48 kHz are 2.667 ms */
#define HARD_NS (3 * ST_NS_PER_MS)

bool st_dropout_table_is_timed(const struct st_dropout_sum *sum)
{
    return sum->n > 0 && sum->lost_ns > 0 && 10 * sum->unknown_n <= sum->n;
}

/* Compares two losses, to sort the larger one first: by lost time if `timed`, then by number of
 * dropouts. */
static int compare(const struct st_dropout_sum *a, const struct st_dropout_sum *b, bool timed)
{
    if (timed && a->lost_ns != b->lost_ns)
        return a->lost_ns > b->lost_ns ? -1 : 1;
    return (a->n < b->n) - (a->n > b->n);
}

/* Compares the losses of two clients, to sort the larger one first. Of equal losses, a client with
 * a name comes before a device. */
static int compare_clients(const struct st_dropout_client *a, const struct st_dropout_client *b,
                           bool timed)
{
    /* Does not compare times if one client has no dropout of its own (n = 0), only the rest of a
     * dropout that was counted earlier. */
    const int more = compare(&a->sum, &b->sum, timed && a->sum.n > 0 && b->sum.n > 0);
    return more != 0 ? more : (a->name[0] == '\0') - (b->name[0] == '\0');
}

bool st_dropout_table_goes_first(const struct st_dropout_client *a,
                                 const struct st_dropout_client *b)
{
    return compare_clients(
               a, b, st_dropout_table_is_timed(&a->sum) && st_dropout_table_is_timed(&b->sum)) < 0;
}

const struct st_dropout_client *st_dropout_table_worst(const struct st_dropout_table *table,
                                                       int64_t within_ns)
{
    const struct st_dropout_client *worst = NULL;
    const int64_t since_ns = st_ns_sub(table->sum.last_wall_ns, within_ns);
    const bool timed = st_dropout_table_is_timed(&table->sum);
    bool worst_late = false;
    ST_EACH_OF (client, table->clients, table->clients_n) {
        const bool late = client->sum.last_wall_ns >= since_ns;
        if (client->sum.n == 0 ||
            (worst != NULL &&
             (late == worst_late ? compare_clients(client, worst, timed) >= 0 : worst_late)))
            continue;
        worst = client;
        worst_late = late;
    }
    /* If the worst client lost the CPU and its culprit is not known, prefers a client that lost the
     * CPU to a known culprit, since the user can act on that; but none that lost much less. */
    if (worst == NULL || !st_dropout_table_lost_cpu(worst) ||
        st_dropout_table_is_culprit(worst->rows))
        return worst;
    ST_EACH_OF (client, table->clients, table->clients_n) {
        if ((client->sum.last_wall_ns >= since_ns) == worst_late &&
            4 * client->sum.n >= worst->sum.n && st_dropout_table_lost_cpu(client) &&
            st_dropout_table_is_culprit(client->rows))
            return client;
    }
    return worst;
}

static struct st_dropout_client new_client(const struct st_event *event)
{
    struct st_dropout_client client = {.load_ns = INT64_MIN};
    ST_PRINT(client.name, "%s", event->client);
    ST_PRINT(client.device, "%s", event->device);
    return client;
}

void st_dropout_table_begin_again(struct st_dropout_table *table)
{
    size_t kept = 0;
    ST_EACH_OF (client, table->clients, table->clients_n) {
        memset(client, 0, offsetof(struct st_dropout_client, name));
        if (client->playing)
            table->clients[kept++] = *client;
    }
    memset(table, 0, offsetof(struct st_dropout_table, clients));
    table->clients_n = kept;
}

static void end_client(struct st_dropout_client *client)
{
    client->playing = false;
    client->load = (struct st_xrun_load){0};
}

/* Finds the client of an event. All streams with one name are one client; without a name, each
 * device is one. */
static struct st_dropout_client *find(struct st_dropout_table *table, const struct st_event *event)
{
    ST_EACH_OF (client, table->clients, table->clients_n) {
        if (st_text_is(client->name, event->client) &&
            (client->name[0] != '\0' || st_text_is(client->device, event->device)))
            return client;
    }
    return NULL;
}

/* Does client `a` leave the full table before `b`? Clients without dropouts leave first, then
 * clients that do not play any more, then clients with fewer dropouts, then those seen longer
 * ago. */
static bool goes_before(const struct st_dropout_client *a, const struct st_dropout_client *b)
{
    const uint64_t of_a = a->sum.n, of_b = b->sum.n;
    if ((of_a == 0) != (of_b == 0))
        return of_a == 0;
    if (a->playing != b->playing)
        return !a->playing;
    return of_a != of_b ? of_a < of_b : a->seen_ns < b->seen_ns;
}

/* Finds a place for a new client in clients[]. NULL: the new client has no dropout, and no other
 * client may be replaced for it. */
static struct st_dropout_client *make_room(struct st_dropout_table *table, bool dropout)
{
    struct st_dropout_client *least = table->clients;
    if (table->clients_n < ST_DROPOUT_CLIENTS_MAX)
        return &least[table->clients_n++];
    ST_EACH_OF (client, table->clients, table->clients_n) {
        if (goes_before(client, least))
            least = client;
    }
    if (!dropout && (least->playing || least->sum.n > 0))
        return NULL;
    table->others_dropouts_n += least->sum.n;
    return least;
}

static void add(struct st_dropout_sum *sum, const struct st_event *event, int64_t period_ns)
{
    /* each reader and writer of an event limits the number, so that a sum does not overflow */
    const uint64_t n = (uint64_t)st_event_count(event);
    sum->n += n;
    if (event->kind == ST_EVENT_DEVICE_DROPOUT)
        sum->device_n += n;
    if (event->lost_ns == 0 || event->longest_ns == 0)
        sum->unknown_n += n;
    sum->lost_ns = st_ns_add(sum->lost_ns, event->lost_ns);
    sum->longest_ns = ST_MAX(event->longest_ns, sum->longest_ns);
    sum->cycles_n = st_ns_add(sum->cycles_n, event->cycles_n);
    if (sum->first_wall_ns == 0 || event->wall_ns < sum->first_wall_ns)
        sum->first_wall_ns = event->wall_ns;
    sum->last_wall_ns = ST_MAX(event->wall_ns, sum->last_wall_ns);
    sum->longest_period_ns = ST_MAX(period_ns, sum->longest_period_ns);
}

static struct st_dropout_row *find_row(struct st_dropout_client *client,
                                       enum st_dropout_reason reason, enum st_dropout_place place,
                                       const char *stream)
{
    ST_EACH_OF (row, client->rows, client->rows_n) {
        if (row->reason == reason && row->place == place && row->stream == stream)
            return row;
    }
    return NULL;
}

/* Finds or adds the client's row for the reason and place of this event. */
static struct st_dropout_row *row_of(struct st_dropout_client *client, const struct st_event *event)
{
    const char *stream = NULL;
    if (event->kind == ST_EVENT_DEVICE_DROPOUT)
        stream = (client->name[0] == '\0' ? st_dropout_reason_device
                                          : st_dropout_reason_stream)(event->device);
    struct st_dropout_row *row = find_row(client, event->reason, event->place, stream);
    if (row == NULL && client->rows_n < ST_DROPOUT_ROWS_MAX) {
        row = &client->rows[client->rows_n++];
        *row = (struct st_dropout_row){.reason = event->reason,
                                       .place = event->place,
                                       .stream = stream,
                                       .slowed = ST_CAUSE_UNKNOWN};
    }
    if (row == NULL)
        /* All rows are in use, so the last one becomes a row without a reason, which counts
         * dropouts of several reasons. */
        row = find_row(client, ST_DROPOUT_UNKNOWN, ST_DROPOUT_AT_UNKNOWN, NULL);
    if (row == NULL) {
        row = &client->rows[ST_DROPOUT_ROWS_MAX - 1];
        *row = (struct st_dropout_row){.sum = row->sum, .slowed = ST_CAUSE_UNKNOWN};
    }
    return row;
}

static void add_to_row(struct st_dropout_row *row, const struct st_event *event, int64_t period_ns)
{
    const int64_t named_n = ST_MIN(event->culprit_n, st_event_count(event));
    add(&row->sum, event, period_ns);
    if (event->culprit[0] != '\0' && named_n > 0) {
        const bool led = st_text_is(row->culprit, event->culprit);
        st_dropout_reason_vote(row->culprit, &row->culprit_lead_n, event->culprit, named_n);
        if (st_text_is(row->culprit, event->culprit)) {
            row->culprit_n = (uint64_t)named_n + (led ? row->culprit_n : 0);
            row->culprit_plays = event->culprit_plays;
        }
    }
    const bool slowed = event->slowed != ST_CAUSE_UNKNOWN,
               was_slowed = row->slowed != ST_CAUSE_UNKNOWN;
    if ((slowed && !was_slowed && row->worst.period_ns > 0) ||
        (slowed == was_slowed && !st_dropout_cycle_is_worse(&event->cycle, &row->worst)))
        return;
    row->worst = event->cycle;
    row->slowed = event->slowed;
}

/* Must row `a` stand after row `b`? So it must if its loss is smaller, or if the losses are equal
 * and only `a` has no reason. */
static bool is_behind(const struct st_dropout_row *a, const struct st_dropout_row *b, bool timed)
{
    const int more = compare(&a->sum, &b->sum, timed);
    return more > 0 || (more == 0 && a->reason < b->reason);
}

static void count_dropouts(struct st_dropout_client *client, const struct st_event *event,
                           int64_t period_ns)
{
    add(&client->sum, event, period_ns);
    add_to_row(row_of(client, event), event, period_ns);
    if (st_event_count(event) == 1) /* of a sum of losses, only the time of the first is known */
        st_loss_rhythm_add(&client->rhythm, event->wall_ns - event->span_ns);
    for (size_t i = 1; i < client->rows_n; i++) {
        const struct st_dropout_row row = client->rows[i];
        size_t at = i;
        for (; at > 0 &&
               is_behind(&client->rows[at - 1], &row, st_dropout_table_is_timed(&client->sum));
             at--)
            client->rows[at] = client->rows[at - 1];
        client->rows[at] = row;
    }
}

static void take_device_load(struct st_dropout_table *table, const struct st_xrun_seen *seen,
                             int64_t now_ns)
{
    const struct st_xrun_load *load = &seen->load;
    /* If several devices play, the one with the shortest period is shown, since it loses sound
     * first. */
    if (!st_text_is(table->device, seen->event.device) && table->period_ns > 0 &&
        now_ns - table->device_load_ns <= ST_DROPOUT_GONE_NS && load->period_ns >= table->period_ns)
        return;
    memcpy(table->device, seen->event.device, sizeof(table->device));
    table->frames = table->last_frames = load->frames;
    table->forced_frames = load->asked_frames;
    table->rate_hz = table->last_rate_hz = load->rate_hz;
    table->period_ns = load->period_ns;
    table->priority = load->priority;
    table->device_load_ns = now_ns;
}

/* Is the client with the largest loss one of those that did not finish this cycle in time? */
static bool is_of_worst(const struct st_dropout_table *table,
                        const struct st_dropout_table_cycle *cycle)
{
    const struct st_dropout_client *worst = st_dropout_table_worst(table, INT64_MAX);
    ST_EACH_OF (client, cycle->clients, cycle->n) {
        if (worst != NULL && st_text_is(client->event.client, worst->name) &&
            client->event.cycle.wait_ns + client->event.cycle.busy_ns >= client->deadline_ns)
            return true;
    }
    return false;
}

static void take_cycle(struct st_dropout_table *table, const struct st_xrun_seen *seen,
                       int64_t wall_ns)
{
    struct st_dropout_table_cycle *coming = &table->coming;
    if (coming->left_n != seen->left_n + 1)
        coming->n = 0; /* the clients in `coming` belong to another cycle */
    coming->left_n = seen->left_n;
    coming->wall_ns = wall_ns;
    if (coming->n < ST_DROPOUT_CYCLE_MAX) {
        size_t at = coming->n++;
        for (; at > 0 && coming->clients[at - 1].event.cycle.wait_ns > seen->event.cycle.wait_ns;
             at--)
            coming->clients[at] = coming->clients[at - 1];
        coming->clients[at] = *seen;
    }
    if (coming->left_n == 0 && (is_of_worst(table, coming) || !is_of_worst(table, &table->cycle)))
        table->cycle = *coming;
}

/* Finds or adds the client of an event. @param dropout the client has a dropout, so it may replace
 * another one. */
static struct st_dropout_client *find_or_add(struct st_dropout_table *table,
                                             const struct st_event *event, bool dropout)
{
    struct st_dropout_client *client = find(table, event);
    if (client != NULL)
        ST_PRINT(client->device, "%s", event->device);
    else if ((client = make_room(table, dropout)) != NULL)
        *client = new_client(event);
    return client;
}

static void take_load(struct st_dropout_table *table, const struct st_xrun_seen *seen,
                      int64_t now_ns)
{
    const struct st_xrun_load *load = &seen->load;
    if (seen->event.client[0] == '\0') {
        take_device_load(table, seen, now_ns);
        return;
    }
    struct st_dropout_client *client = find_or_add(table, &seen->event, false);
    if (client == NULL)
        return;
    client->load = client->last = *load;
    if (load->reserve_ns > 0 &&
        (client->reserve_ns == 0 || load->reserve_ns < client->reserve_ns)) {
        client->reserve_ns = load->reserve_ns;
        client->buffer_ns = load->buffer_ns;
    }
    if (load->drift_ppb != 0)
        client->drift_ppb = load->drift_ppb;
    client->seen_ns = client->load_ns = now_ns;
    client->playing = true;
}

void st_dropout_table_take_event(struct st_dropout_table *table, const struct st_event *event,
                                 int64_t now_ns)
{
    const uint64_t n = (uint64_t)st_event_count(event);
    const int64_t period_ns =
        event->cycle.period_ns > 0 ? event->cycle.period_ns : table->period_ns;
    if (st_text_begins(event->client, ST_DROPOUT_TEST_CLIENT))
        return;
    add(&table->sum, event, period_ns);
    if (event->kind == ST_EVENT_CLIENT_DROPOUT)
        table->reasons_n[event->reason] += n;
    table->places_n[event->place] += n;
    if (now_ns >= table->last_ns) {
        table->last_ns = now_ns;
        /* the time of this dropout, even if it is before the previous one: the wall clock may have
         * been set back */
        table->sum.last_wall_ns = event->wall_ns;
        table->certainty = event->certainty;
        /* A dropout shows that something plays on its device. */
        if (st_text_is(table->device, event->device))
            table->device_load_ns = ST_MAX(now_ns, table->device_load_ns);
    }
    struct st_dropout_client *client = find_or_add(table, event, true);
    if (client == NULL)
        return;
    client->seen_ns = now_ns;
    count_dropouts(client, event, period_ns);
}

void st_dropout_table_take(struct st_dropout_table *table, const struct st_xrun_seen *seen,
                           int64_t now_ns, int64_t wall_ns)
{
    if (seen->kind == ST_XRUN_SEEN_CYCLE) {
        take_cycle(table, seen, wall_ns);
    } else if (st_text_begins(seen->event.client, ST_DROPOUT_TEST_CLIENT)) {
        return; /* a test signal of `sleeptune listen` counts only as one client of a cycle */
    } else if (seen->kind == ST_XRUN_SEEN_DROPOUT) {
        const struct st_event event = st_event_of_seen(&seen->event, wall_ns);
        st_dropout_table_take_event(table, &event, now_ns);
    } else if (seen->kind == ST_XRUN_SEEN_LOAD) {
        take_load(table, seen, now_ns);
    } else if (seen->kind == ST_XRUN_SEEN_ENDED) {
        struct st_dropout_client *client = find(table, &seen->event);
        if (client == NULL || !st_text_is(client->device, seen->event.device))
            return; /* the client still plays on another device */
        end_client(client);
        client->seen_ns = now_ns;
    }
}

struct st_dropout_client st_dropout_table_of_event(const struct st_event *event)
{
    struct st_dropout_client client = new_client(event);
    struct st_event counted = *event;
    if (event->count_n <= 0)
        counted.count_n = counted.culprit_n = 1;
    count_dropouts(&client, &counted, counted.cycle.period_ns);
    return client;
}

const char *st_dropout_table_asked(const struct st_dropout_table *table)
{
    const char *text = "";
    const struct st_dropout_client *least = NULL, *rate = NULL;
    ST_EACH_OF (client, table->clients, table->clients_n) {
        const struct st_xrun_load *load = &client->load;
        if (load->asked_frames == 0 ||
            (table->device[0] != '\0' && !st_text_is(client->device, table->device)))
            continue;
        if (least == NULL || load->asked_frames * least->load.asked_rate_hz <
                                 least->load.asked_frames * load->asked_rate_hz)
            least = client;
        if (rate == NULL && load->asked_rate_hz == table->rate_hz &&
            table->rate_hz != USUAL_RATE_HZ)
            rate = client;
    }
    if (least != NULL)
        text = st_text(least->load.asked_rate_hz == ST_XRUN_ASKED_MS
                           ? "%s has a buffer of about %jd ms"
                           : "%s asked for %jd frames",
                       least->name, least->load.asked_frames);
    if (rate != NULL)
        text = st_text("%s%s %g kHz", text, rate == least ? " at" : st_text(", %s for", rate->name),
                       (double)table->rate_hz / 1000);
    return text;
}

const char *st_dropout_table_rhythm(const struct st_dropout_client *client)
{
    const struct st_xrun_load *last = &client->last;
    if (last->block_frames == 0 || last->rate_hz == 0)
        return "";
    const double each_ns = (double)last->block_frames * (double)ST_NS_PER_S / (double)last->rate_hz;
    return st_text(
        "every %s (%jd samples)%s", st_ns_short((int64_t)each_ns), last->block_frames,
        last->block_any != 0
            ? st_text(" at any buffer size: one of its plug-ins works in blocks of %jd samples",
                      last->block_frames)
            : "");
}

const struct st_dropout_client *st_dropout_table_unheard(const struct st_dropout_table *table)
{
    ST_EACH_OF (client, table->clients, table->clients_n) {
        if (st_dropout_table_is_unheard(client))
            return client;
    }
    return NULL;
}

bool st_dropout_table_is_normal(const struct st_dropout_table *table)
{
    bool known = table->priority != 0, normal = table->priority == ST_XRUN_NORMAL || !known;
    ST_EACH_OF (client, table->clients, table->clients_n) {
        known |= client->playing;
        normal &= !client->playing || client->load.priority == ST_XRUN_NORMAL;
    }
    return known && normal;
}

bool st_dropout_table_lost_cpu(const struct st_dropout_client *client)
{
    const struct st_dropout_row *row = client->rows;
    return st_dropout_reason_blame(row->reason) == ST_DROPOUT_BLAME_CPU && row->stream == NULL &&
           row->place != ST_DROPOUT_AT_CLIENT_BUFFER && st_dropout_place_why(row->place) == NULL;
}

bool st_dropout_table_is_forced(const struct st_dropout_table *table,
                                const struct st_dropout_client *client)
{
    const bool hard =
        table->forced_frames > 0 && table->period_ns > 0 && table->period_ns < HARD_NS;
    if (!hard || client == NULL)
        return hard;
    const struct st_dropout_row *row = client->rows;
    return row->place != ST_DROPOUT_AT_CLIENT_BUFFER &&
           (row->reason == ST_DROPOUT_UNKNOWN || row->reason == ST_DROPOUT_TOO_SLOW ||
            st_dropout_table_lost_cpu(client));
}

static int by_loss(const void *one, const void *other)
{
    const struct st_dropout_client *a = one, *b = other;
    const int more = compare_clients(a, b, a->timed);
    if (more != 0)
        return more;
    if (a->playing != b->playing)
        return a->playing ? -1 : 1;
    const int names = strcmp(a->name, b->name);
    return names != 0 ? names : strcmp(a->device, b->device);
}

void st_dropout_table_age(struct st_dropout_table *table, int64_t now_ns, bool watching)
{
    const int64_t oldest_ns = watching ? now_ns - ST_DROPOUT_GONE_NS : INT64_MAX;
    size_t kept = 0;
    ST_EACH_OF (client, table->clients, table->clients_n) {
        if (client->load_ns < oldest_ns)
            end_client(client);
        if (!watching)
            client->load_ns = INT64_MIN; /* it may still play: unseen, it has not ended */
        client->timed = st_dropout_table_is_timed(&table->sum);
        st_loss_rhythm_find(&client->rhythm);
        if (client->playing || client->sum.n > 0)
            table->clients[kept++] = *client;
    }
    table->clients_n = kept;
    if (table->period_ns > 0 && table->device_load_ns < oldest_ns) {
        table->frames = table->forced_frames = table->rate_hz = table->period_ns = 0;
        table->device[0] = '\0';
    }
    qsort(table->clients, kept, sizeof(table->clients[0]), by_loss);
}

static bool goes_first(const struct st_dropout_source *a, const struct st_dropout_source *b,
                       bool timed)
{
    const struct st_dropout_sum *of_a = &a->table->sum, *of_b = &b->table->sum;
    const bool asked_a = a->asked && of_a->n > 0, asked_b = b->asked && of_b->n > 0;
    const int more = compare(of_a, of_b, timed);
    if (asked_a != asked_b)
        return asked_a;
    if (a->plays != b->plays && (more == 0 || !asked_a))
        return a->plays;
    if (more != 0)
        return more < 0;
    return st_xrun_sources_find(a->name)->server_env != NULL &&
           st_xrun_sources_find(b->name)->server_env == NULL;
}

void st_dropout_table_sort(struct st_dropout_source *sources, size_t n)
{
    bool timed = true;
    ST_EACH_OF (source, sources, n)
        timed &= source->table->sum.n == 0 || st_dropout_table_is_timed(&source->table->sum);
    for (size_t i = 1; i < n; i++) {
        for (size_t j = i; j > 0 && goes_first(&sources[j], &sources[j - 1], timed); j--) {
            const struct st_dropout_source first = sources[j];
            sources[j] = sources[j - 1];
            sources[j - 1] = first;
        }
    }
}
