#include "xruns/helpers/silence.h"

#define LOUD 16.0F /* a sample that is louder, or is not a number, counts as this level */
/* the sound was cut off, and came back at once, if it was louder than 1 / CUT of its level (30 dB,
 * our own choice) in the ST_SILENCE_EDGE_MS before the silence, and in those after it */
#define CUT 32
/* frames: silence may end this much after a cycle begins, since the first sample of sound may be 0,
 * too */
#define SLACK   1
#define PAUSE_S 5 /* longer silence is no loss */
/* longer silence is never a `rare` loss, and does not make later silence doubtful */
#define ALONE_MS 1500
/* for this time after a silence that the program itself made, further silence is doubtful */
#define DOUBT_S   300
#define OWN_S     2
#define SOUND_MS  20 /* two losses with less sound than this between them are one */
#define SOUND_S   2  /* a loss must follow at least 1 / SOUND_S s of sound in the last seconds */
#define LONGEST_S 10 /* a longer loss is reported in parts */
/* at most 1 / GAP_S s of cycles may be missing; else the search starts again */
#define GAP_S      2
#define LEVEL_BINS 3 /* the level is the highest peak of this number of half seconds */

/* The loudest channel of a frame. */
static float value_of(const struct st_silence_cycle *cycle, size_t frame)
{
    float value = 0;
    ST_EACH_OF (channel, cycle->channels, cycle->channels_n) {
        const float one = fabsf((*channel)[frame]);
        value = !(one < LOUD) ? LOUD : ST_MAX(one, value);
    }
    return value;
}

/* Finds the least and the largest absolute value by their bits, which are in the same order, so
 * that a compiler compares several at a time. */
static void scan(const float *samples, size_t n, int32_t *least, int32_t *most)
{
    for (size_t i = 0; i < n; i++) {
        int32_t bits;
        memcpy(&bits, &samples[i], sizeof(bits));
        bits &= INT32_MAX;
        *least = ST_MIN(*least, bits);
        *most = ST_MAX(*most, bits);
    }
}

/* @return the loudest sample of n frames; 0: one of the frames may be silent. */
static float peak_of(const struct st_silence_cycle *cycle, size_t first, size_t n)
{
    int32_t peak = 0;
    bool is_sound = false;
    ST_EACH_OF (channel, cycle->channels, cycle->channels_n) {
        int32_t least = INT32_MAX;
        scan(&(*channel)[first], n, &least, &peak);
        is_sound = is_sound || least > 0;
    }
    float value;
    memcpy(&value, &peak, sizeof(value));
    return !is_sound ? 0 : ST_MIN(value, LOUD);
}

static float level_of(const struct st_silence *silence)
{
    float level = 0;
    for (int64_t i = 0; i < LEVEL_BINS; i++)
        level = fmaxf(level, silence->peak[(silence->bin + ST_SILENCE_BINS - i) % ST_SILENCE_BINS]);
    return level;
}

static float edge_of(const struct st_silence *silence)
{
    float edge = 0;
    ST_EACH (peak, silence->edge)
        edge = fmaxf(edge, *peak);
    return edge;
}

/* Advances the position by `frames`, of which `sound` frames were not silent. */
static void pass(struct st_silence *silence, int64_t frames, int64_t sound)
{
    silence->bin_frames += frames;
    silence->sound[silence->bin] += sound;
    for (int64_t i = 0; i < ST_SILENCE_BINS && silence->bin_frames >= silence->rate_hz / 2; i++) {
        silence->bin_frames -= silence->rate_hz / 2;
        silence->bin = (silence->bin + 1) % ST_SILENCE_BINS;
        silence->sound[silence->bin] = 0;
        silence->peak[silence->bin] = 0;
    }
    silence->at += frames;
    silence->doubt = ST_MAX(silence->doubt - frames, 0);
}

static bool was_sound(const struct st_silence *silence)
{
    int64_t sound = 0;
    ST_EACH (frames, silence->sound)
        sound += *frames;
    return sound >= silence->rate_hz / SOUND_S;
}

/* Silence of `quiet` frames has ended `offset` frames after the cycle began: decides whether it is
 * a loss. */
static void end_quiet(struct st_silence *silence, int64_t offset)
{
    const int64_t begin = silence->at - silence->quiet;
    const bool whole = silence->quiet_whole && offset == 0;
    const bool is_long = silence->quiet > ALONE_MS * silence->rate_hz / 1000;
    const float level = silence->found ? silence->level : silence->quiet_level;
    const bool is_cut = silence->quiet <= PAUSE_S * silence->rate_hz &&
                        edge_of(silence) * CUT >= level && level > 0;
    const bool is_loss = is_cut && offset <= SLACK;
    if (is_cut && !is_loss && !is_long)
        silence->doubt = DOUBT_S * silence->rate_hz;
    if (!is_loss) {
        silence->found = false;
    } else if (silence->found) {
        silence->find.end = silence->at;
        silence->find.whole = silence->find.whole && whole;
    } else {
        silence->find =
            (struct st_silence_find){.begin = begin,
                                     .end = silence->at,
                                     .whole = whole,
                                     .rare = silence->doubt == 0 && !is_long,
                                     .own = silence->doubt > (DOUBT_S - OWN_S) * silence->rate_hz};
        silence->level = level;
    }
    silence->found = is_loss;
    silence->behind = 0;
    silence->behind_peak = 0;
}

