/* The first screen: which program made the dropouts and why, whether this computer wakes its
 * threads on time, and what to do now. Other programs' dropouts come first, then the timing test of
 * the daemon. */
#pragma once

#include "daemon/status/view.h"

struct st_answer {
    const struct st_observed_view *server; /* the source with the longest loss of sound, otherwise
                                              one that is watched; NULL: none */
    const struct st_dropout_table *shown;  /* st_observed_shown(server); NULL: no server */
    /* the client of `server` that the answer names (st_dropout_table_worst) */
    const struct st_dropout_client *client;
    enum st_dropout_reason reason; /* reason of most dropouts of `client` */
    uint64_t dropouts_n;           /* dropouts of all devices and clients of `server` */
    uint64_t all_n;                /* dropouts of all sources since each was first watched */
    bool lost;  /* there were dropouts that still count: `recent`, and not `raised` */
    bool blind; /* no sound server is watched now, so dropouts would not be seen */
    /* the buffer is larger now than at every dropout, so the dropouts may have ended */
    bool raised;
    bool recent; /* the server is watched, and its last dropout was less than 10 min ago */
    bool plays, plays_known;
    int64_t buffer_ns; /* duration of the music's buffer; 0: not known */
    /* a client that plays, and some of whose dropouts sleeptune cannot see; NULL: none */
    const struct st_dropout_client *unheard;
    bool timing_known; /* the loop has measured: timing_ok or timing_bad is true */
    /* the loop's timing is part of the answer: nothing plays, the music had dropouts, or the loop
     * gets no CPU. Music without a dropout is better evidence than the loop */
    bool timing_matters;
    /* the loop's wake-ups were in time (ok) or too late (bad) for the music's buffer; if that is
     * unknown, for the loop's period */
    bool timing_ok, timing_bad;
    bool explained; /* `cause` is the main cause of the loop's late wake-ups; else it means nothing
                     */
    enum st_cause cause;
    /* without real-time priority the loop waited for other programs: a report on settings helps
     * more than a list of causes */
    bool no_rights;
    const char *state;  /* colour of the answer: "ok", "warn", "bad" or "unknown" */
    const char *text;   /* the first line: one to three sentences */
    const char *brief;  /* the first line in a few words: "HeavyReverb: 12 dropouts" */
    const char *timing; /* "timing OK: at most 1.21 ms late, and the buffer lasts 21.3 ms" */
    const char *next,
        *next_why; /* a command that helps next, and what it does or what helps besides; "": none */
};

/** The time from which on st_observed_shown(source) has all dropouts: " (watched since 14:03)". If
 * the table leaves out earlier dropouts, " (since 14:05:12)" with seconds, because the dropouts
 * that it leaves out may be of the same minute. Pure. */
const char *st_answer_since(const struct st_view *view, const struct st_observed_view *source);

/** Lists what sleeptune does not watch on this system now, although it can make dropouts: "losses
 * on USB (needs root and usbmon), ...". */
const char *st_answer_not_watched(const struct st_view *view);

/** Makes the answer. Pure. It points into the view, which must stay valid. */
struct st_answer st_answer_of(const struct st_view *view);
