/* Which side caused an xrun of JACK: the device, or a client that did not finish in its cycle. JACK
 * calls back the same way for both. Only the driver renews the value of jack_get_xrun_delayed_usecs
 * (jack2: JackEngineControl::NotifyXRun, but not JackEngine::CheckXRun), so a changed value means
 * the device. An unchanged value means a client, with two exceptions: a driver that follows a timer
 * has few possible values (whole microseconds of the server's work in the cycle), and if the server
 * reports two xruns in a row, both callbacks see the second value. */
#pragma once

#include "core/base.h"

/** What a client reads in the callback. */
struct st_jack_cycle {
    float delayed_us; /* jack_get_xrun_delayed_usecs */
    int64_t at_us;    /* jack_get_time */
    int64_t period_us;
    int64_t late_us; /* how long after the expectation of the server's clock filter the current
                        cycle began; a driver that missed a period stays behind for 1 s; INT64_MIN:
                        not known */
};

struct st_jack_xrun_judge {
    float delayed_us;  /* JACK's delay at the previous xrun, or when watching began (us) */
    int64_t at_us;     /* time of the previous xrun; INT64_MIN: none */
    int64_t device_us; /* time of the latest certain xrun of the device; INT64_MIN: none */
};

struct st_jack_xrun {
    bool client;   /* caused by a client; false: by the device */
    bool probable; /* the judgement is probable; false: exact */
};

void st_jack_xrun_begin(struct st_jack_xrun_judge *judge, float delayed_us);
struct st_jack_xrun st_jack_xrun_conclude(struct st_jack_xrun_judge *judge,
                                          const struct st_jack_cycle *now);

/** Did clients lack time in the cycles of a loss that began with an xrun of the device and ended at
 * last_us? A server that was late begins the missed cycles without a pause, and reports clients as
 * late that had a few microseconds only (jack2: JackTimedDriver; its figure is then the length of
 * the previous cycle). A short xrun without a further callback proves nothing about the server: the
 * card may have caused it. */
bool st_jack_xrun_is_hasty(const struct st_jack_cycle *device, int64_t last_us);
