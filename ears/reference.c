#include "ears/reference.h"

#define FULL_SCALE 32768.0
#define EXACT      (0.25 / FULL_SCALE) /* a smaller difference is rounding */
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
#define HOLD_MS    1000

static uint64_t frames_of(const struct st_reference *reference, uint32_t ms)
{
    return (uint64_t)reference->rate_hz * ms / 1000;
}

/* Frames of a block, after which all is judged. */
static uint64_t block_frames(const struct st_reference *reference)
{
    return reference->rate_hz / ST_ALIGNMENT_BLOCKS_HZ;
}

/* Differences of neighbours; NAN: it was overdriven. */
static double heard(const struct st_reference *reference, uint64_t at)
{
    return (double)st_alignment_heard(&reference->alignment, at);
}

static double played(const struct st_reference *reference, uint64_t at, int64_t lag)
{
    return (double)st_alignment_played(&reference->alignment, (int64_t)at - lag);
}

void st_reference_init(struct st_reference *reference, uint32_t rate_hz, uint32_t channels, uint64_t chance,
                       st_loss_fn found)
{
    memset(reference, 0, sizeof(*reference));
    reference->rate_hz = rate_hz;
    reference->channels = channels;
    st_alignment_init(&reference->alignment, rate_hz);
    st_losses_init(&reference->losses, rate_hz, found);
    reference->losses.hold_frames = frames_of(reference, HOLD_MS);
    st_signal_init(&reference->force.plan, rate_hz, 1, 1);
    st_signal_force(&reference->force.plan, chance);
}

int64_t st_reference_latency(const struct st_reference *reference)
{
    return reference->place.lag - (int64_t)frames_of(reference, FORCE_MS);
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
    const bool sees = reference->alignment.n >= reference->gap.blind_until + CALIBRATE;
    force->sounding += now < force->sounds_until && reference->state == ST_REFERENCE_FOLLOWS &&
                       !reference->music.similar && !reference->damage.lasts && sees;
    const uint64_t least = !reference->path.by_sample ? frames_of(reference, LEAST_MS)
                           : reference->path.exact    ? 1
                                                      : frames_of(reference, 1);
    const struct st_glitch *next = &force->plan.glitches[force->forced_n];
    const bool due = sees && force->forced_n < force->plan.glitches_n && force->sounding >= next->at_frame;
    if (due && next->frames < least) { /* the path does not promise to show it */
        force->forced_n++;
    } else if (due && is_audible(reference, at)) {
        reference->forced[reference->forced_n++] =
            (struct st_glitch){next->kind, reference->alignment.n, next->frames};
        force->forced_n++;
        force->shift += st_signal_shift(next);
        force->silent_until = next->kind == ST_LOSS_ZEROED ? now + next->frames : 0;
        at = now - delay + (uint64_t)force->shift;
    }
    return now < force->silent_until ? 0 : came_back(force, at);
}

/* --- what should come back --- */

static double expects(struct st_reference *reference, uint64_t at, const struct st_alignment_place *place)
{
    const int64_t from = (int64_t)at - place->lag;
    return reference->path.gain *
           (reference->path.by_sample
                ? played(reference, at, place->lag)
                : st_alignment_played_between(&reference->alignment, from, place->part));
}

/* The same of the n last frames, and of one before and one behind them. */
static void expect_block(struct st_reference *reference, uint64_t from, uint64_t n)
{
    if (!reference->path.by_sample) {
        st_alignment_expect(&reference->alignment, &reference->place, reference->path.gain, from, n,
                            reference->expected);
        return;
    }
    for (uint64_t i = 0; i < n + 2; i++)
        reference->expected[i] = (float)expects(reference, from + i - 1, &reference->place);
}

static double peak_near(const struct st_reference *reference, uint64_t at, int64_t lag, uint64_t frames_n)
{
    float peak = 0;
    for (uint64_t i = 0; i < frames_n; i++) {
        const float size = fabsf(st_alignment_played(&reference->alignment, (int64_t)(at + i) - lag));
        peak = ST_MAX(peak, size);
    }
    return fabs(reference->path.gain) * (double)peak;
}

