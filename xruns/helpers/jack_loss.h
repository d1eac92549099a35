/* Losses of sound of a JACK server: which callbacks form one loss, who caused it, and the lines
 * that report it. A client that keeps losing sound is reported each second, as one dropout while no
 * other client is to blame. Pure. */
#pragma once

#include "xruns/helpers/jack_late.h"
#include "xruns/helpers/jack_xrun.h"
#include "xruns/xrun.h"

#define ST_JACK_LOSSES_MAX 16
#define ST_JACK_PAUSE_US   100000 /* wait for the server's messages, which follow the callback */

enum st_jack_blame {
    ST_JACK_BLAME_OPEN, /* not judged yet */
    ST_JACK_BLAME_DEVICE,
    ST_JACK_BLAME_SERVER,
    ST_JACK_BLAME_NAMED, /* named by the server's log: late.clients[].held */
    ST_JACK_BLAME_CLIENT /* the only client, or one of several: not known which */
};

/** One loss of sound: callbacks that follow each other so closely that they may belong to one
 * standstill. */
struct st_jack_loss {
    struct st_jack_cycle begun; /* the first callback of the loss */
    bool by_device;             /* the xrun `begun` was caused by the device, not by a client */
    int64_t since_us;           /* first callback of a standstill that arrives in pieces */
    int64_t last_us;            /* the last callback */
    int64_t device_n[2], client_n[2]; /* number of callbacks: [0] exact, [1] probable */
    int64_t named_n;                  /* messages of the server about this loss */
    int64_t said_us,
        told_us; /* when the last line was written, and the last callback that it covers */
    struct st_jack_late late;
    struct st_jack_graph graph; /* the graph when the loss began */
    enum st_jack_blame blame;
    enum st_certainty certainty;
    bool joins; /* this loss continues the previous one, which was ended because it had become too
                   long */
};

/** The losses of a JACK server that are not reported completely. All 0: no loss yet. */
struct st_jack_losses {
    struct st_jack_loss
        list[ST_JACK_LOSSES_MAX]; /* losses that are not over, or not yet reported */
    size_t n;
    struct st_jack_loss before; /* the last loss that ended */
};

/** Takes a callback. @return the loss that begins with it, whose graph must be filled; NULL: no
 * loss begins. */
struct st_jack_loss *st_jack_loss_take(struct st_jack_losses *losses,
                                       const struct st_jack_cycle *now, struct st_jack_xrun xrun);

/** Takes a message of the server; messages arrive in the order of the callbacks. Without a loss the
 * message is dropped. */
void st_jack_loss_name(struct st_jack_losses *losses, const char *client, bool ran);

/** The same moment on the clock of jack_get_time and on CLOCK_MONOTONIC. */
struct st_jack_now {
    int64_t us, ns;
};

/** Reports losses that are over or have lasted 1 s; a loss that goes on is reported once a second.
 * @param log true: messages of the server can still arrive. @param all true: report unfinished
 * losses as well. */
void st_jack_loss_say(struct st_jack_losses *losses, struct st_jack_now now, bool log, bool all,
                      st_xrun_seen_fn seen, void *ctx);
