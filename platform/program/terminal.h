/* The terminal: its width, and whether to use colour. */
#pragma once

#include "core/base.h"

/** Columns of the terminal on fd; COLUMNS wins; 80 where there is none. */
int st_terminal_width(int fd);
/** Colour on standard output? A terminal, TERM not dumb, NO_COLOR unset or empty. */
bool st_terminal_colour(void);
