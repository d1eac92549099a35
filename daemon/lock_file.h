/* PATH.lock beside a file that only one daemon may use: the socket, or the history. */
#pragma once

#include "core/base.h"

/** Takes the lock "PATH.lock" until it is released or the process ends, and writes the PID into it.
 * If the lock is held already and its file was removed, takes it again. @param fd -1: not held;
 * stays -1 after an error. @param ret_pid at -EBUSY the process that holds the lock; otherwise a
 * process that ended without releasing it; 0: none, or unknown. @return 0; -EBUSY: another process
 * holds it; -ELOOP, -EINVAL: a symbolic link, not a regular file, or a file with a second hard
 * link; -EPERM: the file belongs to another user; or the error of open, flock or write. */
ST_NODISCARD int st_lock_file_take(const char *path, int *fd, long *ret_pid);

/** Releases the lock and removes the file. An fd of -1 is allowed. */
void st_lock_file_release(const char *path, int *fd);
