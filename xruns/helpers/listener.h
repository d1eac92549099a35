/* The helper program that listens to streams (helper_silence.c): starts it, orders streams, reads
 * its lines. One thread. */
#pragma once

#include <sys/types.h>

#include "platform/posix/posix.h"
#include "xruns/helpers/log_line.h"
#include "xruns/helpers/pipewire_streams.h"

struct st_listener {
    struct st_posix_piped program;
    int64_t taps_n; /* number of streams that the program listens to */
    char why[160];  /* why the program does not run; "": it runs, or was not wanted */
    struct st_log_line line;
};

/** @param listen "auto" or "on". @return 0 or a negative errno value. */
ST_NODISCARD int st_listener_start(struct st_listener *listener, const char *listen);

/** Orders the program to listen to the stream of node `id`, or to stop listening. */
void st_listener_order(struct st_listener *listener, uint32_t id, bool listen);

/** Reads reports of silence; call when `program.out` is readable. @return false: the program has
 * ended and is closed. */
bool st_listener_read(struct st_listener *listener, struct st_pipewire_streams *streams);

/** Ends the program if it runs. @param why the reason, kept in listener->why. */
void st_listener_end(struct st_listener *listener, const char *why);
