/* What the test loop runs with. It is a witness: it has the period and the priority of the music, unless
 * the configuration says otherwise, so that what it sees is what the music's own threads meet. Pure;
 * threads: any. */
#pragma once

#include "daemon/config/config.h"
#include "daemon/loop/playing.h"
#include "platform/threads.h"

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
