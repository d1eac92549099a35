/* What each client of a sound server did in the last cycles. A helper program writes this file in
 * place (mmap); it is copied after a dropout. A copy is untrusted input. Numbers have the machine's
 * byte order, since a copy is read where it was written. */
#pragma once

#include "xruns/xrun.h"

/* rows of 33 s of ten clients at 128 frames and 48 kHz, or of minutes of one player */
#define ST_CYCLE_RING_ROWS  131072
#define ST_LEVELS_MAX       1024 /* one minute of four levels that are read four times a second */
#define ST_CYCLE_RING_NAMES 256

/* Name of a copy (store/history/trace_copy.h) in the folder "traces" beside the history:
 * WALL_NS-CAUSE.cycles. */
#define ST_CYCLE_RING_SUFFIX ".cycles"

#define ST_CYCLE_RING_NOT_YET UINT32_MAX

/** What a client did in one cycle, as reported when the next cycle began. Times are
 * CLOCK_MONOTONIC. A client that was late can have several rows with the same signal_ns: the last
 * one counts. If the server did not report a cycle because the client occupied its CPU, the row of
 * that cycle follows the row of the client's next cycle. */
struct st_cycle_row {
    int64_t cycle_ns;   /* start of the driver's cycle; in a driver's own row the start of its
                           previous cycle; 0: not known */
    int64_t signal_ns;  /* the client's inputs were ready */
    uint32_t wait_ns;   /* time until the client ran, or NOT_YET */
    uint32_t busy_ns;   /* time until the client had finished, or NOT_YET */
    uint32_t period_ns; /* the driver's period, in which all clients should finish; 0: not known */
    uint16_t name;      /* index in `names` */
    uint16_t is_driver; /* 1: the driver, which waits until its clients have finished */
};

/** How long the remaining sound would last: in a device's buffer, in a program's queue, or in
 * JACK's cycle. */
struct st_cycle_level {
    int64_t at_ns;
    int64_t left_ns;
    char name[ST_XRUN_NAME_BYTES]; /* source, owner and place of the buffer */
};

/** The latest levels of sound, in a ring: level i since the start is in row i % ST_LEVELS_MAX. */
struct st_cycle_levels {
    uint64_t written;
    char about[256]; /* what was watched, as the status of the daemon shows it */
    struct st_cycle_level rows[ST_LEVELS_MAX];
};

struct st_cycle_ring {
    char magic[16];
    int64_t wall_ns;  /* add to CLOCK_MONOTONIC to get the time of day */
    uint64_t written; /* rows so far; the next row goes to written % ST_CYCLE_RING_ROWS */
    char kernel[64], server[64];
    char names[ST_CYCLE_RING_NAMES][ST_XRUN_NAME_BYTES];
    struct st_cycle_row rows[ST_CYCLE_RING_ROWS];
    struct st_cycle_levels levels; /* filled only in a copy of the file */
};

/** Begins an empty ring with the kernel's name and the clocks. @param ring all 0. */
void st_cycle_ring_begin(struct st_cycle_ring *ring);

/** Makes or empties the file, 0600, and maps it. @return 0 or a negative errno value. */
ST_NODISCARD int st_cycle_ring_open(const char *path, struct st_cycle_ring **ret);

/** The number of a name; the same name keeps its number. When the table is full: the number of
 * "other programs". */
uint16_t st_cycle_ring_name(struct st_cycle_ring *ring, const char *name);

/** Notes the current difference between the clocks. */
void st_cycle_ring_clocks(struct st_cycle_ring *ring);

void st_cycle_ring_put(struct st_cycle_ring *ring, const struct st_cycle_row *row);

/** Is a file of that size a ring with plausible numbers only? Terminates the ring's names. */
bool st_cycle_ring_check(struct st_cycle_ring *ring, size_t bytes);

/** Number of rows. st_cycle_ring_at gives them, oldest first. @param i 0 .. n - 1 */
size_t st_cycle_ring_n(const struct st_cycle_ring *ring);
const struct st_cycle_row *st_cycle_ring_at(const struct st_cycle_ring *ring, size_t i);
