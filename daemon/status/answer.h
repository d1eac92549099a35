/* The answer of the first screen: which program made the dropouts and why, whether this computer keeps its
 * timing, and what to do now. Other programs' dropouts come first, then the loop of the daemon. */
#pragma once

#include "daemon/status/view.h"

struct st_answer {
    const struct st_observed_view
        *server; /* the source with the longest loss of sound, else one that watches; NULL */
    const struct st_dropout_client *client; /* st_dropout_table_worst of `server` */
    enum st_dropout_reason reason;          /* of most of that client's dropouts */
    uint64_t dropouts_n;                    /* of `server`: of its devices and clients */
    int64_t last_wall_ns;                   /* time of the last dropout; INT64_MIN: none */
    uint64_t all_n;                         /* of all sources since their first watching */
    bool over;  /* there were dropouts, but none for 10 min, or the buffer is larger now, or the server is not
                   watched any more */
    bool lost;  /* there were dropouts, and `over` is false */
    bool blind; /* no watched server would show dropouts */
    bool raised; /* the buffer was made larger after the last dropout */
    bool plays, plays_known;
    bool timing_known;          /* either timing_ok or timing_bad is true */
    bool timing_matters;        /* nothing plays, or the music had dropouts; music without a dropout is better
                                   evidence than the loop */
    bool timing_ok, timing_bad; /* at the buffer of the music if known, else at the loop's */
    const char *state;          /* "ok", "warn", "bad" or "unknown" */
    const char *text;           /* the first line: one to three sentences */
    const char *brief;          /* the first line in a few words: "HeavyReverb: 12 dropouts" */
    const char *timing;         /* "timing OK: at most 1.21 ms late, and the buffer lasts 21.3 ms" */
    const char *next,
        *next_why; /* a command that helps next, and what it does or what else helps; "": none */
};

/** The sentence about the dropouts of one client of st_observed_shown(source):
 * "HeavyReverb lost sound 407 times (watched since 14:03): it computed too long." Pure. */
const char *st_answer_sentence(const struct st_view *view, const struct st_observed_view *source,
                               const struct st_dropout_client *client);

/** A sentence about losses of sound that sleeptune does not watch for now. */
const char *st_answer_not_watched(const struct st_view *view);

/** Makes the answer. Pure; points into the view. */
struct st_answer st_answer_of(const struct st_view *view);
