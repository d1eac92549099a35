#include "ears/hearing.h"

#include "evidence/miss_events.h"

#define SILENT  3e-5F  /* relative to full scale: -90 dB */
#define CLIPPED 0.999F /* samples from this level on are clipped, relative to full scale */
/* searches for the sequence after the tones were found; a failed search costs 0.2 s */
#define TRIES     10
#define TRIES_MAX 60 /* searches for the sequence before the tones are found */
/* noise relative to the tones: a conversion leaves less, so a path with more is lossy */
#define LOSSY 0.05
/* a loss may seem to begin this much late (ms), since the tones need this time to follow a shift */
#define LATE_MS 25
/* ppm: if the clocks differ by more, the tones drift too far within a window */
#define CLOCKS_PPM 1000

const struct st_path_words st_hearing_classes[ST_PATH_CLASSES_N] = {
#define ROW(id, name, text, least_us) {name, text, least_us},
    ST_PATH_CLASSES(ROW)
#undef ROW
};

const struct st_remark_words st_hearing_remarks[ST_REMARKS_N] = {
#define ROW(id, name, text) {name, text},
    ST_REMARKS(ROW)
#undef ROW
};

/* --- taking the recording --- */

void st_hearing_init(struct st_hearing *hearing, uint32_t rate_hz, uint32_t channels)
{
    hearing->rate_hz = rate_hz;
    hearing->channels = channels;
    hearing->frames = hearing->clipped = hearing->same = 0;
    hearing->peak = 0;
    st_places_init(&hearing->places, rate_hz);
    hearing->places.tries_max = TRIES_MAX;
    st_tones_init(&hearing->tones, rate_hz);
}

void st_hearing_expect(struct st_hearing *hearing, uint64_t recorded, uint64_t played)
{
    st_places_expect(&hearing->places, recorded, played);
    hearing->tones.expects = true;
}

void st_hearing_take(struct st_hearing *hearing, const float *frames, size_t frames_n)
{
    const uint32_t channels = hearing->channels;
    for (size_t i = 0; i < frames_n; i++) {
        const float *frame = frames + i * channels;
        const float left = frame[0], right = frame[channels > 1];
        /* not fmaxf, which is a function call */
        const float most = ST_MAX(fabsf(left), fabsf(right));
        hearing->peak = ST_MAX(most, hearing->peak);
        hearing->clipped += most >= CLIPPED;
        hearing->same += channels > 1 && left == right;
    }
    hearing->frames += frames_n;
    struct st_places *places = &hearing->places;
    const bool heard = hearing->tones.was_locked;
    st_places_take(places, frames, channels, frames_n);
    if (channels > 1)
        st_tones_take(&hearing->tones, frames + 1, channels, frames_n);
    /* search for the sequence again: earlier searches may have met other sound */
    if (!heard && hearing->tones.was_locked) {
        places->tries_max = places->tries_n + TRIES;
        places->next_try = 0;
    }
}

/* --- the result --- */

static bool is_exact(enum st_path_class path_class)
{
    return path_class == ST_PATH_EXACT || path_class == ST_PATH_LINEAR;
}

static enum st_path_class class_of(const struct st_hearing *hearing)
{
    const struct st_places *places = &hearing->places;
    const struct st_tones *tones = &hearing->tones;
    if (places->was_locked && places->heard_frames >= tones->heard_frames / 2)
        return places->exact ? ST_PATH_EXACT : ST_PATH_LINEAR;
    if (tones->was_locked)
        return tones->noise > LOSSY ? ST_PATH_LOSSY : ST_PATH_CONVERTED;
    return ST_PATH_NONE;
}

/* A loss or a glitch, and its place in the signal, which does not depend on how far earlier ones
 * moved the signal in the recording. */
struct at {
    int64_t place;
    uint64_t frames;
    enum st_loss_kind kind;
};

/* Lists the losses and their places in the signal. @param drift frames by which the signal runs
 * ahead of the recording, for each recorded frame. @return the number of losses. */
static size_t places_of_losses(const struct st_losses *list, double drift, struct at *ret)
{
    const size_t n = ST_MIN(list->n, ST_LOSSES_MAX);
    int64_t shift = 0;
    for (size_t i = 0; i < n; i++) {
        const struct st_loss *loss = &list->list[i];
        const double moved = (double)shift + drift * (double)loss->at_frame;
        ret[i] = (struct at){(int64_t)loss->at_frame + llround(moved), loss->frames, loss->kind};
        shift += loss->shift_frames;
    }
    return n;
}

