/* How long interrupt handlers and softirqs ran, by the kernel's trace. Pure. */
#ifndef ST_DAEMON_CAUSES_HANDLERS_H
#define ST_DAEMON_CAUSES_HANDLERS_H

#include <jansson.h>

#include "daemon/causes/cpu_trace.h"

#define ST_HANDLERS_MAX      64 /* the last one: all others */
#define ST_HANDLERS_BANDS    6
#define ST_HANDLERS_CPUS_MAX 256 /* events of further ones are not counted */

struct st_handlers_table {
    int64_t seen_ns, lost_ns; /* time of the traced CPUs, summed: with and without its events */
    size_t n;
    struct st_handlers_row {
        bool softirq;
        int number;
        char name[ST_TRACE_NAME_BYTES];
        int64_t total_ns, longest_ns;
        uint64_t runs_n, bands[ST_HANDLERS_BANDS];
    } rows[ST_HANDLERS_MAX];
};

/** All zero at first; `cpus` also before another trace. */
struct st_handlers {
    struct st_handlers_table table;
    struct st_handlers_cpu {
        int64_t at_ns; /* of its last event; 0: none yet */
        struct st_handlers_run {
            struct st_handlers_row *row; /* NULL: none runs */
            int64_t from_ns, above_ns;   /* above_ns: interrupts on top of it */
        } irq, softirq;
    } cpus[ST_HANDLERS_CPUS_MAX];
};

/**
 * Takes the next event; those of one CPU come by time. A run counts from its entry to its exit, a softirq
 * without the interrupts on top of it. One that another thread preempts, or whose events were lost, does not
 * count. */
void st_handlers_take(struct st_handlers *handlers, const struct st_trace_event *event);

/** Object "handlers" of sleeptune-causes/1, the longest run first; null: nothing was traced. Sorts the
 * rows. */
json_t *st_handlers_json(struct st_handlers_table *table);

#endif
