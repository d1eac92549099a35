/* The log of a JACK server, which names the clients that were late; libjack does not. It is read where the
 * user of this process can: what jackd writes to a file as its standard error, or jackdbus to
 * ~/.log/jack/jackdbus.log. A server whose output goes to a terminal, a pipe or the journal has no log
 * here. */
#pragma once

#include "xruns/helpers/jack_late.h"
#include "xruns/helpers/log_line.h"

struct st_jack_log {
    int fd; /* -1: none */
    struct st_log_line line;
};

/** Finds the log and goes to its end. Without one fd is -1. */
void st_jack_log_open(struct st_jack_log *log, const char *server);
/** Calls late for each message about a client that was late, of what was written since the last call: at most
 * 64 kB, and of more the end. */
void st_jack_log_read(struct st_jack_log *log, void (*late)(void *ctx, const char *client, bool ran),
                      void *ctx);
