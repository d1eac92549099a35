/* Does this user run a JACK server, and is it safe to connect to it? Before libjack knows whether a
 * server runs, it opens files in a folder shared by all users, with names that any user can
 * make. */
#pragma once

#include "core/base.h"

/* JACK_SERVER_NAME_SIZE of jack2; jack2 does not check the length */
#define ST_JACK_SERVER_NAME_BYTES 256

/** @return $JACK_DEFAULT_SERVER, or "default". */
const char *st_jack_server_name(void);

/** Is the libjack of this process part of PipeWire? That library opens none of JACK's shared
 * files. */
bool st_jack_server_is_pipewire(void);

/** Call before any function of libjack. Makes the folder of libjack's database if it is missing, so
 * that no other user can make it. @return NULL, or a sentence: no server runs, or another user can
 * change what libjack would open. */
ST_NODISCARD const char *st_jack_server_look(const char *name);
