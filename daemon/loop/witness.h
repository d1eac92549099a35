/* Period and priority of the test loop. The loop is a witness: unless configured otherwise, it uses the
 * period and priority of the music, so that it meets the same delays as the music's threads. Pure;
 * threads: any. */
#pragma once

#include "daemon/config/config.h"

/* A pause after which playing is expected to go on, as between two songs. Longer than the 10 s between
 * two load lines of a helper program. */
#define ST_PLAYING_KEEP_NS INT64_C(30000000000)
/* Time in which a restarted sound server is back. */
#define ST_PLAYING_PATIENCE_NS INT64_C(10000000000)

enum st_playing_answer {
    ST_PLAYING_NO,
    ST_PLAYING_YES,
    ST_PLAYING_UNKNOWN, /* no source can tell */
};

/** What the sources of xruns report. */
struct st_playing_facts {
    bool own_stream;         /* the daemon plays on a real sound system */
    size_t telling_n;        /* watched sources that can tell whether something plays */
    const char *blind;       /* a watched source that cannot tell; NULL: none */
    int64_t played_ns;       /* when a source last saw something play, by CLOCK_MONOTONIC; INT64_MIN: never */
    const char *by;          /* the source that saw it; NULL: none */
    char what[64];           /* the client or device that played; "": not known */
    int64_t frames, rate_hz; /* period of the server of `by`; 0: not known */
    int priority; /* real-time priority of the threads that compute the music; 0: none; -1: not known */
};

struct st_playing {
    int64_t told_ns; /* when the sources last knew whether something plays, or the start */
};

/** Does something play that the loop can be compared with (loop.when = "playing")? One thread. */
enum st_playing_answer st_witness_plays(struct st_playing *playing, const struct st_playing_facts *facts,
                                        int64_t now_ns);

/* Used while no period of music is known. */
#define ST_WITNESS_FRAMES   128
#define ST_WITNESS_PRIORITY 70
/* A shorter period of the music is multiplied by 2, 4 ...: the loop wakes at most 250 times a second,
 * less than 0.5 % of a CPU. The lateness of a wake-up does not depend on the period. */
#define ST_WITNESS_PERIOD_MIN_NS INT64_C(4000000)

struct st_witness {
    int64_t frames, rate_hz;
    bool music; /* the period is that of the music */
    enum st_policy policy;
    int priority; /* 0 with ST_POLICY_OTHER */
    bool settled; /* period and priority are configured, or those of the music */
};

/** @param facts NULL: nothing is known about the music. */
struct st_witness st_witness_choose(const struct st_config *config, const struct st_playing_facts *facts);

/** Must a loop with `now` start again to run with `wished`? */
bool st_witness_differs(const struct st_witness *now, const struct st_witness *wished);
