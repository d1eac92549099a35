/* Finds out which client of a JACK server made its cycle late. The server names all clients that
 * had not finished when the next cycle began: those that were computing (jack2: Running), and those
 * that had not begun (Triggered: one client that feeds them has finished, which may be the driver;
 * they may wait for others). Pure. */
#pragma once

#include "xruns/server_log.h"

#define ST_JACK_CLIENTS_MAX 16

/** The clients, and which client plays into which. All 0: none. */
struct st_jack_graph {
    char names[ST_JACK_CLIENTS_MAX][ST_JACK_NAME_BYTES];
    bool feeds[ST_JACK_CLIENTS_MAX][ST_JACK_CLIENTS_MAX]; /* [a][b]: a plays directly into b */
    bool connected[ST_JACK_CLIENTS_MAX]; /* a port of the client is connected to any port */
    size_t n;
    bool more; /* there are clients without room in `names` */
};

/** @return the index of a client; ST_JACK_CLIENTS_MAX: it is not in the graph. */
size_t st_jack_late_find(const struct st_jack_graph *graph, const char *name);
/** Finds a client in the graph, or adds it. @return its index; ST_JACK_CLIENTS_MAX: no room, or no
 * name. */
size_t st_jack_late_client(struct st_jack_graph *graph, const char *name);

/** The clients that the server named during one unbroken loss of sound. All 0: none yet. */
struct st_jack_late {
    struct {
        char name[ST_JACK_NAME_BYTES];
        bool ran, ran_later; /* the client computed, or finished too late: in the first cycle of the
                                loss, in a later cycle */
        bool held;           /* set by st_jack_late_judge: the client held the others up */
    } clients[ST_JACK_CLIENTS_MAX];
    size_t n;
    bool first_over; /* the first cycle is over; further messages are about later cycles */
    bool probable; /* the judgement is probable: a client is not in the graph, so its dependants are
                      unknown */
};

/** Takes the next message of the server. */
void st_jack_late_take(struct st_jack_late *late, const char *name, bool ran);

/** Marks the clients that held the others up. @return their number; 0: there was no message. */
size_t st_jack_late_judge(struct st_jack_late *late, const struct st_jack_graph *graph);

/** After st_jack_late_judge: did the client hold the others up? */
bool st_jack_late_held(const struct st_jack_late *late, const char *name);

/** After both were judged: is `late` the rest of the standstill that caused `before`, which ended
 * after_us before this loss began? Then all clients that hold the others up did so in `before`. The
 * callbacks of one standstill can arrive in pieces, whenever this program gets the CPU. */
bool st_jack_late_continues(const struct st_jack_late *late, const struct st_jack_late *before,
                            int64_t after_us);
