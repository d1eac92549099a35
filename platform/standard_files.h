/* Standard input, output and error. */
#pragma once

#include "core/base.h"

/** First call of each main: who started this program may have closed one of them, and the next file that is
 * opened, such as a lock or a socket, would take its place and get what is printed. A closed one becomes
 * /dev/null, so that reading and writing fail as before. Ends the process (4) where that is not possible. */
void st_standard_files_open(void);
