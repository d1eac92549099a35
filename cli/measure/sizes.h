/* What check measures: the shortest size for most of the time, which shows the stalls, and two longer ones
 * for what each wake-up of theirs is late by (deeper idle states, rounded timers). The table of dropouts by
 * size follows from both. */
#pragma once

#include "advisor/rules/rule.h"
#include "cli/measure/measure_run.h"
#include "cli/show/predict_text.h"

#define ST_SIZES_RUNS_MAX 3

struct st_sizes_run {
    struct st_predict_run late;
    struct st_result result;
};

/** Begins with zeros. Holds pointers into itself: it is not copied. */
struct st_sizes {
    struct st_sizes_run runs[ST_SIZES_RUNS_MAX]; /* the shortest first */
    size_t n;                                    /* of runs */
    bool rtkit_refused;                          /* the right to real-time priority, which this user lacks */
    struct st_predict_wish wish;
    struct st_predict_table table;
};

/** The shortest size: what was asked for; 0: 32 frames, or the buffer in use if that is shorter. */
uint32_t st_sizes_shortest(const struct st_wish *used, uint32_t asked_frames);

/** Measures at the shortest size and, if `longer`, at up to two others, `used` among them. Ctrl-C ends it
 * early: what was measured stays. @param look of the shortest one @return an st_exit, after a message; free
 * with st_sizes_finish in any case. */
ST_NODISCARD int st_sizes_measure(const struct st_wish *used, uint32_t shortest, int64_t duration_ns,
                                  bool longer, const char *stress, st_measure_look_fn look, void *ctx,
                                  struct st_sizes *ret);

/** Fills the table: seven rows at most, this one among them. */
void st_sizes_fill(struct st_sizes *sizes, uint32_t wanted_frames);

void st_sizes_finish(struct st_sizes *sizes);
