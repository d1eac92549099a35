#include "xruns/helpers/second_card.h"

/* s after a card began to play, or its cycle changed, in which resyncs do not count: PipeWire does
 * not report them then either */
#define SETTLE_S 1
/* s after a resync in which the drift is not measured, since PipeWire measures the rate anew */
#define DRIFT_S 5
/* s of drift that must be measured, since the clocks of some cards are coarse */
#define KNOWN_S 5
#define MEAN_S  30
/* cycles: for cards that are not resampled, a changed delay that stays for this time was no
 * resync, and becomes the usual delay */
#define STAYS_CYCLES 16
#define FAR_S        5 /* s: the same as STAYS_CYCLES, for cards that are resampled */
#define NEAR                                                                                       \
    0.6 /* a delay that differs by more than this share of max_resync may be a resync; max_resync  \
           is not known exactly */
/* SPA_DLL_BW_MAX: bandwidth of the loop that finds the rate, at its start */
#define BW_HZ        0.128
#define WHOLE        1e-4
#define USUAL        32  /* reports over which the usual delay is averaged */
#define MEAN_DELAY_S 2.0 /* time over which the delay is averaged for the drift */
#define STEP         0.1
#define ERROR_FRAMES 256                /* PipeWire allows at least this error of the delay */
#define DRIFT_MAX    0.01               /* a larger drift is not that of a crystal */
#define FRAMES_MAX   (INT64_C(1) << 40) /* a larger delay is refused */

static void begin(struct st_second_card *card, uint32_t driver_id,
                  const struct st_second_card_clock *clock)
{
    *card = (struct st_second_card){.last = *clock,
                                    .driver_id = driver_id,
                                    .usual = (double)clock->delay,
                                    .mean = (double)clock->delay};
}

static bool goes_on(const struct st_second_card *card, uint32_t driver_id,
                    const struct st_second_card_clock *clock)
{
    const struct st_second_card_clock *last = &card->last;
    return card->driver_id == driver_id && last->rate_hz == clock->rate_hz &&
           last->duration == clock->duration && last->xrun == clock->xrun &&
           clock->position > last->position && clock->position - last->position < clock->rate_hz;
}

/* Estimates max_resync of alsa-pcm.c. The usual delay is PipeWire's target plus the frames in the
 * resampler. */
static double limit_of(const struct st_second_card *card)
{
    return fmin(card->usual, fmax(ERROR_FRAMES, card->usual / 2));
}

/* After a resync, PipeWire's control loop for the rate starts anew (spa/utils/dll.h). Its first
 * result is then a known step times the error of the delay: a whole number of frames, at most
 * max_resync. */
static bool begins_anew(const struct st_second_card_clock *clock, double error, double limit)
{
    const double frames = (double)clock->duration,
                 w = 2 * 3.141592653589793 * BW_HZ * frames / (double)clock->rate_hz;
    const double w0 = 1 - exp(-20 * w), step = w0 * w0 * 1.5 * w / frames * (1 + w / 1.5);
    const double n = fabs(clock->rate_diff - 1) / step;
    return fabs(n - round(n)) < WHOLE && fabs(n - fmin(fabs(error), limit)) < limit / 4;
}

/* Finds a resync in the report before, or in a missing one: PipeWire does not report very late
 * cycles, which last about as long as the reserve. @return frames of the resync; 0: none. */
static double put_in_step(const struct st_second_card *card,
                          const struct st_second_card_clock *clock, double error, bool is_next)
{
    const bool resampled = card->last.rate_diff != 1 || clock->rate_diff != 1;
    const double stray = fabs(card->stray), limit = limit_of(card);
    if (!resampled)
        return is_next && stray > limit ? stray : 0;
    if (card->settled < SETTLE_S * clock->rate_hz || !begins_anew(clock, error, limit))
        return 0;
    return is_next ? stray : card->usual;
}

int64_t st_second_card_take(struct st_second_card *card, uint32_t driver_id,
                            const struct st_second_card_clock *clock)
{
    int64_t lost = 0;
    if (clock->rate_hz <= 0 || clock->delay < 0 || clock->delay > FRAMES_MAX || clock->position < 0)
        return 0;
    if (card->last.position == clock->position &&
        card->driver_id == driver_id) /* the card was in no cycle since the last report */
        return 0;
    if (!goes_on(card, driver_id, clock)) {
        begin(card, driver_id, clock);
        return 0;
    }
    const int64_t frames = clock->position - card->last.position;
    const double error = (double)clock->delay - card->usual, limit = limit_of(card);
    const double put = put_in_step(card, clock, error, frames <= clock->duration);
    card->last = *clock;
    card->settled += frames;
    card->constant += frames;
    card->lost_frames += llround(put);
    card->stray = error * (fabs(error) > NEAR * limit);
    const double part = fmin(1, (double)frames / (MEAN_DELAY_S * (double)clock->rate_hz));
    const double longer = ((double)clock->delay - card->mean) * part * (card->stray == 0);
    card->mean += longer;
    if (put > 0) {
        card->constant = 0;
        card->mean = card->usual;
    }
    card->far_frames = (card->far_frames + frames) * (fabs(error) > NEAR * limit / 2);
    if (card->settled < SETTLE_S * clock->rate_hz) {
        card->usual += error / (USUAL / 4.0);
        card->mean = card->usual;
        card->stray = 0;
    } else if (card->far_frames >
               (clock->rate_diff == 1 ? STAYS_CYCLES * frames : FAR_S * clock->rate_hz)) {
        begin(card, driver_id, clock);
    } else if (put > 0 && card->stray == 0) {
        card->usual += error / 4; /* the resync moved the delay to this value */
    } else if (card->far_frames == 0) {
        card->usual += fmax(-STEP, fmin(STEP, error / USUAL));
    }
    if (card->stray == 0) {
        lost = card->lost_frames;
        card->lost_frames = 0;
    }
    if (card->constant >= DRIFT_S * clock->rate_hz && fabs(clock->rate_diff - 1) < DRIFT_MAX) {
        /* drift that is not resampled away */
        card->drift += (clock->rate_diff - 1) * (double)frames - longer;
        card->drift_frames += (double)frames;
    }
    if (card->drift_frames > 2.0 * MEAN_S * (double)clock->rate_hz) { /* older drift counts half */
        card->drift /= 2;
        card->drift_frames /= 2;
    }
    return lost;
}

int64_t st_second_card_drift_ppb(const struct st_second_card *card)
{
    const double rate_hz = (double)card->last.rate_hz;
    if (card->drift_frames <= KNOWN_S * rate_hz)
        return 0;
    return llround(card->drift / card->drift_frames * 1e9);
}
