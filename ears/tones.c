#include "ears/tones.h"

#define TURN      6.283185307179586
#define BLOCKS_HZ 2000 /* blocks in a second: 0.5 ms each */
#define FIT_MS    20   /* length of the window of sound to which the tones are fitted */
#define NOISE_MAX 0.3  /* with more noise, relative to the tones, there is no signal */
/* a block is damaged if what remains without the tones exceeds this multiple of the noise and the
 * share LEAST of the level of the tones */
#define TIMES  4
#define LEAST  0.15 /* share of the level of the tones */
#define SILENT 1e-6 /* level of silence, relative to full scale */
#define AGREE  1e-3 /* largest sum of squared phase errors (unit: a period) of phases that agree */
/* least variance of a phase, in squared periods of the tone: a converter causes it even without
 * noise */
#define SPREAD 2e-7
#define EDGE   6 /* frames: accuracy of the beginning and the end of damage */

#define M ST_TONES_WAVES

void st_tones_end(struct st_tones *tones)
{
    st_losses_end(&tones->losses);
}

static uint64_t window_of(const struct st_tones *tones)
{
    return (uint64_t)tones->rate_hz * FIT_MS / 1000;
}

static double angle(const struct st_tones *tones, size_t tone, uint64_t frame)
{
    return TURN * (double)(frame % tones->rate_hz * st_signal_tones_hz[tone] % tones->rate_hz) /
           tones->rate_hz;
}

/* Turns the tones of a fit to a window that begins at `frame`, including the drift of the clocks
 * since the fit. */
static void turn_to(const struct st_tones *tones, const struct st_tones_fit *fit, uint64_t frame,
                    double *ret)
{
    const double ahead = st_tones_drift_ppm(tones) * 1e-6 * ((double)frame - (double)fit->at);
    for (size_t k = 0; k < ST_SIGNAL_TONES; k++) {
        const double turned =
            angle(tones, k, frame) + TURN * ahead * st_signal_tones_hz[k] / tones->rate_hz;
        const double cosine = cos(turned), sine = sin(turned);
        ret[2 * k] = fit->re[k] * cosine + fit->im[k] * sine;
        ret[2 * k + 1] = fit->im[k] * cosine - fit->re[k] * sine;
    }
}

/* @return the root mean square of what remains of n frames from `from` on without the tones of the
 * fit.
 * @param n at most a window */
static double rest_of(const struct st_tones *tones, const struct st_tones_fit *fit, uint64_t from,
                      uint64_t n)
{
    double part[M], sum = 0;
    turn_to(tones, fit, from, part);
    for (uint64_t i = 0; i < n; i++) {
        double rest = (double)tones->ring[(from + i) % ST_TONES_RING];
        for (size_t j = 0; j < M; j++)
            rest -= part[j] * (double)tones->waves[i][j];
        sum += rest * rest;
    }
    return sqrt(sum / (double)n);
}

/* Inverts the matrix of the waves' inner products: Gauss-Jordan without pivots, since the waves are
 * nearly orthogonal. */
static void invert(double a[M][2 * M])
{
    for (size_t j = 0; j < M; j++) {
        const double by = a[j][j];
        for (size_t l = 0; l < 2 * M; l++)
            a[j][l] /= by;
        for (size_t k = 0; k < M; k++) {
            const double part = a[k][j];
            for (size_t l = 0; l < 2 * M && k != j; l++)
                a[k][l] -= part * a[j][l];
        }
    }
}

/* Computes the waves of a window, and the matrix that turns their inner products with a recording
 * into amplitudes. */
