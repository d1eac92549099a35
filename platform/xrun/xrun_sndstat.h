/* Xruns from the counters of FreeBSD's sound(4) channels. Pure but for reading /dev/sndstat by the platform,
 * so that the whole of it is tested on every host with captured text. */
#ifndef ST_PLATFORM_XRUN_XRUN_SNDSTAT_H
#define ST_PLATFORM_XRUN_XRUN_SNDSTAT_H

#include "platform/xrun/sndstat_text.h"
#include "platform/xrun/xrun_source.h"

#define ST_SND_CHANNELS_MAX 64

/** The counters at the last look. */
struct st_snd_counters {
    struct st_snd_channel channels[ST_SND_CHANNELS_MAX];
    bool present[ST_SND_CHANNELS_MAX]; /* in the look that goes on */
    size_t n;
    bool looked; /* there was a look before: what is new since then began at 0 */
};

/** A look at all channels: begin, one channel after the other, end. */
void st_snd_look_begin(struct st_snd_counters *counters);
void st_snd_look_at(struct st_snd_counters *counters, const struct st_snd_channel *channel,
                    st_xrun_seen_fn seen, void *ctx);
void st_snd_look_end(struct st_snd_counters *counters);

/** Reads /dev/sndstat. Absent (-ENOENT) while hw.snd.verbose is below 2. */
extern const struct st_xrun_ops st_xrun_sndstat_ops;

#endif
