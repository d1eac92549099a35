/* Channels in the text of FreeBSD's /dev/sndstat, which shows their counters where hw.snd.verbose is 2 or
 * more (sndstat(4); versions 6 to 15 write them in four ways). Pure, so that every host can fuzz it. Foreign
 * text: any bytes, ended by '\0'. Threads: any; no allocation. */
#ifndef ST_PLATFORM_XRUN_SNDSTAT_TEXT_H
#define ST_PLATFORM_XRUN_SNDSTAT_TEXT_H

#include <stdbool.h>

#include "core/base.h"

#define ST_SND_NAME_BYTES 64

/** One channel. Its counters begin at 0 whenever it is started. */
struct st_snd_channel {
    char name[ST_SND_NAME_BYTES];    /* "dsp0.virtual_play.0", "pcm0:virtual:dsp0.vp0" */
    char program[ST_SND_NAME_BYTES]; /* who has it open; "" when nobody has or the version does not tell */
    int64_t pid;                     /* of that; 0: none */
    bool is_virtual; /* mixed into a hardware channel: the device plays on when its program is not ready */
    uint64_t interrupts_n, feeds_n; /* feeds: 0 where the version does not count them */
    uint64_t xruns_n; /* playing: fragments that could not be filled; recording: fragments lost */
};

/** The next channel with counters at *text; moves behind it. @return 0 or -ENODATA (no more). */
ST_NODISCARD int st_sndstat_next(const char **text, struct st_snd_channel *ret);

#endif
