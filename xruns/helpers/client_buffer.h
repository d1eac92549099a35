/* Did a program stand still for longer than the sound that it had written ahead lasts? Then the
 * buffer between it and its sound server ran dry, which no counter of the server shows. A program
 * writes when the server has taken the sound of a cycle (a whole one, even if the program asked for
 * a shorter buffer), and has time until the cycle for which too little sound is left. Pure; times
 * are CLOCK_MONOTONIC in ns.
 *
 * The program is checked some 25 times a second. A program that used no CPU time between two checks
 * did not run. A program that only slept may have had nothing to play: that is no dropout
 * here, and neither is a standstill that no sound follows. Sound that a running program sends too
 * late is not found in this way. */
#pragma once

#include "xruns/dropout_reason.h"

/* What a program that does not run is doing; of several values, the highest one counts. */
enum st_standing {
    ST_STANDING_UNKNOWN,
    ST_STANDING_ASLEEP,    /* all of its threads wait for something to do */
    ST_STANDING_DISK,      /* a thread waits for the disk (state D) */
    ST_STANDING_NO_CPU,    /* a thread is ready to run and gets no CPU */
    ST_STANDING_IS_STOPPED /* SIGSTOP, a debugger, a frozen control group */
};

/** State of one program whose buffer is watched. All 0 at first. */
struct st_client_buffer {
    int64_t buffer_ns;              /* sound that the program asked to write ahead; 0: not known */
    int64_t period_ns;              /* sound that the server takes at once; 0: not known */
    int64_t begun_ns;               /* time of the first check */
    int64_t ran_from_ns, ran_to_ns; /* the client last ran between these two times */
    int64_t look_ns, cpu_ns;        /* time of the latest check, and the program's CPU time then */
    int64_t ask_ns;                 /* when to find out again what the client waits for */
    enum st_standing standing;      /* what the client does while it does not run */
    int64_t lost_ns;      /* length of a loss that counts only if sound follows; 0: none */
    int64_t again_ns;     /* when the client ran again after lost_ns */
    enum st_standing why; /* what the client did during lost_ns */
};

struct st_client_buffer_loss {
    int64_t lost_ns; /* time without sound; accurate to about one interval of checks */
    enum st_dropout_reason reason;
};

/** The stream begins to play. A pause of less than 0.5 s is taken as one that the server makes to
 * change the buffer size. */
void st_client_buffer_begin(struct st_client_buffer *buffer, int64_t now_ns);

/** Checks the CPU time of all threads of the program. @return true: the buffer is empty; find out
 * what the program does and call st_client_buffer_stands. */
bool st_client_buffer_look(struct st_client_buffer *buffer, int64_t now_ns, int64_t cpu_ns);

void st_client_buffer_stands(struct st_client_buffer *buffer, enum st_standing standing);

/** After a check: reports a dropout that has ended. @return false: none. */
bool st_client_buffer_loss(struct st_client_buffer *buffer, struct st_client_buffer_loss *ret);