/* Of differences near that frame. */
static double tolerance_at(const struct st_reference *reference, uint64_t at, int64_t lag)
{
    const uint64_t each = block_frames(reference);
    if (reference->path.by_sample)
        return reference->path.tolerance;
    return fmax(FLOOR / 2,
                fmax(LOOSE, 4 * reference->path.noise) * peak_near(reference, at - each, lag, 3 * each));
}

/* --- where it is --- */

static bool is_loud(const struct st_reference *reference)
{
    double sum = 0;
    for (uint64_t i = reference->alignment.n - ST_ALIGNMENT_WINDOW; i < reference->alignment.n; i++)
        sum += isnan(heard(reference, i)) ? 0 : fabs(heard(reference, i));
    const double least = reference->state == ST_REFERENCE_FOLLOWS ? reference->path.tolerance : 0;
    return sum / ST_ALIGNMENT_WINDOW > fmax(least, FLOOR / 10);
}

/* Gain and noise of the last frames. @return 1: sample by sample; 0: the path converts, or it is damaged. */
static bool calibrate(struct st_reference *reference, int64_t lag)
{
    double both = 0, ss = 0, bends = 0, most = 0, ee = 0;
    for (uint64_t i = reference->alignment.n - CALIBRATE; i < reference->alignment.n; i++) {
        const double s = played(reference, i, lag);
        if (isnan(heard(reference, i)))
            continue;
        const double bend = s - played(reference, i - 1, lag);
        both += heard(reference, i) * s;
        ss += s * s;
        bends += bend * bend;
    }
    if (!(ss > 0) || both == 0)
        return false;
    double gain = both / ss;
    for (int pass = 0; pass < 2; pass++) { /* then with a gain of 1, if it is that but for rounding */
        most = ee = 0;
        for (uint64_t i = reference->alignment.n - CALIBRATE; i < reference->alignment.n; i++) {
            const double e = heard(reference, i) - gain * played(reference, i, lag);
            most = fmax(most, fabs(e));
            ee += isnan(e) ? 0 : e * e;
        }
        if (fabs(gain - 1) > 1e-3 || gain == 1)
            break;
        gain = 1;
    }
    reference->path.gain = gain;
    reference->path.noise = sqrt(ee / ss) / fabs(gain);
    if (sqrt(ee) > SHARE * fabs(gain) * sqrt(bends))
        return false;
    reference->path.exact = gain == 1 && most < EXACT;
    reference->path.tolerance = reference->path.exact ? EXACT : fmax(8 * sqrt(ee / CALIBRATE), 1.5 * most);
    return true;
}

/* The class is that of the worst part. */
static void keep_worst(struct st_reference *reference)
{
    const bool first = !reference->found.was_followed;
    reference->found.was_by_sample = (first || reference->found.was_by_sample) && reference->path.by_sample;
    reference->found.was_exact = (first || reference->found.was_exact) && reference->path.exact;
}

static void follow(struct st_reference *reference)
{
    reference->state = ST_REFERENCE_FOLLOWS;
    reference->damage.lasts = false;
    reference->gap.was = false;
    keep_worst(reference);
    reference->found.was_followed = true;
    reference->losses.slack_frames = reference->path.exact       ? 0
                                     : reference->path.by_sample ? 4
                                                                 : frames_of(reference, 1);
}

/* Begins to follow at that place. */
static void settle(struct st_reference *reference, const struct st_alignment_place *place)
{
    reference->place.lag = place->lag;
    reference->place.part = reference->place.rate = 0;
    reference->path.by_sample = calibrate(reference, place->lag);
    if (reference->path.by_sample) {
        follow(reference);
        return;
    }
    reference->place.part = place->part;
    reference->state = ST_REFERENCE_SETTLES;
    reference->settles_until = reference->alignment.n + (uint64_t)SETTLE_S * reference->rate_hz;
    reference->path.noise = 0.1;
}

