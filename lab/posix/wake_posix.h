/* Ways of waking that Linux and FreeBSD share: the data that sender and sleeper have in common, and
 * the functions that make up one way of waking. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "lab/wake/wake.h"

#define ST_WAKE_QUEUE_N 8

/** What the sender and the sleeper share. */
struct st_wake_place {
    struct st_platform *platform;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    unsigned queue[ST_WAKE_QUEUE_N]; /* a channel's messages: head, head + 1 .. tail - 1 */
    unsigned head, tail;
    bool signalled;
    _Atomic uint32_t word;
    pthread_t sleeper;
};

/** The functions of one way of waking. All but `close` return 0 or -errno. */
struct st_wake_ops {
    int (*open)(struct st_wake_place *place); /* called before the sleeper starts */
    /** Called in the sleeper: waits for a signal until due_ns on CLOCK_MONOTONIC. @return also
     * -ETIMEDOUT. */
    int (*wait)(struct st_wake_place *place, int64_t due_ns);
    int (*wake)(struct st_wake_place *place);   /* called in the sender: signals the sleeper */
    void (*close)(struct st_wake_place *place); /* called after the sleeper has ended */
};
