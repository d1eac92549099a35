/* The copy of PipeWire's last cycles that the daemon makes for a dropout
 * (daemon/history/recorder.h): the ring of cycles with levels of buffers, then the kernel's events,
 * packed by zlib. A copy is untrusted input. Numbers have the machine's byte order, since a copy is
 * read on the machine that wrote it. */
#pragma once

#include "xruns/cpu_events.h"
#include "xruns/cycle_ring.h"

/* cause in the name of a copy that a user's report made; it goes back 60 s, other copies 10 s */
#define ST_TRACE_COPY_MARK "heard"

/* a trace also shows events up to this time after the dropout */
#define ST_TRACE_COPY_AFTER_NS INT64_C(3000000000)

struct st_trace_copy {
    int64_t wall_ns;   /* time of the event for which the copy was made */
    int64_t before_ns; /* a trace begins this long before wall_ns */
    struct st_cycle_ring *ring;
    struct st_trace_event *events; /* the kernel's events; NULL: there are none */
    size_t events_n;
};

/** Frees what st_trace_copy_read returned. */
static inline void st_trace_copy_finish(struct st_trace_copy *copy)
{
    free(copy->ring);
    free(copy->events);
}

/** Writes a copy. @param fd is closed. @param name name of the file: WALL_NS-CAUSE.cycles. @param
 * ring rows that are too old for a trace are cleared in it. @param n only the last
 * ST_CPU_EVENTS_MAX events are written. @return 0 or a negative errno value. */
ST_NODISCARD int st_trace_copy_write(int fd, const char *name, struct st_cycle_ring *ring,
                                     const struct st_trace_event *events, size_t n);

/** The path of the folder of copies, which is beside the history. */
const char *st_trace_copy_folder(const char *history);

/** Reads the copy that includes a moment; of several, the nearest one. Free it with
 * st_trace_copy_finish.
 * @param wall_ns the moment; INT64_MAX: the newest copy. @param ret_path set to the path of the
 * copy; after an error possibly that of the folder. @return 0; -ENOENT: there is none; -EBADMSG:
 * the file is not a copy; or another negative errno value. */
ST_NODISCARD int st_trace_copy_read(const char *history, int64_t wall_ns, char *ret_path,
                                    size_t path_bytes, struct st_trace_copy *ret);
