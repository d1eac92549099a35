/* One event, as seen, sent by a helper program, recorded and read: fields with units, no sentences.
 * Its text is composed when the event is read (story/event_story.h). A recorded event never
 * changes: later knowledge becomes an event of its own. st_event_record describes the struct: a new
 * member gets a row there. */
#pragma once

#include "core/cause_kind.h"
#include "core/event.h"
#include "core/text/record.h"
#include "xruns/dropout_cycle.h"
#include "xruns/dropout_place.h"
#include "xruns/dropout_reason.h"

/** State of the system in the second before the event. INT64_MIN: unknown. */
struct st_event_pressure {
    /* share of the time in which a task waited for this resource, in thousandths */
    int64_t pressure_cpu_permille, pressure_io_permille;
    int64_t pressure_memory_permille; /* the larger value of two seconds, since a dropout is
                                         reported up to 1 s late */
    int64_t cpu_khz;
    int64_t throttles_n; /* thermal throttlings of the core */
    int64_t temperature_mc;
};

/** A pressure of which nothing is known. */
#define ST_EVENT_PRESSURE_UNKNOWN                                                                  \
    ((struct st_event_pressure){INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN})

#define ST_EVENT_NO_LOOP (-2) /* value of loop_cpu: no timing test ran */

/* Events at most this far apart count as simultaneous: an observer looks a few times a second, and
 * a late wake-up is judged within 0.25 s. An event with a longer span has no exact time. */
#define ST_EVENT_SAME_TIME_NS INT64_C(500000000)

/** Members that are unknown or have no meaning for this event keep the values of st_event_make. */
struct st_event {
    int64_t wall_ns;
    int64_t span_ns; /* the event covers this time before wall_ns; 0: the moment wall_ns */
    enum st_event_kind kind;
    int64_t count_n; /* number of occurrences; st_event_add says how the figures below are combined.
                        INT64_MIN: one; 0: a dropout that an earlier event counted goes on */
    char
        detail[288]; /* text of the kinds about sleeptuned itself; for its own stream the backend */
    char source[16]; /* "loop", "own", or the name of an xrun_source */
    char device[64], client[64];
    enum st_certainty certainty;

    /* members about a dropout; a time of 0: unknown */
    enum st_dropout_reason reason;
    enum st_dropout_place place;
    int64_t cycles_n; /* lost cycles; 0: unknown */
    int64_t lost_ns,
        longest_ns; /* time without sound: in all count_n dropouts, and in the longest; 0: unknown;
                       if only longest_ns is 0, the lengths of some dropouts are unknown */
    bool mixed; /* a sum over several reasons: reason is unknown, and no single culprit explains all
                   of them */
    struct st_dropout_cycle cycle; /* the client's worst cycle */
    int64_t spare_ns; /* time that the client usually leaves of a period, or of its own buffer; 0:
                         unknown */
    int64_t end_ns;   /* when the last of these dropouts ended (CLOCK_MONOTONIC); 0: unknown, just
                         before the report. Only in a helper program's line: the daemon converts
                         this time to wall_ns */

    /* members about a late wake-up of the timing test */
    enum st_cause cause;
    int64_t lateness_ns;
    int64_t explained_ns; /* part of the lateness that the cause explains; INT64_MIN: unknown */

    char culprit[ST_DROPOUT_REASON_CULPRIT_BYTES]; /* the thread that had the CPU: "name/pid",
                                                      "irq/27-hda"; or the client that this client
                                                      waited for */
    bool culprit_plays; /* the culprit is the server or another client of it; the text is "A", or "A
                           or B" for two */
    int64_t
        culprit_n; /* lead of the culprit over all others in the vote (st_dropout_reason_vote) */
    int64_t culprit_ns; /* time for which the culprit had the CPU; 0: unknown */

    int loop_cpu; /* CPU on which wake-ups of the timing test were examined in this time; -1: any;
                     ST_EVENT_NO_LOOP: no timing test ran */
    enum st_cause slowed; /* why the machine was slower when a client computed too long;
                             ST_CAUSE_UNKNOWN: it was not slower */
    struct st_event_pressure pressure;
};

/** An event with only a time, a kind and text ("" for a kind without text). Pure. */
struct st_event st_event_make(int64_t wall_ns, enum st_event_kind kind, const char *format, ...)
    ST_PRINTF(3, 4);

extern const struct st_record st_event_record;

/** Keeps what a helper program may report about a dropout, as an event of that time. The caller
 * sets the source. Pure. */
struct st_event st_event_of_seen(const struct st_event *seen, int64_t wall_ns);

/** The least lateness of a wake-up that can explain this event; 0: any. Pure. */
int64_t st_event_missing_ns(const struct st_event *event);

/** When the first dropout of the event began, at the latest: span_ns before wall_ns, or longest_ns
 * before it if that is longer. Pure. */
int64_t st_event_began_ns(const struct st_event *event);

/** The number of dropouts or wake-ups in the event; 1 if not known. Pure. */
static inline int64_t st_event_count(const struct st_event *event)
{
    return event->count_n != INT64_MIN ? event->count_n : 1;
}

/** Adds another event of the same kind and source. count_n, cycles_n and lost_ns are summed,
 * longest_ns is the larger one. The cycle, spare_ns, and a late wake-up's cause and culprit come
 * from the worse event, as does `slowed` if known of both. The culprit of dropouts is voted
 * (st_dropout_reason_vote); culprit_plays comes from the latest event. A client, device, reason or
 * place that differs becomes unknown; a certainty that differs becomes probable. wall_ns and
 * span_ns stay. Pure. */
void st_event_add(struct st_event *event, const struct st_event *other);
