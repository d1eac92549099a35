/* Writes a trace in Chrome's format, which ui.perfetto.dev opens. Source: "Trace Event Format", the
 * document of Chrome's trace viewer. Times are CLOCK_MONOTONIC; in the file they are microseconds
 * since its beginning, with three decimals, because nanoseconds of the time of day do not fit into
 * a double. Each event is written at once and not kept in memory. */
#pragma once

#include "core/base.h"

/* The groups of tracks; Chrome calls them processes. */
enum st_trace_group { ST_TRACE_MOMENT = 1, ST_TRACE_LEVELS, ST_TRACE_CPUS };

/* Tracks of ST_TRACE_MOMENT; Chrome calls them threads. A client's track is ST_TRACE_CLIENT + the
 * number of its name. */
enum {
    ST_TRACE_CLIENT = 256,
    ST_TRACE_OVERLAP = 512,
    ST_TRACE_EVENTS = 900,
    ST_TRACE_MISSED,
    ST_TRACE_NOTE
};

struct st_trace_json {
    FILE *out;
    int64_t from_ns; /* CLOCK_MONOTONIC at the beginning of the file */
};

/** Writes the beginning of the file. @param wall_ns the time of day at from_ns, for the
 * metadata. */
void st_trace_json_begin(const struct st_trace_json *json, int64_t wall_ns);
void st_trace_json_end(const struct st_trace_json *json);

/** Names a track; track 0 names its group. The name is made safe. */
void st_trace_json_name(const struct st_trace_json *json, enum st_trace_group group, int track,
                        const char *name);

/** Writes a slice (an event with a length), unless its length is 0. The slices of a track must
 * ascend without overlap. @return the end of the slice. */
int64_t st_trace_json_slice(const struct st_trace_json *json, enum st_trace_group group, int track,
                            int64_t from_ns, int64_t to_ns, const char *text);

/** Writes an event without a length. */
void st_trace_json_instant(const struct st_trace_json *json, enum st_trace_group group, int track,
                           int64_t at_ns, const char *text);

/** Sets the value of a counter (ms) from at_ns on. */
void st_trace_json_value(const struct st_trace_json *json, int64_t at_ns, const char *name,
                         int64_t value_ns);
