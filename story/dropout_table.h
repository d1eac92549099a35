/* The dropouts that one source of xruns (a sound server or driver) has reported: by reason, and by
 * client, sorted by loss. Also the settings of the device. Pure. Times: now_ns by CLOCK_MONOTONIC,
 * and wall_ns. */
#pragma once

#include "story/loss_rhythm.h"
#include "xruns/xrun.h"

/* A client counts as gone if no load line came for this time, that is if two lines are missing
 * (xrun_line.h).
 */
#define ST_DROPOUT_GONE_NS INT64_C(21000000000)

/* A full table replaces a client without dropouts first, then a client that has gone, then the one
 * with the fewest dropouts. */
#define ST_DROPOUT_CLIENTS_MAX 32

/* Dropouts that were added up. A time or length of 0 is not known. */
struct st_dropout_sum {
    /* all dropouts; those of devices and of a program's own stream on a device */
    uint64_t n, device_n;
    uint64_t unknown_n;          /* dropouts in n whose length is not known */
    int64_t lost_ns, longest_ns; /* time without sound: total and longest */
    int64_t cycles_n;            /* cycles of the server in which sound was lost */
    int64_t first_wall_ns, last_wall_ns;
    int64_t longest_period_ns; /* longest period of the device (ns) at which a dropout happened */
};

/** Are the lengths of at least 90 % of the dropouts known, so that losses can be compared by time?
 * (Of a dropout that was counted earlier and goes on, the length of the rest is not known.) */
bool st_dropout_table_is_timed(const struct st_dropout_sum *sum);

/* most rows (reason and place) of a client. If it has more, the last row also counts all further
 * dropouts, and has no reason and place */
#define ST_DROPOUT_ROWS_MAX 8

/* A client's dropouts with one reason and place. Screens show it as a row. */
struct st_dropout_row {
    struct st_dropout_sum sum;
    enum st_dropout_reason reason;
    enum st_dropout_place place;
    /* words for what happened to a device, or to a program's own stream on a device: "let its
     * stream run dry"; NULL: the row is about a client that was not ready */
    const char *stream;
    /* most frequent culprit of the dropouts for which one is known; "": none */
    char culprit[ST_XRUN_NAME_BYTES];
    bool culprit_plays; /* the culprit also plays through the server */
    /* dropouts of the culprit minus those of all other culprits since it leads */
    int64_t culprit_lead_n;
    uint64_t culprit_n; /* dropouts of the culprit since it leads */
    /* Figures of the worst cycle. A cycle in which the machine was slower says less about the
     * client, so it is used only while there is no other. */
    struct st_dropout_cycle worst;
    enum st_cause slowed; /* why the machine was slower in `worst`; ST_CAUSE_UNKNOWN: it was not */
};

struct st_dropout_client {
    /* Members before `name` are about dropouts, and st_dropout_table_begin_again forgets them. */
    struct st_dropout_sum sum;
    struct st_dropout_row rows[ST_DROPOUT_ROWS_MAX]; /* sorted by loss, largest first */
    size_t rows_n;
    /* regular intervals between the client's dropouts, if they are not more than the intervals */
    struct st_loss_rhythm rhythm;
    /* smallest reserve_ns of struct st_xrun_load so far, and the buffer_ns of that line; 0: not
     * known */
    int64_t reserve_ns, buffer_ns;

    char name[ST_XRUN_NAME_BYTES]; /* "": the server does not name the client, or it is a device */
    char device[ST_XRUN_NAME_BYTES]; /* device of the last dropout or load */
    bool playing;                    /* a load line came within ST_DROPOUT_GONE_NS */
    bool timed;        /* at the last st_dropout_table_age clients were compared by lost time */
    int64_t drift_ppb; /* last known drift_ppb of struct st_xrun_load; 0: not known */
    struct st_xrun_load load; /* load of the last 10 s; all 0: none */
    struct st_xrun_load last; /* the last load, also after the client stopped playing */
    /* time of the last report about the client, and of the last load line (CLOCK_MONOTONIC);
     * INT64_MIN: none
     */
    int64_t seen_ns, load_ns;
};

#define ST_DROPOUT_CYCLE_MAX 16 /* most clients that are kept of one cycle */

/** What is known of one source. All 0 at first. */
struct st_dropout_table {
    /* Members before `clients` are about dropouts, and st_dropout_table_begin_again forgets
     * them. */
    struct st_dropout_sum sum;
    uint64_t reasons_n[ST_DROPOUT_REASONS]; /* dropouts of clients, by reason */
    uint64_t places_n[ST_DROPOUT_PLACES];   /* all dropouts, by place */
    int64_t last_ns;                        /* time of the last dropout (CLOCK_MONOTONIC) */
    enum st_certainty certainty;            /* certainty of the last dropout */
    uint64_t others_dropouts_n; /* dropouts of clients that were replaced in clients[] */

