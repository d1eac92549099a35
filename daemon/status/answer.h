/* The answer of the first screen: which program made the dropouts and why, whether this computer keeps its
 * timing, and what to do now. Other programs' dropouts come first, then the loop of the daemon. */
#pragma once

#include "daemon/status/view.h"

struct st_answer {
    const struct st_observed_view *server;  /* the source that lost most sound, else one that watches; NULL */
    const struct st_dropout_client *client; /* st_dropout_table_worst of it */
    enum st_dropout_reason reason;          /* of most of that client's dropouts */
    uint64_t dropouts_n;                    /* of that source: of its devices and of clients */
    int64_t last_wall_ns;                   /* of these; INT64_MIN: none */
    uint64_t all_n;                         /* of all sources since they were first watched */
    bool over;                              /* there were some, but none for 10 min, or the buffer is larger
                                               now, or its server is not watched any more */
    bool lost;                              /* there were some, and it is not over */
    bool blind;                             /* no server is watched whose dropouts would be seen */
    bool raised;                            /* the buffer is larger now than at the last one */
    bool plays, plays_known;
    bool timing_known;   /* then it is either of the next two */
    bool timing_matters; /* nothing plays, or it had dropouts: music without one is the better witness */
    bool timing_ok, timing_bad; /* at the buffer of the music if that is known, else at the loop's */
    const char *state;          /* "ok", "warn", "bad" or "unknown" */
    const char *text;           /* the first line: one to three sentences */
    const char *brief;          /* the same in a few words: "HeavyReverb: 12 dropouts" */
    const char *timing;         /* "timing OK: at most 1.21 ms late, and the buffer lasts 21.3 ms" */
    const char *next,
        *next_why; /* a command that helps next, and what it does or what else helps; "": none */
};

/** The sentence about the dropouts of one client of st_observed_shown(source), of all of these:
 * "HeavyReverb made 407 of 412 dropouts (watched since 14:03): it computed too long." Pure. */
const char *st_answer_sentence(const struct st_view *view, const struct st_observed_view *source,
                               const struct st_dropout_client *client);

/** Where sound is lost and nothing of sleeptune looks now. */
const char *st_answer_not_watched(const struct st_view *view);

/** Pure; points into the view. */
struct st_answer st_answer_of(const struct st_view *view);
