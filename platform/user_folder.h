/* Folders of the user who runs the program, from the environment. Root trusts none of them. */
#pragma once

#include "core/base.h"

/** The folder that `variable` (XDG_STATE_HOME, XDG_CONFIG_HOME ...) names, or else a folder below
 * the user's home, followed by `name`: "/users/amy/.local/state" "/sleeptune". Source: the XDG Base
 * Directory Specification. @return NULL: the environment names no absolute path. Threads: any,
 * while no thread changes the environment. */
const char *st_user_folder(const char *variable, const char *below_home, const char *name);

/** The state folder of a user's daemon; systemd uses the same one. */
#define ST_USER_STATE "XDG_STATE_HOME", "/.local/state"

/** Makes the folder, and each missing folder above it, with access for the user only. @return 0 or
 * the error of mkdir. */
ST_NODISCARD int st_user_folder_make(const char *folder);
