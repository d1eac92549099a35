/* A sound card that follows the cycles of another one in PipeWire's graph, by its clock in the
 * profiler's report (since 1.3.81). Each card's crystal has a rate of its own: PipeWire resamples
 * by the difference, the drift. Where that is not enough, it puts the card in step again: it
 * inserts silence or skips sound, which no counter shows (spa/plugins/alsa/alsa-pcm.c,
 * alsa_write_sync). Then the delay in one report is far from the usual delay, the delay in the next
 * report is near it again, and rate_diff begins anew. Pure. */
#pragma once

#include "core/base.h"

/** A card's clock in one cycle. Times in frames at rate_hz. */
struct st_second_card_clock {
    int64_t rate_hz, position, duration;
    int64_t delay;    /* sound in the card's buffer */
    int64_t xrun;     /* sum of frames lost by running dry; the node's counter includes them */
    double rate_diff; /* the card's rate divided by that of the card that it follows; 1: the same
                         clock */
};

/** Delay and drift of one second card, with which resyncs are found. All 0 at first. */
struct st_second_card {
    struct st_second_card_clock last;
    uint32_t driver_id;
    double usual; /* usual delay */
    double mean;  /* moving average of the delay, without limits */
    int64_t settled,
        constant; /* frames since the card began, and since the measurement of its drift began */
    double stray; /* distance of the last report's delay from `usual`; 0: near */
    int64_t lost_frames; /* frames of a resync that is not over */
    int64_t far_frames;  /* frames for which the delay has been far from `usual` */
    double drift,
        drift_frames; /* sum of rate_diff - 1, and the sound that it covers, in the last minute */
};

/** Takes the clock of one report, and finds a resync. @param driver_id the node that the card
 * follows.
 * @return frames inserted or skipped by a resync that ended with this report; 0: none. */
int64_t st_second_card_take(struct st_second_card *card, uint32_t driver_id,
                            const struct st_second_card_clock *clock);

/** How much faster the card is than the card that it follows, in 10^-9, over the last minute; 0:
 * the same clock, or not known. */
int64_t st_second_card_drift_ppb(const struct st_second_card *card);
