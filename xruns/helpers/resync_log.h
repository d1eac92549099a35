/* What PipeWire's log says of a second card that it put in step (second_card.h), for versions whose profiler
 * does not have that card's clock (before 1.3.81). Linux: systemd's journal, where this user may read it. */
#pragma once

#include <sys/types.h>

#include "xruns/helpers/log_line.h"
#include "xruns/server_log.h"

struct st_resync_log {
    int fd;    /* of the program that follows it; -1: none */
    pid_t pid; /* ends with this thread */
    struct st_log_line line;
};

/** Starts to follow it. @return 0; -ENOENT: there is no journalctl; -ENOTSUP: never on this system; other
 * errors. */
ST_NODISCARD int st_resync_log_open(struct st_resync_log *log);
