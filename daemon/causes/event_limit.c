/* Token buckets of events. */
#include "daemon/causes/event_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/ns.h"

#define FULL_NS (ST_EVENT_LIMIT_BURST_N * ST_EVENT_LIMIT_EACH_NS)

size_t st_event_limit_place(struct st_event_kinds *kinds, const struct st_event *event)
{
    for (size_t i = 0; i < kinds->kinds_n; i++) {
        const struct st_event_place *kind = &kinds->kinds[i];
        if (kind->kind == event->kind && strcmp(kind->source, event->source) == 0)
            return i;
    }
    if (kinds->kinds_n == ST_EVENT_KINDS_MAX)
        return ST_EVENT_KINDS_MAX - 1;
    struct st_event_place *kind = &kinds->kinds[kinds->kinds_n];
    kind->kind = event->kind;
    memcpy(kind->source, event->source, sizeof(kind->source));
    return kinds->kinds_n++;
}

size_t st_event_limit_largest(const struct st_event_kinds *kinds)
{
    size_t largest = 0;
    for (size_t i = 1; i < kinds->kinds_n; i++) {
        if (kinds->kinds[i].n > kinds->kinds[largest].n)
            largest = i;
    }
    return largest;
}

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

bool st_event_limit_passes(struct st_event_limit *limit, int64_t now_ns, enum st_log_level level,
                           const struct st_event *event)
{
    struct st_event_bucket *bucket = &limit->buckets[st_event_limit_place(&limit->kinds, event)];
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
    return false;
}

static void make_sum(const struct st_event_place *kind, const struct st_event_bucket *bucket, int64_t now_ns,
                     int64_t wall_ns, struct st_event *ret)
{
    const int64_t span_ns = now_ns - bucket->since_ns;
    *ret = (struct st_event){.wall_ns = wall_ns,
                             .kind = kind->kind,
                             .certainty = bucket->certainty,
                             .count_n = bucket->count_n,
                             .span_ns = span_ns,
                             .lateness_ns = INT64_MIN,
                             .explained_ns = INT64_MIN,
                             .circumstances = ST_EVENT_CIRCUMSTANCES_UNKNOWN};
    memcpy(ret->source, kind->source, sizeof(ret->source));
    const double span_s = (double)span_ns / (double)ST_NS_PER_S;
    if (st_event_kind_is_dropout(kind->kind) || kind->kind == ST_EVENT_SIMULATED_XRUN)
        snprintf(ret->text, sizeof(ret->text),
                 "%s: %" PRId64 " more dropout%s in %.0f s (%" PRIu64 " events, not listed)", kind->source,
                 bucket->count_n, bucket->count_n == 1 ? "" : "s", span_s, bucket->events_n);
    else
        snprintf(ret->text, sizeof(ret->text), "%" PRIu64 " more events \"%s\" in %.0f s are not listed",
                 bucket->events_n, st_event_kind_name(kind->kind), span_s);
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
        return true;
    }
    return false;
}
