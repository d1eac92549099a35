/* Why wake-ups were late: sums by cause and culprit, minute by minute, and an event for the worst late
 * wake-up of each quarter of a second. */
#pragma once

#include "daemon/causes/cpu_trace.h"
#include "daemon/causes/events.h"
#include "measure/session.h"
#include "platform/readings.h"
#include "store/history/history.h"
#include "xruns/event.h"

/** What the machine is under, second by second: kept beside events. All zero at first: `now` is not known
 * yet.
 */
struct st_system_pressure {
    bool sampled;
    int64_t pressure_us[3]; /* CPU, io, memory: in which some task waited for it, since boot; INT64_MIN: not
                               known */
    struct st_readings last, before; /* of this sample and the one before */
    struct st_event_pressure now;
};

/** Takes a sample; what is known is the difference to the one before. cpu: of the loop, -1: any. Each second;
 * one thread. */
void st_causes_sample_pressure(struct st_system_pressure *pressure, struct st_platform *platform, int cpu);

struct st_causes;

/** @param events  must outlive *ret. @return 0 or -ENOMEM. */
ST_NODISCARD int st_causes_new(struct st_platform *platform, struct st_events *events,
                               struct st_causes **ret);
void st_causes_free(struct st_causes *causes); /* NULL is fine */

/** A loop starts. Where another lateness counts from now on, the minute begins anew. Threads: main. */
void st_causes_begin(struct st_causes *causes, const struct st_session_config *config);

/** Call each second: samples the pressure on the machine, and puts the late wake-up that is not put yet. cpu:
 * the loop's, -1: any. Threads: main. */
void st_causes_tick(struct st_causes *causes, int cpu);

/** A minute ends: its sums, and what the history's minute says of late wake-ups. Threads: main. */
void st_causes_end_minute(struct st_causes *causes, struct st_cause_sums *ret,
                          struct st_history_minute *minute);

/** Adds n wake-ups, on time or late. Threads: drain. */
void st_causes_wakes(struct st_causes *causes, uint64_t n);

/** Why no culprit is named; "": a tracer begins. Threads: main. */
void st_causes_set_untraced(struct st_causes *causes, const char *why);

/** Adds a late wake-up to the sums. culprit: NULL if none was named. Threads: any. */
void st_causes_take(struct st_causes *causes, const struct st_cause_event *late,
                    const struct st_trace_culprit *culprit);

/** What the minute that goes on has so far. */
struct st_causes_now {
    struct st_cause_sums sums;
    struct st_cause_span span;
};

/** Threads: any. */
void st_causes_look(struct st_causes *causes, struct st_causes_now *ret);

/** Document sleeptune-causes/1 of that alone, where there is no history; now->sums are sorted. To be freed;
 * NULL when out of memory. */
char *st_causes_text(struct st_causes_now *now);
