/* Ways of waking that Linux and FreeBSD share: functions of their rows, and what a sender and a sleeper are
 * for them. */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "lab/wake/wake.h"

#define ST_WAKE_QUEUE_N 8
#define ST_WAKE_FOREVER INT64_MAX

/** What both threads use. */
struct st_wake_place {
    struct st_platform *platform;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    unsigned queue[ST_WAKE_QUEUE_N]; /* a channel's messages: head, head + 1 .. tail - 1 */
    unsigned head, tail;
    bool signalled;
    sem_t sem;
    _Atomic uint32_t word;
    int fds[2]; /* the sleeper's end, the sender's end; -1: none. Closed for the method, as watch is */
    int watch;  /* epoll or kqueue; -1: none */
    pthread_t sleeper;
};

/** One way of waking. All return 0 or -errno. */
struct st_wake_ops {
    int (*open)(struct st_wake_place *place); /* before there is a sleeper */
    /** In the sleeper: waits for a signal until due_ns on CLOCK_MONOTONIC, or without limit with
     * ST_WAKE_FOREVER (the only one for a method that is not timed). @return also -ETIMEDOUT. */
    int (*wait)(struct st_wake_place *place, int64_t due_ns);
    int (*wake)(struct st_wake_place *place);   /* in the sender */
    void (*close)(struct st_wake_place *place); /* after the sleeper has ended */
};

/** Time left until due_ns, for calls that take a time from now; at least 0. */
struct timespec st_wake_left(const struct st_wake_place *place, int64_t due_ns);
/** Waits for a semaphore until a time of CLOCK_MONOTONIC: each OS has its own call (lab/linux, lab/freebsd).
 * @return 0, -ETIMEDOUT, -EINTR. */
int st_wake_posix_semaphore_until(sem_t *sem, const struct timespec *until);
