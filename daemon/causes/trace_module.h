/* What sleeptune-trace.so gives to sleeptuned: a ring of the kernel's events. Linux, by libtracefs. */
#ifndef ST_DAEMON_CAUSES_TRACE_MODULE_H
#define ST_DAEMON_CAUSES_TRACE_MODULE_H

#include "daemon/causes/cpu_trace.h"

#define ST_TRACE_SYMBOL "st_trace_module"

struct st_trace;

/** One object of this type is exported under ST_TRACE_SYMBOL. Threads: one a ring. */
struct st_trace_module {
    /**
     * Makes the instance and turns it on; -EEXIST where there is one. Does not mount tracefs.
     * @param tid  whose wake-ups are traced. @param cpu  -1: all. @param buffer_kb  for each CPU.
     * @return 0 or a negative errno value, with a sentence in error.
     */
    int (*open)(int tid, int cpu, int64_t buffer_kb, struct st_trace **ret, char *error, size_t error_bytes);
    /** Takes what is in the ring, by time, with ST_TRACE_LOST where events were overwritten. @return 0 or a
     * negative errno value. */
    int (*read)(struct st_trace *trace, void (*take)(void *ctx, const struct st_trace_event *event),
                void *ctx);
    /** Removes the instance. */
    void (*close)(struct st_trace *trace);
};

#endif
