/* One source of other programs' xruns: opened, polled, lost, opened again; its counts. */
#pragma once

#include "daemon/observe/observed_events.h"
#include "platform/platform.h"
#include "story/dropout_table.h"
#include "xruns/cycle_ring.h"

#define ST_OBSERVED_WAITING_MAX  32
#define ST_OBSERVED_BUS_WAIT_NS  INT64_C(1500000000) /* PipeWire's helper may be a second late */
#define ST_OBSERVED_RETRY_MAX_NS INT64_C(15000000000)
/* while nothing plays, as other sources say: each try starts a program */
#define ST_OBSERVED_RETRY_QUIET_NS INT64_C(60000000000)

enum st_observed_mode { ST_OBSERVED_OFF, ST_OBSERVED_AUTO, ST_OBSERVED_ON };

enum st_observed_state {
    ST_OBSERVED_IS_OFF,
    ST_OBSERVED_ABSENT, /* cannot be opened, or was lost; tried again after 1 s .. 15 s, or 60 s while nothing
                           plays */
    ST_OBSERVED_OPENING,
    ST_OBSERVED_WATCHING,
};

/** "off", "absent", "opening", "watching". */
const char *st_observed_state_name(enum st_observed_state state);

/** Counts are since the daemon's start. */
struct st_observed_view {
    const char *source, *summary; /* constant texts */
    bool never;                   /* this OS has none */
    bool device_only;             /* seen.dropouts_n is unknown */
    enum st_observed_mode mode;
    enum st_observed_state state;
    char why[ST_XRUN_WHY_BYTES + 48]; /* why it is absent or rests; what it watches; "" */
    int64_t facts;                    /* enum st_xrun_fact, of `why` */
    uint64_t opened_n;                /* 0: it never watched, and its counts say nothing */
    uint64_t polls_n;
    int64_t poll_cpu_ns;    /* of all polls, in this process */
    int64_t program_cpu_ns; /* of all helper programs that it has had; INT64_MIN: it has none */
    int64_t watched_ns;
    struct st_dropout_table seen;
    /* what screens are about: dropouts since the buffer changed, the worst program ended, or ten minutes
     * without any; borrowed, as of the last look. NULL: none */
    const struct st_dropout_table *recent;
    int64_t recent_wall_ns;    /* the first of these */
    int64_t since_wall_ns;     /* when it first watched; INT64_MIN: never */
    int64_t again_wall_ns;     /* when it began to watch without a gap up to now; INT64_MIN: never */
    int64_t lost_wall_ns;      /* until when it was watched before it was lost; INT64_MIN: it was not */
    bool tells_playing;        /* while it watches, it sees whatever plays */
    int64_t played_ns;         /* when it last did, by CLOCK_MONOTONIC; INT64_MIN: never */
    int64_t music_ns, test_ns; /* ... a client that is none of `listen`, and one that is; as played_ns */
    char played[ST_XRUN_NAME_BYTES]; /* what that was: client or device; "" when not known */
};

static inline const struct st_dropout_table *st_observed_shown(const struct st_observed_view *of)
{
    return of->recent != NULL ? of->recent : &of->seen;
}

/* A line that is not counted yet, because more becomes known soon of it or of one before it: what the card's
 * driver reports of a loss on a USB bus, or what slowed the machine when a client computed too long. */
struct st_observed_waiting {
    struct st_xrun_seen seen;
    int64_t at_ns, wall_ns;
};

/** Threads: one. */
struct st_observed {
    const struct st_xrun_source *source;
    struct st_platform *platform;
    struct st_events *events;
    struct st_xrun_setting setting;
    struct st_xrun_watch watch;
    struct st_observed_view view;
    char lasting[ST_XRUN_WHY_BYTES]; /* of view.why: without the number of programs that it listens to, which
                                        changes each time that one begins to play */
    struct st_dropout_table recent;
    int64_t recent_period_ns; /* of the device in use, as of its last line */
    char recent_device[ST_XRUN_NAME_BYTES];
    bool recent_resized; /* since the last of them */
    struct st_observed_events made;
    const struct st_observed *beside; /* all sources, this one among them: see is_counted(), ran_dry() */
    size_t beside_n;
    struct st_cycle_levels *levels;                              /* gets what was left; NULL: none */
    struct st_observed_waiting waiting[ST_OBSERVED_WAITING_MAX]; /* the oldest first */
    int64_t cut_ns; /* what was seen before is in other events than what came then */
    size_t waiting_n;
    bool open;
    unsigned failures;
    bool quiet;          /* nothing plays: what is absent is tried again less often */
    int64_t due_ns;      /* of the next turn */
    int64_t turned_ns;   /* of the last turn that found it open */
    int64_t programs_ns; /* CPU time of programs that have ended */
};

/** It is off until st_observed_set. */
void st_observed_init(struct st_observed *o, struct st_platform *platform, struct st_events *events,
                      const struct st_xrun_source *source);

/** Closes and opens as the mode and another setting want it. */
void st_observed_set(struct st_observed *o, enum st_observed_mode mode,
                     const struct st_xrun_setting *setting);

/** Forgets who does not play any more: its turn may be 20 s away. */
void st_observed_age(struct st_observed *o);

/** Opens or polls. o->due_ns is then when to call again, at the latest (INT64_MAX: never). */
void st_observed_turn(struct st_observed *o);

/** Counts what waits, as far as all is known of it, and puts events that are due. While o->waiting_n is not 0
 * call it four times a second. */
void st_observed_count(struct st_observed *o);

/** Puts events: what comes from now on is in others. What waits is put when it is counted. */
void st_observed_cut(struct st_observed *o);

#define ST_OBSERVED_OPEN_MAX (ST_OBSERVED_EVENTS_OPEN_MAX + ST_OBSERVED_WAITING_MAX)

/** What is in no event yet, as the events that it would be now; without losses on a USB bus that wait.
 * Nothing changes by it. @param ret room for ST_OBSERVED_OPEN_MAX. @return how many. */
size_t st_observed_open(const struct st_observed *o, struct st_event *ret);

/** Nothing plays, or something does again: then what is absent is tried again at once. */
void st_observed_quiet(struct st_observed *o, bool quiet);

/** Closes, after events about what was seen. */
void st_observed_finish(struct st_observed *o);
