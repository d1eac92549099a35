/* Why the timing test woke late: sums by cause and culprit for each minute, and an event for the
 * worst late wake-up of each quarter of a second. */
#pragma once

#include "daemon/causes/cpu_trace.h"
#include "daemon/causes/events.h"
#include "measure/session.h"
#include "store/history/history.h"

/** System pressure (waits for CPU, io and memory), sampled each second and stored with events. All
 * zero at first, which means that `now` is not known yet. */
struct st_system_pressure {
    bool sampled;
    /* time (us) since boot in which a task waited for CPU, io, memory; INT64_MIN: not known */
    int64_t pressure_us[3];
    struct st_readings last, before; /* readings of this sample, and of the previous one */
    struct st_event_pressure now;
};

/** Takes a sample, and sets `now` to the difference to the previous sample. Call each second, from
 * one thread. @param cpu the loop's CPU; -1: any. */
void st_causes_sample_pressure(struct st_system_pressure *pressure, struct st_platform *platform,
                               int cpu);

struct st_causes;

/** Makes the sums of causes. @param events must outlive *ret. @return 0 or -ENOMEM. */
ST_NODISCARD int st_causes_new(struct st_platform *platform, struct st_events *events,
                               struct st_causes **ret);
void st_causes_free(struct st_causes *causes); /* NULL is allowed */

/** Call when a loop starts. If its limit for a late wake-up differs from the previous loop's, the
 * minute starts over, since the counts cannot be added. Threads: main. */
void st_causes_begin(struct st_causes *causes, const struct st_session_config *config);

/** Samples the system pressure, and adds the event of the worst late wake-up that was held back.
 * Call each second. @param cpu the loop's CPU; -1: any. Threads: main. */
void st_causes_tick(struct st_causes *causes, int cpu);

/** Ends a minute: returns its sums, and sets the number of late wake-ups in the minute for the
 * history. Threads: main. */
void st_causes_end_minute(struct st_causes *causes, struct st_cause_sums *ret,
                          struct st_history_minute *minute);

/** Counts n wake-ups of the loop, on time or late. Threads: drain. */
void st_causes_wakes(struct st_causes *causes, uint64_t n);

/** Sets the sentence why no culprit is known (no trace runs); "": the trace names culprits.
 * Threads: main. */
void st_causes_set_untraced(struct st_causes *causes, const char *why);

/** Adds a late wake-up to the sums. @param culprit NULL: the trace named none. Threads: any. */
void st_causes_take(struct st_causes *causes, const struct st_cause_event *late,
                    const struct st_trace_culprit *culprit);

/** The causes of the current minute so far, and the time that they cover. */
struct st_causes_now {
    struct st_cause_sums sums;
    struct st_cause_span span;
};

/** Copies the causes of the current minute so far. Threads: any. */
void st_causes_look(struct st_causes *causes, struct st_causes_now *ret);

/** The document sleeptune-causes/1 of the current minute, for answers while there is no history;
 * sorts now->sums. @return text to be freed; NULL: out of memory. */
char *st_causes_text(struct st_causes_now *now);
