/* Why wake-ups were late: sums by cause and culprit, minute by minute, and an event for the worst late
 * wake-up of each quarter of a second. */
#pragma once

#include "daemon/causes/cpu_trace.h"
#include "daemon/causes/events.h"
#include "measure/session.h"
#include "store/history/history.h"

/** System pressure, sampled each second and kept beside events. All zero at first: `now` is not known yet. */
struct st_system_pressure {
    bool sampled;
    int64_t
        pressure_us[3]; /* time since boot in which a task waited for CPU, io, memory; INT64_MIN: not known */
    struct st_readings last, before; /* of this sample and the previous one */
    struct st_event_pressure now;
};

/** Takes a sample; `now` is the difference to the previous sample. Call each second, from one thread.
 * @param cpu the loop's CPU, -1: any. */
void st_causes_sample_pressure(struct st_system_pressure *pressure, struct st_platform *platform, int cpu);

struct st_causes;

/** @param events  must outlive *ret. @return 0 or -ENOMEM. */
ST_NODISCARD int st_causes_new(struct st_platform *platform, struct st_events *events,
                               struct st_causes **ret);
void st_causes_free(struct st_causes *causes); /* NULL is allowed */

/** A loop starts. If its limit for a late wake-up differs, the minute starts over. Threads: main. */
void st_causes_begin(struct st_causes *causes, const struct st_session_config *config);

/** Call each second: samples system pressure, and puts the late wake-up that is waiting. @param cpu the
 * loop's CPU, -1: any. Threads: main. */
void st_causes_tick(struct st_causes *causes, int cpu);

/** Ends a minute: returns its sums, and fills the late wake-ups of the history's minute. Threads: main. */
void st_causes_end_minute(struct st_causes *causes, struct st_cause_sums *ret,
                          struct st_history_minute *minute);

/** Adds n wake-ups, on time or late. Threads: drain. */
void st_causes_wakes(struct st_causes *causes, uint64_t n);

/** Sets why no culprit is named; "": a tracer begins. Threads: main. */
void st_causes_set_untraced(struct st_causes *causes, const char *why);

/** Adds a late wake-up to the sums. @param culprit NULL: none was named. Threads: any. */
void st_causes_take(struct st_causes *causes, const struct st_cause_event *late,
                    const struct st_trace_culprit *culprit);

/** The current minute so far. */
struct st_causes_now {
    struct st_cause_sums sums;
    struct st_cause_span span;
};

/** Threads: any. */
void st_causes_look(struct st_causes *causes, struct st_causes_now *ret);

/** The document sleeptune-causes/1 of the current minute, for use without a history; sorts now->sums. Free
 * the result; NULL: out of memory. */
char *st_causes_text(struct st_causes_now *now);
