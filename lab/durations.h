/* --durations LIST of `sleep` and `exec`. */
#ifndef ST_LAB_DURATIONS_H
#define ST_LAB_DURATIONS_H

#include "core/base.h"

#define ST_DURATIONS_MAX 24

/** The durations of a run, each once. */
struct st_durations {
    int64_t ns[ST_DURATIONS_MAX]; /* 10 us to 10 s */
    size_t n;
};

/** Adds each of a list as "5ms,64f" (frames at 48 kHz). @return 0 or ST_EXIT_USAGE, after a message. */
ST_NODISCARD int st_durations_parse(const char *command, const char *text, struct st_durations *durations);

#endif