static void prepare(struct st_tones *tones)
{
    double a[M][2 * M] = {{0}};
    for (uint64_t i = 0; i < window_of(tones); i++) {
        for (size_t k = 0; k < ST_SIGNAL_TONES; k++) {
            tones->waves[i][2 * k] = (float)cos(angle(tones, k, i));
            tones->waves[i][2 * k + 1] = (float)sin(angle(tones, k, i));
        }
        for (size_t j = 0; j < M * M; j++)
            a[j / M][j % M] += (double)tones->waves[i][j / M] * (double)tones->waves[i][j % M];
    }
    for (size_t j = 0; j < M; j++)
        a[j][M + j] = 1;
    invert(a);
    for (size_t j = 0; j < M; j++)
        memcpy(tones->solves[j], &a[j][M], sizeof(tones->solves[j]));
}

/* Fits the tones to the window that ends at frame `until`, by least squares. */
static void fit(const struct st_tones *tones, uint64_t until, struct st_tones_fit *ret)
{
    const uint64_t n = window_of(tones), from = until - n;
    double common[M] = {0}, part[M] = {0}, all = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double heard = (double)tones->ring[(from + i) % ST_TONES_RING];
        for (size_t j = 0; j < M; j++)
            common[j] += heard * (double)tones->waves[i][j];
        all += heard * heard;
    }
    for (size_t j = 0; j < M * M; j++)
        part[j / M] += tones->solves[j / M][j % M] * common[j % M];
    for (size_t j = 0; j < M; j++)
        all -= part[j] * common[j];
    double power = 0;
    for (size_t k = 0; k < ST_SIGNAL_TONES; k++) {
        const double cosine = cos(angle(tones, k, from)), sine = sin(angle(tones, k, from));
        ret->re[k] = part[2 * k] * cosine - part[2 * k + 1] * sine;
        ret->im[k] = part[2 * k] * sine + part[2 * k + 1] * cosine;
        power += (ret->re[k] * ret->re[k] + ret->im[k] * ret->im[k]) / 2;
    }
    ret->at = until - n / 2;
    ret->loud = sqrt(power);
    ret->rest = sqrt(fmax(all, 0) / (double)n);
}

void st_tones_init(struct st_tones *tones, uint32_t rate_hz)
{
    /* the large arrays from `waves` on need no zeros, so most of their pages are never touched */
    memset(tones, 0, offsetof(struct st_tones, waves));
    tones->rate_hz = rate_hz;
    prepare(tones);
    st_losses_init(&tones->losses, rate_hz);
    tones->losses.slack_frames = rate_hz / 1000;
}

/* @return by how many of its periods a tone moved since the latest fit, -0.5 .. 0.5; positive:
 * the signal moved ahead. */
static double turned(const struct st_tones *tones, const struct st_tones_fit *now, size_t tone)
{
    const struct st_tones_fit *before = &tones->fit;
    const double cross = before->re[tone] * now->im[tone] - before->im[tone] * now->re[tone];
    const double dot = before->re[tone] * now->re[tone] + before->im[tone] * now->im[tone];
    return -atan2(cross, dot) / TURN;
}

/* Finds the shift of the signal, within half a second, that explains the phases of all three
 * tones. With noise, more than one shift may explain them; short shifts are then preferred.
 * `drifted`: frames that the clocks ran apart since the last fit. @return frames; 0: no shift,
 * or no shift explains the phases. */
static double find_shift(const struct st_tones *tones, const struct st_tones_fit *now,
                         double drifted)
{
    /* the tones have whole Hz, so shifts of a second more or less look the same */
    const int64_t half = (int64_t)tones->rate_hz / 2;
    const double noise = 6 * tones->noise * tones->noise / (TURN * TURN * (double)window_of(tones));
    double turns[ST_SIGNAL_TONES], steps[ST_SIGNAL_TONES], square = 0, best = (double)INFINITY,
                                                           found = 0;
    for (size_t k = 0; k < ST_SIGNAL_TONES; k++) {
        steps[k] = (double)st_signal_tones_hz[k] / tones->rate_hz;
        turns[k] = turned(tones, now, k) - drifted * steps[k];
        square += steps[k] * steps[k];
    }
    for (int64_t frames = -half; frames < half; frames++) {
        double sum = 0, slope = 0;
        for (size_t k = 0; k < ST_SIGNAL_TONES; k++) {
            double off = turns[k] - (double)frames * steps[k];
            off -= round(off);
            sum += off * off;
            slope += off * steps[k];
        }
        /* the errors that remain if the shift has a fraction of a frame */
        const double rest = sum - slope * slope / square;
        if (rest >= AGREE)
            continue;
        const double cost =
            rest / fmax(noise, SPREAD) + 2 * log1p(1000 * fabs((double)frames) / tones->rate_hz);
        if (cost < best) {
            best = cost;
            found = (double)frames + slope / square;
        }
    }
    return found;
}

