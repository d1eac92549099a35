/* Parsers of ALSA's text in /proc/asound. Pure, so that every host can fuzz them.
 * Foreign text: any bytes, ended by '\0'. All: 0 or -EBADMSG (not in this form). Threads: any; no
 * allocation. */
#pragma once

#include "core/base.h"

enum st_alsa_state {
    ST_ALSA_CLOSED,
    ST_ALSA_RUNNING,
    ST_ALSA_XRUN,
    ST_ALSA_OTHER, /* set up, prepared, draining, paused, suspended, disconnected */
};

/** /proc/asound/cardN/pcmMp/subK/status. Source: sound/core/pcm.c, snd_pcm_substream_proc_status_read. */
struct st_alsa_status {
    enum st_alsa_state state;
    int64_t owner_tid;       /* thread that opened it, in our PID namespace; 0: unknown (very old kernels) */
    int64_t trigger_ns;      /* when it was started or stopped last, on the clock that the program chose */
    int64_t now_ns;          /* when hw_ptr_frames was read, on the same clock; 0: unknown */
    int64_t hw_ptr_frames;   /* where the device is; begins at 0 when the stream is prepared again */
    int64_t appl_ptr_frames; /* where the program is; -1: unknown, and so the next two */
    int64_t avail_frames,
        avail_max_frames; /* free for the program: now, and at most since someone looked last; more
                             than the buffer: the device has passed the program */
};

ST_NODISCARD int st_alsa_status_parse(const char *text, struct st_alsa_status *ret);

/** hw_params and sw_params beside it. */
struct st_alsa_params {
    int64_t buffer_frames, rate_hz;
    int64_t stop_frames; /* stop_threshold: at this number of free frames the kernel stops the stream and
                            calls it an xrun; more than the buffer: it never does */
};

ST_NODISCARD int st_alsa_params_parse(const char *hw_params, const char *sw_params,
                                      struct st_alsa_params *ret);

/** One line of /proc/asound/pcm, "00-03: HDMI 0 : HDMI 0 : playback 1": a PCM device and how many
 * substreams it has. Source: sound/core/pcm.c, snd_pcm_proc_read. */
struct st_alsa_pcm {
    unsigned card, device;
    unsigned playback_n, capture_n;
};

/** Reads the line at *text and moves to the next. @return 0, -EBADMSG (moves too), -ENODATA (the end). */
ST_NODISCARD int st_alsa_pcm_next(const char **text, struct st_alsa_pcm *ret);

/** What a stream had left between looks at its status, of one run: all 0 at first. A program may tell the
 * kernel never to stop its stream (JUCE, jackd -s, PulseAudio): then no state says that the device ran past
 * it, only how much was free at most since the look before, which the kernel keeps. Each look begins that
 * anew, the program's own looks, too: what is found is true, and something may be missed. */
struct st_alsa_room {
    struct st_alsa_status last; /* look */
    bool known;                 /* last is set */
    bool wrote, dry;            /* by the look before: the program moved; the device was past it then */
    int64_t beyond;             /* by how much it was at most */
    int64_t lost;               /* of a loss that goes on; -1: it lasts, and is none */
};

/** A later look at a stream that runs. @param least_frames what the device had left, if that is less; stays
 * as it is if it is not known.
 * @return frames that were lost without a word of the kernel in a dropout that has ended; 0: none has. */
int64_t st_alsa_room_look(struct st_alsa_room *room, const struct st_alsa_params *params,
                          const struct st_alsa_status *now, int64_t *least_frames);
