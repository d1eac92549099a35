/* One cycle of a driver of PipeWire's graph, as its profiler reports it (spa/param/profiler.h): structs of
 * values by position. With ten clients and 128 frames 4000 blocks come a second, so that they are read in
 * place. Pure. */
#pragma once

#include "core/base.h"
#include "core/ns.h"
#include "xruns/helpers/second_card.h"

struct spa_pod;

/* pipewire/private.h; the profiler tells them as they are */
enum { ST_PIPEWIRE_CYCLE_TRIGGERED = 1, ST_PIPEWIRE_CYCLE_AWAKE = 2, ST_PIPEWIRE_CYCLE_FINISHED = 3 };

#define ST_PIPEWIRE_CYCLE_NOT_COUNTED INT32_MIN
#define ST_PIPEWIRE_CYCLE_RATE_MAX    10000000 /* Hz; more is no sound */
#define ST_PIPEWIRE_CYCLE_FRAMES_MAX  10000000
#define ST_PIPEWIRE_CYCLE_MAX_NS      (1000 * ST_NS_PER_S) /* no cycle is longer */

/* A node's part. Times are CLOCK_MONOTONIC; all are 0 if one of them cannot be. */
struct st_pipewire_block {
    uint32_t id;
    const char *name;       /* in the pod; NULL: none */
    int64_t prev_signal_ns; /* when it was to begin in the cycle before */
    int64_t signal_ns, awake_ns, finish_ns;
    int32_t status;
    int32_t xruns_n;                 /* NOT_COUNTED: an older PipeWire */
    uint32_t asked_num, asked_denom; /* node.latency, in seconds; 0/x: none */
    bool is_async; /* it has a cycle more time; these times are of the cycle before; since 1.4.9 */
};

struct st_pipewire_cycle {
    int64_t frames, rate_hz, period_ns; /* 0: not known */
    int64_t position;                   /* of the driver's clock, in frames */
    int64_t lost_frames; /* since the device started: PipeWire's estimate, with what it fills in anew */
    int32_t xruns_n;
    int64_t number; /* of its report */
    struct st_pipewire_block driver;
};

/** The struct of a node. @return 0; -EBADMSG: it is not one. */
ST_NODISCARD int st_pipewire_cycle_block(const struct spa_pod *pod, struct st_pipewire_block *ret);

/** Sets the counter and the number of the report. @return 0, -EBADMSG. */
ST_NODISCARD int st_pipewire_cycle_info(const struct spa_pod *pod, struct st_pipewire_cycle *ret);

/** Sets frames, rate and period, which stay if it cannot be a clock of sound. @return 0, -EBADMSG. */
ST_NODISCARD int st_pipewire_cycle_clock(const struct spa_pod *pod, struct st_pipewire_cycle *ret);

/** The clock of a sound card that is in another one's cycles (since 1.3.81). @return 0; -ENOENT: of another
 * kind of device; -EBADMSG. */
ST_NODISCARD int st_pipewire_cycle_card(const struct spa_pod *pod, struct st_second_card_clock *ret);

/** How long frames last, of figures that are not trusted: at most what a line of a helper may say. */
int64_t st_pipewire_cycle_time_of(int64_t frames, double rate_hz);
