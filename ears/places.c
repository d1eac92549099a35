#include "ears/places.h"

/* frames that are compared at once: too many to agree with the signal by chance */
#define WINDOW     64
#define CALIBRATE  4096 /* frames from which gain and noise are computed */
#define CORRELATED 0.9  /* least correlation of a window with the signal */
/* noise relative to the signal, -30 dB: with more, single samples cannot be compared with the
 * signal */
#define NOISE_MAX 0.03
/* a sample is damaged if it differs from the signal by more than this multiple of the noise */
#define SIGMAS     8
#define FULL_SCALE 32768.0
#define LONGEST_S  350   /* longest time by which the signal may have begun before the recording */
#define SILENT     1e-6F /* below this level, relative to full scale, nothing is played */
/* accuracy of the place of a loss on a noisy path (frames): damaged samples may agree with the
 * signal by chance */
#define SLACK 4
/* if a correlation exceeds its standard deviation by this factor, the recording has the signal,
 * mixed with other sound */
#define SURE 6
/* interval of the first TRIES_FAST searches for the signal; later searches are ten times as far
 * apart */
#define TRY_MS     100
#define TRIES_FAST 5
/* after this number of searches for a shifted signal, each search waits twice as long as the
 * previous one */
#define SEARCHES_FAST 8
#define SEARCH_FRAMES 16
/* ms of sound that the ring holds at least, at rates up to 98 kHz; a larger ring would waste
 * memory */
#define KEPT_MS 2667

void st_places_init(struct st_places *places, uint32_t rate_hz)
{
    memset(places, 0, sizeof(*places));
    places->rate_hz = rate_hz;
    places->ring_frames = ST_PLACES_RING;
    while (places->ring_frames / 2 > (uint64_t)rate_hz * KEPT_MS / 1000)
        places->ring_frames /= 2;
    places->tries_max = UINT64_MAX;
    st_losses_init(&places->losses, rate_hz);
}

void st_places_expect(struct st_places *places, uint64_t recorded, uint64_t played)
{
    places->expected = (int64_t)(played - recorded);
    places->expects = true;
}

static float heard(const struct st_places *places, uint64_t frame)
{
    return places->ring[frame & (places->ring_frames - 1)];
}

static double played(uint64_t frame, int64_t offset)
{
    const int64_t at = (int64_t)frame + offset;
    return at < 0 ? 0 : st_signal_step((uint64_t)at, 0) / FULL_SCALE;
}

static bool agrees(const struct st_places *places, uint64_t frame, int64_t offset)
{
    return fabs((double)heard(places, frame) - places->gain * played(frame, offset)) <=
           places->tolerance;
}

/* --- finding the signal --- */

/* Sums over frames, from which a correlation is computed. both: recorded samples times played ones;
 * xx: squares of recorded samples; ss: squares of played samples. */
struct common {
    double both, xx, ss;
};

static struct common common_of(const struct st_places *places, uint64_t from, uint64_t until,
                               int64_t offset)
{
    struct common sum = {0};
    for (uint64_t i = from; i < until; i++) {
        const double x = (double)heard(places, i), s = played(i, offset);
        sum.both += x * s;
        sum.xx += x * x;
        sum.ss += s * s;
    }
    return sum;
}

/* @return the correlation of these frames with the signal at that offset, -1 .. 1; not a number:
 * the frames or the signal are silent. */
static double correlation(const struct st_places *places, uint64_t from, uint64_t until,
                          int64_t offset)
{
    const struct common sum = common_of(places, from, until, offset);
    return sum.both / sqrt(sum.xx * sum.ss);
}

static bool is_there(const struct st_places *places, int64_t offset)
{
    return fabs(correlation(places, places->n - WINDOW, places->n, offset)) >= CORRELATED;
}

/* Do the signs of the first 12 frames of the window agree with the signal, in either polarity? This
 * cheap check excludes most offsets. */
static bool signs_agree(const struct st_places *places, int64_t offset)
{
    const uint64_t first = places->n - WINDOW;
    int same = 0;
    for (uint64_t i = 0; i < 12; i++) {
        const int64_t at = (int64_t)(first + i) + offset;
        const bool up = at >= 0 && st_signal_is_up((uint64_t)at);
        same += up == (heard(places, first + i) > 0);
        if (i == 7 && same > 1 && same < 7)
            return false;
    }
    return same <= 1 || same >= 11;
}

static bool find_between(const struct st_places *places, int64_t from, int64_t until,
                         int64_t *ret_offset)
{
    for (int64_t offset = from; offset < until; offset++) {
        if (signs_agree(places, offset) && is_there(places, offset)) {
            *ret_offset = offset;
            return true;
        }
    }
    return false;
}

