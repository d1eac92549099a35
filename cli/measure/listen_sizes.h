/* `listen --sizes`: the same run at each buffer size, one row a size. The helper programs set the size, and
 * set it back when they end, however they end. One thread. */
#pragma once

#include "cli/measure/listen_run.h"

#define ST_LISTEN_SIZES_MAX 8

struct st_listen_size {
    uint32_t asked_frames, frames; /* asked 0: the size in use; frames: that it had */
    uint32_t rate_hz;
    bool valid, latency_known;
    int64_t latency_frames;
    size_t losses_n;
    uint64_t lost_frames;
    double heard_s, per_hour_max95;
};

struct st_listen_sizes {
    struct st_listen_size rows[ST_LISTEN_SIZES_MAX]; /* by asked_frames */
    size_t n;
    const char *title; /* of the way */
    struct st_listen_wish wish;
    uint32_t used_frames;
};

/** Runs at the size in use first, which is in *run at the end, then at 32 .. 2048 frames. Ctrl-C ends it with
 * the rows so far. @return an st_exit, as st_listen_run_live. */
int st_listen_sizes_run(const struct st_listen_wish *wish, struct st_listen_run *run,
                        struct st_listen_sizes *ret);

/** The smallest size from which on nothing was lost; NULL: none. */
const struct st_listen_size *st_listen_sizes_held(const struct st_listen_sizes *sizes);
/** An answer, a row for each size, and one next step. */
void st_listen_sizes_screen(const struct st_listen_sizes *sizes, FILE *out, int width);
/** "sizes" of sleeptune-listen/1. New reference; NULL: out of memory. */
json_t *st_listen_sizes_json(const struct st_listen_sizes *sizes);
/** As st_listen_run_status, of all sizes: BOOKS if no row is valid. */
int st_listen_sizes_status(const struct st_listen_sizes *sizes);
