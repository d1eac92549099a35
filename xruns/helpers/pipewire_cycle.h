/* One cycle of a driver of PipeWire's graph, as its profiler reports it (spa/param/profiler.h):
 * structs of values by position. With ten clients and 128 frames 4000 blocks come a second, so that
 * they are read in place. Pure. */
#pragma once

#include "core/ns.h"
#include "xruns/helpers/second_card.h"

struct spa_pod;

/* states of a cycle, as in pipewire/private.h; the profiler passes the numbers on unchanged */
enum {
    ST_PIPEWIRE_CYCLE_TRIGGERED = 1,
    ST_PIPEWIRE_CYCLE_AWAKE = 2,
    ST_PIPEWIRE_CYCLE_FINISHED = 3
};

#define ST_PIPEWIRE_CYCLE_NOT_COUNTED INT32_MIN
#define ST_PIPEWIRE_CYCLE_RATE_MAX    10000000 /* Hz; a higher rate is not a sound device's */
#define ST_PIPEWIRE_CYCLE_FRAMES_MAX  10000000
#define ST_PIPEWIRE_CYCLE_MAX_NS      (1000 * ST_NS_PER_S) /* no cycle is longer */

/* What the profiler reports of one node in a cycle. Times are CLOCK_MONOTONIC; all are 0 if one of
 * them is impossible. */
struct st_pipewire_block {
    uint32_t id;
    const char *name;       /* points into the pod; NULL: none */
    int64_t prev_signal_ns; /* signal time of the previous cycle */
    int64_t signal_ns, awake_ns, finish_ns;
    int32_t status;
    int32_t xruns_n; /* NOT_COUNTED: PipeWire is too old to report xruns */
    uint32_t asked_num,
        asked_denom; /* the fraction node.latency, in s; asked_denom 0: the node asked for none */
    bool is_async;   /* the node is asynchronous: it has one more cycle of time, and its times here
                        are those of the cycle before (PipeWire 1.4.9 or later) */
};

struct st_pipewire_cycle {
    int64_t frames, rate_hz, period_ns; /* 0: not known */
    int64_t position;                   /* position of the driver's clock, in frames */
    int64_t lost_frames; /* PipeWire's estimate since the device started, with the frames that
                            PipeWire filled with silence */
    int32_t xruns_n;
    int64_t number; /* number of the profiler's report */
    struct st_pipewire_block driver;
};

/** Reads the struct of one node. @return 0; -EBADMSG: the pod is no such struct. */
ST_NODISCARD int st_pipewire_cycle_block(const struct spa_pod *pod, struct st_pipewire_block *ret);

/** Reads the xrun counter and the number of the profiler's report. @return 0, -EBADMSG. */
ST_NODISCARD int st_pipewire_cycle_info(const struct spa_pod *pod, struct st_pipewire_cycle *ret);

/** Reads frames, rate and period; leaves all three unchanged if the clock cannot be that of a sound
 * device. @return 0, -EBADMSG. */
ST_NODISCARD int st_pipewire_cycle_clock(const struct spa_pod *pod, struct st_pipewire_cycle *ret);

/** Reads the clock of a sound card that runs in the cycles of another card (PipeWire since 1.3.81).
 * @return 0; -ENOENT: the clock is of another kind of device; -EBADMSG. */
ST_NODISCARD int st_pipewire_cycle_card(const struct spa_pod *pod,
                                        struct st_second_card_clock *ret);

/** Duration of `frames` in ns, from untrusted numbers; limited to the range of a helper's line. */
int64_t st_pipewire_cycle_time_of(int64_t frames, double rate_hz);
