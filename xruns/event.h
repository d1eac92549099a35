/* One event, as it is seen, sent by a helper program, recorded and read: fields with units, and no sentence.
 * What it says is composed when it is read (story/event_story.h); nothing changes it afterwards: what becomes
 * known later is an event of its own, or was waited for. st_event_record describes it: a new member gets a
 * row there. */
#pragma once

#include "core/base.h"
#include "core/cause_kind.h"
#include "core/event.h"
#include "core/text/record.h"
#include "xruns/dropout_cycle.h"
#include "xruns/dropout_place.h"
#include "xruns/dropout_reason.h"

/** State of the system in the second before. INT64_MIN: unknown. */
struct st_event_pressure {
    /* share of the time in which a task waited for this resource, thousandths */
    int64_t pressure_cpu_permille, pressure_io_permille;
    int64_t
        pressure_memory_permille; /* the larger one of two seconds: dropouts are reported up to one late */
    int64_t cpu_khz;
    int64_t throttles_n; /* thermal throttlings of the core */
    int64_t temperature_mc;
};

/** Nothing known. */
#define ST_EVENT_PRESSURE_UNKNOWN                                                                            \
    ((struct st_event_pressure){INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN})

#define ST_EVENT_NO_LOOP (-2) /* of loop_cpu */

/* Events so near are of the same time: an observer looks a few times a second, and a late wake-up is judged
 * within a quarter of one. An event with a longer span is of no moment. */
#define ST_EVENT_SAME_TIME_NS INT64_C(500000000)

/** Unknown members, and those without meaning for this event, are as st_event_make sets them. */
struct st_event {
    int64_t wall_ns;
    int64_t span_ns; /* it stands for what happened so long before wall_ns; 0: at that moment */
    enum st_event_kind kind;
    int64_t count_n;  /* occurrences that it stands for; st_event_add says what the figures below are then.
                         INT64_MIN: one; 0: a dropout that an earlier event has counted goes on */
    char detail[288]; /* words of the kinds about sleeptuned itself; the backend of its own stream */
    char source[16];  /* "loop", "own", or of an xrun_source */
    char device[64], client[64];
    enum st_certainty certainty;

    /* a dropout; times 0: unknown */
    enum st_dropout_reason reason;
    enum st_dropout_place place;
    int64_t cycles_n;            /* cycles that were lost; 0: unknown */
    int64_t lost_ns, longest_ns; /* no sound for so long, in all of count_n and in the longest; 0: unknown;
                                    only longest_ns is 0: the lengths of some are unknown */
    bool mixed; /* a sum of several reasons: reason is unknown, and no one else is to blame for all of them */
    struct st_dropout_cycle cycle; /* of a client: the worst of the cycles */
    int64_t spare_ns; /* the client usually leaves so much of a period, or of its own buffer; 0: unknown */
    int64_t end_ns;   /* when the last of these ended, CLOCK_MONOTONIC; 0: unknown, but just now. In the line
                         of a helper program only: the daemon makes wall_ns of it */

    /* a late wake-up of the test loop */
    enum st_cause cause;
    int64_t lateness_ns;
    int64_t explained_ns; /* part of the lateness that the cause explains; INT64_MIN: unknown */

    char culprit[ST_DROPOUT_REASON_CULPRIT_BYTES]; /* who had the CPU: "name/pid", "irq/27-hda"; or which
                                                      client a client waited for */
    bool culprit_plays; /* it is a client of the server, too, or the server: "A", or of two "A or B" */
    int64_t culprit_n;  /* of count_n: by how many the culprit leads all others */
    int64_t culprit_ns; /* had the CPU for so long; 0: unknown */

    int loop_cpu;         /* wake-ups of the test loop were looked at in this time, on this CPU; -1: on any;
                             ST_EVENT_NO_LOOP: none ran */
    enum st_cause slowed; /* by what the machine was slower when a client computed too long; ST_CAUSE_UNKNOWN:
                             it was not */
    struct st_event_pressure pressure;
};

/** An event of which nothing is known but its words, "" for a kind that has none. Pure. */
struct st_event st_event_make(int64_t wall_ns, enum st_event_kind kind, const char *format, ...)
    ST_PRINTF(3, 4);

extern const struct st_record st_event_record;

/** What a helper program may say of a dropout, as an event of that time. The source is the caller's. Pure. */
struct st_event st_event_of_seen(const struct st_event *seen, int64_t wall_ns);

/** A late wake-up that explains it is at least so late; 0: any. Pure. */
int64_t st_event_missing_ns(const struct st_event *event);

/** When the first of what it stands for began, at the latest: the first ended span_ns ago, and the longest
 * may be the last. Pure. */
int64_t st_event_began_ns(const struct st_event *event);

/** For how many it stands: 1 if that is not known. Pure. */
static inline int64_t st_event_count(const struct st_event *event)
{
    return event->count_n != INT64_MIN ? event->count_n : 1;
}

/** Adds what another event of the same kind and source stands for. count_n, cycles_n and lost_ns are summed,
 * longest_ns is the larger one. The cycle, spare_ns, and a late wake-up with its cause and culprit are
 * those of the worse event, as is slowed if it is known of both. The culprit of dropouts is voted
 * (st_dropout_reason_vote), and plays as it was last seen to. A client, device, reason or place that differs
 * becomes unknown, another certainty probable. wall_ns and span_ns stay. Pure.
 */
void st_event_add(struct st_event *event, const struct st_event *other);
