/* Writes a trace that ui.perfetto.dev opens: packets of TrackEvent, whose wire format is promised to stay.
 * Source: perfetto's protos/perfetto/trace/{trace_packet,clock_snapshot,track_event/track_event}.proto. All
 * times are CLOCK_MONOTONIC. Nothing is kept in memory. One thread. */
#pragma once

#include "core/base.h"

#define ST_PERFETTO_NAME_BYTES 256 /* longer names are cut */

/** The three clocks at one moment. The first packet. */
void st_perfetto_clocks(FILE *out, int64_t monotonic_ns, int64_t boot_ns, int64_t wall_ns);

/** @param track any number but 0, one for each. @param parent  a track; 0: none. */
void st_perfetto_track(FILE *out, uint64_t track, uint64_t parent, const char *name);

/** A track of values in ns. */
void st_perfetto_counter(FILE *out, uint64_t track, uint64_t parent, const char *name);

/* perfetto's numbers. */
enum st_perfetto_type {
    ST_PERFETTO_BEGIN = 1, /* of a slice; those of a track nest and do not overlap */
    ST_PERFETTO_END,
    ST_PERFETTO_INSTANT, /* something without a length */
    ST_PERFETTO_VALUE
};

/** Events are written in the order of their times. @param name  NULL: none. @param value_ns  of a VALUE. */
void st_perfetto_event(FILE *out, enum st_perfetto_type type, uint64_t track, int64_t at_ns, const char *name,
                       int64_t value_ns);
