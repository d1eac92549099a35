/* Judges a recording of the test signal: the class of its path, losses of sound, whether the
 * forced glitches were found, and other faults. Follows both the sequence (ears/places.h) and
 * the tones (ears/tones.h). The sequence, which is more exact, decides if it was heard for at
 * least half as long as the tones. The places of forced glitches are not used before the end.
 * Pure. One thread. */
#pragma once

#include "ears/places.h"
#include "ears/tones.h"

/* number, name, description and promise; shortest loss that is found, in us (0: one frame) */
#define ST_PATH_CLASSES(X)                                                                         \
    X(NONE, "none", "nothing was heard", 0)                                                        \
    X(EXACT, "bit-exact", "bit-exact: every sample was compared", 0)                               \
    X(LINEAR, "linear-gain",                                                                       \
      "the same sound, at another volume or with noise: every sample was compared, above the "     \
      "noise",                                                                                     \
      0)                                                                                           \
    X(CONVERTED, "converted",                                                                      \
      "converted to another format, or analogue: losses from 1 ms are found", 1000)                \
    X(LOSSY, "lossy", "lossy: a codec, a radio link, or much noise: losses from 20 ms are found",  \
      20000)

enum st_path_class {
#define ST_PATH_CLASS(id, name, text, least_us) ST_PATH_##id,
    ST_PATH_CLASSES(ST_PATH_CLASS)
#undef ST_PATH_CLASS
        ST_PATH_CLASSES_N
};

extern const struct st_path_words {
    const char *name, *text;
    uint32_t least_us;
} st_hearing_classes[ST_PATH_CLASSES_N];

/* Remarks: not counted as losses. The name is used in the JSON. CUT is set by who reads the file.
 */
#define ST_REMARKS(X)                                                                              \
    X(SILENT, "silent", "The recording is silent: it is muted, or not connected to what plays.")   \
    X(NO_SIGNAL, "no-signal",                                                                      \
      "The test signal is not in the recording: it is other sound, or it was played at another "   \
      "rate.")                                                                                     \
    X(MONO, "mono",                                                                                \
      "Both channels are the same: something on the way mixes them into one. Record in stereo.")   \
    X(OVERDRIVEN, "overdriven",                                                                    \
      "The recording is overdriven, which hides losses: turn the volume or the input gain down.")  \
    X(MIXED, "mixed",                                                                              \
      "Other sound was mixed into the test signal; this was not counted as a loss. Stop other "    \
      "programs.")                                                                                 \
    X(VOLUME, "volume", "The volume changed. This was not counted as a loss.")                     \
    X(CONTACT, "contact-lost", "The test signal was lost for more than a second.")                 \
    X(SHORT, "short",                                                                              \
      "The recording is too short: the glitches that the test signal has on purpose need 7 s.")    \
    X(CLOCKS, "clocks",                                                                            \
      "The clocks of the two cards differ by more than 0.1 %: too much to compare.")               \
    X(CUT, "cut", "The file ends too early: sleeptune read what there is.")

enum st_remark {
#define ST_REMARK(id, name, text) ST_REMARK_##id,
    ST_REMARKS(ST_REMARK)
#undef ST_REMARK
        ST_REMARKS_N
};

extern const struct st_remark_words {
    const char *name, *text;
} st_hearing_remarks[ST_REMARKS_N];

/** State of judging one recording. Large: do not put it on the stack. */
struct st_hearing {
    uint32_t rate_hz, channels;
    /* frames recorded; frames with a sample at full scale; frames with equal channels */
    uint64_t frames, clipped, same;
    float peak;
    struct st_places places;
    struct st_tones tones; /* of the second channel, if present */
};

struct st_hearing_result {
    enum st_path_class path_class;
    double heard_s; /* time in which a loss would have been found */
    size_t losses_n;
    size_t kept_n;                        /* losses kept in `losses` */
    struct st_loss losses[ST_LOSSES_MAX]; /* losses that `listen` did not force itself; at_frame:
                                             frame of the recording */
    uint64_t lost_frames;                 /* total of the kept losses */
    unsigned forced_n, forced_found_n; /* forced glitches that this class promises to find, without
                                          those within a longer loss */
    double per_hour_max95; /* losses of at least the promised length per hour, upper limit (95 %);
                              inf: nothing heard */
    double gain_db, noise_db; /* NAN: unknown */
    double drift_ppm;         /* clock of the recording relative to the player's; NAN: unknown */
    bool places_known;
    int64_t offset; /* frame of the signal minus recorded frame, where the signal was first heard;
                       if places_known */
    bool remarks[ST_REMARKS_N];
};

/** Begins to judge a recording. @param rate_hz of the recording. @param channels 1 or more. */
void st_hearing_init(struct st_hearing *hearing, uint32_t rate_hz, uint32_t channels);
/** Announces that frame `recorded` is about frame `played` of the signal, which then plays to the
 * end (st_places_expect). */
void st_hearing_expect(struct st_hearing *hearing, uint64_t recorded, uint64_t played);
/** Takes interleaved frames, in order. */
void st_hearing_take(struct st_hearing *hearing, const float *frames, size_t frames_n);
/** Ends the recording. @param forced the glitches that were played, sorted by at_frame, in frames
 * of the recording's rate. */
void st_hearing_end(struct st_hearing *hearing, const struct st_glitch *forced, size_t forced_n,
                    struct st_hearing_result *ret);

/** Is the result valid, so that "0 losses" or losses may be reported? A path was found, all
 * glitches were forced, those that the class promises to find were found, and contact was not lost
 * without a loss. */
bool st_hearing_valid(const struct st_hearing_result *result);
