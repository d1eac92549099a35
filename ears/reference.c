#include "ears/reference.h"

#define PI         3.141592653589793
#define FULL_SCALE 32768.0
#define EXACT      (0.25 / FULL_SCALE) /* a smaller difference is rounding */
#define WINDOW     1024                /* frames that are found again by correlation */
#define FIRST      256                 /* of them; where these differ, the rest does */
#define CALIBRATE  4096                /* frames */
#define CORRELATED 0.9                 /* that share of a window is the music */
#define UNIQUE     4                   /* times: another place differs more than this */
#define SURE       0.99
#define ROUNDING   1e-5
#define LAG_MAX_S  2
#define JUMP_MAX_S 1
#define GOOD       64    /* samples that agree, and would not one frame further, are no chance */
#define AGREE_MS   10    /* the same for a path that converts */
#define SHARE      0.02  /* of a frame: with less the samples are those that were played */
#define LOOSE      0.3   /* of the peak: converted samples may be so far away */
#define LOSSY      0.1   /* noise beside the music: more than conversion leaves */
#define MUSIC      0.5   /* of 5 ms, at least that share is */
#define UNLIKE     0.25  /* more than that is not compared */
#define FLOOR      1e-4  /* differences below that, on a path that converts, are silence */
#define SAME       1e-3  /* as a share of it, the gain */
#define RATE_MAX   1e-3  /* frames in a frame: two clocks do not differ by more */
#define MARGIN     4     /* frames: two clocks run apart by less in half a block */
#define VAGUE_MS   100   /* converted: the music may be found again that late */
#define SHORT_MS   2     /* converted: shorter damage in its place is what conversion does */
#define LEAST_MS   20    /* converted: the shortest loss that is promised */
#define SIMILAR_MS 100   /* between two looks whether the music repeats itself */
#define FORCE_MS   60    /* frames that are left out are known that long before */
#define AHEAD_MS   25    /* of them: there must be sound where glitches are forced */
#define AUDIBLE    1e-4F /* differences of differences: damage changes samples there */
#define LEVEL_MAX  1e6F
#define CLIPPED    0.999F /* of full scale */
#define SETTLE_S   1
#define BLOCKS_HZ  200

static uint64_t frames_of(const struct st_reference *reference, uint32_t ms)
{
    return (uint64_t)reference->rate_hz * ms / 1000;
}

void st_reference_init(struct st_reference *reference, uint32_t rate_hz, uint32_t channels, uint64_t chance,
                       st_loss_fn found)
{
    memset(reference, 0, sizeof(*reference));
    reference->rate_hz = rate_hz;
    reference->channels = channels;
    reference->kernel_part = (double)NAN;
    st_losses_init(&reference->losses, rate_hz, found);
    st_signal_init(&reference->force.plan, rate_hz, 1, 1);
    st_signal_force(&reference->force.plan, chance);
}

int64_t st_reference_latency(const struct st_reference *reference)
{
    return reference->lag - (int64_t)frames_of(reference, FORCE_MS);
}

/* --- forced glitches: nothing below knows of them --- */

static float came_back(const struct st_reference_force *force, uint64_t at)
{
    return force->ring[at % ST_REFERENCE_DELAY];
}

/* Is there sound that any glitch would change? */
static bool is_audible(const struct st_reference *reference, uint64_t at)
{
    const struct st_reference_force *force = &reference->force;
    const float value = came_back(force, at), before = came_back(force, at - 1);
    float peak = 0, most = 0;
    for (uint64_t i = at; i < at + frames_of(reference, AHEAD_MS); i++) {
        const float bend = came_back(force, i + 1) - 2 * came_back(force, i) + came_back(force, i - 1);
        peak = fmaxf(peak, fabsf(came_back(force, i)));
        most = fmaxf(most, fabsf(bend));
    }
    return most > AUDIBLE && fabsf(value) > peak / 8 && fabsf(value - before) > AUDIBLE;
}

/* @return what is compared in the place of this sample: one of FORCE_MS before, perhaps damaged. */
static float forced(struct st_reference *reference, float sample)
{
    struct st_reference_force *force = &reference->force;
    const uint64_t delay = frames_of(reference, FORCE_MS), now = force->n++;
    force->ring[now % ST_REFERENCE_DELAY] = sample;
    if (now < 2 * delay)
        return now < delay ? 0 : came_back(force, now - delay);
    uint64_t at = now - delay + (uint64_t)force->shift;
    if (fabsf(came_back(force, at)) > AUDIBLE)
        force->sounds_until = now + delay;
    const bool sees = reference->n >= reference->blind_until + CALIBRATE;
    force->sounding += now < force->sounds_until && reference->state == ST_REFERENCE_FOLLOWS &&
                       !reference->similar && !reference->damaged && sees;
    const uint64_t least = !reference->by_sample ? frames_of(reference, LEAST_MS)
                           : reference->exact    ? 1
                                                 : frames_of(reference, 1);
    const struct st_glitch *next = &force->plan.glitches[force->forced_n];
    const bool due = sees && force->forced_n < force->plan.glitches_n && force->sounding >= next->at_frame;
    if (due && next->frames < least) { /* the path does not promise to show it */
        force->forced_n++;
    } else if (due && is_audible(reference, at)) {
        reference->forced[reference->forced_n++] = (struct st_glitch){next->kind, reference->n, next->frames};
        force->forced_n++;
        force->shift += st_signal_shift(next);
        force->silent_until = next->kind == ST_LOSS_ZEROED ? now + next->frames : 0;
        at = now - delay + (uint64_t)force->shift;
    }
    return now < force->silent_until ? 0 : came_back(force, at);
}

