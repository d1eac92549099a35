/* What was seen of one source of xruns: dropouts by reason, its clients by harm, and what its device is set
 * to. Pure. Times are now_ns by CLOCK_MONOTONIC and wall_ns. */
#pragma once

#include "story/loss_rhythm.h"
#include "xruns/event.h"
#include "xruns/xrun.h"

/* A client without a load line for so long has gone: two of them were left out (xrun_line.h). */
#define ST_DROPOUT_GONE_NS INT64_C(21000000000)

/* When full, the one with the fewest dropouts that has gone makes room, else of those that play. */
#define ST_DROPOUT_CLIENTS_MAX 32

/* Dropouts in all; unknown are figures that are 0. */
struct st_dropout_sum {
    uint64_t n, device_n;        /* device_n: of devices, and of a program's own stream on one */
    uint64_t unknown_n;          /* of n: the length is not known */
    int64_t lost_ns, longest_ns; /* no sound for so long, in all and in the longest */
    int64_t cycles_n;            /* of the server */
    int64_t first_wall_ns, last_wall_ns;
    int64_t longest_period_ns; /* at which there was one */
};

/** The length of nine in ten is known. Of the rest of one that was counted earlier it is not. */
bool st_dropout_table_is_timed(const struct st_dropout_sum *sum);

#define ST_DROPOUT_ROWS_MAX 8 /* of a client; further ones have no reason and no place */

/* A client's dropouts of one reason and place: a row of screens. */
struct st_dropout_row {
    struct st_dropout_sum sum;
    enum st_dropout_reason reason;
    enum st_dropout_place place;
    const char *stream; /* of a device, or of a program's stream on it: what it did, "let its stream run dry";
                           NULL: the client was not ready */
    char culprit[ST_XRUN_NAME_BYTES]; /* of most that had one; "": none had */
    bool culprit_plays;               /* it is a client of the server, too */
    int64_t culprit_lead_n;           /* by how many dropouts it leads the others */
    uint64_t culprit_n;               /* it had, since it leads */
    /* of the worst. Only where the machine was slower in all of them, it is one of these: it says less about
     * the client. */
    struct st_dropout_cycle worst;
    enum st_cause slowed; /* by what the machine was slower then; ST_CAUSE_UNKNOWN: it was not */
};

struct st_dropout_client {
    char name[ST_XRUN_NAME_BYTES];   /* "": the server does not say which client it was, or it is a device */
    char device[ST_XRUN_NAME_BYTES]; /* the last one */
    bool playing;                    /* a load line within ST_DROPOUT_GONE_NS */
    struct st_dropout_sum sum;
    struct st_dropout_row rows[ST_DROPOUT_ROWS_MAX]; /* by harm, as those of a table */
    size_t rows_n;
    struct st_loss_rhythm rhythm; /* of its dropouts */
    int64_t reserve_ns,
        buffer_ns; /* of struct st_xrun_load, the least of all, and of which buffer; 0: not known */
    char reserve_device[ST_XRUN_NAME_BYTES];
    struct {
        int64_t frames, rate_hz, any; /* block_* of struct st_xrun_load, as of the last one */
    } block;
    int64_t drift_ppb;        /* of struct st_xrun_load, the last one that was known */
    struct st_xrun_load load; /* of the last 10 s; cycles_n 0: none */
    int64_t seen_ns, load_ns; /* its last line, and load line; INT64_MIN: none */
};

#define ST_DROPOUT_CYCLE_MAX 16 /* clients; further ones are left out */

/** All 0 at first. */
struct st_dropout_table {
    struct st_dropout_sum sum;
    uint64_t reasons_n[ST_DROPOUT_REASONS];                   /* of clients, by reason */
    uint64_t places_n[ST_DROPOUT_PLACES];                     /* of all, by place */
    int64_t last_ns;                                          /* when the last one was */
    enum st_certainty certainty;                              /* of that */
    struct st_dropout_client clients[ST_DROPOUT_CLIENTS_MAX]; /* by harm, as of the last aging */
    size_t clients_n;
    uint64_t others_dropouts_n; /* of clients that are not in clients[] any more */
    /* what the device in use is set to, as of the last ST_DROPOUT_GONE_NS; 0: not known, or nothing plays */
    char device[ST_XRUN_NAME_BYTES];
    int64_t frames, rate_hz, period_ns;
    int64_t forced_frames;             /* someone forced its server to that size; 0: no one, or not known */
    int64_t last_frames, last_rate_hz; /* the same, as last known; 0: never */
    int64_t priority;                  /* of the server's thread, as in struct st_xrun_load */
    int64_t device_load_ns;            /* when it said so; 0: never */
    /* a cycle with a dropout, the last one that who lost most did not finish, else the last one: clients
     * whose times are known, in the order in which they began */
    struct st_dropout_table_cycle {
        struct st_xrun_seen clients[ST_DROPOUT_CYCLE_MAX];
        size_t n;
        int64_t left_n; /* that come still */
        int64_t wall_ns;
    } cycle, coming;
};

/** Counts what was seen, in all and for its client, as the records of it would be, and keeps loads; not of
 * the streams of `listen`. */
void st_dropout_table_take(struct st_dropout_table *table, const struct st_xrun_seen *seen, int64_t now_ns,
                           int64_t wall_ns);

/** The same of a record of dropouts; the last of them ended now. */
void st_dropout_table_take_event(struct st_dropout_table *table, const struct st_event *event,
                                 int64_t now_ns);

/** The client of a record, with what that one says; of one that goes on, as if it was counted. */
struct st_dropout_client st_dropout_table_of_event(const struct st_event *event);

/** Forgets all dropouts, and who does not play. */
void st_dropout_table_begin_again(struct st_dropout_table *table);

/** Forgets loads that are too old (all of them, if !watching), looks for rhythms, and sorts the clients: by
 * the time that they lost, where it is known of nine in ten dropouts, else by dropouts. */
void st_dropout_table_age(struct st_dropout_table *table, int64_t now_ns, bool watching);

/** Its culprit is that of at least half of them. */
static inline bool st_dropout_table_is_culprit(const struct st_dropout_row *row)
{
    return row->culprit_n > 0 && 2 * row->culprit_n >= row->sum.n;
}

/** The rhythm of its long cycles: "every 683 ms (32768 samples), at any buffer size: a plug-in that computes
 * in blocks of 32768". "": it has none, or not known. */
const char *st_dropout_table_rhythm(const struct st_dropout_client *client);

/** Which client that plays on the device in use asked for the shortest cycle, and which for its rate: "Game
 * asked for 1024 frames, Music for 44.1 kHz". "": none did. */
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

/** Of clients of two tables: did `a` lose more, in time where that is known of both, else in dropouts? */
bool st_dropout_table_goes_first(const struct st_dropout_client *a, const struct st_dropout_client *b);

/** Who lost most, as st_dropout_table_age sorts, first of those that lost sound `within_ns` before the last
 * dropout (INT64_MAX: of all). Of those that lost the CPU it is the first one of which the culprit is known.
 * NULL: there was no dropout. */
const struct st_dropout_client *st_dropout_table_worst(const struct st_dropout_table *table,
                                                       int64_t within_ns);
