/* The period and rate that a machine plays with, and who set them. All commands and rules use these
 * functions. */
#pragma once

#include "advisor/rules/rule.h"

#define ST_BUFFER_TEXT_BYTES (ST_WISH_WHY_BYTES + 64)

/* defaults in pipewire.conf(5), in frames and Hz */
#define ST_BUFFER_PIPEWIRE_FRAMES  1024
#define ST_BUFFER_PIPEWIRE_RATE_HZ 48000
#define ST_BUFFER_PIPEWIRE_MIN     32
#define ST_BUFFER_PIPEWIRE_MAX     2048

/* default in pulse-daemon.conf(5) */
#define ST_BUFFER_PULSE_FRAGMENT_MS 25

/* Facts that apply and verify put if the user names a size for all programs: that size in frames,
 * and the folder of the user's settings. */
#define ST_BUFFER_PIPEWIRE_WISH   "linux.pipewire.wished_frames"
#define ST_BUFFER_PIPEWIRE_FOLDER "linux.pipewire.settings_folder"

/* Fact that apply and verify put if the user names a card that gets more reserve: the beginning of
 * its node.name. */
#define ST_BUFFER_WIREPLUMBER_CARD "linux.wireplumber.wished_card"

/** Chooses the period to judge for. `frames` (1 .. 2^22) or `rate_hz` (Hz) 0 means not given: then
 * the value in use now counts, of a program that has a card for itself, else of JACK, PulseAudio or
 * PipeWire, whichever answers first in this order; if none is in use, 128 frames and 48 kHz.
 * @return 0 or -ERANGE: longer than an hour. */
ST_NODISCARD int st_buffer_choose(const struct st_facts *facts, int64_t frames, int64_t rate_hz,
                                  struct st_wish *ret);

/** PipeWire's cycle and rate, whether PipeWire runs or not, and the playing programs that set them
 * (facts of pw-dump). */
struct st_buffer_asked {
    int64_t usual_frames,
        default_hz; /* usual_frames: the forced cycle or, if none is forced, the cycle without
                       requests of programs, at running_hz; default_hz: the rate without requests */
    /* PipeWire's current cycle and rate, which follow requests of programs */
    int64_t cycle_frames, running_hz;
    int64_t default_frames; /* the current cycle, converted to default_hz */

    /* the fact "state" of the node whose request sets the cycle; NULL: no program asks, or pw-dump
     * was not run */
    const struct st_fact *node;
    const char *program;
    int64_t frames, rate_hz; /* what `program` asked for */
    bool forced;
    const char *verb; /* of `program`: "asked for", "forces" */

    const char
        *rate_program; /* the program that asked for running_hz, or "clock.force-rate"; NULL:
                          running_hz is the default rate, or no playing program asked for it */
    bool rate_forced;
    const char *rate_verb;
    const char *rate_unknown; /* why running_hz, the default, may be wrong; NULL: it is right */
};
struct st_buffer_asked st_buffer_asked(const struct st_facts *facts);
#define ST_BUFFER_ASKED_KEYS                                                                       \
    ST_KEYS_ALSA "*.buffer_frames", ST_KEYS_ALSA "*.rate_hz", ST_KEYS_ALSA "*.owner",              \
        ST_KEYS_PIPEWIRE "*" /* facts that st_buffer_asked reads */

/** Does pw-dump show which programs play? @return false: the finding is set. */
bool st_buffer_need_nodes(struct st_finding *finding);

/** PipeWire's cycle at rate `hz` if a program asks for `frames` at `frames_hz`. @return frames, a
 * power of two. */
int64_t st_buffer_cycle(const struct st_facts *facts, int64_t frames, int64_t frames_hz, int64_t hz,
                        int64_t default_hz);

/** Version of the running PipeWire, from the name of its library, as one number: 384 for 0.3.84,
 * 10402 for 1.4.2. -ENODATA: not known. */
int st_buffer_pipewire_version(const struct st_facts *facts);
/** Is PipeWire's cycle or rate forced for all programs? */
bool st_buffer_is_forced(const struct st_facts *facts);
/** Did PipeWire's main or data thread open the stream of this fact? */
bool st_buffer_is_pipewires(const struct st_fact *fact);
/** Does the PipeWire node of this fact play? */
bool st_buffer_is_playing(const struct st_fact *fact);
/** The program of this PipeWire node; "a program": its name is unknown. */
const char *st_buffer_program(const struct st_fact *node);

/** The options with which another command uses the same period: " --frames 64", or " --frames 64
 * --rate 96000"; "": the user named none, so that command finds it by itself. */
const char *st_buffer_options(const struct st_wish *wish);

/** The period as a text: "1024 frames at 48 kHz, set by PipeWire's force-quantum". */
const char *st_buffer_text(const struct st_wish *wish);
