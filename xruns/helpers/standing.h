/* Finds out what a process waits for while it does not run: a disk, a CPU, SIGCONT. On FreeBSD not
 * known. */
#pragma once

#include <sys/types.h>

#include "xruns/helpers/client_buffer.h"

/** Opens the clock of the CPU time of all threads of a process. @param binary the file name that
 * the process's program must have: a client in a container gives a number that belongs to another
 * process here. @return 0 or -errno. */
ST_NODISCARD int st_standing_open(pid_t pid, const char *binary, clockid_t *ret);

enum st_standing st_standing_ask(pid_t pid);

/** Is the process's control group frozen? */
bool st_standing_is_frozen(pid_t pid);

/** Reads a small file. @return its length; 0: not readable. Linux only. */
size_t st_standing_read(const char *path, char *buf, size_t buf_bytes);
