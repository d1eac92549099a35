/* Token buckets of events. */
#include "daemon/causes/event_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/ns.h"

#define FULL_NS (ST_EVENT_LIMIT_BURST_N * ST_EVENT_LIMIT_EACH_NS)

static bool has_token(struct st_event_bucket *bucket, int64_t now_ns)
{
    const int64_t refilled_ns = now_ns - bucket->at_ns;
    bucket->used_ns = bucket->used_ns > refilled_ns ? bucket->used_ns - refilled_ns : 0;
    bucket->at_ns = now_ns;
    if (bucket->used_ns + ST_EVENT_LIMIT_EACH_NS > FULL_NS)
        return false;
    bucket->used_ns += ST_EVENT_LIMIT_EACH_NS;
    return true;
}

/* FNV-1a: two names of one hash make the sum one client too small. */
static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261U;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 16777619U;
    return h;
}

static void add_client(struct st_event_bucket *bucket, const char *name)
{
    if (name[0] == '\0')
        return;
    const uint32_t h = hash(name);
    for (size_t i = 0; i < bucket->clients_n; i++) {
        if (bucket->clients[i] == h)
            return;
    }
    if (bucket->clients_n < ST_EVENT_LIMIT_CLIENTS_MAX)
        bucket->clients[bucket->clients_n++] = h;
    else
        bucket->more_clients = true;
}

bool st_event_limit_passes(struct st_event_limit *limit, int64_t now_ns, enum st_log_level level,
                           const struct st_event *event)
{
    struct st_event_bucket *bucket = &limit->buckets[st_event_kinds_place(&limit->kinds, event)];
    if (has_token(bucket, now_ns))
        return true;
    if (bucket->events_n == 0) {
        bucket->since_ns = now_ns;
        bucket->level = level;
        bucket->certainty = event->certainty;
    }
    if (level < bucket->level)
        bucket->level = level;
    if (event->certainty != bucket->certainty)
        bucket->certainty = ST_CERTAINTY_PROBABLE;
    bucket->events_n++;
    bucket->count_n = st_ns_add(bucket->count_n, event->count_n != INT64_MIN ? event->count_n : 1);
    add_client(bucket, event->client);
    return false;
}

static bool is_dropout(const char *name)
{
    return strstr(name, "xrun") != NULL || strcmp(name, "starved-client") == 0;
}

/* " of 60 clients" */
static const char *clients_text(const struct st_event_bucket *bucket, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, " of %s%zu client%s", bucket->more_clients ? "more than " : "",
             bucket->clients_n, bucket->clients_n == 1 ? "" : "s");
    return bucket->clients_n > 0 ? buf : "";
}

static void make_sum(const struct st_event_kind *kind, const struct st_event_bucket *bucket, int64_t now_ns,
                     int64_t wall_ns, struct st_event *ret)
{
    char clients[48];
    const int64_t span_ns = now_ns - bucket->since_ns;
    *ret = (struct st_event){.wall_ns = wall_ns,
                             .certainty = bucket->certainty,
                             .count_n = bucket->count_n,
                             .span_ns = span_ns,
                             .lateness_ns = INT64_MIN,
                             .explained_ns = INT64_MIN,
                             .circumstances = ST_EVENT_CIRCUMSTANCES_UNKNOWN};
    memcpy(ret->name, kind->name, sizeof(ret->name));
    memcpy(ret->source, kind->source, sizeof(ret->source));
    const double span_s = (double)span_ns / (double)ST_NS_PER_S;
    if (is_dropout(kind->name))
        snprintf(ret->text, sizeof(ret->text),
                 "%s: and %" PRId64 " more dropout%s%s in %.0f s (%" PRIu64 " events that are not listed)",
                 kind->source, bucket->count_n, bucket->count_n == 1 ? "" : "s",
                 clients_text(bucket, clients, sizeof(clients)), span_s, bucket->events_n);
    else
        snprintf(ret->text, sizeof(ret->text), "and %" PRIu64 " more events \"%s\" in %.0f s, not listed",
                 bucket->events_n, kind->name, span_s);
}

bool st_event_limit_sum(struct st_event_limit *limit, int64_t now_ns, int64_t wall_ns, bool all,
                        struct st_event *ret, enum st_log_level *ret_level)
{
    for (size_t i = 0; i < limit->kinds.kinds_n; i++) {
        struct st_event_bucket *bucket = &limit->buckets[i];
        if (bucket->events_n == 0 || (!all && now_ns - bucket->since_ns < ST_EVENT_LIMIT_SUM_NS))
            continue;
        make_sum(&limit->kinds.kinds[i], bucket, now_ns, wall_ns, ret);
        *ret_level = bucket->level;
        bucket->events_n = 0;
        bucket->count_n = 0;
        bucket->clients_n = 0;
        bucket->more_clients = false;
        return true;
    }
    return false;
}