static void seek(struct st_reference *reference)
{
    const int64_t most = (int64_t)reference->rate_hz * LAG_MAX_S, apart = (int64_t)frames_of(reference, 1);
    if (reference->alignment.n < reference->next_try || reference->alignment.n < 2 * CALIBRATE ||
        !is_loud(reference))
        return;
    reference->next_try = reference->alignment.n + frames_of(reference, 300);
    struct st_alignment_place best = st_alignment_find(&reference->alignment, 0, most, 0);
    st_alignment_refine(&reference->alignment, &best);
    reference->found.unlike_n++;
    if (fabs(best.likeness) < CORRELATED)
        return;
    const double other = st_alignment_rival(&reference->alignment, &best, apart, most);
    reference->music.similar = 1 - other < UNIQUE * (1 - fabs(best.likeness)) + ROUNDING;
    reference->found.similar_n += reference->music.similar && fabs(best.likeness) > SURE;
    if (!reference->music.similar)
        settle(reference, &best);
}

/* --- losses --- */

static bool is_silent(const struct st_reference *reference, uint64_t from, uint64_t until)
{
    const double most = !reference->path.by_sample ? 5 * FLOOR
                        : reference->path.exact    ? 0
                                                   : reference->path.tolerance;
    if (from + ST_ALIGNMENT_RING <= reference->alignment.n) /* it is known no longer */
        from = reference->alignment.n + 1 - ST_ALIGNMENT_RING;
    for (uint64_t i = from; i < until; i++) {
        if (!(fabs((double)reference->alignment.recorded[i % ST_ALIGNMENT_RING]) <= most))
            return false;
    }
    return true;
}

/* How much of it is the music, 0 .. 1; ret_both, ret_ss: what both have in common, and the music. */
static double likeness(struct st_reference *reference, uint64_t from, uint64_t until, double *ret_both,
                       double *ret_ss)
{
    const uint64_t each = block_frames(reference);
    struct st_alignment_place then = reference->place;
    double both = 0, xx = 0, ss = 0;
    from = ST_MAX(from, until - ST_MIN(until, ST_ALIGNMENT_RING / 4));
    for (uint64_t i = from; i < until; i++) {
        if (!reference->path.by_sample && (i - from) % each == 0)
            then = st_alignment_later(&reference->place, (double)(i + each) - (double)reference->alignment.n);
        const double x = heard(reference, i), s = expects(reference, i, &then);
        if (isnan(x))
            continue;
        both += x * s;
        xx += x * x;
        ss += s * s;
    }
    *ret_both = both;
    *ret_ss = ss;
    return both > 0 ? both * both / (xx * ss) : 0;
}

/* Is the music in it, with other sound, or was it silent? */
static bool is_mixed(struct st_reference *reference, uint64_t from, uint64_t until)
{
    double both, ss;
    const double like = likeness(reference, from, until, &both, &ss);
    const double floor = reference->path.by_sample ? 2 * reference->path.tolerance : FLOOR;
    if (ss <= floor * floor * (double)(until - from))
        return true;
    return until - from >= frames_of(reference, 50) && both > ss / 2 && both < 2 * ss && like > 0.05;
}

/* A path that converts may take treble away: what is still the music at an end of damage in its place is
 * none. */
static void trim(struct st_reference *reference, uint64_t *bad, uint64_t *clean)
{
    const uint64_t each = block_frames(reference);
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
    return reference->gap.was && reference->damage.bad_at < reference->gap.blind_until + CALIBRATE;
}

/* Damage from bad_at on; from `clean` on the music is back, `shift` frames ahead of its time. A difference
 * is false for one frame longer than a sample. */
