/* Two devices that one thread reads and writes in turns: the common part of ALSA and OSS. Each
 * backend implements st_duplex_ops. The signal advances only by the frames that were written. */
#pragma once

#include "ears/helpers/ear.h"

#define ST_DUPLEX_CHANNELS   2
#define ST_DUPLEX_FRAMES_MAX 8192 /* most frames in a device's buffer of four periods */

enum st_duplex_format { ST_DUPLEX_S32, ST_DUPLEX_S16, ST_DUPLEX_FLOAT };

enum st_duplex_xrun { ST_DUPLEX_XRUN_NONE, ST_DUPLEX_XRUN_RECORD, ST_DUPLEX_XRUN_PLAY };

struct st_duplex_ops {
    /** Reads at most frames_n frames in the format of both devices; may wait for one period.
     * @return frames; 0: an xrun, after which the device runs again; a negative errno value: the
     * device has gone. */
    long (*read)(void *device, void *to, uint32_t frames_n);
    /** Writes all frames. @return frames; 0: an xrun, after which the device runs again; a negative
     * errno value: the device has gone. */
    long (*write)(void *device, const void *from, uint32_t frames_n);
    /** Xruns since the last call, of a device that continues after an xrun and counts xruns. NULL:
     * `read` and `write` report xruns. */
    enum st_duplex_xrun (*xrun)(void *device);
    /** Frames that were written and have not been played, or a negative errno value. NULL: the
     * device writes as many frames as it reads, so both directions need one clock. */
    long (*queued)(void *device);
};

struct st_duplex {
    struct st_ear *ear;
    const struct st_duplex_ops *ops;
    void *device;
    enum st_duplex_format format; /* of both devices */
    /* period_frames: frames that one turn reads; ahead_frames: frames written before the first
     * turn, as a reserve */
    uint32_t period_frames, ahead_frames;
    bool started;    /* the audio thread was started; main thread only */
    atomic_int gone; /* a negative errno value after the device has gone */
};

/** Writes the first ahead_frames, so that the playing device has a reserve. Audio thread. @return 0
 * or the device's error. */
int st_duplex_begin(struct st_duplex *duplex);
/** One turn: reads a period and refills the reserve. Audio thread. @return 0 or the device's
 * error. */
int st_duplex_turn(struct st_duplex *duplex);

/** Plays and records in a separate thread, with real-time priority if permitted, until the command
 * ends or a device has gone. Main thread. The caller has set the server and the rate in ear->head.
 * @param plays, records names of the devices. @return ST_EAR_DONE or ST_EAR_ABSENT. */
int st_duplex_run(struct st_duplex *duplex, const char *plays, const char *records);
