#include "xruns/helpers/second_card.h"

#define SETTLE_S                                                                                             \
    1 /* of a card that begins to play, or whose cycle changes: PipeWire says nothing then either */
#define DRIFT_S      5 /* from a resync on, PipeWire measures the rate anew */
#define KNOWN_S      5 /* the clocks of some cards are coarse */
#define MEAN_S       30
#define STRAYS_MAX   16 /* reports; a delay that stays where it is was no resync */
#define USUAL        32 /* reports, of the moving average */
#define STEP         0.1
#define ERROR_FRAMES 256                /* PipeWire allows at least these */
#define DRIFT_MAX    0.01               /* more is no crystal's */
#define FRAMES_MAX   (INT64_C(1) << 40) /* more is no delay */

static void begin(struct st_second_card *card, uint32_t driver_id, const struct st_second_card_clock *clock)
{
    *card = (struct st_second_card){.last = *clock, .driver_id = driver_id, .usual = (double)clock->delay};
}

static bool goes_on(const struct st_second_card *card, uint32_t driver_id,
                    const struct st_second_card_clock *clock)
{
    const struct st_second_card_clock *last = &card->last;
    return card->driver_id == driver_id && last->rate_hz == clock->rate_hz &&
           last->duration == clock->duration && last->xrun == clock->xrun &&
           clock->position > last->position && clock->position - last->position < clock->rate_hz;
}

/* A delay of which PipeWire makes a resync: max_resync of alsa-pcm.c. The usual delay is its target. */
static bool is_stray(const struct st_second_card *card, double error)
{
    return fabs(error) > fmin(card->usual, fmax(ERROR_FRAMES, card->usual / 2));
}

int64_t st_second_card_take(struct st_second_card *card, uint32_t driver_id,
                            const struct st_second_card_clock *clock)
{
    int64_t lost = 0;
    if (clock->rate_hz <= 0 || clock->delay < 0 || clock->delay > FRAMES_MAX || clock->position < 0)
        return 0;
    if (card->last.position == clock->position && card->driver_id == driver_id) /* it was in no cycle since */
        return 0;
    if (!goes_on(card, driver_id, clock)) {
        begin(card, driver_id, clock);
        return 0;
    }
    const int64_t frames = clock->position - card->last.position;
    const double error = (double)clock->delay - card->usual;
    card->last = *clock;
    card->settled += frames;
    card->constant += frames;
    if (card->settled < SETTLE_S * clock->rate_hz) {
        card->usual += error / (USUAL / 4.0);
    } else if (is_stray(card, error)) {
        card->lost_frames += llabs(llround(error));
        card->constant = 0;
        if (++card->strays > STRAYS_MAX)
            begin(card, driver_id, clock);
    } else {
        card->usual += fmax(-STEP, fmin(STEP, error / USUAL)); /* a card that is far off pulls at it */
        lost = card->lost_frames;
        card->lost_frames = card->strays = 0;
    }
    if (card->constant >= DRIFT_S * clock->rate_hz && fabs(clock->rate_diff - 1) < DRIFT_MAX) {
        card->drift += (clock->rate_diff - 1) * (double)frames;
        card->drift_frames += (double)frames;
    }
    if (card->drift_frames > 2.0 * MEAN_S * (double)clock->rate_hz) { /* what is older counts half */
        card->drift /= 2;
        card->drift_frames /= 2;
    }
    return lost;
}

int64_t st_second_card_drift_ppb(const struct st_second_card *card)
{
    const double rate_hz = (double)card->last.rate_hz;
    return card->drift_frames > KNOWN_S * rate_hz ? llround(card->drift / card->drift_frames * 1e9) : 0;
}
