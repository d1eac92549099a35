/* Whose an xrun of JACK was: the device's, or a client's that did not finish in its cycle. JACK gives both
 * the same callback. Only the driver renews the figure of jack_get_xrun_delayed_usecs (jack2:
 * JackEngineControl::NotifyXRun, but not JackEngine::CheckXRun), so a figure that is another than before says
 * device. One that is equal says client, but not always: it is whole microseconds, of few of which a driver
 * that follows a timer has a choice (it is how long the server worked in the cycle), and of two xruns that
 * the server reports in a row both calls find the figure of the second. */
#pragma once

#include "core/base.h"

/** What a client finds in the callback. */
struct st_jack_cycle {
    float delayed_us; /* jack_get_xrun_delayed_usecs */
    int64_t at_us;    /* jack_get_time */
    int64_t period_us;
    int64_t late_us; /* the cycle that goes on began so long after what the server's clock filter expected:
                        a driver that missed a period is behind it for a second; INT64_MIN: not known */
};

struct st_jack_xrun_judge {
    float delayed_us;  /* at the xrun before, or when watching began */
    int64_t at_us;     /* the xrun before; INT64_MIN: none */
    int64_t device_us; /* the latest that was surely the device's; INT64_MIN: none */
};

struct st_jack_xrun {
    bool client;   /* else the device */
    bool probable; /* else exact */
};

void st_jack_xrun_begin(struct st_jack_xrun_judge *judge, float delayed_us);
struct st_jack_xrun st_jack_xrun_conclude(struct st_jack_xrun_judge *judge, const struct st_jack_cycle *now);

/** Had clients no time in the cycles of a loss that began with an xrun of the device and ended at last_us? A
 * server that was late itself begins the cycles that it missed without a pause, and calls clients late that
 * had a few microseconds (jack2: JackTimedDriver, whose figure is then what the cycle before lasted). A short
 * xrun without another callback says nothing of the server: it may be a card's. */
bool st_jack_xrun_is_hasty(const struct st_jack_cycle *device, int64_t last_us);
