/* What PipeWire's log says of a second card that it put in step (second_card.h), for versions whose profiler
 * does not have that card's clock (before 1.3.81). Linux: systemd's journal, where this user may read it. */
#pragma once

#include <sys/types.h>

#include "xruns/helpers/log_line.h"

struct st_resync_log {
    int fd;    /* of the program that follows it; -1: none */
    pid_t pid; /* ends with this thread */
    struct st_log_line line;
};

/** One line: that card, as ALSA calls it, was put in step n times. */
struct st_resync_log_line {
    char card[64];
    int64_t n;
    int64_t frames;       /* that the last one inserted or skipped */
    int64_t cycle_frames; /* of the graph's cycle, at the card's rate */
};

/** Pure. */
bool st_resync_log_parse(const char *line, struct st_resync_log_line *ret);

/** Starts to follow it. @return 0; -ENOENT: there is no journalctl; -ENOTSUP: never on this system; other
 * errors. */
ST_NODISCARD int st_resync_log_open(struct st_resync_log *log);
/** Calls seen for each such line since the call before; never waits. @return 0; -ENODATA: it is over, fd is
 * -1. */
ST_NODISCARD int st_resync_log_read(struct st_resync_log *log,
                                    void (*seen)(void *ctx, const struct st_resync_log_line *line),
                                    void *ctx);
