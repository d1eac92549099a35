/* Xruns from the counters of FreeBSD's sound(4) channels. They are in the text of /dev/sndstat where hw.snd.verbose is
 * 2 or more (sndstat(4); versions 6 to 15 write them in four ways), and from 14 on, at any verbosity, in what the ioctl
 * SNDSTIOC_GET_DEVS fills in, a packed nvlist (nv(9)). That is read here without libnv, which the tools that build
 * sleeptune for FreeBSD lack. Both are foreign bytes. All functions are pure but for reading /dev/sndstat by the
 * platform, so that every host tests and fuzzes them. Threads: any; no allocation in the parsers. */
#ifndef ST_PLATFORM_XRUN_SNDSTAT_H
#define ST_PLATFORM_XRUN_SNDSTAT_H

#include "platform/xrun/xrun.h"

#define ST_SND_NAME_BYTES 64

/** One channel. Its counters begin at 0 whenever it is started. */
struct st_snd_channel {
    char name[ST_SND_NAME_BYTES]; /* "dsp0.virtual_play.0", "pcm0:virtual:dsp0.vp0" */
    char program
        [ST_SND_NAME_BYTES]; /* who has it open; "" when no one has, or in versions that do not show it */
    int64_t pid;             /* of that; 0: none */
    bool is_virtual; /* mixed into a hardware channel: the device plays on when its program is not ready */
    uint64_t interrupts_n, feeds_n; /* feeds: 0 where the version does not count them */
    uint64_t xruns_n; /* playing: fragments that could not be filled; recording: fragments lost */
};

/** The next channel with counters at *text; moves behind it. @return 0 or -ENODATA (no more). */
ST_NODISCARD int st_sndstat_next(const char **text, struct st_snd_channel *ret);

/**
 * Calls fn for each channel (each element of an array "channel_info").
 * @return how many, -EBADMSG (then fn may have been called for some).
 * Source: sys/contrib/libnv/nvlist.c and nvpair.c (format), sys/sys/sndstat.h (names).
 */
ST_NODISCARD int64_t st_sndstat_nvlist(const unsigned char *bytes, size_t n,
                                       void (*fn)(void *ctx, const struct st_snd_channel *channel),
                                       void *ctx);

#define ST_SND_CHANNELS_MAX 64

/** The counters at the last look. */
struct st_snd_counters {
    struct st_snd_channel channels[ST_SND_CHANNELS_MAX];
    bool present[ST_SND_CHANNELS_MAX]; /* in the look that goes on */
    size_t n;
    bool looked; /* there was a look before: what is new since then began at 0 */
};

/** A look at all channels: begin, one channel after the other, end. */
void st_sndstat_look_begin(struct st_snd_counters *counters);
void st_sndstat_look_at(struct st_snd_counters *counters, const struct st_snd_channel *channel,
                        st_xrun_seen_fn seen, void *ctx);
void st_sndstat_look_end(struct st_snd_counters *counters);

/** Reads /dev/sndstat. Absent (-ENOENT) while hw.snd.verbose is below 2. */
extern const struct st_xrun_ops st_xrun_sndstat_ops;

#endif