static void seek(struct st_places *places)
{
    const int64_t near = 2 * (int64_t)places->rate_hz, end = -(int64_t)(places->n - WINDOW);
    int64_t offset;
    float peak = 0;
    places->next_try = places->n + (uint64_t)places->rate_hz * TRY_MS / 1000 *
                                       (places->tries_n < TRIES_FAST ? 1 : 10);
    for (uint64_t i = places->n - WINDOW; i < places->n; i++)
        peak = fmaxf(peak, fabsf(heard(places, i)));
    if (peak <= SILENT)
        return;
    places->tries_n++;
    const bool found =
        (places->expects &&
         find_between(places, places->expected - near, places->expected + near, &offset)) ||
        (!places->expects &&
         find_between(places, end, end + LONGEST_S * (int64_t)places->rate_hz, &offset));
    if (!found)
        return;
    places->offset = offset;
    places->calibrate_from = places->n - WINDOW;
}

/* Computes gain and noise of the last CALIBRATE frames. @return false: the path changes samples too
 * much to compare each one with the signal. */
static bool calibrate(struct st_places *places)
{
    const struct common sum = common_of(places, places->n - CALIBRATE, places->n, places->offset);
    double gain = sum.both / sum.ss, most = 0, ee = 0;
    /* second pass: with a gain of exactly 1, if the gain is 1 except for rounding */
    for (int pass = 0; pass < 2; pass++) {
        most = ee = 0;
        for (uint64_t i = places->n - CALIBRATE; i < places->n; i++) {
            const double e = (double)heard(places, i) - gain * played(i, places->offset);
            most = fmax(most, fabs(e));
            ee += e * e;
        }
        if (fabs(gain - 1) > 1e-3 || gain == 1)
            break;
        gain = 1;
    }
    const double noise = sqrt(ee / sum.ss) / fabs(gain);
    const bool exact = gain == 1 && most < 0.25 / FULL_SCALE;
    const double tolerance =
        exact ? 0.25 / FULL_SCALE : fmax(SIGMAS * sqrt(ee / CALIBRATE), 1.5 * most);
    if (gain == 0 || !(noise <= NOISE_MAX) ||
        tolerance >= fabs(gain) * ST_SIGNAL_STEPS / FULL_SCALE / 2)
        return false;
    places->noise = noise;
    places->exact = exact;
    places->gain = gain;
    places->tolerance = tolerance;
    return true;
}

/* --- losses --- */

/* The oldest frame that is still in the ring. */
static uint64_t oldest(const struct st_places *places)
{
    return places->n - ST_MIN(places->n, places->ring_frames);
}

static bool is_silent(const struct st_places *places, uint64_t from, uint64_t until)
{
    for (uint64_t i = ST_MAX(from, oldest(places)); i < until; i++) {
        if (fabs((double)heard(places, i)) > places->tolerance)
            return false;
    }
    return true;
}

/* Is the signal in these frames, mixed with other sound? The other sound may be much louder, since
 * its correlation with the signal is only chance. */
static bool is_mixed(const struct st_places *places, uint64_t from, uint64_t until)
{
    from = ST_MAX(from, oldest(places));
    const struct common sum = common_of(places, from, until, places->offset);
    const double both = sum.both * copysign(1, places->gain), frames = (double)(until - from);
    return until - from >= WINDOW && both > fabs(places->gain) * sum.ss / 2 &&
           both > SURE * sqrt(sum.xx * sum.ss / frames);
}

/* Ends the damage that began at bad_at, and adds the loss. From `clean` on the signal is back,
 * `shift` frames ahead. */
static void heal(struct st_places *places, uint64_t clean, int64_t shift)
{
    const uint64_t bad = places->bad_at;
    struct st_loss loss = {.at_frame = bad, .shift_frames = shift};
    const uint64_t len = ST_MAX(clean, bad) - bad;
    const bool silent = len > 0 && is_silent(places, bad, clean);
    /* no frame is damaged: the frames around the shift agree with the signal on both sides of it */
    if (len == 0) {
        loss.kind = shift > 0 ? ST_LOSS_LOST : ST_LOSS_REPEATED;
        loss.frames = (uint64_t)llabs(shift);
        loss.at_frame = clean;
        loss.within_frames = bad - clean;
    } else {
        loss.kind = silent ? ST_LOSS_ZEROED : ST_LOSS_CORRUPTED;
        loss.frames = len;
        /* move the beginning back over frames as soft as the noise: they may be signal or
         * silence */
        while (silent && loss.at_frame > oldest(places) &&
               is_silent(places, loss.at_frame - 1, loss.at_frame)) {
            loss.at_frame--;
            loss.within_frames++;
        }
    }
    places->damaged = false;
    places->offset += shift;
    if (shift == 0 && !silent && is_mixed(places, bad, clean)) {
        places->mixed_frames += len;
        return;
    }
    st_losses_add(&places->losses, &loss, clean);
}

/* @return the first frame from which on the signal agrees at that offset; at most a window before
 * the damage. */
static uint64_t since(const struct st_places *places, uint64_t clean, int64_t offset)
{
    while (clean > oldest(places) && clean + WINDOW > places->bad_at &&
           agrees(places, clean - 1, offset))
        clean--;
    return clean;
}

