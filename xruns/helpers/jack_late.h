/* Which client of a JACK server made its cycle late. The server names all that had not finished when the next
 * cycle began: those that were computing (jack2: Running), and those that had not begun (Triggered: one
 * client that feeds them has finished, which may be the driver; they may wait for others). Pure. */
#pragma once

#include "xruns/server_log.h"

#define ST_JACK_CLIENTS_MAX 16

/** Clients, and which of them plays into which. All 0: none. */
struct st_jack_graph {
    char names[ST_JACK_CLIENTS_MAX][ST_JACK_NAME_BYTES];
    bool feeds[ST_JACK_CLIENTS_MAX][ST_JACK_CLIENTS_MAX]; /* directly */
    bool connected[ST_JACK_CLIENTS_MAX];                  /* one of its ports, to any */
    size_t n;
    bool more; /* clients that have no room */
};

/** @return its index, added if need be; ST_JACK_CLIENTS_MAX: no room. */
size_t st_jack_late_client(struct st_jack_graph *graph, const char *name);

/** Clients that the server named in an unbroken loss of sound. All 0: none yet. */
struct st_jack_late {
    struct {
        char name[ST_JACK_NAME_BYTES];
        bool ran, ran_later; /* it computed, or finished too late: in its first cycle, in a later one */
        bool held;           /* by st_jack_late_judge */
    } clients[ST_JACK_CLIENTS_MAX];
    size_t n;
    bool first_over; /* what follows is of later cycles */
    bool probable;   /* what was judged: a client is not in the graph, so who waited for it is not known */
};

/** The next message. */
void st_jack_late_take(struct st_jack_late *late, const char *name, bool ran);

/** Marks those that held the others up. @return how many; 0: there was no message. */
size_t st_jack_late_judge(struct st_jack_late *late, const struct st_jack_graph *graph);

/** Of judged ones: did it hold the others up? */
bool st_jack_late_held(const struct st_jack_late *late, const char *name);

/** Of judged ones: did who holds the others up do so `before`, until after_us before this loss began, and not
 * begin since? The callbacks of one standstill may come in pieces, each when this program gets the CPU. */
bool st_jack_late_continues(const struct st_jack_late *late, const struct st_jack_late *before,
                            int64_t after_us);
