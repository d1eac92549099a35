/* What was seen by one source of xruns: dropouts by reason, clients by harm, and the settings of the
 * device. Pure. Times: now_ns by CLOCK_MONOTONIC, and wall_ns. */
#pragma once

#include "story/loss_rhythm.h"
#include "xruns/xrun.h"

/* A client without a load line for this time has gone: two lines are missing (xrun_line.h). */
#define ST_DROPOUT_GONE_NS INT64_C(21000000000)

/* In a full table, the client with the fewest dropouts is replaced; clients that have gone first. */
#define ST_DROPOUT_CLIENTS_MAX 32

/* A sum of dropouts; 0: not known. */
struct st_dropout_sum {
    uint64_t n, device_n;        /* device_n: of devices, and of a program's own stream on a device */
    uint64_t unknown_n;          /* those of n whose length is not known */
    int64_t lost_ns, longest_ns; /* time without sound: total and longest */
    int64_t cycles_n;            /* lost cycles of the server */
    int64_t first_wall_ns, last_wall_ns;
    int64_t longest_period_ns; /* longest period at which there was a dropout */
};

/** Is the length of at least 90 % of the dropouts known? (If a dropout was counted earlier, the length of
 * its rest is not known.) */
bool st_dropout_table_is_timed(const struct st_dropout_sum *sum);

#define ST_DROPOUT_ROWS_MAX                                                                                  \
    8 /* rows of a client; the last row takes further dropouts without reason and place */

/* A client's dropouts with one reason and place: a row of screens. */
struct st_dropout_row {
    struct st_dropout_sum sum;
    enum st_dropout_reason reason;
    enum st_dropout_place place;
    const char *stream; /* of a device, or of a program's stream on a device: what happened, "let its stream
                           run dry"; NULL: the client was not ready */
    char culprit[ST_XRUN_NAME_BYTES]; /* most frequent culprit of the dropouts that had one; "": none */
    bool culprit_plays;               /* the culprit is a client of the server as well */
    int64_t culprit_lead_n;           /* lead of the culprit over all others, in dropouts */
    uint64_t culprit_n;               /* dropouts of the culprit, since it leads */
    /* the worst cycle. A cycle in which the machine was slower counts only if all were such cycles, since
     * it says less about the client */
    struct st_dropout_cycle worst;
    enum st_cause slowed; /* why the machine was slower in `worst`; ST_CAUSE_UNKNOWN: it was not */
};

struct st_dropout_client {
    char name[ST_XRUN_NAME_BYTES];   /* "": the server does not name the client, or it is a device */
    char device[ST_XRUN_NAME_BYTES]; /* the last device */
    bool playing;                    /* had a load line within ST_DROPOUT_GONE_NS */
    struct st_dropout_sum sum;
    struct st_dropout_row rows[ST_DROPOUT_ROWS_MAX]; /* by harm, as the clients of a table */
    size_t rows_n;
    struct st_loss_rhythm rhythm; /* of the client's dropouts */
    int64_t reserve_ns,
        buffer_ns; /* smallest reserve_ns of struct st_xrun_load so far, and its buffer; 0: not known */
    char reserve_device[ST_XRUN_NAME_BYTES];
    struct {
        int64_t frames, rate_hz, any; /* the latest block_* of struct st_xrun_load */
    } block;
    int64_t drift_ppb;        /* the latest known one of struct st_xrun_load */
    struct st_xrun_load load; /* of the last 10 s; cycles_n 0: none */
    int64_t seen_ns, load_ns; /* time of the last line, and of the last load line; INT64_MIN: none */
};

#define ST_DROPOUT_CYCLE_MAX 16 /* clients of one cycle; further ones are left out */

