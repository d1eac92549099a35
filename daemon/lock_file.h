/* PATH.lock beside a file that only one daemon may use: the socket, or the history. */
#pragma once

#include "core/base.h"

/** Takes "PATH.lock" until it is released or the process ends, and writes the PID into it. Checks a lock
 * that is held already: if its file was removed, takes it again. @param fd -1: not held; stays -1 after
 * an error. @param ret_pid at -EBUSY the process that holds the lock, else one that ended without
 * releasing it; 0: none, or unknown. @return 0; -EBUSY: another process holds it; -ELOOP, -EINVAL: a
 * link, not a file, or a file with a second hard link; -EPERM: another user's; or the error of open,
 * flock, write. */
ST_NODISCARD int st_lock_file_take(const char *path, int *fd, long *ret_pid);

/** Releases the lock and removes the file. An fd of -1 is allowed. */
void st_lock_file_release(const char *path, int *fd);
