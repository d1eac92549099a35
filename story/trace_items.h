/* What a trace is made of (core/perfetto.h), before it is sorted by time. */
#pragma once

#include "core/perfetto.h"

/* Tracks. Those of clients: CLIENT + number of the name; of threads, what was left: + a number; of CPUs:
 * three each. */
enum {
    ST_TRACK_ABOUT = 1,
    ST_TRACK_EVENTS,
    ST_TRACK_MISSED,
    ST_TRACK_CPUS,
    ST_TRACK_LEVELS,
    ST_TRACK_NOTE = 8,
    ST_TRACK_CLIENT = 256,
    ST_TRACK_LEVEL = 512,
    ST_TRACK_CPU = 1024,
    ST_TRACK_THREAD = 65536
};

struct st_trace_item {
    int64_t at_ns;
    uint64_t track;
    enum st_perfetto_type type;
    int64_t value_ns;
    const char *text; /* of others: made safe when it is written; NULL: none */
};

/** All 0 at first; free the list. */
struct st_trace_items {
    struct st_trace_item *list;
    size_t n, max;
    bool failed; /* memory ran out */
};

void st_trace_items_add(struct st_trace_items *items, const struct st_trace_item *item);

/** Something without a length. */
void st_trace_items_instant(struct st_trace_items *items, int64_t at_ns, uint64_t track, const char *text);

/** A slice, if it has a length. @return its end. */
int64_t st_trace_items_slice(struct st_trace_items *items, uint64_t track, int64_t from_ns, int64_t to_ns,
                             const char *text);

/** Writes them by time; at the same time an end comes first, and a begin last. */
void st_trace_items_write(struct st_trace_items *items, FILE *out);