/** All 0 at first. */
struct st_dropout_table {
    struct st_dropout_sum sum;
    uint64_t reasons_n[ST_DROPOUT_REASONS]; /* dropouts of clients, by reason */
    uint64_t places_n[ST_DROPOUT_PLACES];   /* all dropouts, by place */
    int64_t last_ns;                        /* time of the last dropout */
    enum st_certainty certainty;            /* of the last dropout */
    struct st_dropout_client
        clients[ST_DROPOUT_CLIENTS_MAX]; /* by harm, as of the last st_dropout_table_age */
    size_t clients_n;
    uint64_t others_dropouts_n; /* dropouts of clients that are no longer in clients[] */
    /* settings of the device in use, from the last ST_DROPOUT_GONE_NS; 0: not known, or nothing plays */
    char device[ST_XRUN_NAME_BYTES];
    int64_t frames, rate_hz, period_ns;
    int64_t forced_frames;             /* size that someone forced the server to; 0: none, or not known */
    int64_t last_frames, last_rate_hz; /* the last known frames and rate_hz; 0: never known */
    int64_t priority;                  /* of the server's thread, as in struct st_xrun_load */
    int64_t device_load_ns;            /* time of the device's last load line; 0: never */
    /* a cycle with a dropout: the last one that the client with the largest loss did not finish, else the
     * last one. Clients with known times, in the order in which they began */
    struct st_dropout_table_cycle {
        struct st_xrun_seen clients[ST_DROPOUT_CYCLE_MAX];
        size_t n;
        int64_t left_n; /* clients still to be reported */
        int64_t wall_ns;
    } cycle, coming;
};

/** Counts a sighting, in total and for its client, in the same way as recorded events; keeps loads.
 * Ignores streams of `listen`. */
void st_dropout_table_take(struct st_dropout_table *table, const struct st_xrun_seen *seen, int64_t now_ns,
                           int64_t wall_ns);

/** Counts a recorded event of dropouts, as if the last of them ended now. */
void st_dropout_table_take_event(struct st_dropout_table *table, const struct st_event *event,
                                 int64_t now_ns);

/** The client of a recorded event, with the event's figures; a dropout that goes on counts as one. */
struct st_dropout_client st_dropout_table_of_event(const struct st_event *event);

/** Forgets all dropouts, and clients that do not play. */
void st_dropout_table_begin_again(struct st_dropout_table *table);

/** Forgets loads that are too old (all of them, if !watching), looks for rhythms, and sorts clients: by
 * lost time if it is known for 90 % of the dropouts, else by number of dropouts. */
void st_dropout_table_age(struct st_dropout_table *table, int64_t now_ns, bool watching);

/** Does the named culprit account for at least half of the row's dropouts? */
static inline bool st_dropout_table_is_culprit(const struct st_dropout_row *row)
{
    return row->culprit_n > 0 && 2 * row->culprit_n >= row->sum.n;
}

/** The rhythm of the client's long cycles: "every 683 ms (32768 samples), at any buffer size: a plug-in
 * that computes in blocks of 32768"; "": none, or not known. */
const char *st_dropout_table_rhythm(const struct st_dropout_client *client);

/** Which playing client asked for the shortest cycle on the device in use, and which for its rate: "Game
 * asked for 1024 frames, Music for 44.1 kHz"; "": none. */
const char *st_dropout_table_asked(const struct st_dropout_table *table);

/** The client played and has stopped, so it causes no more dropouts. Known only where the server reports
 * who plays. */
static inline bool st_dropout_table_has_ended(const struct st_dropout_client *client)
{
    return client->load_ns != INT64_MIN && !client->playing;
}

/** Between the client and its server is a further buffer (PipeWire only), in which a loss of sound can go
 * unnoticed. */
static inline bool st_dropout_table_is_unheard(const struct st_dropout_client *client)
{
    return client->load.between == ST_XRUN_BETWEEN_STOPS || client->load.between == ST_XRUN_BETWEEN_UNSEEN;
}

/** The first client with st_dropout_table_is_unheard; NULL: none. */
const struct st_dropout_client *st_dropout_table_unheard(const struct st_dropout_table *table);

/** No program that plays there has a real-time thread (each one was checked), and neither does the server,
 * as far as known. */
bool st_dropout_table_is_normal(const struct st_dropout_table *table);

/** Other programs kept the client from computing or from waking up; settings of the computer help against
 * both. */
bool st_dropout_table_lost_cpu(const struct st_dropout_client *client);

/** Someone forced a period that few programs hold without real-time rights. That period, not the client
 * (NULL: the device), is the first thing to change. */
bool st_dropout_table_is_forced(const struct st_dropout_table *table, const struct st_dropout_client *client);

/** Did client `a` lose more than client `b` of another table: by time if known for both, else by dropouts? */
bool st_dropout_table_goes_first(const struct st_dropout_client *a, const struct st_dropout_client *b);

/** The client with the largest loss, sorted as by st_dropout_table_age, among those that lost sound
 * within_ns before the last dropout (INT64_MAX: all). Among clients that lost the CPU, the first one with
 * a known culprit. NULL: no dropout. */
const struct st_dropout_client *st_dropout_table_worst(const struct st_dropout_table *table,
                                                       int64_t within_ns);
