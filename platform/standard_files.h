/* Standard input, output and error. */
#pragma once

#include "core/base.h"

/** The first call of each main. The caller of this program may have closed standard input, output
 * or error; the next opened file, such as a lock or a socket, would take that descriptor and
 * receive printed text. A closed descriptor becomes /dev/null, opened so that reading and writing
 * still fail. Ends the process (status 4) if that is not possible. */
void st_standard_files_open(void);
