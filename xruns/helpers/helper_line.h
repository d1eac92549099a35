/* What the helper programs that watch a sound server have in common: options, and lines on standard output
 * (xruns/xrun_line.h has their form). One thread writes lines. A line that cannot be written ends the
 * program. */
#pragma once

#include <sys/types.h>

#include "xruns/xrun_line.h"

/* Exit statuses, as of all programs of sleeptune. */
enum {
    ST_HELPER_LINE_DONE = 0,
    ST_HELPER_LINE_ABSENT = 2,
    ST_HELPER_LINE_USAGE = 3,
    ST_HELPER_LINE_FAILED = 4
};

#define ST_HELPER_LINE_ALIVE_S 20 /* after 40 s without a line the program counts as hung */

struct st_helper_line_options {
    pid_t own;          /* -p: whose streams are no other program's (sleeptuned's); 0: none */
    const char *listen; /* -l: "auto" or "on", which programs' streams are heard; "": none */
    const char *except; /* -x: not these programs', with commas between them; "": none */
    const char *cycles; /* -c: file for the last cycles (xruns/cycle_ring.h); "": none */
};

/** Reads the options; others, and another version than this program's (-V), end it. */
struct st_helper_line_options st_helper_line_options(int argc, char **argv);

/** Programs that play without real-time rights come first: gives up some of its share of the CPU. */
void st_helper_line_give_way(void);

/** Is this text, a property of a client, that process? NULL is not. */
bool st_helper_line_is_process(const char *text, pid_t pid);

/** The text may begin with "facts=N ", and that of ready also "listens=N ". */
void st_helper_line_ready(const char *format, ...) ST_PRINTF(1, 2);
void st_helper_line_alive(void);

/** Call it when a wait has ended that was to end at due_ns by CLOCK_MONOTONIC: more than half a second later,
 * this program did not run meanwhile, and says so. */
void st_helper_line_due(int64_t due_ns);

/** The last line. @return ST_HELPER_LINE_ABSENT, for main. */
int st_helper_line_absent(const char *format, ...) ST_PRINTF(1, 2);

/** An xrun line, or a load line. */
void st_helper_line_xrun(const struct st_xrun_seen *seen);

/** A load line that says how much is left now. @param left_ns  less than 1 is 1. */
void st_helper_line_left(const char *device, const char *client, int64_t left_ns);

/** Reads what is there on standard input. @return true at its end: the daemon is gone. Call it when standard
 * input is readable, else it waits. */
bool st_helper_line_input_ended(void);

/** In `seconds` from now: says "absent why" and ends the program, for libraries that wait for ever. 0: no
 * more.
 * @param why is kept. */
void st_helper_line_deadline(unsigned seconds, const char *why);
