/* Chooses period and priority of the timing test. Unless configured otherwise, it uses those of the
 * music, so that it meets the delays that the music's threads meet. Pure; threads: any. */
#pragma once

#include "daemon/config/config.h"

/* After the last sign of playback, something counts as playing for this time, as in the pause
 * between two songs. Longer than the 10 s between two load lines of a helper program. */
#define ST_PLAYING_KEEP_NS INT64_C(30000000000)
/* If a source cannot report whether something plays, the answer becomes "unknown" only after this
 * time: a sound server that restarts is back by then. */
#define ST_PLAYING_PATIENCE_NS INT64_C(10000000000)

enum st_playing_answer {
    ST_PLAYING_NO,
    ST_PLAYING_YES,
    ST_PLAYING_UNKNOWN, /* the sources cannot tell whether something plays */
};

/** What the sources of xruns report. */
struct st_playing_facts {
    bool own_stream;   /* the daemon plays on a real sound system */
    size_t telling_n;  /* watched sources that can tell whether something plays */
    const char *blind; /* a watched source that cannot tell; NULL: none */
    int64_t
        played_ns; /* when a source last saw something play, by CLOCK_MONOTONIC; INT64_MIN: never */
    const char *by;          /* the source that saw something play last; NULL: none */
    char what[64];           /* the client or device that `by` saw play; "": not known */
    int64_t frames, rate_hz; /* period of the sound server `by`; 0: not known */
    int priority; /* real-time priority of the threads that compute the music; 0: none; -1: not
                     known */
};

struct st_playing {
    /* when all watched sources last reported whether something plays; at first the start of the
     * daemon */
    int64_t told_ns;
};

/** Does something play that the loop can be compared with (loop.when = "playing")? Threads: one. */
enum st_playing_answer st_witness_plays(struct st_playing *playing,
                                        const struct st_playing_facts *facts, int64_t now_ns);

/* Period and priority of the loop while those of the music are not known. */
#define ST_WITNESS_FRAMES   128
#define ST_WITNESS_PRIORITY 70
/* Shortest period of the loop if it follows the music: a shorter one is doubled until it is long
 * enough, so that the loop wakes at most 250 times a second and uses less than 0.5 % of a CPU. The
 * lateness of a wake-up does not depend on the period. */
#define ST_WITNESS_PERIOD_MIN_NS INT64_C(4000000)

struct st_witness {
    int64_t frames, rate_hz;
    bool music; /* the period is that of the music, or a multiple of it */
    enum st_policy policy;
    int priority; /* 0 with ST_POLICY_OTHER */
    /* the loop's settings are final: both period and priority are configured, or known from the
     * music */
    bool settled;
};

/** Chooses the loop's settings. @param facts NULL: nothing is known about the music. */
struct st_witness st_witness_choose(const struct st_config *config,
                                    const struct st_playing_facts *facts);

/** Must a loop with `now` start again to run with `wished`? */
bool st_witness_differs(const struct st_witness *now, const struct st_witness *wished);
