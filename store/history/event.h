/* One event of sleeptuned. */
#ifndef ST_STORE_HISTORY_EVENT_H
#define ST_STORE_HISTORY_EVENT_H

#include <jansson.h>
#include <stdbool.h>

#include "core/base.h"
#include "core/event.h"

/** State of the system in the second before. INT64_MIN: unknown. */
struct st_event_circumstances {
    /* share of the time in which a task waited for this resource, thousandths */
    int64_t pressure_cpu_permille, pressure_io_permille, pressure_memory_permille;
    int64_t cpu_khz;
    int64_t throttles_n; /* thermal throttlings of the core */
    int64_t temperature_mc;
};

/** Nothing known. */
#define ST_EVENT_CIRCUMSTANCES_UNKNOWN                                                                       \
    ((struct st_event_circumstances){INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN})

/** Unknown members, and those without meaning for this event, are "" or INT64_MIN. */
struct st_event {
    int64_t wall_ns;
    enum st_event_kind kind;
    char text[288];
    /* xruns */
    char source[16]; /* "loop", "own", or of an xrun_source */
    char device[64], client[64];
    enum st_certainty certainty;
    int64_t count_n;    /* number of occurrences that this event stands for */
    int64_t span_ns;    /* ... within this time before wall_ns; 0: at that moment. Not stored */
    bool no_device;     /* of the dummy: no sound server, no device. Not stored */
    int64_t missing_ns; /* a late wake-up that explains it is at least so late; 0: any. Not stored */
    /* lateness and cause */
    int64_t lateness_ns;
    int64_t explained_ns; /* part of the lateness that the cause explains */
    char cause[40];       /* st_cause_kind_name; st_dropout_reason_name of a client that was not ready */
    char culprit[64];     /* thread, interrupt or softirq that had the CPU: "name/pid", "irq/27-hda" */
    struct st_event_circumstances circumstances;
};

/** {time_ns, event, text} and the known ones of {source, device, client, certainty, count, lateness_ns,
 * explained_ns, cause, culprit, circumstances}. New reference, NULL when out of memory. */
json_t *st_event_json(const struct st_event *event);

#endif
