/* Limits how many events of a kind are logged, listed and stored; the others are summed into one event a
 * minute (st_event_add).
 *
 * A kind is a name and a source: "client-dropout" of "pipewire". Both come from lists in the code, so their
 * number is bounded. Names and numbers of other programs' clients are not ours: one PipeWire client with 60
 * stalled nodes makes 240 events a second, which would fill the journal and push the events that matter out
 * of list and history. Whoever has to drop an event drops the oldest of the most frequent kind. Counts
 * of status and metrics are taken before, and are exact; the history adds up what its events stand for. */
#pragma once

#include "daemon/log.h"
#include "xruns/event.h"

#define ST_EVENT_KINDS_MAX                                                                                   \
    64 /* there are about 40 names with their sources; any beyond the limit would share the last place */

/** All zero: none. Threads: protected by the owner's lock. */
struct st_event_kinds {
    struct st_event_place {
        enum st_event_kind kind;
        char source[sizeof(((struct st_event *)NULL)->source)];
        uint64_t n;
    } kinds[ST_EVENT_KINDS_MAX];
    size_t kinds_n;
};

/** Place of the kind of an event, 0 .. ST_EVENT_KINDS_MAX - 1; a new kind gets a place. */
size_t st_event_limit_place(struct st_event_kinds *kinds, const struct st_event *event);

/** Place of the most frequent kind. */
size_t st_event_limit_largest(const struct st_event_kinds *kinds);

/* BURST_N events of a kind pass at once, then one in each EACH_NS: one a second is 3600 rows an hour of
 * some 0.3 kB, 1 MB, which fits the smallest history (4 MB). Late wake-ups and other programs' dropouts
 * all pass, since they are compared with each other; their sources sum them to at most five a second of a
 * kind (daemon/causes/causes.c, daemon/observe/observed_events.c). */
#define ST_EVENT_LIMIT_BURST_N 30
#define ST_EVENT_LIMIT_EACH_NS INT64_C(1000000000)
/* Events that were held back become one event after this time. */
#define ST_EVENT_LIMIT_SUM_NS INT64_C(60000000000)

/** All zero: no events so far. Threads: protected by the owner's lock. */
struct st_event_limit {
    struct st_event_kinds kinds;
    struct st_event_bucket {
        int64_t used_ns; /* used part of the burst at at_ns, as the time that refills it */
        int64_t at_ns;
        bool any;                  /* an event was held back since the last sum; the next members are valid */
        int64_t happened_since_ns; /* when the first such event happened */
        int64_t sum_since_ns;      /* when the first such event was held back */
        struct st_event sum;
        enum st_log_level level; /* most urgent level of these events */
    } buckets[ST_EVENT_KINDS_MAX];
};

/** @param now_ns CLOCK_MONOTONIC. @return true: the event may pass; false: it was added to the next sum. */
bool st_event_limit_passes(struct st_event_limit *limit, int64_t now_ns, enum st_log_level level,
                           const struct st_event *event);

/** Takes the next sum that is a minute old; at the end (all) the next sum of any age. @return false: none. */
bool st_event_limit_sum(struct st_event_limit *limit, int64_t now_ns, int64_t wall_ns, bool all,
                        struct st_event *ret, enum st_log_level *ret_level);