static size_t places_of_glitches(const struct st_glitch *forced, size_t forced_n, uint64_t least,
                                 struct at *ret)
{
    size_t n = 0;
    int64_t shift = 0;
    for (size_t i = 0; i < forced_n; i++) {
        const struct st_glitch *glitch = &forced[i];
        if (glitch->frames >= least)
            ret[n++] = (struct at){(int64_t)glitch->at_frame + shift, glitch->frames, glitch->kind};
        shift += st_signal_shift(glitch);
    }
    return n;
}

struct match {
    const struct at *losses, *glitches;
    size_t losses_n, glitches_n;
    int64_t tolerance, longer; /* frames: tolerance of places and of lengths; a loss may be longer
                                  than a glitch by `longer` */
    int64_t late;              /* frames by which a loss may be found later than its glitch */
    int64_t join;              /* frames: losses with less sound than this between them are one */
    bool same_kind;
    unsigned covered_n; /* glitches within a far longer loss, in which they cannot be found */
};

static bool is_it(const struct match *match, const struct at *loss, const struct at *glitch,
                  int64_t offset)
{
    const int64_t off = loss->place + offset - glitch->place;
    const int64_t longer = (int64_t)loss->frames - (int64_t)glitch->frames;
    return off >= -match->tolerance && off <= match->tolerance + match->late &&
           longer >= -match->tolerance && longer <= match->longer &&
           (!match->same_kind || loss->kind == glitch->kind);
}

static bool covers(const struct match *match, const struct at *loss, const struct at *glitch,
                   int64_t offset)
{
    const int64_t off = glitch->place - loss->place - offset;
    return (int64_t)(loss->frames - glitch->frames) > match->join && off >= -match->tolerance &&
           off <= (int64_t)loss->frames + match->tolerance;
}

/* Finds the glitches that match a loss if the signal is `offset` frames ahead of the recording.
 * @param ret_forced for each loss: a glitch caused it. @return the number of these glitches. */
static unsigned matches(struct match *match, int64_t offset, bool *ret_forced)
{
    unsigned found_n = 0;
    memset(ret_forced, 0, match->losses_n);
    match->covered_n = 0;
    ST_EACH_OF (glitch, match->glitches, match->glitches_n) {
        bool found = false, covered = false;
        for (size_t i = 0; i < match->losses_n && !found; i++) {
            const struct at *loss = &match->losses[i];
            found = !ret_forced[i] && is_it(match, loss, glitch, offset);
            ret_forced[i] |= found;
            covered |= covers(match, loss, glitch, offset);
        }
        found_n += found;
        match->covered_n += covered && !found;
    }
    return found_n;
}

/* Finds the offset at which most glitches match a loss, for paths on which the place of each sample
 * is not known. */
static int64_t best_offset(struct match *match, bool *scratch)
{
    unsigned best_n = 0;
    int64_t best = 0;
    ST_EACH_OF (glitch, match->glitches, match->glitches_n) {
        ST_EACH_OF (loss, match->losses, match->losses_n) {
            const int64_t offset = glitch->place - loss->place;
            const unsigned n = matches(match, offset, scratch);
            if (n > best_n) {
                best_n = n;
                best = offset;
            }
        }
    }
    return best;
}

/* Finds out which losses are deliberate glitches, and puts the other ones, which are the path's,
 * into the result. */
static void take_losses(const struct st_hearing *hearing, const struct st_glitch *forced,
                        size_t forced_n, struct st_hearing_result *ret)
{
    const bool exact = is_exact(ret->path_class);
    const struct st_losses *list = &hearing->places.losses;
    const int64_t ms = hearing->rate_hz / 1000;
    const uint64_t least =
        (uint64_t)hearing->rate_hz * st_hearing_classes[ret->path_class].least_us / 1000000;
    double drift = 0;
    struct at losses[ST_LOSSES_MAX], glitches[ST_SIGNAL_GLITCHES_MAX];
    bool is_forced[ST_LOSSES_MAX];
    forced_n = ST_MIN(forced_n, ST_SIGNAL_GLITCHES_MAX);
    struct match match = {.losses = losses,
                          .glitches = glitches,
                          .glitches_n = places_of_glitches(forced, forced_n, least, glitches),
                          .tolerance = 2,
                          .longer = 2,
                          .join = 20 * ms,
                          .same_kind = exact};
    if (!exact) {
        list = &hearing->tones.losses;
        drift = st_tones_drift_ppm(&hearing->tones) * 1e-6;
        match.tolerance = 2 * ms;
        match.longer = match.tolerance + match.join; /* the ends of these losses are less exact */
    }
    match.losses_n = places_of_losses(list, drift, losses);
    const int64_t offset = exact ? hearing->places.first_offset : best_offset(&match, is_forced);
    ret->forced_found_n = matches(&match, offset, is_forced);
    ret->forced_n = (unsigned)match.glitches_n;
    /* covered glitches need not be found; but if most are covered, nothing shows that losses can be
     * heard */
    if (2 * match.covered_n <= match.glitches_n)
        ret->forced_n -= match.covered_n;
    /* mark further losses as forced: noise can lengthen a short glitch, so that it is found
     * although this class of path does not promise that */
    if (!exact) {
        match.late = LATE_MS * ms;
        match.glitches_n = places_of_glitches(forced, forced_n, 0, glitches);
        (void)matches(&match, offset, is_forced);
    }
    ret->losses_n = list->n - match.losses_n;
    /* on a lossy path, noise and a clock that wavers look like short losses */
    for (size_t i = 0; i < match.losses_n; i++) {
        if (is_forced[i] || (ret->path_class == ST_PATH_LOSSY && losses[i].frames < least))
            continue;
        ret->losses[ret->kept_n++] = list->list[i];
        ret->lost_frames += list->list[i].frames;
        ret->losses_n++;
    }
}

