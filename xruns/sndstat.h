/* Xruns from the counters of FreeBSD's sound(4) channels, as the ioctl SNDSTIOC_GET_DEVS of
 * /dev/sndstat returns them (FreeBSD 14 and later, sndstat(4)): a packed nvlist (nv(9)). Parsed
 * without libnv, which the cross-build tools for FreeBSD lack. Untrusted bytes: all functions are
 * pure, so that every host tests and fuzzes them. Threads: any; no allocation. */
#pragma once

#include "xruns/xrun.h"

#define ST_SND_NAME_BYTES 64

/** One channel. Its counters restart at 0 whenever the channel starts. */
struct st_snd_channel {
    char name[ST_SND_NAME_BYTES];    /* "dsp0.virtual_play.0" */
    char program[ST_SND_NAME_BYTES]; /* program that has the channel open; "": none */
    int64_t pid;                     /* process of `program`; 0: none */
    bool is_virtual; /* mixed into a hardware channel: the device keeps playing when the channel's
                        program is not ready */
    uint64_t interrupts_n, feeds_n;
    uint64_t xruns_n; /* playing: fragments that could not be filled; recording: fragments lost */
    bool stuck;       /* the program left nothing to play, or no room to record into */
};

/** Calls fn for each channel (each element of an array "channel_info"). @return their number;
 * -EBADMSG: malformed, fn may have been called for some channels. Source:
 * sys/contrib/libnv/nvlist.c and nvpair.c (format), sys/sys/sndstat.h (names). */
ST_NODISCARD int64_t st_sndstat_nvlist(const unsigned char *bytes, size_t n,
                                       void (*fn)(void *ctx, const struct st_snd_channel *channel),
                                       void *ctx);

#define ST_SND_CHANNELS_MAX 64

/** The counters at the last reading. `stuck` of a channel: the program was stuck, and fragments
 * were lost up to that reading. */
struct st_snd_counters {
    struct st_snd_channel channels[ST_SND_CHANNELS_MAX];
    bool present[ST_SND_CHANNELS_MAX]; /* seen in the current reading */
    size_t n;
    bool looked; /* there was a previous reading: a channel that is new since then began at 0 */
};

/** Compares all channels with the last reading, and reports xruns: call begin, then `at` for each
 * channel, then end. */
void st_sndstat_look_begin(struct st_snd_counters *counters);
void st_sndstat_look_at(struct st_snd_counters *counters, const struct st_snd_channel *channel,
                        st_xrun_seen_fn seen, void *ctx);
void st_sndstat_look_end(struct st_snd_counters *counters);
