/* Folders of the user who runs the program, as his environment says. Nothing that root trusts. */
#pragma once

#include "core/base.h"

/** What XDG_STATE_HOME (or XDG_CONFIG_HOME ...) names, or a folder below the user's home, with a name behind
 * it: "/users/amy/.local/state" "/sleeptune". Source: the XDG Base Directory Specification.
 * @return NULL: the environment names no absolute path. Threads: while no one changes the environment. */
const char *st_user_folder(const char *variable, const char *below_home, const char *name);

/** Where systemd, too, lets the user's daemon keep its state. */
#define ST_USER_STATE "XDG_STATE_HOME", "/.local/state"

/** Makes it, and each folder above it that is missing, for the user alone. @return 0 or what mkdir said. */
ST_NODISCARD int st_user_folder_make(const char *folder);