/* Follows the phases, which move since the player and the recorder have separate clocks, and adds
 * up the drift. */
static void follow(struct st_tones *tones, const struct st_tones_fit *now)
{
    double frames = 0;
    for (size_t k = 0; k < ST_SIGNAL_TONES; k++)
        frames += turned(tones, now, k) * tones->rate_hz / st_signal_tones_hz[k] / ST_SIGNAL_TONES;
    tones->drift_frames += frames;
    tones->followed_frames += now->at - tones->fit.at;
    tones->fit = *now;
}

static bool is_signal(const struct st_tones_fit *fit)
{
    return fit->loud > SILENT && fit->rest <= NOISE_MAX * fit->loud;
}

/* @return the root mean square of what remains of the last window without the tones. It is computed
 * for each block, since clocks do not drift within a block. */
static double noise_of(const struct st_tones *tones, uint64_t window)
{
    const uint64_t block = tones->rate_hz / BLOCKS_HZ, blocks_n = window / block;
    double sum = 0;
    for (uint64_t i = 0; i < blocks_n; i++) {
        const double rest = rest_of(tones, &tones->fit, tones->n - (blocks_n - i) * block, block);
        sum += rest * rest;
    }
    return sqrt(sum / (double)blocks_n);
}

static void lock(struct st_tones *tones, uint64_t window)
{
    struct st_tones_fit now;
    fit(tones, tones->n, &now);
    if (!is_signal(&now))
        return;
    if (!tones->was_locked) { /* at the first lock, two windows give the drift of the clocks */
        fit(tones, tones->n - window, &tones->fit);
        if (!is_signal(&tones->fit))
            return;
        follow(tones, &now);
    }
    tones->fit = now;
    tones->contact_lost_n += tones->was_locked;
    const double noise = noise_of(tones, window);
    tones->noise = noise / now.loud;
    tones->loud = now.loud;
    tones->limit = fmax(TIMES * noise, LEAST * now.loud);
    tones->was_locked = tones->locked = true;
    tones->damaged = false;
}

static bool is_silent(const struct st_tones *tones, uint64_t from, uint64_t until)
{
    double sum = 0;
    for (uint64_t i = from; i < until; i++)
        sum += (double)tones->ring[i % ST_TONES_RING] * (double)tones->ring[i % ST_TONES_RING];
    return until > from && sqrt(sum / (double)(until - from)) <= fmax(tones->limit / 2, SILENT);
}

static uint64_t begin_of_damage(const struct st_tones *tones, uint64_t until)
{
    const uint64_t block = tones->rate_hz / BLOCKS_HZ;
    uint64_t bad = ST_MAX(tones->bad_at, block) - block;
    while (bad < until && rest_of(tones, &tones->fit, bad, EDGE) <= tones->limit)
        bad += EDGE;
    return bad;
}

