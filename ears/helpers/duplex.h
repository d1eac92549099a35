/* Two devices that are read and written in turns by one thread: what ALSA and OSS share. A device is one
 * implementation; the frame of the signal is what was written, so that an xrun leaves its hole in what comes
 * back. */
#pragma once

#include "ears/helpers/ear.h"

#define ST_DUPLEX_FRAMES_MAX 8192 /* four periods */

enum st_duplex_format { ST_DUPLEX_S32, ST_DUPLEX_S16, ST_DUPLEX_FLOAT };

enum st_duplex_xrun { ST_DUPLEX_XRUN_NONE, ST_DUPLEX_XRUN_RECORD, ST_DUPLEX_XRUN_PLAY };

struct st_duplex_ops {
    /** At most frames_n frames, of both devices' format. It may wait for one period. @return frames; 0: an
     * xrun, the device runs again; a negative errno value: it has gone. */
    long (*read)(void *device, void *to, uint32_t frames_n);
    /** All of them; as read. */
    long (*write)(void *device, const void *from, uint32_t frames_n);
    /** Of a device that goes on after an xrun and counts it: since the last call. NULL: read and write say.
     */
    enum st_duplex_xrun (*xrun)(void *device);
    /** Frames that were written and are not played yet, or a negative errno value. NULL: it writes as many as
     * it reads, so both devices need one clock. */
    long (*queued)(void *device);
};

struct st_duplex {
    struct st_ear *ear;
    const struct st_duplex_ops *ops;
    void *device;
    enum st_duplex_format format;         /* of both */
    uint32_t period_frames, ahead_frames; /* of a turn; written before the first */
    bool started;                         /* the thread; of the main thread */
    atomic_int gone;                      /* a negative errno value */
};

/** Fills the reserve. Audio thread. @return 0 or what the device said. */
int st_duplex_begin(struct st_duplex *duplex);
/** One turn: reads a period and fills the reserve again. Audio thread. @return 0 or what the device said. */
int st_duplex_turn(struct st_duplex *duplex);

/** Plays and records in a thread of its own, of real-time priority if this process may, until the command
 * ends or a device has gone. Main thread. @return ST_EAR_DONE or ST_EAR_ABSENT. */
int st_duplex_run(struct st_duplex *duplex);
