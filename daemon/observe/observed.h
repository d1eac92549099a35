/* One source of other programs' xruns: opens it, polls it, opens it again after it was lost, and
 * counts its dropouts. */
#pragma once

#include "daemon/observe/observed_events.h"
#include "story/dropout_table.h"
#include "xruns/cycle_ring.h"

#define ST_OBSERVED_WAITING_MAX 32
/* how long a loss on a USB bus waits for other reports of it, since PipeWire's helper may report up
 * to 1 s late */
#define ST_OBSERVED_BUS_WAIT_NS  INT64_C(1500000000)
#define ST_OBSERVED_RETRY_MAX_NS INT64_C(15000000000)
/* Longest pause before a source is opened again while nothing plays (according to other sources),
 * since each attempt starts a program. */
#define ST_OBSERVED_RETRY_QUIET_NS INT64_C(60000000000)

enum st_observed_mode { ST_OBSERVED_OFF, ST_OBSERVED_AUTO, ST_OBSERVED_ON };

enum st_observed_state {
    ST_OBSERVED_IS_OFF,
    /* cannot be opened, or was lost; tried again after 1 s to 15 s, or 60 s while nothing plays */
    ST_OBSERVED_ABSENT,
    ST_OBSERVED_OPENING,
    ST_OBSERVED_WATCHING,
};

/** "off", "absent", "opening", "watching". */
const char *st_observed_state_name(enum st_observed_state state);

/** The state of a source. Counts are since the daemon's start. */
struct st_observed_view {
    const char *source, *summary; /* constant texts */
    bool never;                   /* not available on this system */
    /* the source sees devices only, so the number of clients' dropouts is unknown */
    bool device_only;
    enum st_observed_mode mode;
    enum st_observed_state state;
    /* for screens: why the source is absent or rests, or what it watches; "": no such text */
    char why[ST_XRUN_WHY_BYTES + 48];
    int64_t facts;     /* enum st_xrun_fact, bits: the reasons in `why`, in a form for programs */
    uint64_t opened_n; /* 0: the source was never watched, so its counts mean nothing */
    int64_t watched_ns;
    struct st_dropout_table seen;
    /* The dropouts that screens show: those since the last change of the buffer size, end of the
     * worst program, or ten minutes without a dropout. Points to `recent` of struct st_observed,
     * and is no copy. NULL: none */
    const struct st_dropout_table *recent;
    int64_t recent_wall_ns; /* time of the first dropout in `recent` */
    int64_t since_wall_ns;  /* when the source first watched; INT64_MIN: never */
    int64_t again_wall_ns;  /* since when the source is watched without a gap; INT64_MIN: never */
    /* when the source was last watched, if it is lost now; INT64_MIN: it is not lost */
    int64_t lost_wall_ns;
    bool tells_playing; /* while it is watched, the source sees everything that plays */
    int64_t played_ns;  /* when something last played, by CLOCK_MONOTONIC; INT64_MIN: never */
    /* when music, and a test signal of `sleeptune listen`, last played, by CLOCK_MONOTONIC;
     * INT64_MIN: never
     */
    int64_t music_ns, test_ns;
    char played[ST_XRUN_NAME_BYTES]; /* the client or device that played last; "": not known */
};

static inline const struct st_dropout_table *st_observed_shown(const struct st_observed_view *of)
{
    return of->recent != NULL ? of->recent : &of->seen;
}

/* A report that is not counted yet, because more about it, or about an earlier report, will be
 * known soon: for a loss on a USB bus whether the card's driver saw it, too; for a client that
 * computed too long what slowed the machine. */
struct st_observed_waiting {
    struct st_xrun_seen seen;
    int64_t at_ns, wall_ns;
};

/** Counts of a source at the end of the last minute. */
struct st_observed_before {
    int64_t watched_ns;
    uint64_t dropouts_n;             /* dropouts of the source's devices and clients */
    char client[ST_XRUN_NAME_BYTES]; /* program that played in the last minute; "": none */
};

/** A source and all that is known of it. Threads: one. */
struct st_observed {
    const struct st_xrun_source *source;
    struct st_platform *platform;
    struct st_events *events;
    struct st_xrun_setting setting;
    struct st_xrun_watch watch;
    struct st_observed_view view;
    /* view.why without the number of programs that are listened to, which changes with each program
     * that begins to play */
    char lasting[ST_XRUN_WHY_BYTES];
    struct st_dropout_table recent;
    int64_t recent_period_ns; /* last known period of the device that plays */
    char recent_device[ST_XRUN_NAME_BYTES];
    bool recent_resized; /* the buffer size was changed after the last dropout in `recent` */
    struct st_observed_events made;
    /* all sources, including this one; is_counted() and ran_dry() search them for another report of
     * the same dropout */
    const struct st_observed *beside;
    size_t beside_n;
    struct st_cycle_levels *levels; /* receives levels of buffers; NULL: none */
    /* reports that are not counted yet, oldest first */
    struct st_observed_waiting waiting[ST_OBSERVED_WAITING_MAX];
    int64_t
        cut_ns; /* dropouts before and after this time (CLOCK_MONOTONIC) are in different events */
    size_t waiting_n;
    bool open;
    unsigned failures;
    bool quiet;        /* nothing plays, so an absent source is opened less often */
    int64_t due_ns;    /* when st_observed_turn must be called next */
    int64_t turned_ns; /* when st_observed_turn was last called with an open source */

    /* for observe.c: when the source's descriptor was last readable, and until when it does not
     * wake the daemon (CLOCK_MONOTONIC) */
    int64_t read_ns, rests_until_ns;
    struct st_observed_before before;
};

/** Initialises a source that is off until st_observed_set. */
void st_observed_init(struct st_observed *o, struct st_platform *platform, struct st_events *events,
                      const struct st_xrun_source *source);

/** Sets mode and setting; closes and opens the source if needed. */
void st_observed_set(struct st_observed *o, enum st_observed_mode mode,
                     const struct st_xrun_setting *setting);

/** Removes clients from the table that stopped playing; call before the table is shown, since the
 * next st_observed_turn may be 20 s away. */
void st_observed_age(struct st_observed *o);

/** Opens the source, or polls it. Sets o->due_ns to the time of the next call (INT64_MAX: none). */
void st_observed_turn(struct st_observed *o);

/** Counts the reports that have waited long enough, and adds the events that are due. Call four
 * times a second while o->waiting_n is not 0. */
void st_observed_count(struct st_observed *o);

/** Adds events for everything counted so far, so that later dropouts are in other events. Reports
 * that wait are added when they are counted. */
void st_observed_cut(struct st_observed *o);

#define ST_OBSERVED_OPEN_MAX (ST_OBSERVED_EVENTS_OPEN_MAX + ST_OBSERVED_WAITING_MAX)

/** Events for dropouts that are in no event yet, without losses on a USB bus that still wait.
 * Changes nothing. @param ret room for ST_OBSERVED_OPEN_MAX. @return their number. */
size_t st_observed_open(const struct st_observed *o, struct st_event *ret);

/** Sets whether nothing plays; when something plays again, an absent source is opened at once. */
void st_observed_quiet(struct st_observed *o, bool quiet);

/** Counts everything that waits, adds all events, and closes the source. */
void st_observed_finish(struct st_observed *o);
