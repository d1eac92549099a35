/* What the test loop runs with. It is a witness: it has the period and the priority of the music, unless
 * the configuration says otherwise, so that what it sees is what the music's own threads meet. Pure;
 * threads: any. */
#pragma once

#include "daemon/config/config.h"
#include "platform/platform.h"

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

/** Does something play, so that the loop has something to be compared with (loop.when = "playing")? One
 * thread. */
enum st_playing_answer st_witness_plays(struct st_playing *playing, const struct st_playing_facts *facts,
                                        int64_t now_ns);

/* While no period of music is known. */
#define ST_WITNESS_FRAMES   128
#define ST_WITNESS_PRIORITY 70
/* A shorter period of the music is taken twice, four times ...: the loop wakes at most 250 times a second,
 * less than half a percent of a CPU. How late a wake-up is does not depend on the period. */
#define ST_WITNESS_PERIOD_MIN_NS INT64_C(4000000)

struct st_witness {
    int64_t frames, rate_hz;
    bool music; /* it is the period of the music */
    enum st_policy policy;
    int priority; /* 0 with ST_POLICY_OTHER */
    bool settled; /* period and priority are configured, or the music's */
};

/** @param facts NULL: nothing is known of the music. */
struct st_witness st_witness_choose(const struct st_config *config, const struct st_playing_facts *facts);

/** Does a loop with `now` have to start again to run with `wished`? */
bool st_witness_differs(const struct st_witness *now, const struct st_witness *wished);