static void end_damage(struct st_tones *tones, uint64_t bad, uint64_t clean, int64_t shift)
{
    const uint64_t block = tones->rate_hz / BLOCKS_HZ, moved = (uint64_t)llabs(shift);
    const uint64_t len = ST_MAX(clean, bad) - bad;
    struct st_loss loss = {.at_frame = bad, .within_frames = block, .shift_frames = shift};
    if (len > 2 * (uint64_t)EDGE && is_silent(tones, bad + EDGE, clean - EDGE)) {
        loss.kind = ST_LOSS_ZEROED;
        loss.frames = len;
    } else if (moved > 0 && len <= 2 * block) {
        loss.kind = shift > 0 ? ST_LOSS_LOST : ST_LOSS_REPEATED;
        loss.frames = moved;
    } else {
        loss.kind = ST_LOSS_CORRUPTED;
        loss.frames = ST_MAX(len, moved);
    }
    tones->damaged = false;
    /* 0 frames are no loss: a sample-rate converter may skip a fraction of a frame */
    if (loss.frames > 0)
        st_losses_add(&tones->losses, &loss, clean);
}

/* Called when the last window has the signal again: finds where the damage begins and ends, and the
 * shift, and adds the loss. */
static void heal(struct st_tones *tones, const struct st_tones_fit *now, uint64_t window)
{
    uint64_t clean = tones->n - window;
    const uint64_t bad = begin_of_damage(tones, clean);
    while (clean >= bad + EDGE && rest_of(tones, now, clean - EDGE, EDGE) <= tones->limit)
        clean -= EDGE;
    const double drifted = st_tones_drift_ppm(tones) * 1e-6 * (double)(now->at - tones->fit.at);
    const double shift = find_shift(tones, now, drifted);
    tones->fit = *now;
    end_damage(tones, bad, clean, llround(shift));
}

/* Stops following the tones, after they have been damaged for a second. Silence is a loss.
 * Another volume, or other sound that may hide the tones, is no loss, and what is lost until the
 * tones are found again is unknown. */
static void lose(struct st_tones *tones, const struct st_tones_fit *now)
{
    const uint64_t bad = begin_of_damage(tones, tones->n - window_of(tones));
    if (tones->expects && !is_signal(now) && is_silent(tones, bad + EDGE, tones->n))
        end_damage(tones, bad, tones->n, 0);
    else if (tones->expects)
        tones->contact_lost_n++;
    tones->locked = false;
}

static void look(struct st_tones *tones)
{
    const uint64_t block = tones->rate_hz / BLOCKS_HZ, window = window_of(tones);
    struct st_tones_fit now;
    if (tones->n < 2 * window)
        return;
    if (!tones->locked) {
        if (tones->n % (window / block * block) == 0)
            lock(tones, window);
        return;
    }
    if (!tones->damaged) {
        tones->damaged = rest_of(tones, &tones->fit, tones->n - block, block) > tones->limit;
        tones->heals = false;
        tones->bad_at = tones->n - block;
        if (!tones->damaged) {
            tones->heard_frames += block;
            st_losses_pass(&tones->losses, tones->n);
        }
        if (tones->damaged || tones->n % (10 * block) != 0)
            return;
        fit(tones, tones->n, &now);
        if (now.rest <= tones->limit)
            follow(tones, &now);
        return;
    }
    if (tones->n < tones->bad_at + window)
        return;
    if (tones->n % (4 * block) == 0) {
        fit(tones, tones->n, &now);
        const bool healed = tones->heals;
        tones->heals = now.loud > tones->loud / 2 && now.loud < 2 * tones->loud &&
                       now.rest <= tones->limit / 2;
        if (tones->heals && healed)
            heal(tones, &now, window);
        else if (tones->n - tones->bad_at > tones->rate_hz)
            lose(tones, &now);
    }
}

void st_tones_take(struct st_tones *tones, const float *samples, size_t stride, size_t frames_n)
{
    const uint64_t block = tones->rate_hz / BLOCKS_HZ;
    for (size_t i = 0; i < frames_n; i++) {
        const float sample = samples[i * stride];
        tones->ring[tones->n++ % ST_TONES_RING] = isfinite(sample) ? sample : 0;
        if (block > 0 && tones->n % block == 0)
            look(tones);
    }
}

double st_tones_drift_ppm(const struct st_tones *tones)
{
    return tones->drift_frames / fmax((double)tones->followed_frames, 1) * 1e6;
}