static void heal(struct st_reference *reference, uint64_t clean, int64_t shift, void *ctx)
{
    uint64_t bad = reference->damage.bad_at;
    clean--;
    if (shift == 0 && !reference->path.by_sample && clean > bad)
        trim(reference, &bad, &clean);
    struct st_loss loss = {.at_frame = bad, .shift_frames = shift};
    const uint64_t len = clean > bad ? clean - bad : 0;
    const uint64_t edge =
        reference->path.by_sample ? 0 : frames_of(reference, 1); /* where a converter rings */
    const bool silent = len > 2 * edge && is_silent(reference, bad + edge, clean - edge);
    const bool moved =
        shift != 0 &&
        (len == 0 || (!reference->path.by_sample && !silent && len < frames_of(reference, VAGUE_MS)));
    if (moved) {
        loss.kind = shift > 0 ? ST_LOSS_LOST : ST_LOSS_REPEATED;
        loss.frames = (uint64_t)llabs(shift);
        loss.at_frame = clean < bad ? clean : bad;
        loss.within_frames = clean < bad ? bad - clean : len;
    } else {
        loss.kind = silent ? ST_LOSS_ZEROED : ST_LOSS_CORRUPTED;
        loss.frames = len;
    }
    reference->damage.lasts = false;
    reference->place.lag -= shift;
    const bool joins = joins_gap(reference) &&
                       (shift != 0 || (!reference->path.by_sample && len < frames_of(reference, LEAST_MS)));
    reference->gap.was = false;
    if (joins || loss.frames == 0 ||
        (shift == 0 && !reference->path.by_sample && len < frames_of(reference, SHORT_MS)))
        return;
    if (shift == 0 && !silent && is_mixed(reference, bad, clean)) {
        reference->found.mixed_frames += len;
        return;
    }
    st_losses_add(&reference->losses, &loss, clean, ctx);
}

static void lose(struct st_reference *reference)
{
    reference->found.contact_lost_n += reference->state == ST_REFERENCE_FOLLOWS;
    reference->state = ST_REFERENCE_SEEKS;
    reference->damage.lasts = false;
    reference->place.rate = 0;
    reference->next_try = reference->alignment.n;
}

static bool agrees(struct st_reference *reference, uint64_t at, const struct st_alignment_place *place,
                   double tolerance)
{
    return !(fabs(heard(reference, at) - expects(reference, at, place)) > tolerance);
}

/* @return since when it has been at that place, by its clock. */
static uint64_t since(struct st_reference *reference, int64_t lag)
{
    const uint64_t most = ST_ALIGNMENT_RING / 4, each = block_frames(reference);
    uint64_t clean = reference->alignment.n;
    struct st_alignment_place place = reference->place, there;
    double tolerance = 0;
    place.lag = lag;
    there = place;
    do {
        if ((reference->alignment.n - clean) % each == 0) {
            there = st_alignment_later(&place, -(double)(reference->alignment.n - clean));
            tolerance = tolerance_at(reference, clean - each, there.lag);
        }
    } while (clean + most > reference->alignment.n && clean > ST_ALIGNMENT_WINDOW &&
             agrees(reference, clean - 1, &there, tolerance) && clean-- > 0);
    return clean;
}

/* The music goes on at another place. */
static void jump(struct st_reference *reference, const struct st_alignment_place *place, void *ctx)
{
    const double part = reference->place.part;
    if (!reference->path.by_sample)
        reference->place.part = place->part;
    const uint64_t clean = since(reference, place->lag);
    if (reference->alignment.n - clean >= GOOD)
        heal(reference, clean, reference->place.lag - place->lag, ctx);
    else
        reference->place.part = part;
}

/* Damage that lasts for long, at its place: another volume, or other sound. If it was silent before, or its
 * volume is the same, there was a loss, too. */
