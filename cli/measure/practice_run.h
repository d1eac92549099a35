/* Plays the sound of practice through the user's sound system, and keeps the listener's window. */
#pragma once

#include "cli/measure/practice.h"

/** Plays, reads the keys of the terminal, says what it found and keeps the window; some 70 s, never as root.
 * @return an st_exit, after a message. */
int st_practice_run(void);

/** The window that practice set, ST_PRACTICE_LEAST_NS to ST_PRACTICE_WINDOW_NS; 0: none. */
int64_t st_practice_run_window_ns(void);