/* @return the frames up to the next point where a new peak begins: the end of a millisecond, of a
 * half second, or of the ST_SILENCE_EDGE_MS after a loss. */
static int64_t stretch(const struct st_silence *silence)
{
    const int64_t ms = silence->rate_hz / 1000;
    const int64_t behind = ST_SILENCE_EDGE_MS * silence->rate_hz / 1000 - silence->behind;
    const int64_t n = ST_MIN(ms - silence->edge_frames, silence->rate_hz / 2 - silence->bin_frames);
    return behind > 0 ? ST_MIN(n, behind) : n;
}

/* Processes the frames with sound that begin at frame `first` of the cycle. @return the number of
 * frames taken. */
static size_t take_sound(struct st_silence *silence, const struct st_silence_cycle *cycle,
                         size_t first)
{
    if (silence->quiet >= silence->rate_hz / 1000)
        end_quiet(silence, (int64_t)first);
    silence->quiet = 0;
    const size_t frames = (size_t)ST_MIN(stretch(silence), (int64_t)(cycle->frames - first));
    float peak = peak_of(cycle, first, frames), value;
    size_t n = peak > 0 ? frames : 0;
    for (; n < frames && (value = value_of(cycle, first + n)) > 0; n++)
        peak = ST_MAX(value, peak);
    silence->peak[silence->bin] = fmaxf(silence->peak[silence->bin], peak);
    silence->edge[silence->edge_at] = fmaxf(silence->edge[silence->edge_at], peak);
    silence->edge_frames += (int64_t)n;
    if (silence->edge_frames >= silence->rate_hz / 1000) {
        silence->edge_frames = 0;
        silence->edge_at = (silence->edge_at + 1) % ST_SILENCE_EDGE_MS;
        silence->edge[silence->edge_at] = 0;
    }
    if (silence->behind < ST_SILENCE_EDGE_MS * silence->rate_hz / 1000)
        silence->behind_peak = fmaxf(silence->behind_peak, peak);
    silence->behind += (int64_t)n;
    pass(silence, (int64_t)n, (int64_t)n);
    return n;
}

/* Processes the silent frames that begin at frame `first` of the cycle. @return the number of
 * frames taken. */
static size_t take_quiet(struct st_silence *silence, const struct st_silence_cycle *cycle,
                         size_t first)
{
    const size_t frames = (size_t)ST_MIN(silence->rate_hz / 2 - silence->bin_frames,
                                         (int64_t)(cycle->frames - first));
    size_t n = 1;
    while (n < frames && !(value_of(cycle, first + n) > 0))
        n++;
    if (silence->quiet == 0) {
        silence->quiet_whole = first == 0 || first + 1 == cycle->frames;
        silence->quiet_level = was_sound(silence) ? level_of(silence) : 0;
    }
    silence->quiet += (int64_t)n;
    pass(silence, (int64_t)n, 0);
    return n;
}

static void report(struct st_silence *silence, st_silence_found_fn found, void *ctx)
{
    const bool is_long = silence->find.end - silence->find.begin > LONGEST_S * silence->rate_hz;
    if (!silence->found || (silence->behind < SOUND_MS * silence->rate_hz / 1000 && !is_long))
        return;
    if (silence->behind_peak * CUT >= silence->level)
        found(ctx, &silence->find);
    silence->found = false;
}

/* Handles missing cycles: a short gap is passed over; after a long gap, or with another clock, the
 * search starts again. */
static void catch_up(struct st_silence *silence, const struct st_silence_cycle *cycle)
{
    const int64_t missing = cycle->position - silence->at;
    if (cycle->rate_hz == silence->rate_hz && missing >= 0 && missing <= cycle->rate_hz / GAP_S) {
        silence->quiet += silence->quiet > 0 ? missing : 0;
        pass(silence, missing, 0);
        return;
    }
    *silence = (struct st_silence){.rate_hz = ST_MAX(cycle->rate_hz, 1000), .at = cycle->position};
}

void st_silence_take(struct st_silence *silence, const struct st_silence_cycle *cycle,
                     st_silence_found_fn found, void *ctx)
{
    if (cycle->position < 0 || cycle->position > INT64_MAX / 2 || cycle->rate_hz <= 0 ||
        cycle->rate_hz > INT32_MAX)
        return;
    catch_up(silence, cycle);
    for (size_t i = 0; i < cycle->frames;)
        i += value_of(cycle, i) > 0 ? take_sound(silence, cycle, i) : take_quiet(silence, cycle, i);
    report(silence, found, ctx);
}
