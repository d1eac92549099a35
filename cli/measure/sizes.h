/* What `check` measures: the loop at the shortest buffer size. The dropouts at longer sizes are
 * computed from that. */
#pragma once

#include "advisor/rules/rule.h"
#include "cli/measure/measure_run.h"
#include "cli/show/predict_text.h"

/** The measurement of `check`, and its table of buffer sizes. All zero at first. Holds pointers
 * into itself: must not be copied. */
struct st_sizes {
    struct st_predict_run late;
    struct st_result result;
    bool measured;
    bool rtkit_refused; /* rtkit gave no real-time priority, to which this user has no right */
    struct st_predict_table table;
};

/** The shortest buffer size (frames): asked_frames, or if that is 0, 32 frames (above 192 kHz:
 * 128), or the size in use if that is shorter. */
uint32_t st_sizes_shortest(const struct st_wish *used, uint32_t asked_frames);

/** Measures at the shortest size. Ctrl-C ends it early and keeps the result so far. Free with
 * st_sizes_finish in any case. @return an st_exit, after a message. */
ST_NODISCARD int st_sizes_measure(uint32_t rate_hz, uint32_t shortest, int64_t duration_ns,
                                  const char *stress, st_measure_look_fn look, void *ctx,
                                  struct st_sizes *ret);

/** Fills the table with a row for each buffer size, wanted_frames included (0: none). */
void st_sizes_fill(struct st_sizes *sizes, uint32_t wanted_frames);

void st_sizes_finish(struct st_sizes *sizes);
