/* Writes a trace that ui.perfetto.dev opens: packets of TrackEvent, whose wire format is promised to stay.
 * Source: perfetto's protos/perfetto/trace/{trace_packet,clock_snapshot,track_event/track_event}.proto. All
 * times are CLOCK_MONOTONIC. Nothing is kept in memory. One thread. */
#ifndef ST_CORE_PERFETTO_H
#define ST_CORE_PERFETTO_H

#include "core/base.h"

#define ST_PERFETTO_NAME_BYTES 256 /* longer names are cut */

/** The three clocks at one moment. The first packet. */
void st_perfetto_clocks(FILE *out, int64_t monotonic_ns, int64_t boot_ns, int64_t wall_ns);

/** @param track any number but 0, one for each. @param parent  a track; 0: none. */
void st_perfetto_track(FILE *out, uint64_t track, uint64_t parent, const char *name);

/** Slices of a track nest and do not overlap. Events are written in the order of their times. */
void st_perfetto_begin(FILE *out, uint64_t track, int64_t at_ns, const char *name);
void st_perfetto_end(FILE *out, uint64_t track, int64_t at_ns);
/** Something without a length. */
void st_perfetto_instant(FILE *out, uint64_t track, int64_t at_ns, const char *name);

#endif
