/* Does a JACK server of this user run, and is it safe to connect to it? libjack opens files whose names any
 * user can make, in a folder for all users, before it knows that there is a server. */
#pragma once

#include "core/base.h"

#define ST_JACK_SERVER_NAME_BYTES 256 /* JACK_SERVER_NAME_SIZE of jack2, which does not check it */

/** @return $JACK_DEFAULT_SERVER, or "default". */
const char *st_jack_server_name(void);

/** Is the libjack of this process PipeWire's? It came with libpipewire, and opens none of this. */
bool st_jack_server_is_pipewire(void);

/** To be asked before libjack is: without a server, nothing is opened or made. @return NULL, or a sentence:
 * none runs, or another user can change what libjack would open. */
ST_NODISCARD const char *st_jack_server_look(const char *name);
