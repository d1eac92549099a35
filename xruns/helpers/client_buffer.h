/* Did a program stand still for longer than the sound that it had written ahead lasts? Then the buffer
 * between it and its sound server ran dry, which no counter of the server shows. It writes when the server
 * has taken a cycle's sound, which is a whole one also if it asked for less, and has time until the cycle for
 * which too little is left. Pure; times are CLOCK_MONOTONIC in ns.
 *
 * It is looked at some 25 times a second. A program that used no CPU time between two looks did not run. One
 * that only slept may have had nothing to play: that is no dropout here, and neither is a stop that no sound
 * follows. What a program that runs writes too late cannot be seen this way. */
#pragma once

#include "xruns/dropout_reason.h"

/* What a program does that does not run; a higher one says more. */
enum st_standing {
    ST_STANDING_UNKNOWN,
    ST_STANDING_ASLEEP,    /* all of its threads wait for something to do */
    ST_STANDING_DISK,      /* a thread waits for the disk (state D) */
    ST_STANDING_NO_CPU,    /* a thread is ready to run and gets no CPU */
    ST_STANDING_IS_STOPPED /* SIGSTOP, a debugger, a frozen control group */
};

/** All 0 at first. */
struct st_client_buffer {
    int64_t buffer_ns;              /* the program asked to write ahead so much sound; 0: not known */
    int64_t period_ns;              /* its server takes so much at once; 0: not known */
    int64_t begun_ns;               /* the first look */
    int64_t ran_from_ns, ran_to_ns; /* it ran for the last time between these two */
    int64_t look_ns, cpu_ns;        /* the latest look */
    int64_t ask_ns;                 /* the time to ask again what it does */
    enum st_standing standing;      /* in the time in which it has not run */
    int64_t lost_ns;                /* of a dropout that sound has to follow yet; 0: none ... */
    int64_t again_ns;               /* ... when it ran again ... */
    enum st_standing why;           /* ... and what it did before */
};

struct st_client_buffer_loss {
    int64_t lost_ns; /* no sound for so long, to about one interval of looks */
    enum st_dropout_reason reason;
};

/** The stream begins to play. A pause of less than half a second is one that the server makes, for another
 * buffer size. */
void st_client_buffer_begin(struct st_client_buffer *buffer, int64_t now_ns);

/** A look: the CPU time that all threads of the program have used so far. @return true: ask what it does,
 * and call st_client_buffer_stands: its buffer is empty. */
bool st_client_buffer_look(struct st_client_buffer *buffer, int64_t now_ns, int64_t cpu_ns);

void st_client_buffer_stands(struct st_client_buffer *buffer, enum st_standing standing);

/** After a look: a dropout that is over. @return false: none. */
bool st_client_buffer_loss(struct st_client_buffer *buffer, struct st_client_buffer_loss *ret);