static void adjust(struct st_reference *reference, const struct st_alignment_place *place, void *ctx)
{
    const double gain = reference->path.gain, noise = reference->path.noise;
    if (!reference->path.by_sample) {
        reference->place.lag = place->lag;
        reference->place.part = place->part;
    }
    if (reference->alignment.n - reference->damage.bad_at < CALIBRATE)
        return;
    if (!reference->path.by_sample) {
        (void)calibrate(reference, place->lag);
        reference->path.noise = LOSSY;
    } else if (!calibrate(reference, reference->place.lag)) {
        reference->path.gain = gain; /* not another volume: the damage goes on */
        reference->path.noise = noise;
        return;
    }
    keep_worst(reference);
    reference->found.volumes_n++;
    const uint64_t clean = since(reference, reference->place.lag), bad = reference->damage.bad_at;
    const uint64_t edge = reference->path.by_sample ? 1 : frames_of(reference, 1);
    if (reference->alignment.n - clean >= GOOD && clean > bad + 2 * edge &&
        (fabs(reference->path.gain / gain - 1) < SAME || is_silent(reference, bad + edge, clean - edge)))
        heal(reference, clean, 0, ctx);
    reference->damage.lasts = false;
}

static void search(struct st_reference *reference, void *ctx)
{
    const int64_t most = (int64_t)reference->rate_hz * JUMP_MAX_S, lag = reference->place.lag;
    const uint64_t lasts = reference->alignment.n - reference->damage.bad_at;
    if (!is_loud(reference)) {
        reference->damage.next_search = reference->alignment.n + ST_ALIGNMENT_WINDOW;
        return;
    }
    reference->damage.next_search =
        reference->alignment.n + ((uint64_t)ST_ALIGNMENT_WINDOW
                                  << (reference->damage.searches_n < 5 ? reference->damage.searches_n : 5));
    reference->damage.searches_n++;
    struct st_alignment_place place = st_alignment_find(&reference->alignment, lag - most, lag + most, lag);
    place.rate = reference->place.rate;
    if (!reference->path.by_sample)
        st_alignment_refine(&reference->alignment, &place);
    if (fabs(place.likeness) < CORRELATED) {
        if (lasts > reference->rate_hz &&
            !is_mixed(reference, reference->alignment.n - reference->rate_hz, reference->alignment.n)) {
            if (!joins_gap(reference)) /* else it may have moved meanwhile */
                heal(reference, reference->alignment.n + 1, 0, ctx);
            lose(reference);
        }
    } else if (llabs(place.lag - lag) <= (reference->path.by_sample ? 0 : 1)) {
        adjust(reference, &place, ctx);
    } else {
        jump(reference, &place, ctx);
    }
}

/* --- block by block --- */

/* Does the music repeat itself there? */
static bool repeats(const struct st_reference *reference, uint64_t from)
{
    const double tolerance = tolerance_at(reference, from, reference->place.lag);
    return st_alignment_repeats(
        &reference->alignment, (int64_t)from - reference->place.lag, (int64_t)frames_of(reference, AGREE_MS),
        (int64_t)reference->rate_hz * JUMP_MAX_S, tolerance / fabs(reference->path.gain));
}

struct block {
    uint64_t from;
    uint64_t n;
    double peak, tolerance, floor;
};

static bool is_good(const struct st_reference *reference, const struct block *block)
{
    for (uint64_t i = 0; i < block->n; i++) {
        if (fabs((double)(st_alignment_heard(&reference->alignment, block->from + i) -
                          reference->expected[1 + i])) > block->tolerance)
            return false;
    }
    return true;
}

/* After a pause the clocks are not where their drift said: looks within a frame before that is damage. */
static void align(struct st_reference *reference, const struct block *block)
{
    struct st_alignment_place place = {
        .lag = reference->place.lag, .rate = reference->place.rate, .likeness = 1};
    const double part = reference->place.part;
    if (is_good(reference, block))
        return;
    st_alignment_refine(&reference->alignment, &place);
    for (int pass = 0; pass < 2 && !is_good(reference, block); pass++) {
        reference->place.part = pass == 0 ? place.part : part;
        expect_block(reference, block->from, block->n);
    }
}

