/* Common parts of the helper programs that watch a sound server: options, and lines on standard
 * output (form: xruns/xrun_line.h). One thread writes lines. If a line cannot be written, the
 * program ends. */
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
    pid_t own; /* -p: the process (sleeptuned) whose streams are not reported as another program's;
                  0: none */
    const char *listen; /* -l: "auto" or "on": which programs' streams to listen to; "": none */
    const char *except; /* -x: programs not to listen to, separated by commas; "": none */
    const char *cycles; /* -c: file for the last cycles (xruns/cycle_ring.h); "": none */
};

/** Reads the options. An unknown option, or a version (-V) other than this program's, ends the
 * program. */
struct st_helper_line_options st_helper_line_options(int argc, char **argv);

/** Gives up some of this program's share of the CPU, so that programs that play without real-time
 * rights come first. */
void st_helper_line_give_way(void);

/** Is `text`, a property of a client, the number of process pid? false if text is NULL. */
bool st_helper_line_is_process(const char *text, pid_t pid);

/** Writes a "ready" line. The text may begin with "facts=N ", and after that "listens=N ". */
void st_helper_line_ready(const char *format, ...) ST_PRINTF(1, 2);
void st_helper_line_alive(void);

/** Call after a wait that was to end at due_ns (CLOCK_MONOTONIC). If that was more than 0.5 s ago,
 * writes for how long this program did not run. */
void st_helper_line_due(int64_t due_ns);

/** Writes the last line: "absent" with a reason. @return ST_HELPER_LINE_ABSENT, for main. */
int st_helper_line_absent(const char *format, ...) ST_PRINTF(1, 2);

/** Writes an xrun line or a load line. */
void st_helper_line_xrun(const struct st_xrun_seen *seen);

/** Writes a line that says how much sound is left now. @param left_ns values below 1 become 1. */
void st_helper_line_left(const char *device, const char *client, int64_t left_ns);

/** Reads the available standard input; waits unless it is readable. @return true at its end: the
 * daemon is gone. */
bool st_helper_line_input_ended(void);

/** Writes "absent why" and ends the program in `seconds` from now, for libraries that can wait for
 * ever. 0: cancels the deadline. @param why must stay valid. */
void st_helper_line_deadline(unsigned seconds, const char *why);
