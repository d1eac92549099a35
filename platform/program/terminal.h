/* The terminal: its width, and whether to use colour. */
#pragma once

#include "core/base.h"

/** Columns of the terminal on fd, or the variable COLUMNS if set; 80 without a terminal. */
int st_terminal_width(int fd);
/** Use colour on standard output? Yes on a terminal, unless TERM is dumb or NO_COLOR is set and not
 * empty. */
bool st_terminal_colour(void);
