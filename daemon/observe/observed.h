/* One source of other programs' xruns: opens it, polls it, opens it again after a loss, and counts. */
#pragma once

#include "daemon/observe/observed_events.h"
#include "story/dropout_table.h"
#include "xruns/cycle_ring.h"

#define ST_OBSERVED_WAITING_MAX  32
#define ST_OBSERVED_BUS_WAIT_NS  INT64_C(1500000000) /* PipeWire's helper may report up to 1 s late */
#define ST_OBSERVED_RETRY_MAX_NS INT64_C(15000000000)
/* while nothing plays, according to other sources: each try starts a program */
#define ST_OBSERVED_RETRY_QUIET_NS INT64_C(60000000000)

enum st_observed_mode { ST_OBSERVED_OFF, ST_OBSERVED_AUTO, ST_OBSERVED_ON };

enum st_observed_state {
    ST_OBSERVED_IS_OFF,
    ST_OBSERVED_ABSENT, /* cannot be opened, or was lost; opened again after 1 s .. 15 s, or 60 s while
                           nothing plays */
    ST_OBSERVED_OPENING,
    ST_OBSERVED_WATCHING,
};

/** "off", "absent", "opening", "watching". */
const char *st_observed_state_name(enum st_observed_state state);

/** Counts are since the daemon's start. */
struct st_observed_view {
    const char *source, *summary; /* constant texts */
    bool never;                   /* not available on this system */
    bool device_only;             /* seen.dropouts_n is unknown */
    enum st_observed_mode mode;
    enum st_observed_state state;
    char why[ST_XRUN_WHY_BYTES + 48]; /* why the source is absent or rests, or what it watches; "" */
    int64_t facts;                    /* enum st_xrun_fact, of `why` */
    uint64_t opened_n;                /* 0: the source never watched, and its counts mean nothing */
    uint64_t polls_n;
    int64_t poll_cpu_ns;    /* CPU time of all polls, in this process */
    int64_t program_cpu_ns; /* CPU time of all helper programs of the source; INT64_MIN: no helper programs */
    int64_t watched_ns;
    struct st_dropout_table seen;
    /* for screens: dropouts since the last change of the buffer, end of the worst program, or ten minutes
     * without dropouts; borrowed, as of the last look. NULL: none */
    const struct st_dropout_table *recent;
    int64_t recent_wall_ns;    /* start of `recent` */
    int64_t since_wall_ns;     /* when the source first watched; INT64_MIN: never */
    int64_t again_wall_ns;     /* start of the current time of watching without a gap; INT64_MIN: never */
    int64_t lost_wall_ns;      /* end of watching before the source was lost; INT64_MIN: not lost */
    bool tells_playing;        /* while the source watches, it sees everything that plays */
    int64_t played_ns;         /* when something last played, by CLOCK_MONOTONIC; INT64_MIN: never */
    int64_t music_ns, test_ns; /* as played_ns, of clients other than `listen`'s, and of `listen`'s */
    char played[ST_XRUN_NAME_BYTES]; /* the client or device that played; "": not known */
};

static inline const struct st_dropout_table *st_observed_shown(const struct st_observed_view *of)
{
    return of->recent != NULL ? of->recent : &of->seen;
}

/* A sighting that is not counted yet, because more about it or an earlier one will be known soon: the
 * card's driver reports a loss on a USB bus, or what slowed the machine when a client computed too long. */
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
    char lasting[ST_XRUN_WHY_BYTES]; /* view.why without the number of programs listened to, which changes
                                        whenever one begins to play */
    struct st_dropout_table recent;
    int64_t recent_period_ns; /* period of the device in use, from its last line */
    char recent_device[ST_XRUN_NAME_BYTES];
    bool recent_resized; /* the buffer was changed since the last of these */
    struct st_observed_events made;
    const struct st_observed *beside; /* all sources, including this one: see is_counted(), ran_dry() */
    size_t beside_n;
    struct st_cycle_levels *levels;                              /* receives levels of buffers; NULL: none */
    struct st_observed_waiting waiting[ST_OBSERVED_WAITING_MAX]; /* oldest first */
    int64_t cut_ns; /* sightings before and after this time go into different events */
    size_t waiting_n;
    bool open;
    unsigned failures;
    bool quiet;          /* nothing plays: an absent source is opened less often */
    int64_t due_ns;      /* time of the next turn */
    int64_t turned_ns;   /* time of the last turn with an open source */
    int64_t programs_ns; /* CPU time of helper programs that have ended */
};

/** Initialises a source that is off until st_observed_set. */
void st_observed_init(struct st_observed *o, struct st_platform *platform, struct st_events *events,
                      const struct st_xrun_source *source);

/** Sets mode and setting; closes and opens the source if needed. */
void st_observed_set(struct st_observed *o, enum st_observed_mode mode,
                     const struct st_xrun_setting *setting);

/** Forgets clients that have stopped playing; the next turn may be 20 s away. */
void st_observed_age(struct st_observed *o);

/** Opens or polls. Sets o->due_ns to the latest time of the next call (INT64_MAX: never). */
void st_observed_turn(struct st_observed *o);

/** Counts waiting sightings about which everything is known, and puts events that are due. Call four times
 * a second while o->waiting_n is not 0. */
void st_observed_count(struct st_observed *o);

/** Puts events for everything counted so far; later sightings go into other events. Waiting sightings are
 * put when they are counted. */
void st_observed_cut(struct st_observed *o);

#define ST_OBSERVED_OPEN_MAX (ST_OBSERVED_EVENTS_OPEN_MAX + ST_OBSERVED_WAITING_MAX)

/** Events for what is in no event yet, without waiting losses on a USB bus. Changes nothing. @param ret
 * room for ST_OBSERVED_OPEN_MAX. @return their number. */
size_t st_observed_open(const struct st_observed *o, struct st_event *ret);

/** Sets whether nothing plays; when something plays again, an absent source is opened at once. */
void st_observed_quiet(struct st_observed *o, bool quiet);

/** Puts events for everything seen, and closes. */
void st_observed_finish(struct st_observed *o);
