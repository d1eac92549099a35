/* What each client of a sound server did in the last cycles, in a file that the helper program writes in
 * place (mmap) and that is copied when something happened. A copy is read as text of others: nothing in it is
 * believed. Machine's byte order: it is read where it was written. */
#pragma once

#include "core/base.h"
#include "xruns/xrun.h"

#define ST_CYCLE_RING_ROWS  131072 /* 33 s of ten clients at 128 frames and 48 kHz, minutes of a player */
#define ST_LEVELS_MAX       1024   /* a minute of four that are read four times a second */
#define ST_CYCLE_RING_NAMES 256

/* Of a copy (store/history/trace_copy.h) in the folder "traces" beside the history: WALL_NS-CAUSE.cycles. */
#define ST_CYCLE_RING_SUFFIX ".cycles"

#define ST_CYCLE_RING_NOT_YET UINT32_MAX

/** A client's part of a cycle, as reported when the next one began. Times are CLOCK_MONOTONIC. A client that
 * was late has several rows of one signal_ns: the last one counts. A cycle that the server did not report, as
 * the client held its CPU, comes behind the client's next one. */
struct st_cycle_row {
    int64_t cycle_ns;   /* the driver's cycle began; in the row of a driver: the one before, 0: not known */
    int64_t signal_ns;  /* the client's inputs were ready */
    uint32_t wait_ns;   /* until it ran, or NOT_YET */
    uint32_t busy_ns;   /* until it had finished, or NOT_YET */
    uint32_t period_ns; /* of the driver: by then all should have finished; 0: not known */
    uint16_t name;      /* in `names` */
    uint16_t is_driver; /* 1: it waits until its clients have finished */
};

/** How long the sound that was left would last: in a device's buffer, in a program's queue, of JACK's cycle.
 */
struct st_cycle_level {
    int64_t at_ns;
    int64_t left_ns;
    char name[ST_XRUN_NAME_BYTES]; /* source, whose, and where */
};

/** The last ones. */
struct st_cycle_levels {
    uint64_t written;
    char about[256]; /* what was watched, as the status says it */
    struct st_cycle_level rows[ST_LEVELS_MAX];
};

struct st_cycle_ring {
    char magic[16];
    int64_t wall_ns;  /* to be added to CLOCK_MONOTONIC: the time of day */
    uint64_t written; /* rows so far; the next goes to written % ST_CYCLE_RING_ROWS */
    char kernel[64], server[64];
    char names[ST_CYCLE_RING_NAMES][ST_XRUN_NAME_BYTES];
    struct st_cycle_row rows[ST_CYCLE_RING_ROWS];
    struct st_cycle_levels levels; /* of a copy only */
};

/** One without rows: with the kernel's name and the clocks. @param ring  all 0. */
void st_cycle_ring_begin(struct st_cycle_ring *ring);

/** Makes or empties the file, 0600, and maps it. @return 0 or a negative errno value. */
ST_NODISCARD int st_cycle_ring_open(const char *path, struct st_cycle_ring **ret);

/** A name's number, the same as before if it is there; when there is no room for more, that of "other
 * programs". */
uint16_t st_cycle_ring_name(struct st_cycle_ring *ring, const char *name);

/** Notes how the clocks differ now. */
void st_cycle_ring_clocks(struct st_cycle_ring *ring);

void st_cycle_ring_put(struct st_cycle_ring *ring, const struct st_cycle_row *row);

/** Is a file of that size a ring, with possible numbers only? Ends its names. */
bool st_cycle_ring_check(struct st_cycle_ring *ring, size_t bytes);

/** Rows that are there, oldest first. @param i 0 .. n - 1 */
size_t st_cycle_ring_n(const struct st_cycle_ring *ring);
const struct st_cycle_row *st_cycle_ring_at(const struct st_cycle_ring *ring, size_t i);
