/* A trace for ui.perfetto.dev of the last cycles that the daemon kept (daemon/history/recorder.h), with the
 * events of that time. */
#ifndef ST_STORY_TRACE_FILE_H
#define ST_STORY_TRACE_FILE_H

#include <jansson.h>
#include <stdio.h>

#include "xruns/cycle_ring.h"

#define ST_TRACE_FILE_BEFORE_NS INT64_C(10000000000) /* of sound before the event */
#define ST_TRACE_FILE_NEAR_NS   INT64_C(15000000000) /* a copy belongs to an event so near */

/** The copy in a folder that is nearest to a time, at most NEAR away. @param wall_ns INT64_MAX: the newest.
 * @return 0; -ENOENT: there is none. *ret_wall_ns is the time of its event. */
ST_NODISCARD int st_trace_file_find(const char *folder, int64_t wall_ns, char *ret_path, size_t path_bytes,
                                    int64_t *ret_wall_ns);

/** @return 0; a negative errno value; -EBADMSG: it is no such file. Free *ret. */
ST_NODISCARD int st_trace_file_read(const char *path, struct st_cycle_ring **ret);

/** Writes what was from BEFORE on. One thread at a time.
 * @param events  "events" of sleeptune-events/1. @param wall_ns  of the event that the copy was made for.
 * @param note  about the machine and server, of the first track; foreign text.
 * @param ret_cycles_n  how many cycles of clients it has. @param ret_missed_n  in how many of them a deadline
 * was missed. @return 0 or -ENOMEM. */
ST_NODISCARD int st_trace_file_write(FILE *out, const struct st_cycle_ring *ring, const json_t *events,
                                     int64_t wall_ns, const char *note, size_t *ret_cycles_n,
                                     size_t *ret_missed_n);

#endif
