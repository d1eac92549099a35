/* The copy that the daemon keeps of a moment (daemon/history/recorder.h): the ring of cycles with levels
 * of buffers, followed by the kernel's events, packed by zlib. A copy is untrusted input. Numbers have
 * the machine's byte order, since a copy is read where it was written. */
#pragma once

#include "xruns/cpu_events.h"
#include "xruns/cycle_ring.h"

#define ST_TRACE_COPY_MARK                                                                                   \
    "heard" /* the cause of a copy for a mark; such a copy goes back 60 s, others 10 s */

#define ST_TRACE_COPY_AFTER_NS                                                                               \
    INT64_C(3000000000) /* a trace also shows events up to this time after its moment */

struct st_trace_copy {
    int64_t wall_ns;   /* time of the event that the copy was made for */
    int64_t before_ns; /* a trace begins this long before wall_ns */
    struct st_cycle_ring *ring;
    struct st_trace_event *events; /* the kernel's events; NULL: none */
    size_t events_n;
};

/** Frees what was read. */
static inline void st_trace_copy_finish(struct st_trace_copy *copy)
{
    free(copy->ring);
    free(copy->events);
}

/** @param fd is closed. @param name of the file: WALL_NS-CAUSE.cycles. @param ring loses rows that are too
 * old for a trace. @param n only the last ST_CPU_EVENTS_MAX events are written. @return 0 or a negative
 * errno value. */
ST_NODISCARD int st_trace_copy_write(int fd, const char *name, struct st_cycle_ring *ring,
                                     const struct st_trace_event *events, size_t n);

/** The folder of the copies beside a history. */
const char *st_trace_copy_folder(const char *history);

/** Reads the nearest copy that includes a moment; free with st_trace_copy_finish. @param wall_ns the
 * moment; INT64_MAX: the newest copy. @param ret_path the file, or else the folder, also after an error.
 * @return 0; -ENOENT: no copy; -EBADMSG: not a copy; or another negative errno value. */
ST_NODISCARD int st_trace_copy_read(const char *history, int64_t wall_ns, char *ret_path, size_t path_bytes,
                                    struct st_trace_copy *ret);
