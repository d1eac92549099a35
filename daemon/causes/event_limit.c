/* Limits the events of each kind with a token bucket: a burst may pass at once, then one a second.
 */
#include "daemon/causes/event_limit.h"

#include "core/ns.h"

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
    bucket->used_ns = ST_MAX(bucket->used_ns - refilled_ns, 0);
    bucket->at_ns = now_ns;
    if (bucket->used_ns > (ST_EVENT_LIMIT_BURST_N - 1) * ST_EVENT_LIMIT_EACH_NS)
        return false;
    bucket->used_ns += ST_EVENT_LIMIT_EACH_NS;
    return true;
}

bool st_event_limit_passes(struct st_event_limit *limit, int64_t now_ns, enum st_log_level level,
                           const struct st_event *event)
{
    struct st_event_bucket *bucket = &limit->buckets[st_event_limit_place(&limit->kinds, event)];
    const int64_t since_ns = st_ns_sub(now_ns, event->span_ns);
    if (event->kind == ST_EVENT_LATE_WAKE || event->kind == ST_EVENT_CLIENT_DROPOUT ||
        event->kind == ST_EVENT_DEVICE_DROPOUT || has_token(bucket, now_ns))
        return true;
    if (!bucket->any) {
        bucket->any = true;
        bucket->happened_since_ns = since_ns;
        bucket->sum_since_ns = now_ns;
        bucket->level = level;
        bucket->sum = *event;
    } else {
        st_event_add(&bucket->sum, event);
        bucket->happened_since_ns = ST_MIN(since_ns, bucket->happened_since_ns);
    }
    if (level < bucket->level)
        bucket->level = level;
    return false;
}

bool st_event_limit_sum(struct st_event_limit *limit, int64_t now_ns, int64_t wall_ns, bool all,
                        struct st_event *ret, enum st_log_level *ret_level)
{
    ST_EACH_OF (bucket, limit->buckets, limit->kinds.kinds_n) {
        if (!bucket->any || (!all && now_ns - bucket->sum_since_ns < ST_EVENT_LIMIT_SUM_NS))
            continue;
        *ret = bucket->sum;
        ret->wall_ns = wall_ns;
        ret->span_ns = now_ns - bucket->happened_since_ns;
        *ret_level = bucket->level;
        bucket->any = false;
        return true;
    }
    return false;
}
