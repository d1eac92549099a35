/* How punctually a sound system asks an own stream for samples, or gives them, by our own clock.
 *
 * Callbacks ask for as many frames as happen to be free, so their sizes say nothing about when they were due.
 * The model is the device itself: it plays rate_hz frames a second, so a callback that comes when W frames
 * have been given is on time if it comes at W / rate_hz plus a constant; what it comes later is its lateness,
 * and so much less was left in the buffer. The constant is the least of the last 2 to 4 s of playing that
 * four callbacks in a row kept, so that a device clock that differs by 100 ppm from ours is off by at most
 * 0.4 ms. One early callback does not set it: after a late one, a backend that refills what is free asks
 * early for a short piece, and those that follow are as late as ever. What comes before the constant is not
 * late: 0.
 *
 * The first callbacks only fill the buffer: the device may begin to play long after them (PulseAudio's null
 * sink, when it was idle, up to 2 s).
 *
 * A device that records is the same the other way round: W frames have been taken, and what a callback comes
 * later has piled up in the buffer, which so much less was free of. */
#ifndef ST_DAEMON_AUDIO_CALLBACKS_H
#define ST_DAEMON_AUDIO_CALLBACKS_H

#include "core/stats/hist.h"
#include "measure/ring.h"

#define ST_CALLBACKS_ROW_N 4

struct st_callbacks {
    struct st_ring ring; /* from the sound system's thread to the one that looks */

    /* the sound system's thread */
    int64_t base_ns, told_ticks;
    _Atomic uint64_t lost_n; /* found the ring full */
    _Atomic bool restart;    /* any thread sets it: JACK has one for xruns */

    /* the thread that looks */
    struct st_hist lateness;
    int64_t rate_hz;
    int64_t frames_min, frames_max;
    uint64_t calls_n;
    uint64_t warm_up_left;
    int64_t at_ns, given_frames; /* since the last start, less whole seconds of both */
    int64_t clock_ns;            /* since the last start */
    int64_t window_from_ns, window_min_ns, before_min_ns;
    int64_t row_ns[ST_CALLBACKS_ROW_N]; /* when the last ones came, against W / rate_hz */
    uint64_t row_n;                     /* since the last start */
};

/** What is known, in the view of the stream. n = 0: nothing yet; INT64_MIN: n is too small for that quantile.
 */
struct st_callbacks_view {
    uint64_t calls_n;               /* since the stream was opened */
    int64_t frames_min, frames_max; /* that they asked for, or gave */
    uint64_t n;                     /* of the lateness */
    int64_t median_ns, p99_ns, p999_ns, max_ns;
};

/** @return 0 or -ENOMEM. */
ST_NODISCARD int st_callbacks_init(struct st_callbacks *c);
void st_callbacks_finish(struct st_callbacks *c);

/** A stream is opened; no callback came yet. */
void st_callbacks_open(struct st_callbacks *c, int64_t rate_hz, int64_t now_ns);

/** In the sound system's thread; no lock, no allocation. @param frames that it asks for or gives. */
void st_callbacks_asked(struct st_callbacks *c, int64_t now_ns, int frames);
/** The device ran dry or over, and the model begins anew with the next callback. No lock, no allocation.
 * Threads: any. */
void st_callbacks_restarted(struct st_callbacks *c);

/** Takes what was written; call it a few times a second. Threads: the one that looks. */
void st_callbacks_drain(struct st_callbacks *c);

/** Threads: the one that looks. */
struct st_callbacks_view st_callbacks_look(const struct st_callbacks *c);

#endif
