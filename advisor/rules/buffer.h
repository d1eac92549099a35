/* The period and rate that a machine plays with, and who set them. All commands and rules ask here. */
#ifndef ST_ADVISOR_RULES_BUFFER_H
#define ST_ADVISOR_RULES_BUFFER_H

#include "advisor/rules/rule.h"

#define ST_BUFFER_TEXT_BYTES (ST_WISH_WHY_BYTES + 64)

/* Facts that a command puts: what PipeWire runs at now, as the daemon that watches it says. */
#define ST_BUFFER_PIPEWIRE_FRAMES  "linux.pipewire.running_frames"
#define ST_BUFFER_PIPEWIRE_RATE_HZ "linux.pipewire.running_rate_hz"
/* The size that apply and verify are to judge for, of all programs, and the folder of that user's settings. */
#define ST_BUFFER_PIPEWIRE_WISH   "linux.pipewire.wished_frames"
#define ST_BUFFER_PIPEWIRE_FOLDER "linux.pipewire.settings_folder"

/** The period to judge for. What is 0 of `frames` (1 .. 2^22) and `rate_hz` (Hz) was not asked for, and is as something runs that
 * plays: a program that has a card for itself, else JACK, PulseAudio, PipeWire, if it answers; else 128 frames, 48 kHz.
 * @return 0 or -ERANGE: longer than an hour. */
ST_NODISCARD int st_buffer_choose(const struct st_facts *facts, int64_t frames, int64_t rate_hz,
                                  struct st_wish *ret);

/** PipeWire's longest period, whether it runs or not: forced at run time, or its default within its limits. */
void st_buffer_of_pipewire(const struct st_facts *facts, int64_t *ret_frames, int64_t *ret_rate_hz);

/** Which program that plays made PipeWire's cycle what it is (facts of pw-dump). */
struct st_buffer_asked {
    const struct st_fact *node; /* its state; NULL: no program asks, or pw-dump was not asked */
    const char *program;
    int64_t frames, rate_hz; /* what it asked for */
    int64_t cycle_frames;    /* what PipeWire makes of it: its cycle, at its own rate */
    bool forced;
};
void st_buffer_asked(const struct st_facts *facts, struct st_buffer_asked *ret);

/** "1024 frames at 48 kHz, set by PipeWire's force-quantum". @return buf. */
const char *st_buffer_text(const struct st_wish *wish, char *buf, size_t buf_bytes);

#endif
