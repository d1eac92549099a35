/* The program that hears streams (helper_silence.c): started beside this one, told which, and read. One
 * thread. */
#pragma once

#include <sys/types.h>

#include "platform/posix/posix.h"
#include "xruns/helpers/log_line.h"
#include "xruns/helpers/pipewire_streams.h"

struct st_listener {
    struct st_posix_piped program;
    int64_t taps_n; /* streams that it hears */
    char why[160];  /* why it does not run; "" */
    struct st_log_line line;
};

/** @param listen "auto" or "on". @return 0 or a negative errno value. */
ST_NODISCARD int st_listener_start(struct st_listener *listener, const char *listen);

/** Listen to the stream of that node, or leave it. */
void st_listener_order(struct st_listener *listener, uint32_t id, bool listen);

/** When `out` is readable: what was silent. @return false: it has ended, and is closed. */
bool st_listener_read(struct st_listener *listener, struct st_pipewire_streams *streams);

/** Ends it, if it runs. @param why why. */
void st_listener_end(struct st_listener *listener, const char *why);
