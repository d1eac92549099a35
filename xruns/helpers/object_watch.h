/* Where the thread of a client computes: samples of its code while it runs (Linux: perf_event_open with the
 * clock of the thread's CPU time, user space only), by file, joined with the client's cycles
 * (object_share.h).
 *
 * A client is watched for two minutes in ten while its long cycles are of interest, ST_OBJECT_WATCH_MAX
 * clients at once. When files are mapped or unmapped (a plug-in is loaded), it begins anew. One thread. */
#pragma once

#include <sys/types.h>

#include "xruns/xrun.h"

#define ST_OBJECT_WATCH_MAX 4

struct st_object_watch;

/** A client's thread; tid 0: not known. */
struct st_object_watch_thread {
    uint32_t node;
    pid_t tid;
};

/** @return NULL: no memory. */
struct st_object_watch *st_object_watch_new(void);

/** A cycle that this node's client computed, later than all before. Begins to watch it if it is not. */
void st_object_watch_cycle(struct st_object_watch *watch, const struct st_object_watch_thread *thread,
                           int64_t from_ns, int64_t to_ns, bool is_long);

/** What is known so far; called about every 10 s, of each node that has cycles. */
void st_object_watch_take(struct st_object_watch *watch, const struct st_object_watch_thread *thread,
                          struct st_xrun_code *ret);
