/* The clients of a sound server, by harm: their names are others' choice, so the list is bounded. */
#include "daemon/observe/observed.h"

#include <stdlib.h>
#include <string.h>

uint64_t st_observed_client_dropouts(const struct st_observed_client *client)
{
    return client->not_ready_n + client->device_xruns_n;
}

enum st_dropout_reason st_observed_client_reason(const struct st_observed_client *client)
{
    size_t most = 0;
    for (size_t i = 1; i < ST_DROPOUT_REASONS; i++) {
        if (client->reasons_n[i] > client->reasons_n[most])
            most = i;
    }
    return (enum st_dropout_reason)most;
}

/* The majority vote of Boyer and Moore. */
void st_observed_clients_blame(char culprit[ST_XRUN_NAME_BYTES], int64_t *culprit_n, const char *name,
                               int64_t n)
{
    if (strcmp(culprit, name) == 0) {
        *culprit_n += n;
    } else if (*culprit_n >= n) {
        *culprit_n -= n;
    } else {
        *culprit_n = n - *culprit_n;
        memset(culprit, 0, ST_XRUN_NAME_BYTES);
        memcpy(culprit, name, strlen(name) < ST_XRUN_NAME_BYTES ? strlen(name) : ST_XRUN_NAME_BYTES - 1);
    }
}

static struct st_observed_client *find(struct st_observed_view *view, const struct st_xrun_seen *seen)
{
    for (size_t i = 0; i < view->clients_n; i++) {
        struct st_observed_client *client = &view->clients[i];
        if (strcmp(client->name, seen->client) == 0 && strcmp(client->device, seen->device) == 0)
            return client;
    }
    return NULL;
}

/* Does `a` make room before `b`? Who made no dropout first, then who has gone, then by dropouts and age. */
static bool goes_before(const struct st_observed_client *a, const struct st_observed_client *b)
{
    const uint64_t of_a = st_observed_client_dropouts(a), of_b = st_observed_client_dropouts(b);
    if ((of_a == 0) != (of_b == 0))
        return of_a == 0;
    if (a->playing != b->playing)
        return !a->playing;
    return of_a != of_b ? of_a < of_b : a->seen_ns < b->seen_ns;
}

/* A place for a new client. NULL: it made no dropout, and all others did. */
static struct st_observed_client *make_room(struct st_observed_view *view, bool dropout)
{
    if (view->clients_n < ST_OBSERVED_CLIENTS_MAX)
        return &view->clients[view->clients_n++];
    struct st_observed_client *least = &view->clients[0];
    for (size_t i = 1; i < view->clients_n; i++) {
        if (goes_before(&view->clients[i], least))
            least = &view->clients[i];
    }
    if (!dropout && (least->playing || st_observed_client_dropouts(least) > 0))
        return NULL;
    view->others_not_ready_n += least->not_ready_n;
    return least;
}

static void count_dropouts(struct st_observed_client *client, const struct st_xrun_seen *seen,
                           int64_t wall_ns)
{
    client->not_ready_n += (uint64_t)seen->starved_n;
    client->device_xruns_n += (uint64_t)seen->device_xruns_n;
    client->reasons_n[seen->reason] += (uint64_t)seen->starved_n;
    if (client->first_wall_ns == INT64_MIN)
        client->first_wall_ns = wall_ns;
    client->last_wall_ns = wall_ns;
    if (seen->culprit[0] != '\0')
        st_observed_clients_blame(client->culprit, &client->culprit_n, seen->culprit, seen->starved_n);
    const enum st_dropout_reason reason = st_observed_client_reason(client);
    const bool is_longer = seen->busy_ns + seen->wait_ns > client->worst_busy_ns + client->worst_wait_ns;
    const bool was = client->worst_reason == reason, is = seen->reason == reason;
    if (was == is ? !is_longer : was)
        return;
    client->worst_reason = seen->reason;
    client->worst_busy_ns = seen->busy_ns;
    client->worst_wait_ns = seen->wait_ns;
    client->worst_period_ns = seen->period_ns;
}

static void take_device_load(struct st_observed_view *view, const struct st_xrun_seen *seen, int64_t now_ns)
{
    const struct st_xrun_load *load = &seen->load;
    const int64_t period_ns = load->period_ns > 0 ? load->period_ns : 0;
    /* of several devices the one with the shortest period: it is the one that clicks first */
    if (strcmp(view->device, seen->device) != 0 && view->period_ns > 0 &&
        now_ns - view->device_load_ns <= ST_OBSERVED_GONE_NS && period_ns >= view->period_ns)
        return;
    memcpy(view->device, seen->device, sizeof(view->device));
    view->frames = load->frames;
    view->rate_hz = load->rate_hz;
    view->period_ns = period_ns;
    view->device_load_ns = now_ns;
}

void st_observed_clients_take(struct st_observed_view *view, const struct st_xrun_seen *seen, int64_t now_ns,
                              int64_t wall_ns)
{
    const bool is_load = seen->load.cycles_n > 0, dropout = seen->starved_n > 0 || seen->device_xruns_n > 0;
    if (is_load && seen->client[0] == '\0') {
        take_device_load(view, seen, now_ns);
        return;
    }
    if (!is_load && seen->client[0] == '\0' && seen->starved_n == 0)
        return; /* an xrun of the device itself */
    struct st_observed_client *client = find(view, seen);
    if (client == NULL) {
        client = make_room(view, dropout);
        if (client == NULL)
            return;
        *client = (struct st_observed_client){
            .first_wall_ns = INT64_MIN, .last_wall_ns = INT64_MIN, .load_ns = INT64_MIN};
        memcpy(client->name, seen->client, sizeof(client->name));
        memcpy(client->device, seen->device, sizeof(client->device));
    }
    client->seen_ns = now_ns;
    if (is_load) {
        client->load = seen->load;
        client->load_ns = now_ns;
        client->playing = true;
    }
    if (dropout)
        count_dropouts(client, seen, wall_ns);
}

static int by_harm(const void *one, const void *other)
{
    const struct st_observed_client *a = one, *b = other;
    const uint64_t of_a = st_observed_client_dropouts(a), of_b = st_observed_client_dropouts(b);
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    if (a->playing != b->playing)
        return a->playing ? -1 : 1;
    const int names = strcmp(a->name, b->name);
    return names != 0 ? names : strcmp(a->device, b->device);
}

void st_observed_clients_age(struct st_observed_view *view, int64_t now_ns, bool watching)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->clients_n; i++) {
        struct st_observed_client *client = &view->clients[i];
        if (client->playing && (!watching || now_ns - client->load_ns > ST_OBSERVED_GONE_NS)) {
            client->playing = false;
            client->load = (struct st_xrun_load){0};
        }
        if (client->playing || st_observed_client_dropouts(client) > 0)
            view->clients[kept++] = *client;
    }
    view->clients_n = kept;
    if (view->period_ns > 0 && (!watching || now_ns - view->device_load_ns > ST_OBSERVED_GONE_NS)) {
        view->frames = view->rate_hz = view->period_ns = 0;
        view->device[0] = '\0';
    }
    if (view->clients_n > 1)
        qsort(view->clients, view->clients_n, sizeof(view->clients[0]), by_harm);
}
