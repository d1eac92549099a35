/* Losses of sound of a JACK server: which callbacks are one loss, who made it, and the lines that report it.
 * A client that goes on losing sound is reported each second, as one dropout while no other one is to blame.
 * Pure. */
#pragma once

#include "xruns/helpers/jack_late.h"
#include "xruns/helpers/jack_xrun.h"
#include "xruns/xrun.h"

#define ST_JACK_LOSSES_MAX 16
#define ST_JACK_PAUSE_US   100000 /* the server writes its messages after it called back */

enum st_jack_blame {
    ST_JACK_BLAME_OPEN, /* not judged yet */
    ST_JACK_BLAME_DEVICE,
    ST_JACK_BLAME_SERVER,
    ST_JACK_BLAME_NAMED, /* by the server's log: late.clients[].held */
    ST_JACK_BLAME_CLIENT /* the only one, or it is not known which */
};

/** Callbacks that follow each other so soon that they may be of one standstill. */
struct st_jack_loss {
    struct st_jack_cycle begun;       /* the first callback ... */
    bool by_device;                   /* ... and whose it was */
    int64_t since_us;                 /* of a standstill that is seen in pieces: its first */
    int64_t last_us;                  /* the last one */
    int64_t device_n[2], client_n[2]; /* callbacks: exact, probable */
    int64_t named_n;                  /* messages about it */
    int64_t said_us, told_us;         /* the last line: when, and up to which callback */
    struct st_jack_late late;
    struct st_jack_graph graph; /* at its beginning */
    enum st_jack_blame blame;
    enum st_certainty certainty;
    bool joins; /* it goes on with the one before, which was ended as too long */
};

/** All 0: none yet. */
struct st_jack_losses {
    struct st_jack_loss list[ST_JACK_LOSSES_MAX]; /* that are not over, or not said */
    size_t n;
    struct st_jack_loss before; /* the last one that is over */
};

/** A callback. @return the loss that begins with it, which wants its graph; NULL: none begins. */
struct st_jack_loss *st_jack_loss_take(struct st_jack_losses *losses, const struct st_jack_cycle *now,
                                       struct st_jack_xrun xrun);

/** A message of the server; they come in the order of the callbacks. Without a loss it is of none. */
void st_jack_loss_name(struct st_jack_losses *losses, const char *client, bool ran);

/** The same moment by jack_get_time and by CLOCK_MONOTONIC. */
struct st_jack_now {
    int64_t us, ns;
};

/** Says the losses that are over, or have lasted for a second; those that go on once a second.
 * @param log messages may come. @param all what is not over, too. */
void st_jack_loss_say(struct st_jack_losses *losses, struct st_jack_now now, bool log, bool all,
                      st_xrun_seen_fn seen, void *ctx);