static double decibels(double ratio)
{
    return ratio > 0 ? 20 * log10(ratio) : (double)NAN;
}

static void take_figures(const struct st_hearing *hearing, struct st_hearing_result *ret)
{
    const struct st_places *places = &hearing->places;
    const struct st_tones *tones = &hearing->tones;
    const double level = (double)ST_SIGNAL_LEVEL / ST_SIGNAL_TONES * sqrt(ST_SIGNAL_TONES / 2.0);
    const bool exact = is_exact(ret->path_class), none = ret->path_class == ST_PATH_NONE;
    ret->gain_db = ret->noise_db = ret->drift_ppm = (double)NAN;
    if (exact) {
        ret->heard_s = (double)places->heard_frames / hearing->rate_hz;
        ret->places_known = true;
        ret->gain_db = decibels(fabs(places->gain));
        if (!places->exact)
            ret->noise_db = decibels(places->noise);
        ret->offset = places->first_offset;
    } else if (!none) {
        ret->heard_s = (double)tones->heard_frames / hearing->rate_hz;
        ret->gain_db = decibels(tones->loud / level);
        ret->noise_db = decibels(tones->noise);
        ret->drift_ppm = st_tones_drift_ppm(tones);
    }
    ret->per_hour_max95 = st_miss_events_per_hour_max95(ret->losses_n, ret->heard_s);
}

static void take_remarks(const struct st_hearing *hearing, struct st_hearing_result *ret)
{
    const bool none = ret->path_class == ST_PATH_NONE;
    const bool exact = is_exact(ret->path_class);
    bool *say = ret->remarks;
    say[ST_REMARK_SILENT] = none && hearing->peak <= SILENT;
    say[ST_REMARK_OVERDRIVEN] = hearing->clipped > hearing->rate_hz / 100;
    say[ST_REMARK_MONO] = none && !say[ST_REMARK_SILENT] &&
                          (hearing->channels == 1 || hearing->same == hearing->frames);
    say[ST_REMARK_NO_SIGNAL] = none && !say[ST_REMARK_SILENT] && !say[ST_REMARK_MONO];
    say[ST_REMARK_MIXED] = exact && hearing->places.mixed_frames > 0;
    say[ST_REMARK_VOLUME] = exact && hearing->places.volumes_n > 0;
    say[ST_REMARK_CONTACT] =
        !none && (exact ? hearing->places.contact_lost_n : hearing->tones.contact_lost_n) > 0;
    say[ST_REMARK_CLOCKS] =
        !none && !exact && fabs(st_tones_drift_ppm(&hearing->tones)) > CLOCKS_PPM;
    say[ST_REMARK_SHORT] =
        !none && (double)hearing->frames < ST_SIGNAL_FORCED_S * (double)hearing->rate_hz;
}

void st_hearing_end(struct st_hearing *hearing, const struct st_glitch *forced, size_t forced_n,
                    struct st_hearing_result *ret)
{
    st_places_end(&hearing->places);
    if (hearing->channels > 1)
        st_tones_end(&hearing->tones);
    memset(ret, 0, sizeof(*ret));
    ret->path_class = class_of(hearing);
    if (ret->path_class != ST_PATH_NONE)
        take_losses(hearing, forced, forced_n, ret);
    take_figures(hearing, ret);
    take_remarks(hearing, ret);
}

bool st_hearing_valid(const struct st_hearing_result *result)
{
    return result->path_class != ST_PATH_NONE && result->forced_n > 0 &&
           result->forced_found_n == result->forced_n && !result->remarks[ST_REMARK_SHORT] &&
           !result->remarks[ST_REMARK_CLOCKS] &&
           (result->losses_n > 0 || !result->remarks[ST_REMARK_CONTACT]);
}
