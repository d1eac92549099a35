/* Only one daemon writes a history: figures of two in one file could not be distinguished. */
#ifndef ST_DAEMON_HISTORY_HISTORY_LOCK_H
#define ST_DAEMON_HISTORY_HISTORY_LOCK_H

#include "core/base.h"

/**
 * Takes "PATH.lock" for as long as the process lives or until it is given back. A file that a killed daemon
 * left there is no hindrance. Where there can be no such file (no rights, full disk, no locks) it does
 * without. One that is taken is looked at: if its file was removed, it is taken again.
 * @param fd  -1: not taken; stays so where it does without.
 * @return 0; -EBUSY with a sentence: another process has it.
 */
ST_NODISCARD int st_history_lock(const char *path, int *fd, char *error, size_t error_bytes);

/** Gives it back and removes the file. An fd of -1 is fine. */
void st_history_lock_release(const char *path, int *fd);

#endif
