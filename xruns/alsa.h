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

/** Status of a stream, from /proc/asound/cardN/pcmMp/subK/status. Source: sound/core/pcm.c,
 * snd_pcm_substream_proc_status_read. */
struct st_alsa_status {
    enum st_alsa_state state;
    int64_t owner_tid;  /* thread that opened the stream, in our PID namespace; 0: unknown (very old
                           kernels) */
    int64_t trigger_ns; /* time of the last start or stop, on the clock that the program chose */
    int64_t now_ns;     /* when hw_ptr_frames was read, on the same clock; 0: unknown */
    int64_t
        hw_ptr_frames; /* position of the device; restarts at 0 when the stream is prepared again */
    int64_t appl_ptr_frames; /* position of the program; -1: unknown, and so are the next two
                                members */
    int64_t avail_frames,
        avail_max_frames; /* frames free for the program: now, and at most since the previous
                             reading; more than the buffer: the device has passed the program */
};

ST_NODISCARD int st_alsa_status_parse(const char *text, struct st_alsa_status *ret);

/** What the program has set for its stream, from the files hw_params and sw_params beside
 * `status`. */
struct st_alsa_params {
    int64_t buffer_frames, rate_hz;
    int64_t
        stop_frames; /* stop_threshold: at this number of free frames the kernel stops the stream
                        and reports an xrun; larger than the buffer: the kernel never stops it */
};

ST_NODISCARD int st_alsa_params_parse(const char *hw_params, const char *sw_params,
                                      struct st_alsa_params *ret);

/** One line of /proc/asound/pcm, "00-03: HDMI 0 : HDMI 0 : playback 1": a PCM device and the number
 * of its substreams. Source: sound/core/pcm.c, snd_pcm_proc_read. */
struct st_alsa_pcm {
    unsigned card, device;
    unsigned playback_n, capture_n;
};

/** Reads the line at *text and moves *text to the next line. @return 0, -EBADMSG (moved as well),
 * -ENODATA (the end). */
ST_NODISCARD int st_alsa_pcm_next(const char **text, struct st_alsa_pcm *ret);

/** What a stream had left in its buffer between two readings of its status, within one run; all 0
 * at first. A program can tell the kernel never to stop its stream (JUCE, jackd -s, PulseAudio). No
 * state shows then that the device passed the program; the kernel only keeps the largest number of
 * free frames since the previous reading. Each reading resets that number, even a reading by the
 * program itself: so losses found here are real, but losses can be missed. */
struct st_alsa_room {
    struct st_alsa_status last; /* status at the previous reading */
    bool known;                 /* last is set */
    bool wrote, dry; /* at the previous reading: the program had written or read frames; the device
                        had passed the program */
    int64_t beyond;  /* largest number of frames by which the device was past the program */
    int64_t lost;    /* frames of the current loss; -1: a loss goes on that does not count */
};

/** Evaluates a new status of a running stream. @param least_frames lowered to what the device had
 * left, if that is known and less. @return frames lost without an xrun from the kernel, in a
 * dropout that has ended; 0: none. */
int64_t st_alsa_room_look(struct st_alsa_room *room, const struct st_alsa_params *params,
                          const struct st_alsa_status *now, int64_t *least_frames);
