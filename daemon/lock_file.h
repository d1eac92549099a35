/* PATH.lock beside a file that only one daemon may use: the socket, the history. */
#pragma once

#include "core/base.h"

/**
 * Takes "PATH.lock" for as long as the process lives or until it is released, and writes the PID into it. A
 * lock that is held already is looked at: if its file was removed, it is taken again.
 * @param fd  -1: not held; stays so after an error.
 * @param ret_pid  at -EBUSY the process that holds it, else one that ended without releasing it; 0: none, or
 * unknown.
 * @return 0; -EBUSY: another process holds it; -ELOOP, -EINVAL: a link, not a file, or one with a second
 * name; -EPERM: another user's; or the error of open, flock, write. */
ST_NODISCARD int st_lock_file_take(const char *path, int *fd, long *ret_pid);

/** Releases it and removes the file. An fd of -1 is fine. */
void st_lock_file_release(const char *path, int *fd);