/* Takes a new volume. The change is no loss, except for frames before it that have nothing of the
 * signal. */
static void take_volume(struct st_places *places)
{
    const uint64_t clean = since(places, places->n - CALIBRATE, places->offset);
    const uint64_t first = ST_MAX(places->bad_at, oldest(places));
    uint64_t end = first;
    while (end < clean && !(fabs(correlation(places, end, ST_MIN(end + WINDOW, clean),
                                             places->offset)) >= CORRELATED))
        end++;
    places->volumes_n++;
    if (end > first)
        /* less than a window of signal before `clean` may be chance: count it as lost */
        heal(places, clean - end < WINDOW ? clean : end, 0);
}

static void settle(struct st_places *places)
{
    if (places->n - places->calibrate_from < CALIBRATE)
        return;
    const bool good = calibrate(places);
    places->calibrate_from = 0;
    /* No volume explains these samples. If the place in the signal was known until now (locked),
     * the volume did not change, and the damaged stretch goes on. */
    if (!good)
        return;
    places->losses.slack_frames = SLACK * !places->exact;
    if (places->locked)
        take_volume(places);
    else if (places->was_locked)
        places->contact_lost_n++;
    if (!places->was_locked)
        places->first_offset = places->offset;
    places->was_locked = places->locked = true;
    places->damaged = false;
    places->tries_n = 0;
}

/* Finds the shift, within a second, at which the last WINDOW frames agree with the signal. */
static bool find_jump(const struct st_places *places, int64_t *ret_shift)
{
    const int64_t most = (int64_t)places->rate_hz;
    for (int64_t far = 1; far <= most; far++) { /* the nearest first */
        for (int64_t shift = far;; shift = -far) {
            uint64_t agreed = 0;
            while (agreed < WINDOW &&
                   agrees(places, places->n - 1 - agreed, places->offset + shift))
                agreed++;
            if (agreed == WINDOW) {
                *ret_shift = shift;
                return true;
            }
            if (shift < 0)
                break;
        }
    }
    return false;
}

static bool is_loud(const struct st_places *places)
{
    size_t loud = 0;
    for (uint64_t i = places->n - WINDOW; i < places->n; i++)
        loud += fabs((double)heard(places, i)) > places->tolerance;
    return loud > WINDOW / 2;
}

/* Checks long damage, every 0.1 s: has the volume changed, is other sound mixed in, or has the
 * signal moved by more than a second? */
static void look_again(struct st_places *places)
{
    const uint64_t lasts = places->n - places->bad_at;
    if (lasts % (places->rate_hz / 10) != 0 || !is_loud(places))
        return;
    if (is_there(places, places->offset)) {
        places->calibrate_from = places->n - WINDOW;
    } else if (lasts > places->rate_hz &&
               !is_mixed(places, places->n - places->rate_hz, places->n)) {
        if (places->expects)
            heal(places, places->n, 0);
        places->locked = false;
    }
}

static void search(struct st_places *places)
{
    int64_t shift;
    if (!is_loud(places)) {
        places->next_search = places->n + SEARCH_FRAMES;
        return;
    }
    if (!find_jump(places, &shift)) {
        places->searches_n++;
        const uint64_t pace = ST_MAX(places->searches_n, SEARCHES_FAST) - SEARCHES_FAST;
        places->next_search = places->n + ((uint64_t)SEARCH_FRAMES << ST_MIN(pace, 8));
        return;
    }
    heal(places, since(places, places->n - WINDOW, places->offset + shift), shift);
}

static void track(struct st_places *places)
{
    const bool good = agrees(places, places->n - 1, places->offset);
    if (!places->damaged && good) {
        places->heard_frames++;
        st_losses_pass(&places->losses, places->n);
        return;
    }
    if (!places->damaged) {
        places->damaged = true;
        places->bad_at = places->n - 1;
        places->good_n = places->searches_n = 0;
        places->next_search = places->n + WINDOW;
    }
    places->good_n = good ? places->good_n + 1 : 0;
    if (places->good_n == WINDOW)
        heal(places, places->n - WINDOW, 0);
    else if (places->n >= places->next_search)
        search(places);
    if (places->damaged)
        look_again(places);
}

void st_places_take(struct st_places *places, const float *samples, size_t stride, size_t frames_n)
{
    for (size_t i = 0; i < frames_n; i++) {
        const float sample = samples[i * stride];
        places->ring[places->n++ & (places->ring_frames - 1)] = isfinite(sample) ? sample : 0;
        if (places->calibrate_from != 0)
            settle(places);
        else if (places->locked)
            track(places);
        else if (places->n >= places->next_try && places->n >= WINDOW &&
                 (places->was_locked || places->tries_n < places->tries_max))
            seek(places);
    }
}

void st_places_end(struct st_places *places)
{
    if (places->expects && places->locked && places->damaged &&
        places->n - places->bad_at > places->rate_hz)
        heal(places, places->n, 0);
    st_losses_end(&places->losses);
}
