/* A sound card that follows the cycles of another one in PipeWire's graph, by its clock in the profiler's
 * report (since 1.3.81). Each card's crystal has a rate of its own: PipeWire resamples by the difference, the
 * drift. Where that is not enough, it puts the card in step again: it inserts silence or skips sound, which
 * no counter shows (spa/plugins/alsa/alsa-pcm.c, alsa_write_sync). Then the delay of one report is far from
 * the usual one, that of the next is not, and rate_diff begins anew. Pure. */
#pragma once

#include "core/base.h"

/** A card's clock in one cycle. Times in frames at rate_hz. */
struct st_second_card_clock {
    int64_t rate_hz, position, duration;
    int64_t delay;    /* in the card's buffer */
    int64_t xrun;     /* sum of what it lost by running dry, which its node's counter has */
    double rate_diff; /* its rate to that of the card that it follows; 1: the same clock */
};

/** All 0 at first. */
struct st_second_card {
    struct st_second_card_clock last;
    uint32_t driver_id;
    double usual;               /* delay */
    double mean;                /* delay: moving average without limits */
    int64_t settled, constant;  /* frames since it began, and since its drift began to be measured */
    double stray;               /* how far the last report was from `usual`; 0: near */
    int64_t lost_frames;        /* of a resync that is not over */
    int64_t far_frames;         /* it has been far from `usual` for so long */
    double drift, drift_frames; /* sum of rate_diff - 1 in so much sound, of the last minute */
};

/** @param driver_id the node that it follows.
 * @return frames that were inserted or skipped by a resync that is over with this report; 0: none. */
int64_t st_second_card_take(struct st_second_card *card, uint32_t driver_id,
                            const struct st_second_card_clock *clock);

/** By how much it is faster than the card that it follows, in 10^-9, in the last minute; 0: the same
 * clock, or not known. */
int64_t st_second_card_drift_ppb(const struct st_second_card *card);
