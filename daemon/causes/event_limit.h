/* Limits how many events of a kind are logged, listed and stored; the others are summed into one
 * event a minute (st_event_add). A kind is a name and a source, as "client-dropout" of "pipewire".
 * Both come from lists in the code, so their number is limited. Other programs decide how many
 * events there are: one PipeWire client with 60 stalled nodes makes 240 a second, which would fill
 * the journal and push the events that matter out of list and history. A full list or queue drops
 * the oldest event of the most frequent kind. Status and metrics count before this limit and are
 * exact; in the history, sums have the counts of their events. */
#pragma once

#include "daemon/log.h"
#include "xruns/event.h"

/* there are about 40 kinds; kinds beyond the limit would share the last entry */
#define ST_EVENT_KINDS_MAX 64

/** The kinds of events seen so far. All zero: none. Threads: protected by the owner's lock. */
struct st_event_kinds {
    struct st_event_place {
        enum st_event_kind kind;
        char source[sizeof(((struct st_event *)NULL)->source)];
        uint64_t n;
    } kinds[ST_EVENT_KINDS_MAX];
    size_t kinds_n;
};

/** Index of the event's kind, 0 .. ST_EVENT_KINDS_MAX - 1; adds a new kind. */
size_t st_event_limit_place(struct st_event_kinds *kinds, const struct st_event *event);

/** Index of the most frequent kind. */
size_t st_event_limit_largest(const struct st_event_kinds *kinds);

/* The limit for each kind: ST_EVENT_LIMIT_BURST_N events pass at once, then one in each
 * ST_EVENT_LIMIT_EACH_NS. One a second is 3600 rows an hour of some 0.3 kB, about 1 MB, which fits
 * the smallest history (4 MB). Late wake-ups and dropouts of other programs always pass, since they
 * are compared with each other; their sources already sum them to at most five a second of a kind
 * (daemon/causes/causes.c, daemon/observe/observed_events.c). */
#define ST_EVENT_LIMIT_BURST_N 30
#define ST_EVENT_LIMIT_EACH_NS INT64_C(1000000000)
/* Events that did not pass become one event after this time. */
#define ST_EVENT_LIMIT_SUM_NS INT64_C(60000000000)

/** Which events may pass. All zero: no events so far. Threads: protected by the owner's lock. */
struct st_event_limit {
    struct st_event_kinds kinds;
    struct st_event_bucket {
        /* how much of the burst was used at at_ns, as a time (ns): after it, a whole burst may pass
         * again */
        int64_t used_ns;
        int64_t at_ns;
        /* true: an event was held back since the last sum, so the next members are valid */
        bool any;
        int64_t happened_since_ns; /* when the first event of the sum happened */
        int64_t sum_since_ns;      /* when the first event of the sum was held back */
        struct st_event sum;
        enum st_log_level level; /* most urgent level of the events in the sum */
    } buckets[ST_EVENT_KINDS_MAX];
};

/** May this event pass now? @param now_ns CLOCK_MONOTONIC. @return true: yes; false: no, so it was
 * added to the next sum of its kind. */
bool st_event_limit_passes(struct st_event_limit *limit, int64_t now_ns, enum st_log_level level,
                           const struct st_event *event);

/** Takes a sum that is at least a minute old; with `all`, at the end, a sum of any age. @return
 * false: there is none. */
bool st_event_limit_sum(struct st_event_limit *limit, int64_t now_ns, int64_t wall_ns, bool all,
                        struct st_event *ret, enum st_log_level *ret_level);