    struct st_dropout_client
        clients[ST_DROPOUT_CLIENTS_MAX]; /* sorted by loss at the last st_dropout_table_age */
    size_t clients_n;
    /* Settings of the device that plays, from load lines that are not older than
     * ST_DROPOUT_GONE_NS; 0: not known, or nothing plays. */
    char device[ST_XRUN_NAME_BYTES];
    int64_t frames, rate_hz, period_ns;
    /* buffer size (frames) to which someone forced the server; 0: none, or not known */
    int64_t forced_frames;
    int64_t last_frames, last_rate_hz; /* the last known frames and rate_hz; 0: never known */
    int64_t priority;       /* priority of the server's thread, as in struct st_xrun_load */
    int64_t device_load_ns; /* when the last load line of the device came; 0: never */
    /* The times of all clients in a cycle with a dropout, for screens: the last such cycle that the
     * client with the largest loss did not finish; if there is none, the last one. Clients are in
     * the order in which they began. `coming` is a cycle whose clients are still being reported. */
    struct st_dropout_table_cycle {
        struct st_xrun_seen clients[ST_DROPOUT_CYCLE_MAX];
        size_t n;
        int64_t left_n; /* clients of the cycle that are still to be reported */
        int64_t wall_ns;
    } cycle, coming;
};

/** Takes a report of a source: counts a dropout in total and for its client, as
 * st_dropout_table_take_event does, or keeps a load. Ignores test signals of `sleeptune listen`. */
void st_dropout_table_take(struct st_dropout_table *table, const struct st_xrun_seen *seen,
                           int64_t now_ns, int64_t wall_ns);

/** Counts an event of dropouts, as if the last of them ended now. */
void st_dropout_table_take_event(struct st_dropout_table *table, const struct st_event *event,
                                 int64_t now_ns);

/** A client that has only the dropouts of one event, with the event's figures, for a sentence about
 * it. A dropout that goes on counts as one. */
struct st_dropout_client st_dropout_table_of_event(const struct st_event *event);

/** Forgets all dropouts, and the clients that do not play. Loads and settings stay. */
void st_dropout_table_begin_again(struct st_dropout_table *table);

/** Drops loads that are too old (all of them unless `watching`), looks for regular intervals
 * between dropouts, and sorts clients: by lost time if it is known for 90 % of the dropouts,
 * otherwise by number of dropouts. */
void st_dropout_table_age(struct st_dropout_table *table, int64_t now_ns, bool watching);

/** Does the named culprit account for at least half of the row's dropouts? */
static inline bool st_dropout_table_is_culprit(const struct st_dropout_row *row)
{
    return row->culprit_n > 0 && 2 * row->culprit_n >= row->sum.n;
}

/** Makes a text how often the client has long cycles: "every 683 ms (32768 samples) at any buffer
 * size: one of its plug-ins works in blocks of 32768 samples"; "": at no regular interval, or not
 * known. */
const char *st_dropout_table_rhythm(const struct st_dropout_client *client);

/** Which playing client asked for the shortest cycle on the device that plays, and which one for
 * its rate: "Game asked for 1024 frames, Music for 44.1 kHz"; "": none. */
const char *st_dropout_table_asked(const struct st_dropout_table *table);

/** Has the client stopped playing, so that it makes no more dropouts? Known only where the server
 * reports who plays. */
static inline bool st_dropout_table_has_ended(const struct st_dropout_client *client)
{
    return client->load_ns != INT64_MIN && !client->playing;
}

/** Is there another buffer between the client and its server (PipeWire only), in which a loss of
 * sound may not be noticed? */
static inline bool st_dropout_table_is_unheard(const struct st_dropout_client *client)
{
    return client->load.between == ST_XRUN_BETWEEN_STOPS ||
           client->load.between == ST_XRUN_BETWEEN_UNSEEN;
}

/** The first client with st_dropout_table_is_unheard; NULL: none. */
const struct st_dropout_client *st_dropout_table_unheard(const struct st_dropout_table *table);

/** Do the server and all playing programs run without real-time priority? True only if each program
 * was checked; the server may be unknown. */
bool st_dropout_table_is_normal(const struct st_dropout_table *table);

/** Did other programs keep the client from computing or from waking up? Settings of the computer
 * help against both. */
bool st_dropout_table_lost_cpu(const struct st_dropout_client *client);

/** Did someone force a period that few programs can keep without real-time rights? Then that period
 * is the first thing to change, not the client (NULL: the device). */
bool st_dropout_table_is_forced(const struct st_dropout_table *table,
                                const struct st_dropout_client *client);

/** Did client `a` lose more than client `b` of another table: by time if known for both, else by
 * dropouts? */
bool st_dropout_table_goes_first(const struct st_dropout_client *a,
                                 const struct st_dropout_client *b);

/** The client with the largest loss, compared as in st_dropout_table_age, among those that lost
 * sound at most within_ns before the last dropout (INT64_MAX: all). If it lost the CPU and its
 * culprit is not known, the first such client with a known culprit. NULL: no dropout. */
const struct st_dropout_client *st_dropout_table_worst(const struct st_dropout_table *table,
                                                       int64_t within_ns);

/** A source, for sorting: the one that a musician is most likely to ask about comes first. */
struct st_dropout_source {
    const char *name; /* name of the source, as in struct st_xrun_source */
    const struct st_dropout_table *table;
    bool asked;        /* the dropouts in `table` are from the time that the user asked about */
    bool plays;        /* something plays, or played in that time */
    bool watched;      /* the source is watched at this moment */
    const void *owner; /* the caller's object that contains the source */
};

/** Sorts sources. First the largest loss of sound in the time that is asked about: by duration if
 * all lengths are known, otherwise by number of dropouts. Among equal losses: first sources where
 * something plays, since only there "no dropout" says something; then the larger earlier loss; then
 * a sound server before its device, since a server names programs; then the given order. */
void st_dropout_table_sort(struct st_dropout_source *sources, size_t n);
