/* Whether something plays, so that the cycle loop has something to be compared with: loop.when = "playing".
 * Pure; one thread. */
#pragma once

#include "core/base.h"

/* Something that stopped plays again soon: a pause between two songs. Longer than the 10 s between two load
 * lines of a helper program. */
#define ST_PLAYING_KEEP_NS INT64_C(30000000000)
/* A sound server that is started again is back by then. */
#define ST_PLAYING_PATIENCE_NS INT64_C(10000000000)

enum st_playing_answer {
    ST_PLAYING_NO,
    ST_PLAYING_YES,
    ST_PLAYING_UNKNOWN, /* no source can tell */
};

/** What the sources know. */
struct st_playing_facts {
    bool own_stream;         /* the daemon plays on a real sound system */
    size_t telling_n;        /* sources that are watched and can tell whether something plays */
    const char *blind;       /* one that is watched and cannot tell; NULL: none */
    int64_t played_ns;       /* when a source last saw something play, by CLOCK_MONOTONIC; INT64_MIN: never */
    const char *by;          /* the source that saw it; NULL: none */
    char what[64];           /* what it was: a client, a device; "" when not known */
    int64_t frames, rate_hz; /* the period of that source's server; 0: not known */
    int priority; /* real-time priority of the threads that compute the music; 0: none; -1: not known */
};

struct st_playing {
    int64_t told_ns; /* when the sources could tell last, or the start */
};

enum st_playing_answer st_playing_judge(struct st_playing *playing, const struct st_playing_facts *facts,
                                        int64_t now_ns);