static void track(struct st_reference *reference, const struct block *block, uint64_t at, void *ctx)
{
    const float *expected = reference->expected + 1 + (at - block->from);
    const double bend =
        fmax(fabs((double)(expected[0] - expected[-1])), fabs((double)(expected[1] - expected[0])));
    const double tolerance =
        block->tolerance + (reference->path.by_sample && !reference->path.exact ? 5 * SHARE * bend : 0);
    const double e = heard(reference, at) - (double)expected[0];
    const bool good = !(fabs(e) > tolerance);
    const bool tells =
        reference->path.by_sample ? bend > block->tolerance : fabs((double)expected[0]) > block->floor / 10;
    const uint64_t enough = reference->path.by_sample ? GOOD : frames_of(reference, AGREE_MS);
    if (!reference->damage.lasts && good) {
        reference->found.heard_frames += !reference->music.quiet && !reference->music.similar && !isnan(e);
        reference->found.similar_frames += !reference->music.quiet && reference->music.similar;
        st_losses_pass(&reference->losses, at, ctx);
        return;
    }
    if (!reference->damage.lasts) {
        reference->damage.lasts = true;
        reference->damage.bad_at = at;
        reference->damage.good_n = reference->damage.searches_n = 0;
        reference->damage.next_search = at + ST_ALIGNMENT_WINDOW + block->n;
    }
    if (!good) {
        reference->damage.good_n = 0;
        reference->damage.good_at = at + 1;
    }
    reference->damage.good_n += good && tells && !isnan(e);
    if (reference->damage.good_n >= enough)
        heal(reference, reference->damage.good_at, 0, ctx);
}

/* The clocks run apart: the lag of the next block. */
static void advance(struct st_reference *reference, const struct block *block)
{
    reference->place.part += reference->place.rate * (double)block->n;
    const double whole = round(reference->place.part);
    reference->place.lag += (int64_t)whole;
    reference->place.part -= whole;
}

/* The lag and its growth follow what the residual says of them: a control loop of second order. */
static void drift(struct st_reference *reference, const struct block *block)
{
    const bool settles = reference->state == ST_REFERENCE_SETTLES;
    const double by = settles ? 0.2 : 0.1, by_rate = settles ? 0.01 : 0.003;
    double es = 0, ss = 0, er = 0, rr = 0, ee = 0;
    for (uint64_t i = 0; i < block->n; i++) {
        const float *expected = reference->expected + 1 + i;
        const double e = heard(reference, block->from + i) - (double)expected[0];
        const double slope = (double)(expected[1] - expected[-1]) / 2;
        if (isnan(e))
            continue;
        es += e * slope;
        ss += slope * slope;
        er += e * (double)expected[0];
        rr += (double)expected[0] * (double)expected[0];
        ee += e * e;
    }
    if (block->peak > block->floor && !reference->damage.lasts && rr > 0 && ss > 0) {
        const double ahead = fmax(-0.5, fmin(0.5, -es / ss));
        const double louder = fmax(-0.5, fmin(0.5, er / rr));
        reference->place.part += by * ahead;
        reference->place.rate += by_rate * ahead / (double)block->n;
        reference->place.rate = fmax(-RATE_MAX, fmin(RATE_MAX, reference->place.rate));
        reference->path.gain *= 1 + by / 2 * louder;
        reference->path.noise += (fmin(sqrt(ee / rr), 1) - reference->path.noise) * (settles ? 0.05 : 0.01);
    }
    advance(reference, block);
}

static void settled(struct st_reference *reference)
{
    const double gain = reference->path.gain, noise = reference->path.noise;
    if (fabs(reference->place.rate) >= RATE_MAX) {
        lose(reference);
        return;
    }
    reference->path.by_sample = calibrate(reference, reference->place.lag); /* it was damaged at first */
    if (reference->path.by_sample) {
        reference->place.part = reference->place.rate = 0;
    } else {
        reference->path.gain = gain;
        reference->path.noise = noise;
    }
    if (reference->path.by_sample || noise < UNLIKE)
        follow(reference);
    else
        lose(reference);
}