/* --- what was played and what came back, as differences --- */

static float played(const struct st_reference *reference, int64_t at)
{
    return reference->x[(uint64_t)at % ST_REFERENCE_RING];
}

/* @return NAN: it was overdriven. */
static float heard(const struct st_reference *reference, uint64_t at)
{
    return reference->y[at % ST_REFERENCE_RING] - reference->y[(at - 1) % ST_REFERENCE_RING];
}

/* Between two samples: the lag has that part of a frame more. */
static void set_kernel(struct st_reference *reference, double part)
{
    if (reference->kernel_part == part)
        return;
    for (int i = 0; i < ST_REFERENCE_TAPS; i++) {
        const double at = i - ST_REFERENCE_TAPS / 2 + 1 + part;
        const double window = 0.5 + 0.5 * cos(PI * at / (ST_REFERENCE_TAPS / 2 + 0.5));
        reference->kernel[i] = (float)(fabs(at) < 1e-9 ? 1 : window * sin(PI * at) / (PI * at));
    }
    reference->kernel_part = part;
}

/* The lag is lag + part in the middle of the last block: sets the kernel for a place so far from there.
 * @return the lag in whole frames there. */
static int64_t set_kernel_at(struct st_reference *reference, int64_t lag, double part, double far)
{
    const double there = part + reference->rate * far;
    set_kernel(reference, there - round(there));
    return lag + llround(there);
}

