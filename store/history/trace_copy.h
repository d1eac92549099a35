/* The copy of a moment that the daemon keeps (daemon/history/recorder.h): the ring of cycles, with what was
 * left, and behind it the kernel's events, packed by zlib. It is read as text of others: nothing in it is
 * believed. Machine's byte order: it is read where it was written. */
#pragma once

#include "xruns/cpu_events.h"
#include "xruns/cycle_ring.h"

#define ST_TRACE_COPY_MARK "heard" /* the cause of a mark: its copy goes back 60 s, others 10 s */

#define ST_TRACE_COPY_AFTER_NS INT64_C(3000000000) /* events so long after it are in a trace of it, too */

struct st_trace_copy {
    int64_t wall_ns;   /* of the event that it was made for */
    int64_t before_ns; /* a trace of it begins so long before that */
    struct st_cycle_ring *ring;
    struct st_trace_event *events; /* the kernel's; NULL: none */
    size_t events_n;
};

/** Frees what was read. */
static inline void st_trace_copy_finish(struct st_trace_copy *copy)
{
    free(copy->ring);
    free(copy->events);
}

/** @param fd  is closed. @param name  the file's, WALL_NS-CAUSE.cycles. @param ring  loses the rows that are
 * too old for its trace. @param n  the last ST_CPU_EVENTS_MAX of them are written. @return 0 or a negative
 * errno value. */
ST_NODISCARD int st_trace_copy_write(int fd, const char *name, struct st_cycle_ring *ring,
                                     const struct st_trace_event *events, size_t n);

/** The folder of the copies beside a history. */
const char *st_trace_copy_folder(const char *history);

/** The nearest copy that has a moment in it. @param wall_ns  INT64_MAX: the newest. @param
 * ret_path  the file, else the folder, also after an error. @return 0; -ENOENT: there is none; another
 * negative errno value; -EBADMSG: it is no such file. st_trace_copy_finish(ret). */
ST_NODISCARD int st_trace_copy_read(const char *history, int64_t wall_ns, char *ret_path, size_t path_bytes,
                                    struct st_trace_copy *ret);