static bool is_in_reach(const struct st_reference *reference, uint64_t block_n)
{
    const int64_t least = (int64_t)(2 * block_n) + ST_ALIGNMENT_TAPS;
    return reference->place.lag > least &&
           reference->place.lag < (int64_t)(ST_ALIGNMENT_RING - 8 * CALIBRATE);
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
    if (block->from < reference->gap.blind_until) {
        advance(reference, block);
        return;
    }
    block->peak = peak_near(reference, block->from - block->n, reference->place.lag, 3 * block->n);
    block->tolerance = tolerance_at(reference, block->from, reference->place.lag);
    block->floor = reference->path.by_sample ? 2 * reference->path.tolerance : FLOOR;
    reference->music.quiet = block->peak <= block->floor;
    if (!reference->music.quiet)
        reference->music.loud_at = reference->alignment.n;
    if (block->from / frames_of(reference, SIMILAR_MS) !=
        (block->from - block->n) / frames_of(reference, SIMILAR_MS))
        reference->music.similar = !reference->music.quiet && repeats(reference, block->from);
    expect_block(reference, block->from, block->n);
    if (reference->state == ST_REFERENCE_FOLLOWS) {
        if (!reference->path.by_sample && !reference->damage.lasts && !reference->music.quiet)
            align(reference, block);
        for (uint64_t i = 0; i < block->n && reference->state == ST_REFERENCE_FOLLOWS; i++)
            track(reference, block, block->from + i, ctx);
        if (reference->damage.lasts && reference->alignment.n >= reference->damage.next_search)
            search(reference, ctx);
    }
    if (!reference->path.by_sample)
        drift(reference, block);
    if (reference->state == ST_REFERENCE_SETTLES && reference->alignment.n >= reference->settles_until)
        settled(reference);
    reference->found.was_lossy |= reference->state == ST_REFERENCE_FOLLOWS && !reference->path.by_sample &&
                                  reference->path.noise > LOSSY;
}

static void take(struct st_reference *reference, float x, float y, void *ctx)
{
    const uint64_t each = block_frames(reference);
    st_alignment_put(&reference->alignment, x, forced(reference, y));
    if (reference->alignment.n % each == 0 && reference->alignment.n >= 2 * each)
        judge(reference, &(struct block){.from = reference->alignment.n - each, .n = each}, ctx);
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
    return at >= reference->alignment.n - reference->alignment.n % block_frames(reference) ||
           (reference->damage.lasts && at + frames_of(reference, FORCE_MS) > reference->damage.bad_at);
}

void st_reference_gap(struct st_reference *reference, uint64_t frames_n, void *ctx)
{
    if (reference->forced_n > 0 && is_open(reference, reference->forced[reference->forced_n - 1].at_frame))
        reference->forced_n--; /* no one can find it */
    reference->damage.lasts = false;
    reference->gap.was = true;
    if (frames_n > ST_ALIGNMENT_RING) { /* of more nothing is kept */
        const uint64_t skip = (frames_n / ST_ALIGNMENT_RING - 1) * ST_ALIGNMENT_RING;
        reference->alignment.n += skip;
        frames_n -= skip;
    }
    reference->gap.blind_until =
        reference->alignment.n + frames_n + (uint64_t)reference->place.lag + frames_of(reference, FORCE_MS);
    for (uint64_t i = 0; i < frames_n; i++)
        take(reference, 0, 0, ctx);
}

void st_reference_end(struct st_reference *reference, void *ctx)
{
    if (reference->state == ST_REFERENCE_FOLLOWS && reference->damage.lasts &&
        reference->music.loud_at > reference->damage.bad_at + reference->rate_hz)
        heal(reference, reference->music.loud_at + 1, 0, ctx);
    st_losses_end(&reference->losses, ctx);
}
