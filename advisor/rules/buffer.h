/* The period and rate that a machine plays with, and who set them. All commands and rules ask here. */
#pragma once

#include "advisor/rules/rule.h"

#define ST_BUFFER_TEXT_BYTES (ST_WISH_WHY_BYTES + 64)

/* pipewire.conf(5) */
#define ST_BUFFER_PIPEWIRE_FRAMES  1024
#define ST_BUFFER_PIPEWIRE_RATE_HZ 48000
#define ST_BUFFER_PIPEWIRE_MIN     32
#define ST_BUFFER_PIPEWIRE_MAX     2048

/* pulse-daemon.conf(5) */
#define ST_BUFFER_PULSE_FRAGMENT_MS 25

/* The size that apply and verify are to judge for, of all programs, and the folder of that user's
 * settings. */
#define ST_BUFFER_PIPEWIRE_WISH   "linux.pipewire.wished_frames"
#define ST_BUFFER_PIPEWIRE_FOLDER "linux.pipewire.settings_folder"

/* How node.name of a card begins that is to have more reserve. */
#define ST_BUFFER_WIREPLUMBER_CARD "linux.wireplumber.wished_card"

/** The period to judge for. What is 0 of `frames` (1 .. 2^22) and `rate_hz` (Hz) was not asked for, and is as
 * something runs that plays: a program that has a card for itself, else JACK, PulseAudio, PipeWire, if it
 * answers; else 128 frames, 48 kHz.
 * @return 0 or -ERANGE: longer than an hour. */
ST_NODISCARD int st_buffer_choose(const struct st_facts *facts, int64_t frames, int64_t rate_hz,
                                  struct st_wish *ret);

/** PipeWire's cycle and rate, whether it runs or not, and which programs that play made them so (facts of
 * pw-dump). */
struct st_buffer_asked {
    int64_t usual_frames, default_hz; /* forced for all, or what it takes if no program asks for another */
    int64_t cycle_frames, running_hz; /* what it runs at now */
    int64_t default_frames;           /* its cycle now if it ran at default_hz */

    const struct st_fact
        *node; /* whose wish counts: its state; NULL: no program asks, or pw-dump was not asked */
    const char *program;
    int64_t frames, rate_hz; /* what it asked for */
    bool forced;

    const char
        *rate_program; /* who asked for running_hz; NULL: it is the default, or who asked does not play */
    bool rate_forced;
    const char *rate_unknown; /* why running_hz, the default, may be wrong; NULL: it is right */
};
struct st_buffer_asked st_buffer_asked(const struct st_facts *facts);
#define ST_BUFFER_ASKED_KEYS                                                                                 \
    ST_KEYS_ALSA "*.buffer_frames", ST_KEYS_ALSA "*.rate_hz", ST_KEYS_ALSA "*.owner",                        \
        ST_KEYS_PIPEWIRE "*" /* what it reads */

/** Did pw-dump say what plays? @return false: the finding is set. */
bool st_buffer_need_nodes(struct st_finding *finding);

/** PipeWire's cycle at `hz` if a program asks for frames / frames_hz. @return frames, a power of two. */
int64_t st_buffer_cycle(const struct st_facts *facts, int64_t frames, int64_t frames_hz, int64_t hz,
                        int64_t default_hz);

/** The version of the PipeWire that runs, as its library's name has it: 384 for 0.3.84, 10402 for 1.4.2.
 * -ENODATA: not known. */
int st_buffer_pipewire_version(const struct st_facts *facts);
/** Is PipeWire's cycle or rate forced for all? */
bool st_buffer_is_forced(const struct st_facts *facts);
/** Has PipeWire's main or data thread opened the stream that this fact is of? */
bool st_buffer_is_pipewires(const struct st_fact *fact);
/** Does the node of PipeWire that this fact is of play? */
bool st_buffer_is_playing(const struct st_fact *fact);
/** The program whose node of PipeWire this is; "a program": it has no name. */
const char *st_buffer_program(const struct st_fact *node);

/** "1024 frames at 48 kHz, set by PipeWire's force-quantum". */
const char *st_buffer_text(const struct st_wish *wish);