static double dot(const float *a, const float *b, size_t n)
{
    float sums[8] = {0};
    for (size_t i = 0; i + 8 <= n; i += 8) {
        for (size_t j = 0; j < 8; j++)
            sums[j] += a[i + j] * b[i + j];
    }
    return (double)((sums[0] + sums[1]) + (sums[2] + sums[3]) + (sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static double played_between(const struct st_reference *reference, int64_t at)
{
    double sum = 0;
    for (int i = 0; i < ST_REFERENCE_TAPS; i++)
        sum += (double)(reference->kernel[i] * played(reference, at + i - ST_REFERENCE_TAPS / 2 + 1));
    return sum;
}

static double expects(const struct st_reference *reference, uint64_t at, int64_t lag)
{
    const int64_t from = (int64_t)at - lag;
    return reference->gain *
           (reference->by_sample ? (double)played(reference, from) : played_between(reference, from));
}

/* The same of the n last frames, and of one before and one behind them. */
static void expect_block(struct st_reference *reference, uint64_t from, uint64_t n)
{
    const uint64_t each = n / 4 + 1; /* in which the clocks hardly drift apart */
    const int64_t first = (int64_t)from - 1 - MARGIN - reference->lag - ST_REFERENCE_TAPS / 2 + 1;
    for (uint64_t i = 0; i < n + 2 && reference->by_sample; i++)
        reference->expected[i] = (float)expects(reference, from + i - 1, reference->lag);
    if (reference->by_sample)
        return;
    for (uint64_t i = 0; i < n + 2 + 2 * MARGIN + ST_REFERENCE_TAPS; i++)
        reference->scratch[i] = played(reference, first + (int64_t)i);
    const float *x = reference->scratch;
    for (uint64_t i = 0; i < n + 2; i++) {
        if (i % each == 0)
            x = reference->scratch + MARGIN + reference->lag -
                set_kernel_at(reference, reference->lag, reference->part,
                              (double)(i + each / 2) - (double)n / 2);
        reference->expected[i] = (float)(reference->gain * dot(reference->kernel, x + i, ST_REFERENCE_TAPS));
    }
    set_kernel(reference, reference->part);
}

static double peak_near(const struct st_reference *reference, uint64_t at, int64_t lag, uint64_t frames_n)
{
    float peak = 0;
    for (uint64_t i = 0; i < frames_n; i++) {
        const float size = fabsf(played(reference, (int64_t)(at + i) - lag));
        peak = ST_MAX(peak, size);
    }
    return fabs(reference->gain) * (double)peak;
}

/* Of differences near that frame. */
static double tolerance_at(const struct st_reference *reference, uint64_t at, int64_t lag)
{
    const uint64_t each = reference->rate_hz / BLOCKS_HZ;
    if (reference->by_sample)
        return reference->tolerance;
    return fmax(FLOOR / 2,
                fmax(LOOSE, 4 * reference->noise) * peak_near(reference, at - each, lag, 3 * each));
}

/* --- where it is --- */

struct place {
    int64_t lag;
    double likeness; /* -1 .. 1 */
    double part;     /* of a frame, with `lag`: set by `refine` */
};

/* The last frames that came back, at lags from .. until; the nearest to `near` of those that are as good. */
static struct place find(struct st_reference *reference, int64_t from, int64_t until, int64_t near)
{
    float window[WINDOW];
    struct place best = {.lag = near};
    const int64_t oldest = (int64_t)reference->n - ST_REFERENCE_RING + 1;
    const int64_t first = (int64_t)reference->n - WINDOW; /* of the window */
    from = ST_MAX(from, 0);
    until = ST_MIN(until, ST_MIN(first - oldest, first));
    if (until < from)
        return best;
    for (int64_t i = 0; i < WINDOW; i++) {
        const float h = heard(reference, (uint64_t)(first + i));
        window[i] = isnan(h) ? 0 : h;
    }
    const int64_t begin = first - until;
    const size_t span = (size_t)(until - from) + WINDOW;
    float *x = reference->scratch;
    for (size_t i = 0; i < span; i++)
        x[i] = played(reference, begin + (int64_t)i);
    const double yy = dot(window, window, WINDOW), yy_first = dot(window, window, FIRST);
    double xx = dot(x, x, WINDOW), xx_first = dot(x, x, FIRST);
    for (size_t i = 0; i + WINDOW <= span; i++) {
        const int64_t lag = until - (int64_t)i;
        double likeness = 0;
        const double both = dot(window, x + i, FIRST);
        if (xx > yy * 1e-9 && both * both >= 0.25 * xx_first * yy_first) {
            const double all = both + dot(window + FIRST, x + i + FIRST, WINDOW - FIRST);
            likeness = all / sqrt(xx * yy);
        }
        const double better = fabs(likeness) - fabs(best.likeness);
        if (better > 1e-7 || (better > -1e-7 && llabs(lag - near) < llabs(best.lag - near)))
            best = (struct place){.lag = lag, .likeness = likeness};
        if (i + WINDOW < span) {
            const double in = (double)x[i + WINDOW], out = (double)x[i], middle = (double)x[i + FIRST];
            xx = fmax(xx + in * in - out * out, 0);
            xx_first = fmax(xx_first + middle * middle - out * out, 0);
        }
    }
    return best;
}

/* The likeness of the last frames at that lag in the middle of the last block. */
static double likeness_between(struct st_reference *reference, int64_t lag, double part)
{
    double both = 0, xx = 0, ss = 0;
    const double half = reference->rate_hz / (2.0 * BLOCKS_HZ);
    int64_t then = lag;
    for (uint64_t i = reference->n - WINDOW; i < reference->n; i++) {
        if ((reference->n - i) % (WINDOW / 8) == 0)
            then = set_kernel_at(reference, lag, part, half - (double)(reference->n - i - WINDOW / 16));
        const double x = (double)heard(reference, i), s = played_between(reference, (int64_t)i - then);
        if (isnan(x))
            continue;
        both += x * s;
        xx += x * x;
        ss += s * s;
    }
    return xx > 0 && ss > 0 ? both / sqrt(xx * ss) : 0;
}

/* Treble half a frame away has little in common with whole frames: looks between them. */
static void refine(struct st_reference *reference, struct place *place)
{
    enum { STEPS = 7 }; /* a quarter of a frame each, then the top of a parabola */
    double like[STEPS];
    int best = 0;
    if (place->likeness == 0)
        return;
    for (int i = 0; i < STEPS; i++) {
        like[i] = fabs(likeness_between(reference, place->lag, i * 0.25 - 0.75));
        best = like[i] > like[best] ? i : best;
    }
    place->part = best * 0.25 - 0.75;
    if (best > 0 && best < STEPS - 1) {
        const double turn = like[best - 1] - 2 * like[best] + like[best + 1];
        place->part += turn < 0 ? 0.25 * (like[best - 1] - like[best + 1]) / (2 * turn) : 0;
    }
    const double likeness = likeness_between(reference, place->lag, place->part);
    place->likeness = fabs(likeness) > fabs(place->likeness) ? likeness : place->likeness;
    set_kernel(reference, reference->part);
}

static bool is_loud(const struct st_reference *reference)
{
    double sum = 0;
    for (uint64_t i = reference->n - WINDOW; i < reference->n; i++)
        sum += isnan(heard(reference, i)) ? 0 : fabs((double)heard(reference, i));
    const double least = reference->state == ST_REFERENCE_FOLLOWS ? reference->tolerance : 0;
    return sum / WINDOW > fmax(least, FLOOR / 10);
}

/* Gain and noise of the last frames. @return 1: sample by sample; 0: the path converts, or it is damaged. */
static bool calibrate(struct st_reference *reference, int64_t lag)
{
    double both = 0, ss = 0, bends = 0, most = 0, ee = 0;
    for (uint64_t i = reference->n - CALIBRATE; i < reference->n; i++) {
        const double s = (double)played(reference, (int64_t)i - lag);
        if (isnan(heard(reference, i)))
            continue;
        const double bend = s - (double)played(reference, (int64_t)i - lag - 1);
        both += (double)heard(reference, i) * s;
        ss += s * s;
        bends += bend * bend;
    }
    if (!(ss > 0) || both == 0)
        return false;
    double gain = both / ss;
    for (int pass = 0; pass < 2; pass++) { /* then with a gain of 1, if it is that but for rounding */
        most = ee = 0;
        for (uint64_t i = reference->n - CALIBRATE; i < reference->n; i++) {
            const double e = (double)heard(reference, i) - gain * (double)played(reference, (int64_t)i - lag);
            most = fmax(most, fabs(e));
            ee += isnan(e) ? 0 : e * e;
        }
        if (fabs(gain - 1) > 1e-3 || gain == 1)
            break;
        gain = 1;
    }
    reference->gain = gain;
    reference->noise = sqrt(ee / ss) / fabs(gain);
    if (sqrt(ee) > SHARE * fabs(gain) * sqrt(bends))
        return false;
    reference->exact = gain == 1 && most < EXACT;
    reference->tolerance = reference->exact ? EXACT : fmax(8 * sqrt(ee / CALIBRATE), 1.5 * most);
    return true;
}

/* The class is that of the worst part. */
static void keep_worst(struct st_reference *reference)
{
    const bool first = !reference->was_followed;
    reference->was_by_sample = (first || reference->was_by_sample) && reference->by_sample;
    reference->was_exact = (first || reference->was_exact) && reference->exact;
}

static void follow(struct st_reference *reference)
{
    reference->state = ST_REFERENCE_FOLLOWS;
    reference->damaged = false;
    reference->after_gap = false;
    keep_worst(reference);
    reference->was_followed = true;
    reference->losses.slack_frames = reference->exact       ? 0
                                     : reference->by_sample ? 4
                                                            : frames_of(reference, 1);
}

/* Begins to follow at that place. */
static void settle(struct st_reference *reference, const struct place *place)
{
    reference->lag = place->lag;
    reference->part = reference->rate = 0;
    reference->by_sample = calibrate(reference, place->lag);
    if (reference->by_sample) {
        follow(reference);
        return;
    }
    reference->part = place->part;
    reference->state = ST_REFERENCE_SETTLES;
    reference->settled = reference->n + (uint64_t)SETTLE_S * reference->rate_hz;
    reference->noise = 0.1;
}

static void seek(struct st_reference *reference)
{
    const int64_t most = (int64_t)reference->rate_hz * LAG_MAX_S, apart = (int64_t)frames_of(reference, 1);
    if (reference->n < reference->next_try || reference->n < 2 * CALIBRATE || !is_loud(reference))
        return;
    reference->next_try = reference->n + frames_of(reference, 300);
    struct place best = find(reference, 0, most, 0);
    refine(reference, &best);
    reference->unlike_n++;
    if (fabs(best.likeness) < CORRELATED)
        return;
    struct place nearer = find(reference, 0, best.lag - apart, 0),
                 further = find(reference, best.lag + apart, most, 0);
    refine(reference, &nearer);
    refine(reference, &further);
    const double other = fmax(fabs(nearer.likeness), fabs(further.likeness));
    reference->similar = 1 - other < UNIQUE * (1 - fabs(best.likeness)) + ROUNDING;
    reference->similar_n += reference->similar && fabs(best.likeness) > SURE;
    if (!reference->similar)
        settle(reference, &best);
}

/* --- losses --- */

static bool is_silent(const struct st_reference *reference, uint64_t from, uint64_t until)
{
    const double most = !reference->by_sample ? 5 * FLOOR : reference->exact ? 0 : reference->tolerance;
    if (from + ST_REFERENCE_RING <= reference->n) /* it is known no longer */
        from = reference->n + 1 - ST_REFERENCE_RING;
    for (uint64_t i = from; i < until; i++) {
        if (!(fabs((double)reference->y[i % ST_REFERENCE_RING]) <= most))
            return false;
    }
    return true;
}

/* How much of it is the music, 0 .. 1; ret_both, ret_ss: what both have in common, and the music. */
static double likeness(struct st_reference *reference, uint64_t from, uint64_t until, double *ret_both,
                       double *ret_ss)
{
    const uint64_t each = reference->rate_hz / BLOCKS_HZ;
    int64_t then = reference->lag;
    double both = 0, xx = 0, ss = 0;
    from = ST_MAX(from, until - ST_MIN(until, ST_REFERENCE_RING / 4));
    for (uint64_t i = from; i < until; i++) {
        if (!reference->by_sample && (i - from) % each == 0)
            then = set_kernel_at(reference, reference->lag, reference->part,
                                 (double)(i + each) - (double)reference->n);
        const double x = (double)heard(reference, i), s = expects(reference, i, then);
        if (isnan(x))
            continue;
        both += x * s;
        xx += x * x;
        ss += s * s;
    }
    set_kernel(reference, reference->part);
    *ret_both = both;
    *ret_ss = ss;
    return both > 0 ? both * both / (xx * ss) : 0;
}

/* Is the music in it, with other sound, or was it silent? */
static bool is_mixed(struct st_reference *reference, uint64_t from, uint64_t until)
{
    double both, ss;
    const double like = likeness(reference, from, until, &both, &ss);
    const double floor = reference->by_sample ? 2 * reference->tolerance : FLOOR;
    if (ss <= floor * floor * (double)(until - from))
        return true;
    return until - from >= frames_of(reference, 50) && both > ss / 2 && both < 2 * ss && like > 0.05;
}

/* A path that converts may take treble away: what is still the music at an end of damage in its place is
 * none. */
static void trim(struct st_reference *reference, uint64_t *bad, uint64_t *clean)
{
    const uint64_t each = reference->rate_hz / BLOCKS_HZ;
    double both, ss;
    for (uint64_t n; (n = ST_MIN(each, *clean - *bad)) > 0; *bad += n) {
        if (!(likeness(reference, *bad, *bad + n, &both, &ss) > MUSIC))
            break;
    }
    for (uint64_t n; (n = ST_MIN(each, *clean - *bad)) > 0; *clean -= n) {
        if (!(likeness(reference, *clean - n, *clean, &both, &ss) > MUSIC))
            break;
    }
}

static bool joins_gap(const struct st_reference *reference)
{
    return reference->after_gap && reference->bad_at < reference->blind_until + CALIBRATE;
}

/* Damage from bad_at on; from `clean` on the music is back, `shift` frames ahead of its time. A difference
 * is false for one frame longer than a sample. */
static void heal(struct st_reference *reference, uint64_t clean, int64_t shift, void *ctx)
{
    uint64_t bad = reference->bad_at;
    clean--;
    if (shift == 0 && !reference->by_sample && clean > bad)
        trim(reference, &bad, &clean);
    struct st_loss loss = {.at_frame = bad, .shift_frames = shift};
    const uint64_t len = clean > bad ? clean - bad : 0;
    const uint64_t edge = reference->by_sample ? 0 : frames_of(reference, 1); /* where a converter rings */
    const bool silent = len > 2 * edge && is_silent(reference, bad + edge, clean - edge);
    const bool moved =
        shift != 0 &&
        (len == 0 || (!reference->by_sample && !silent && len < frames_of(reference, VAGUE_MS)));
    if (moved) {
        loss.kind = shift > 0 ? ST_LOSS_LOST : ST_LOSS_REPEATED;
        loss.frames = (uint64_t)llabs(shift);
        loss.at_frame = clean < bad ? clean : bad;
        loss.within_frames = clean < bad ? bad - clean : len;
    } else {
        loss.kind = silent ? ST_LOSS_ZEROED : ST_LOSS_CORRUPTED;
        loss.frames = len;
    }
    reference->damaged = false;
    reference->lag -= shift;
    const bool joins = joins_gap(reference) &&
                       (shift != 0 || (!reference->by_sample && len < frames_of(reference, LEAST_MS)));
    reference->after_gap = false;
    if (joins || loss.frames == 0 ||
        (shift == 0 && !reference->by_sample && len < frames_of(reference, SHORT_MS)))
        return;
    if (shift == 0 && !silent && is_mixed(reference, bad, clean)) {
        reference->mixed_frames += len;
        return;
    }
    st_losses_add(&reference->losses, &loss, clean, ctx);
}

static void lose(struct st_reference *reference)
{
    reference->contact_lost_n += reference->state == ST_REFERENCE_FOLLOWS;
    reference->state = ST_REFERENCE_SEEKS;
    reference->damaged = false;
    reference->rate = 0;
    reference->next_try = reference->n;
}

static bool agrees(const struct st_reference *reference, uint64_t at, int64_t lag, double tolerance)
{
    return !(fabs((double)heard(reference, at) - expects(reference, at, lag)) > tolerance);
}

/* @return since when it has been at that place, by its clock. */
static uint64_t since(struct st_reference *reference, int64_t lag)
{
    const uint64_t most = ST_REFERENCE_RING / 4, each = reference->rate_hz / BLOCKS_HZ;
    uint64_t clean = reference->n;
    int64_t there = lag;
    double tolerance = 0;
    do {
        if ((reference->n - clean) % each == 0) {
            there = set_kernel_at(reference, lag, reference->part, -(double)(reference->n - clean));
            tolerance = tolerance_at(reference, clean - each, there);
        }
    } while (clean + most > reference->n && clean > WINDOW &&
             agrees(reference, clean - 1, there, tolerance) && clean-- > 0);
    set_kernel(reference, reference->part);
    return clean;
}

/* The music goes on at another place. */
static void jump(struct st_reference *reference, const struct place *place, void *ctx)
{
    const double part = reference->part;
    if (!reference->by_sample) {
        reference->part = place->part;
        set_kernel(reference, reference->part);
    }
    const uint64_t clean = since(reference, place->lag);
    if (reference->n - clean >= GOOD)
        heal(reference, clean, reference->lag - place->lag, ctx);
    else
        reference->part = part;
}

/* Damage that lasts for long, at its place: another volume, or other sound. If it was silent before, or its
 * volume is the same, there was a loss, too. */
static void adjust(struct st_reference *reference, const struct place *place, void *ctx)
{
    const double gain = reference->gain, noise = reference->noise;
    if (!reference->by_sample) {
        reference->lag = place->lag;
        reference->part = place->part;
    }
    if (reference->n - reference->bad_at < CALIBRATE)
        return;
    if (!reference->by_sample) {
        set_kernel(reference, reference->part);
        (void)calibrate(reference, place->lag);
        reference->noise = LOSSY;
    } else if (!calibrate(reference, reference->lag)) {
        reference->gain = gain; /* it was none; what is damaged stays so */
        reference->noise = noise;
        return;
    }
    keep_worst(reference);
    reference->volumes_n++;
    const uint64_t clean = since(reference, reference->lag), bad = reference->bad_at;
    const uint64_t edge = reference->by_sample ? 1 : frames_of(reference, 1);
    if (reference->n - clean >= GOOD && clean > bad + 2 * edge &&
        (fabs(reference->gain / gain - 1) < SAME || is_silent(reference, bad + edge, clean - edge)))
        heal(reference, clean, 0, ctx);
    reference->damaged = false;
}

static void search(struct st_reference *reference, void *ctx)
{
    const int64_t most = (int64_t)reference->rate_hz * JUMP_MAX_S, lag = reference->lag;
    const uint64_t lasts = reference->n - reference->bad_at;
    if (!is_loud(reference)) {
        reference->next_search = reference->n + WINDOW;
        return;
    }
    reference->next_search =
        reference->n + ((uint64_t)WINDOW << (reference->searches_n < 5 ? reference->searches_n : 5));
    reference->searches_n++;
    struct place place = find(reference, lag - most, lag + most, lag);
    if (!reference->by_sample)
        refine(reference, &place);
    if (fabs(place.likeness) < CORRELATED) {
        if (lasts > reference->rate_hz &&
            !is_mixed(reference, reference->n - reference->rate_hz, reference->n)) {
            if (!joins_gap(reference)) /* else it may have moved meanwhile */
                heal(reference, reference->n + 1, 0, ctx);
            lose(reference);
        }
    } else if (llabs(place.lag - lag) <= (reference->by_sample ? 0 : 1)) {
        adjust(reference, &place, ctx);
    } else {
        jump(reference, &place, ctx);
    }
}

/* --- block by block --- */

/* Does the music repeat itself, so that a loss of one repeat, or several, changes nothing? */
static bool repeats(const struct st_reference *reference, uint64_t from)
{
    const int64_t most = (int64_t)reference->rate_hz * JUMP_MAX_S, at = (int64_t)from - reference->lag;
    const int64_t n = (int64_t)frames_of(reference, AGREE_MS);
    const int64_t oldest = (int64_t)reference->n - ST_REFERENCE_RING + 1;
    const double tolerance = tolerance_at(reference, from, reference->lag) / fabs(reference->gain);
    int64_t loudest = 0; /* tells most places apart */
    for (int64_t i = 1; i < n; i++)
        loudest = fabsf(played(reference, at + i)) > fabsf(played(reference, at + loudest)) ? i : loudest;
    for (int64_t far = (int64_t)frames_of(reference, 1); far <= most && at - far > oldest; far++) {
        int64_t i = 0;
        if (fabs((double)(played(reference, at + loudest) - played(reference, at + loudest - far))) >
            tolerance)
            continue;
        while (i < n &&
               fabs((double)(played(reference, at + i) - played(reference, at + i - far))) <= tolerance)
            i++;
        if (i == n)
            return true;
    }
    return false;
}

struct block {
    uint64_t from;
    uint64_t n;
    double peak, tolerance, floor;
};

static bool is_good(const struct st_reference *reference, const struct block *block)
{
    for (uint64_t i = 0; i < block->n; i++) {
        if (fabs((double)(heard(reference, block->from + i) - reference->expected[1 + i])) > block->tolerance)
            return false;
    }
    return true;
}

/* After a pause the clocks are not where their drift said: looks within a frame before that is damage. */
static void align(struct st_reference *reference, const struct block *block)
{
    struct place place = {.lag = reference->lag, .likeness = 1};
    const double part = reference->part;
    if (is_good(reference, block))
        return;
    refine(reference, &place);
    for (int pass = 0; pass < 2 && !is_good(reference, block); pass++) {
        reference->part = pass == 0 ? place.part : part;
        set_kernel(reference, reference->part);
        expect_block(reference, block->from, block->n);
    }
}

static void track(struct st_reference *reference, const struct block *block, uint64_t at, void *ctx)
{
    const float *expected = reference->expected + 1 + (at - block->from);
    const double bend =
        fmax(fabs((double)(expected[0] - expected[-1])), fabs((double)(expected[1] - expected[0])));
    const double tolerance =
        block->tolerance + (reference->by_sample && !reference->exact ? 5 * SHARE * bend : 0);
    const double e = (double)heard(reference, at) - (double)expected[0];
    const bool good = !(fabs(e) > tolerance);
    const bool tells =
        reference->by_sample ? bend > block->tolerance : fabs((double)expected[0]) > block->floor / 10;
    const uint64_t enough = reference->by_sample ? GOOD : frames_of(reference, AGREE_MS);
    if (!reference->damaged && good) {
        reference->heard_frames += !reference->quiet && !reference->similar;
        reference->quiet_frames += reference->quiet;
        reference->similar_frames += !reference->quiet && reference->similar;
        st_losses_pass(&reference->losses, at, ctx);
        return;
    }
    if (!reference->damaged) {
        reference->damaged = true;
        reference->bad_at = at;
        reference->good_n = reference->searches_n = 0;
        reference->next_search = at + WINDOW + block->n;
    }
    if (!good) {
        reference->good_n = 0;
        reference->good_at = at + 1;
    }
    reference->good_n += good && tells && !isnan(e);
    if (reference->good_n >= enough)
        heal(reference, reference->good_at, 0, ctx);
}

/* The clocks run apart: the lag of the next block. */
static void advance(struct st_reference *reference, const struct block *block)
{
    reference->part += reference->rate * (double)block->n;
    const double whole = round(reference->part);
    reference->lag += (int64_t)whole;
    reference->part -= whole;
}

/* The lag and its growth follow what the residual says of them: a control loop of second order. */
static void drift(struct st_reference *reference, const struct block *block)
{
    const bool settles = reference->state == ST_REFERENCE_SETTLES;
    const double by = settles ? 0.2 : 0.1, by_rate = settles ? 0.01 : 0.003;
    double es = 0, ss = 0, er = 0, rr = 0, ee = 0;
    for (uint64_t i = 0; i < block->n; i++) {
        const float *expected = reference->expected + 1 + i;
        const double e = (double)heard(reference, block->from + i) - (double)expected[0];
        const double slope = (double)(expected[1] - expected[-1]) / 2;
        if (isnan(e))
            continue;
        es += e * slope;
        ss += slope * slope;
        er += e * (double)expected[0];
        rr += (double)expected[0] * (double)expected[0];
        ee += e * e;
    }
    if (block->peak > block->floor && !reference->damaged && rr > 0 && ss > 0) {
        const double ahead = fmax(-0.5, fmin(0.5, -es / ss));
        const double louder = fmax(-0.5, fmin(0.5, er / rr));
        reference->part += by * ahead;
        reference->rate += by_rate * ahead / (double)block->n;
        reference->rate = fmax(-RATE_MAX, fmin(RATE_MAX, reference->rate));
        reference->gain *= 1 + by / 2 * louder;
        reference->noise += (fmin(sqrt(ee / rr), 1) - reference->noise) * (settles ? 0.05 : 0.01);
    }
    advance(reference, block);
}

static void settled(struct st_reference *reference)
{
    const double gain = reference->gain, noise = reference->noise;
    if (fabs(reference->rate) >= RATE_MAX) {
        lose(reference);
        return;
    }
    reference->by_sample = calibrate(reference, reference->lag); /* it was damaged at first */
    if (reference->by_sample) {
        reference->part = reference->rate = 0;
    } else {
        reference->gain = gain;
        reference->noise = noise;
    }
    if (reference->by_sample || noise < UNLIKE)
        follow(reference);
    else
        lose(reference);
}

static bool is_in_reach(const struct st_reference *reference, uint64_t block_n)
{
    const int64_t least = (int64_t)(2 * block_n) + ST_REFERENCE_TAPS;
    return reference->lag > least && reference->lag < (int64_t)(ST_REFERENCE_RING - 8 * CALIBRATE);
}

static void judge(struct st_reference *reference, struct block *block, void *ctx)
{
    if (reference->state == ST_REFERENCE_SEEKS) {
        seek(reference);
        return;
    }
    if (!is_in_reach(reference, block->n)) {
        lose(reference);
        return;
    }
    if (block->from < reference->blind_until) {
        advance(reference, block);
        return;
    }
    block->peak = peak_near(reference, block->from - block->n, reference->lag, 3 * block->n);
    block->tolerance = tolerance_at(reference, block->from, reference->lag);
    block->floor = reference->by_sample ? 2 * reference->tolerance : FLOOR;
    reference->quiet = block->peak <= block->floor;
    if (!reference->quiet)
        reference->loud_at = reference->n;
    if (block->from / frames_of(reference, SIMILAR_MS) !=
        (block->from - block->n) / frames_of(reference, SIMILAR_MS))
        reference->similar = !reference->quiet && repeats(reference, block->from);
    set_kernel(reference, reference->part);
    expect_block(reference, block->from, block->n);
    if (reference->state == ST_REFERENCE_FOLLOWS) {
        if (!reference->by_sample && !reference->damaged && !reference->quiet)
            align(reference, block);
        for (uint64_t i = 0; i < block->n && reference->state == ST_REFERENCE_FOLLOWS; i++)
            track(reference, block, block->from + i, ctx);
        if (reference->damaged && reference->n >= reference->next_search)
            search(reference, ctx);
    }
    if (!reference->by_sample)
        drift(reference, block);
    if (reference->state == ST_REFERENCE_SETTLES && reference->n >= reference->settled)
        settled(reference);
    reference->was_lossy |=
        reference->state == ST_REFERENCE_FOLLOWS && !reference->by_sample && reference->noise > LOSSY;
}

static void take(struct st_reference *reference, float x, float y, void *ctx)
{
    const uint64_t each = reference->rate_hz / BLOCKS_HZ;
    const uint64_t at = reference->n % ST_REFERENCE_RING;
    y = forced(reference, y);
    reference->x[at] = x - reference->last_x;
    reference->y[at] = y;
    reference->last_x = x;
    reference->n++;
    if (reference->n % each == 0 && reference->n >= 2 * each)
        judge(reference, &(struct block){.from = reference->n - each, .n = each}, ctx);
}

/* @return NAN: one of them is larger, or no number. */
static float sum_of(const float *samples, uint32_t channels, float most)
{
    float sum = 0;
    for (uint32_t c = 0; c < channels; c++)
        sum += fabsf(samples[c]) < most ? samples[c] : (float)NAN;
    return sum;
}

void st_reference_take(struct st_reference *reference, const float *frames, size_t frames_n, void *ctx)
{
    const uint32_t channels = reference->channels;
    for (size_t i = 0; i < frames_n; i++) {
        const float *frame = frames + i * 2 * channels;
        const float x = sum_of(frame, channels, LEVEL_MAX);
        take(reference, isnan(x) ? 0 : x, sum_of(frame + channels, channels, CLIPPED), ctx);
    }
}

/* Is that forced glitch still to be found? */
static bool is_open(const struct st_reference *reference, uint64_t at)
{
    return at >= reference->n - reference->n % (reference->rate_hz / BLOCKS_HZ) ||
           (reference->damaged && at + frames_of(reference, FORCE_MS) > reference->bad_at);
}

void st_reference_gap(struct st_reference *reference, uint64_t frames_n, void *ctx)
{
    if (reference->forced_n > 0 && is_open(reference, reference->forced[reference->forced_n - 1].at_frame))
        reference->forced_n--; /* no one can find it */
    reference->damaged = false;
    reference->after_gap = true;
    if (frames_n > ST_REFERENCE_RING) { /* of more nothing is kept */
        const uint64_t skip = (frames_n / ST_REFERENCE_RING - 1) * ST_REFERENCE_RING;
        reference->n += skip;
        frames_n -= skip;
    }
    reference->blind_until =
        reference->n + frames_n + (uint64_t)reference->lag + frames_of(reference, FORCE_MS);
    for (uint64_t i = 0; i < frames_n; i++)
        take(reference, 0, 0, ctx);
}

void st_reference_end(struct st_reference *reference, void *ctx)
{
    if (reference->state == ST_REFERENCE_FOLLOWS && reference->damaged &&
        reference->loud_at > reference->bad_at + reference->rate_hz)
        heal(reference, reference->loud_at + 1, 0, ctx);
    st_losses_end(&reference->losses, ctx);
}
