/* What a process does that does not run. FreeBSD: not known. */
#pragma once

#include <sys/types.h>

#include "xruns/helpers/client_buffer.h"

/** The clock of the CPU time of all its threads. @param binary the file name of the program that it must be:
 * in a container, the number that a client gives is that of another process. @return 0 or -errno. */
ST_NODISCARD int st_standing_open(pid_t pid, const char *binary, clockid_t *ret);

enum st_standing st_standing_ask(pid_t pid);

/** Is its control group frozen? */
bool st_standing_is_frozen(pid_t pid);

/** Reads a small file. @return its length; 0: it cannot be read. Linux only. */
size_t st_standing_read(const char *path, char *buf, size_t buf_bytes);
